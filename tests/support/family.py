"""Runs a command and finds who was started by it or its children and left running: `-m tests.support.family COMMAND`.

A test sees its own children (leaks.py), and not those of a server, a cluster or a browser whose parent was killed: they
belong to nobody, or to the first process of the machine. This process takes them in (Linux), waits a moment for what is
just ending, names the rest with the test that was running when each was started, ends them, and fails.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time

import psutil

__all__ = ["GRACE_SECONDS", "main"]

PR_SET_CHILD_SUBREAPER = 36

# how long what is on its way out when the command ends may take, and how often to look
GRACE_SECONDS = 5.0
POLL_SECONDS = 0.05


def main(command: list[str]) -> int:
    """Run it to its end; its exit code, or 1 where it left somebody running."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # both are the command's business, which an interrupt of the terminal reaches by itself
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    signal.signal(signal.SIGTERM, lambda *_: running.send_signal(signal.SIGTERM))
    code = _wait_for(running.pid)
    running.returncode = code
    left = _left()
    for line in left:
        print(f"left running: {line}", file=sys.stderr)
    return code or bool(left)


def _wait_for(pid: int) -> int:
    """Take leave of everybody who ends, until this one has; its exit code as a shell tells it."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _left() -> list[str]:
    """Who still runs after a moment, each in a line; then none of them does."""
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and _alive():
        time.sleep(POLL_SECONDS)
    left = _alive()
    lines = [_line(process) for process in left]
    # killed parents may leave us children of theirs
    while left:
        for process in left:
            process.kill()
        psutil.wait_procs(left, timeout=1.0)
        left = _alive()
    return lines


def _alive() -> list[psutil.Process]:
    """Everybody below this process who has not ended; those that have are taken leave of."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    return [each for each in psutil.Process().children(recursive=True) if _runs(each)]


def _runs(process: psutil.Process) -> bool:
    """Whether it has not ended."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _line(process: psutil.Process) -> str:
    """What it is, and whose doing."""
    try:
        test = process.environ().get("PYTEST_CURRENT_TEST", "no test")
        return f"{process.pid} {' '.join(process.cmdline())[:200]} (begun in {test})"
    except psutil.Error:
        return f"{process.pid}, which has just ended"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
