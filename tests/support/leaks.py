"""What a test may leave behind: nothing. Children, threads, descriptors, shared memory, tasks, the environment.

`Resources.now()` is what the process holds; `leaked(before)` waits a moment for what is just ending and names the
rest. The allow-list is short, and each entry says why it may stay.
"""

from __future__ import annotations

import asyncio
import multiprocessing.resource_tracker
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Resources", "leaked", "leaked_in_loop", "shared_memory"]

Task = asyncio.Task[object]

DESCRIPTORS = Path("/proc/self/fd")
SHARED_MEMORY = Path("/dev/shm")

# how long something that is on its way out may take, and how often to look
GRACE_SECONDS = 3.0
POLL_SECONDS = 0.01

# the random source and the null device are opened once by whoever asks first and held for the life of the process
ALLOWED_TARGETS = ("/dev/urandom", "/dev/random", "/dev/null")


@dataclass(frozen=True)
class Resources:
    """Everything that outlives the function that made it, each with a name that says what it is."""

    children: frozenset[int]
    threads: frozenset[threading.Thread]
    descriptors: frozenset[tuple[int, str]]
    shared_memory: frozenset[str]
    surroundings: frozenset[tuple[str, str]]

    @classmethod
    def now(cls) -> Resources:
        """What this process holds at this moment (systems without /proc report no descriptors and no children)."""
        threads = frozenset(threading.enumerate())
        return cls(_children(), threads, _descriptors(), shared_memory(), _surroundings())


def _tracker() -> tuple[int | None, int | None]:
    """Process and pipe of multiprocessing's resource tracker: one a process, started on first use, kept by design."""
    tracker = multiprocessing.resource_tracker._resource_tracker  # type: ignore[attr-defined]
    return getattr(tracker, "_pid", None), getattr(tracker, "_fd", None)


def _children() -> frozenset[int]:
    """Process ids of the children, zombies too: a child that nobody waited for is a leak as well."""
    tracker, _ = _tracker()
    found: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            found.update(int(word) for word in listing.read_text().split())
        except OSError:  # the thread ended while we looked
            continue
    return frozenset(found - {tracker})


def _descriptors() -> frozenset[tuple[int, str]]:
    """Open descriptors with what they point to."""
    _, tracker = _tracker()
    found: set[tuple[int, str]] = set()
    if not DESCRIPTORS.is_dir():
        return frozenset()
    for name in os.listdir(DESCRIPTORS):
        try:
            target = os.readlink(DESCRIPTORS / name)
        except OSError:  # the descriptor of the listing itself
            continue
        if int(name) != tracker and target not in ALLOWED_TARGETS and not target.startswith("/proc/"):
            found.add((int(name), target))
    return frozenset(found)


def shared_memory() -> frozenset[str]:
    """Names of segments that Python or we may have made on this machine; browsers and clusters have others there."""
    if not SHARED_MEMORY.is_dir():
        return frozenset()
    return frozenset(name for name in os.listdir(SHARED_MEMORY) if name.startswith(("psm_", "orca", "pymp")))


def _surroundings() -> frozenset[tuple[str, str]]:
    """Environment variables and the working folder; pytest writes the name of the test into the environment itself."""
    variables = {(name, value) for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return frozenset(variables | {("working folder", os.getcwd())})


def _difference(before: Resources) -> list[str]:
    """Name everything held now that was not held before."""
    now = Resources.now()
    lines = [f"child process {pid}" for pid in sorted(now.children - before.children)]
    lines += [f"thread {thread.name!r}" for thread in now.threads - before.threads if thread.is_alive()]
    lines += [f"descriptor {number} -> {target}" for number, target in sorted(now.descriptors - before.descriptors)]
    lines += [f"shared memory {name}" for name in sorted(now.shared_memory - before.shared_memory)]
    changed = now.surroundings ^ before.surroundings
    lines += [f"another value of {name}" for name in sorted({name for name, _ in changed})]
    return lines


def leaked(before: Resources, grace: float = GRACE_SECONDS) -> list[str]:
    """What the test left behind once what is just ending has had `grace` seconds; at once where nothing is left."""
    deadline = time.monotonic() + grace
    while True:
        lines = _difference(before)
        if not lines or time.monotonic() >= deadline:
            return lines
        time.sleep(POLL_SECONDS)


async def leaked_in_loop(before: Resources, tasks: frozenset[Task], grace: float = GRACE_SECONDS) -> list[str]:
    """The same inside a running loop, which goes on turning meanwhile: transports close in its next rounds.

    Tasks count too; threads of the loop's own executor do not, since closing the loop joins them.
    """
    deadline = time.monotonic() + grace
    while True:
        left = asyncio.all_tasks() - tasks - {asyncio.current_task()}
        lines = [f"task {task.get_name()!r}: {task.get_coro()!r}" for task in left]
        lines += [line for line in _difference(before) if not line.startswith("thread 'asyncio_")]
        if not lines or time.monotonic() >= deadline:
            return lines
        await asyncio.sleep(POLL_SECONDS)
