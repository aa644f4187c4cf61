"""Running the server in this process: one uvicorn, its signals, its end.

The first SIGTERM or SIGINT drains: readiness ends at once, sockets are closed with 1012, running slices finish, and the
exit code is 0. A second one exits at once. There is one process: worlds live in it, and a second one would answer 404.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

from orca_crowd import __version__
from orca_crowd.api.support import Services
from orca_crowd.app import create_app, drain
from orca_crowd.commands.room import raise_descriptor_limit
from orca_crowd.garbage import keep_what_is_loaded
from orca_crowd.journal.errors import BadStore, StoreAway
from orca_crowd.journal.store import Store
from orca_crowd.logs import configure
from orca_crowd.settings import Settings
from orca_crowd.streaming.server import DrainingServer, socket_options
from orca_crowd.worlds.archive import ArchiveLocked

__all__ = ["Server", "compiling", "make_server", "run"]

log = logging.getLogger("orca_crowd")

SWITCH_SECONDS = 0.001
# columns of the terminal that a bar, a count and a time need beside the name of what is compiled
BESIDE_THE_NAME = 31
HANDLED = (signal.SIGINT, signal.SIGTERM)


class Server(DrainingServer):
    """Draining, with the signals in our hands: uvicorn would raise them again at the end and spoil the exit code."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], Awaitable[None]], services: Services) -> None:
        """Serve what the configuration names; `drain` and `services` are its application's."""
        super().__init__(config, drain)
        self.services = services

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """First signal: drain. Second: out, whatever is under way."""
        if self.should_exit:
            # not by the log, which the interrupted line may hold locked
            os.write(2, b"orca-crowd: stopped before everything was closed\n")
            os._exit(1)
        # readiness ends now, not when the loop comes to it
        self.services.draining = True
        self.services.warmup.give_up()
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain while the listener is still there, so that whoever asks is told 503; then close what is left."""
        await self._drain()
        await uvicorn.Server.shutdown(self, sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while serving; in another thread than the main one there are none to handle."""
        try:
            before = {number: signal.signal(number, self.handle_exit) for number in HANDLED}
        except ValueError:
            yield
            return
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def make_server(settings: Settings, progress: Progress | None = None) -> Server:
    """The server of these settings, not yet running."""
    bar = progress.add_task("compiling kernels", total=None) if progress is not None else None

    def tell(done: int, total: int, name: str) -> None:
        if progress is not None and bar is not None:
            progress.update(
                bar, completed=done, total=total, description=f"compiling {name}" if name else "kernels compiled"
            )
            if done == total:
                progress.stop()
                # imported already, by the thread that calls this; a start from a full cache compiles none
                from orca_core.warmup import summary

                log.info(summary())
                keep_what_is_loaded()

    app = create_app(settings, progress=tell if progress is not None else None)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        **socket_options(settings),
    )
    return Server(config, lambda: drain(app), app.state.services)


def _say_what_runs(settings: Settings, address: str, services: Services) -> None:
    """The first line of the log: what runs where, and who comes in."""
    facts = {
        "version": __version__,
        "address": address,
        "engine": settings.engine,
        "workers": settings.workers,
        "data": settings.store or (str(settings.folder) if settings.folder is not None else None),
        "open": services.door.open,
    }
    access = "open: there are no keys, so all may do everything" if facts["open"] else "closed, keys wanted"
    log.info(
        "serving on %s (version %s, %s, %d workers, data in %s; %s)",
        address,
        __version__,
        settings.engine,
        settings.workers,
        facts["data"] or "no folder",
        access,
        extra=facts,
    )


def compiling(console: Console, *, shown: bool) -> Progress:
    """The bar of compiling; bars are for people: who collects lines of JSON gets nothing but those."""
    # names of kernels are long: a narrow terminal cuts those, and not how many there are
    name = Column(no_wrap=True, overflow="ellipsis", max_width=max(20, console.width - BESIDE_THE_NAME))
    return Progress(
        TextColumn("orca-crowd: {task.description}", table_column=name),
        BarColumn(),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        console=console,
        disable=not shown,
    )


def run(settings: Settings) -> int:
    """Serve until told to stop; the exit code."""
    configure(settings.log_format, settings.log_level)
    console = Console(stderr=True)
    # bound here, so that a port in use is one clear line and not a page of log
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listener = socket.create_server((settings.host.strip("[]"), settings.port), family=family, backlog=2048)
    except OSError as error:
        print(  # noqa: T201
            f"orca-crowd: choose another --port: {settings.host}:{settings.port} cannot be had ({error.strerror})",
            file=sys.stderr,
        )
        return 2
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    progress = compiling(console, shown=settings.log_format != "json")
    # threads hand the interpreter over sooner than the usual 5 ms, so that the loop is not kept from its sockets
    sys.setswitchinterval(SWITCH_SECONDS)
    raise_descriptor_limit(settings.sockets + settings.worlds)
    try:
        if settings.store is not None:
            Store(settings.store).check()
        server = make_server(settings, progress)
        server.services.registry.open()
    except (ArchiveLocked, BadStore, OSError, StoreAway) as error:
        listener.close()
        if settings.data:
            print(f"orca-crowd: choose another --data: {error}", file=sys.stderr)  # noqa: T201
            return 2
        # the folder was nobody's wish: a user without a home, or a second server, serves all the same
        print(f"orca-crowd: nothing is kept, give --data to keep worlds: {error}", file=sys.stderr)  # noqa: T201
        return run(settings.model_copy(update={"data": "none"}))
    if settings.folder is None and settings.store is None and settings.port and settings.data != "none":
        log.warning("nothing is kept, for this user has no home; give --data to keep worlds")
    _say_what_runs(settings, f"http://{host}:{listener.getsockname()[1]}", server.services)
    progress.start()
    try:
        # from here on and not only once the loop runs: a signal in between would be a traceback
        with server.capture_signals():
            server.run(sockets=[listener])
    finally:
        progress.stop()
    return 0
