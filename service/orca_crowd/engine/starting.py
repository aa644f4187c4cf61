"""Starting worker processes, and the server of forks that they come from."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from typing import Any

from orca_crowd.engine.workmate import Lost, Workmate

__all__ = ["Attendants", "launch"]

log = logging.getLogger("orca_crowd")

# one at a time: starting borrows the main module
_main = threading.Lock()


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes as if this one had no main module.

    multiprocessing imports the parent's main module again in each child; ours is the command, which a worker has no use
    for, and importing it would make a replacement slow.
    """
    with _main:
        main = sys.modules["__main__"]
        kept: dict[str, Any] = {name: main.__dict__[name] for name in ("__spec__", "__file__") if name in main.__dict__}
        main.__dict__["__spec__"] = None
        main.__dict__.pop("__file__", None)
        try:
            yield
        finally:
            main.__dict__.update(kept)


def launch(method: str, target: Callable[[Any], None], deadline: float) -> Workmate:
    """Start a process that runs `target` with its end of a pipe; raises Lost where it cannot be started."""
    context: Any = get_context(method)
    ours, theirs = context.Pipe(duplex=True)
    process = context.Process(target=target, args=(theirs,), name="orca-worker", daemon=True)
    try:
        with _without_main():
            process.start()
        return Workmate(process, ours, deadline)
    except (OSError, EOFError) as error:
        ours.close()
        raise Lost(f"no worker could be started: {error or type(error).__name__}") from error
    finally:
        theirs.close()


class Attendants:
    """A share in what multiprocessing runs beside this process: the server of forks, from which workers come with their
    kernels compiled, and the resource tracker. There is one of each, and both end with the last share.

    CPython offers no public way to end them; where its private one is missing they stay, and end with us.
    """

    _lock = threading.Lock()
    _holders = 0

    def __init__(self) -> None:
        """No share yet."""
        self._held = False

    def hold(self, method: str) -> None:
        """Take a share; what workers started by `method` need begins with the first of them."""
        with Attendants._lock:
            if not self._held:
                if method == "forkserver":
                    get_context("forkserver").set_forkserver_preload(["orca_crowd.engine.preload"])
                self._held = True
                Attendants._holders += 1

    def release(self) -> None:
        """Give the share back.

        They end once no worker lives, and so must not be waited for while there are some of another crew.
        """
        from multiprocessing import forkserver, resource_tracker

        with Attendants._lock:
            if not self._held:
                return
            self._held = False
            Attendants._holders -= 1
            if Attendants._holders:
                return
            for one in (forkserver._forkserver, resource_tracker._resource_tracker):
                stop = getattr(one, "_stop", None)
                if stop is not None:
                    try:
                        stop()
                    except (OSError, ChildProcessError):
                        log.debug("%s had ended already", type(one).__name__)

    def kill(self) -> None:
        """End the server of forks by force, so that nobody waits for it any more: it may be compiling."""
        from multiprocessing import forkserver

        pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
