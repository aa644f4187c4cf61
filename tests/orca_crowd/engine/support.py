"""What tests of the engines share: crowds, histories of worlds, and ways to harm workers."""

from __future__ import annotations

import array
import fcntl
import os
import signal
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from orca_core import Options, World
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.processes import ProcessEngine
from orca_crowd.engine.workmate import Workmate
from tests.support.live_server import child_environment

__all__ = [
    "Maker",
    "alive",
    "crowd",
    "dies_at_once",
    "importable",
    "inline_engine",
    "kill",
    "meanwhile",
    "outcomes",
    "state_of",
    "stopped_inside_a_step",
    "wait_until",
    "worker_of",
]

WAIT_SECONDS = 30.0


class Maker(Protocol):
    """The part of an engine that makes worlds."""

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """An empty world."""
        ...

    def restore(self, data: bytes) -> World:
        """The world of a snapshot."""
        ...


@contextmanager
def importable() -> Iterator[None]:
    """Let a server of forks that starts now find our packages, whether or not they are installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", child_environment()["PYTHONPATH"])
        yield


def inline_engine() -> InlineEngine:
    """The engine that all others are compared with; none of its threads is ever started."""
    return InlineEngine(workers=1, helpers=1)


def crowd(maker: Maker, count: int, *, seed: int = 0) -> World:
    """A crowd on its way, about one agent to three square metres, and a wall through it."""
    from orca_core import Obstacle

    generator = np.random.default_rng(seed)
    side = float(np.sqrt(3.0 * count))
    world = maker.create(time_step=0.1, options=Options.service(), seed=seed)
    world.add_obstacles([Obstacle(np.array([[0.3 * side, 0.5 * side], [0.7 * side, 0.5 * side]]))])
    world.add_agents(
        {
            "position": generator.uniform(0.0, side, (count, 2)),
            "goal": generator.uniform(0.0, side, (count, 2)),
            "radius": np.full(count, 0.4),
        }
    )
    return world


def outcomes(world: World, steps: int) -> list[tuple[str, list[Any]]]:
    """Digest and events of each step."""
    found = []
    for _ in range(steps):
        events = [(event.kind, event.ids, event.data) for event in world.step().events]
        found.append((world.digest(), events))
    return found


def worker_of(engine: ProcessEngine, place: int) -> Workmate:
    """Who stands in a place of the crew."""
    worker = engine.crew.present(place)
    assert worker is not None
    return worker


def kill(pid: int) -> None:
    """SIGKILL, to whom it may still concern."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def state_of(pid: int) -> str:
    """The letter of a process in /proc: R, S, T (stopped), Z, … or nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def alive(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    return state_of(pid) not in ("", "Z", "X")


def wait_until(true: Callable[[], bool], seconds: float = WAIT_SECONDS) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def _unread(worker: Workmate) -> int:
    """Bytes of orders that a worker has not read yet."""
    size = array.array("i", [0])
    fcntl.ioctl(worker.pipe.fileno(), termios.TIOCOUTQ, size)
    return size[0]


def stopped_inside_a_step(worker: Workmate, delay: float) -> bool:
    """Stop a worker `delay` seconds after it was given an order; whether it was computing when it stopped.

    It was if it has read its order and has not answered. A worker that was not goes on.
    """
    if not wait_until(lambda: worker.awaited):
        return False
    time.sleep(delay)
    try:
        os.kill(worker.pid, signal.SIGSTOP)
        assert wait_until(lambda: state_of(worker.pid) in ("T", "Z", ""))
        if worker.awaited and _unread(worker) == 0 and not worker.pipe.poll(0):
            return state_of(worker.pid) == "T"
        os.kill(worker.pid, signal.SIGCONT)
    except OSError:
        # it was lost meanwhile, and its pipe is closed
        return False
    return False


@contextmanager
def meanwhile(call: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run a call in a thread until the end of the block, at which its event is set; what it raises is raised."""
    end, raised = threading.Event(), []

    def run() -> None:
        try:
            call(end)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
    if raised:
        raise raised[0]


def dies_at_once(pipe: object) -> None:
    """The life of a worker that never comes up."""
    os._exit(1)
