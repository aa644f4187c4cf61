"""The process of one world: a server with an event loop in a thread of its own, which Ray's threads tell what to do.

It takes its world over at once, or waits until it is told to: then another process has the world still, and this one
is warm when that lets go. It ends by itself when its world is no more, when another process has taken the world over,
and when it was told to wait and nobody came.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, Literal

import uvicorn

from orca_crowd.api.guard import TRUSTED_SECONDS, Guard
from orca_crowd.api.support import Services
from orca_crowd.app import create_app, drain
from orca_crowd.clock import Clock, SystemClock
from orca_crowd.engine.ray.actor import ActorOrder
from orca_crowd.engine.ray.names import actor_name, other_place
from orca_crowd.hosting.door import FrontDoor
from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.watch import Writing
from orca_crowd.logs import configure
from orca_crowd.settings import Settings
from orca_crowd.streaming.server import DrainingServer, socket_options
from orca_crowd.streaming.transport import PassedOnProtocol
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.hosted import Hosted
from orca_crowd.worlds.shared import SharedArchive
from orca_crowd.worlds.stored import StoredArchive

__all__ = ["Host", "start"]

log = logging.getLogger("orca_crowd")

# without a world for so long the process ends: before one has come, and after one was put away
EMPTY_SECONDS: Final = 10.0
GONE_SECONDS: Final = 2.0
# so long it waits for its turn, and so long it stays when it has let go
PATIENCE_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.05
SWITCH_SECONDS: Final = 0.001


class Host:
    """See the module; called from threads of Ray."""

    def __init__(
        self,
        order: ActorOrder,
        address: str,
        *,
        anew: bool,
        end: Callable[[], None],
        other_lives: Callable[[str], bool],
    ) -> None:
        """`anew`: Ray has made this process in the place of one that died. `end` ends it for good."""
        self._order = order
        self._clock = SystemClock()
        self._settings = Settings.model_validate(order.settings).model_copy(update={"host": address, "port": 0})
        self._begun = self._clock.now()
        self._token = secrets.token_urlsafe(32)
        self._end = end
        self._other_lives = lambda: other_lives(actor_name(order.world, other_place(order.place)))
        self._waits = order.waits and not anew
        self._anew = anew
        self.epoch = 0
        self._created = 0
        self._archive = _archive(self._settings, order.world, self._clock)
        self._state: Literal["starting", "waiting", "serving", "released"] = "starting"
        self._address = ""
        self._settled = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Event()
        self._services: Services | None = None
        self._thread = threading.Thread(target=self._run, name="orca-world", daemon=True)
        self._thread.start()

    # what Ray's threads call

    def describe(self, seconds: float) -> dict[str, Any]:
        """Where it serves and how far it is; waits while it starts."""
        with self._settled:
            self._settled.wait_for(lambda: self._state != "starting", seconds)
            return {
                "state": self._state,
                "address": self._address,
                "token": self._token,
                "epoch": self.epoch,
                "created": self._created or self.epoch,
                "kept": self._archive is not None and bool(self._archive.names()),
            }

    def release(self) -> None:
        """Let go of the world; its journal is closed when this returns."""
        self._call(self._release())

    def take(self, let_go: bool) -> None:
        """Take the world over, where this was waited for; `let_go`: whoever had it has let go."""
        self._call(self._take(let_go=let_go))

    def _call(self, coroutine: Any) -> None:
        if self._loop is None:
            coroutine.close()
            raise RuntimeError("the process is being started")
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    # the event loop

    def _run(self) -> None:
        configure(self._settings.log_format, self._settings.log_level)
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            with asyncio.Runner(loop_factory=_new_loop) as runner:
                runner.run(self._live())
        except Exception:
            log.exception("the process of world %s failed", self._order.world)
            os._exit(1)

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self._anew and await asyncio.to_thread(self._other_lives):
            # the world was on its way elsewhere when this one died
            log.info("world %s is elsewhere; this process is not needed", self._order.world)
            self._end()
            return
        if not self._waits:
            await self._claim()
        app = create_app(self._settings, clock=self._clock, hosted=self._hosted())
        self._services = app.state.services
        guard = Guard(
            app,
            clock=self._clock,
            epoch=lambda: self.epoch,
            superseded=lambda: self._archive is not None and self._archive.superseded(),
            end=self._superseded,
        )
        config = uvicorn.Config(
            guard,
            host=self._settings.host,
            port=0,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,
            lifespan="on",
            # front ends see to the size of messages, and compress for their clients
            **{
                **socket_options(self._settings),
                "ws": PassedOnProtocol,
                "ws_per_message_deflate": False,
                "ws_max_size": 2**31,
            },
        )
        server = DrainingServer(config, lambda: drain(app))
        serving = asyncio.create_task(server.serve())
        looking = asyncio.create_task(self._look(server, guard))
        await asyncio.wait([serving, looking], return_when=asyncio.FIRST_COMPLETED)
        looking.cancel()
        await serving

    def _hosted(self) -> Hosted:
        def archive(writing: Writing) -> Archive | None:
            if self._archive is not None:
                self._archive.watch(writing)
            return self._archive

        return Hosted(self._order.world, archive, FrontDoor(self._token), self._turn.wait)

    async def _claim(self, *, let_go: bool = False) -> None:
        """Take the world over: from here on nobody else writes its journal. `let_go`: nobody else answers for it."""
        archive = self._archive
        if archive is None:
            self.epoch = int(self._clock.wall() * 1000)
        else:
            try:
                self.epoch, self._created = await asyncio.to_thread(archive.claim)
            except BadJournal as error:
                # the world is there and has failed, which its registry finds out and tells
                log.error("%s", error)
                self.epoch = int(self._clock.wall() * 1000)
        # what an older life answers in this moment, not knowing that it is one, is still true
        asyncio.get_running_loop().call_later(0.0 if let_go else 2 * TRUSTED_SECONDS, self._turn.set)

    async def _take(self, *, let_go: bool = False) -> None:
        if self._state == "waiting":
            self._waits = False
            self._settle("starting")
            await self._claim(let_go=let_go)

    async def _release(self) -> None:
        assert self._services is not None
        self._settle("released")
        await self._services.registry.release()

    def _superseded(self) -> None:
        """Another process has the world; Ray need not know: to it this one may be dead already."""
        log.warning("another process has taken world %s over; this one ends", self._order.world)
        os._exit(0)

    def _settle(self, state: Literal["starting", "waiting", "serving", "released"]) -> None:
        with self._settled:
            self._state = state
            self._settled.notify_all()

    async def _look(self, server: uvicorn.Server, guard: Guard) -> None:
        """See to it that others learn how far this is, and that it ends when nobody needs it."""
        since, patience = self._clock.now(), EMPTY_SECONDS
        while True:
            await asyncio.sleep(LOOK_SECONDS if self._state != "serving" else 1.0)
            services = self._services
            if not server.started or services is None:
                continue
            if not self._address:
                port = server.servers[0].sockets[0].getsockname()[1]
                host = self._settings.host
                self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            now = self._clock.now()
            if self._state == "starting":
                since = now
                if self._waits and services.warmup.ready and not self._turn.is_set() and not self.epoch:
                    self._settle("waiting")
                elif self._turn.is_set() and self._is_ready(services):
                    self._settle("serving")
                    told = (self._order.world, self._address, self.epoch, now - self._begun)
                    log.info("world %s is served on %s, life %d, after %.1f seconds", *told)
            elif self._state == "serving":
                # one that nobody asks anything has to find out by itself
                await guard.current()
                if not services.registry.empty:
                    since, patience = now, GONE_SECONDS
                elif now - since > patience:
                    log.info("world %s is not here any more; its process ends", self._order.world)
                    self._end()
                    return
            elif now - since > PATIENCE_SECONDS:
                await self._give_up_waiting()

    async def _give_up_waiting(self) -> None:
        """Nobody came: take over what nobody has, and end otherwise."""
        if self._state == "waiting" and not await asyncio.to_thread(self._other_lives):
            await self._take()
        else:
            self._end()

    def _is_ready(self, services: Services) -> bool:
        if services.warmup.failed:
            os._exit(1)
        return services.warmup.ready and services.registry.is_back


def _archive(settings: Settings, world: str, clock: Clock) -> SharedArchive | StoredArchive | None:
    if settings.store is not None:
        return StoredArchive(settings.store, settings, world, clock)
    return None if settings.folder is None else SharedArchive(settings.folder, settings, world, clock)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def start(
    order: ActorOrder, address: str, *, anew: bool, end: Callable[[], None], other_lives: Callable[[str], bool]
) -> Host:
    """Begin to run a world in this process."""
    return Host(order, address, anew=anew, end=end, other_lives=other_lives)
