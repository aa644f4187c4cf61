"""Imported once by the server of forks, so that every worker begins with all kernels compiled.

For nobody else: it makes the process that imports it the keeper of its children.

An ImportError in a preloaded module is swallowed by CPython; a worker therefore says for itself whether it is warm.
"""

import atexit
import gc
import io
import os
import signal
from contextlib import redirect_stderr, suppress
from pathlib import Path

# Ctrl+C while kernels are still compiled ends this process too, without a traceback; once they are, CPython ignores it
signal.signal(signal.SIGINT, signal.SIG_DFL)

# what is to be said of the kernel cache the server says itself, once
with redirect_stderr(io.StringIO()):
    from orca_core.warmup import compile_all

    compile_all()

__all__ = ["end_children"]


def end_children() -> None:
    """Kill whoever was forked here and still lives.

    The server of forks ends in order only when nobody is left who could want a worker: the parent is gone, however it
    ended. A worker that runs learns that by itself; one that is stopped does not, and would be there for ever with all
    the memory it has mapped. PR_SET_PDEATHSIG would do the same in one call, but a worker's parent is this process, and
    its death by itself is no loss: workers go on without it.
    """
    for listing in Path("/proc/self/task").glob("*/children"):
        for pid in listing.read_text(encoding="ascii").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


# what is loaded now stays: no worker's collector ever goes through it, and its pages stay shared
gc.collect()
gc.freeze()
# a signal to the whole group is the server's business; see worker.work
signal.signal(signal.SIGTERM, signal.SIG_IGN)
atexit.register(end_children)
