"""What has to happen in a process of its own: `python -W error -m tests.orca_crowd.engine.alone NAME …`.

Each function prints what the test wants to know, one line of JSON at a time.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import numpy as np

from orca_crowd.engine.processes import ProcessEngine
from tests.orca_crowd.engine.support import crowd, inline_engine, kill, outcomes, wait_until, worker_of


def say(**facts: Any) -> None:
    """Tell the test."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def children() -> list[str]:
    """Children of this process, zombies too."""
    return [pid for listing in Path("/proc/self/task").glob("*/children") for pid in listing.read_text().split()]


def descriptors() -> int:
    """How many descriptors this process has."""
    return len(os.listdir("/proc/self/fd"))


def engine_of(workers: int, **changes: Any) -> ProcessEngine:
    """An engine that has started."""
    engine = ProcessEngine(**{"workers": workers, "helpers": 1, "split_agents": 1, "deadline": 30.0, **changes})
    engine.start()
    return engine


def step_for_ever(workers: str, count: str, neighbours: str = "10") -> None:
    """Steps without end, and says whom it has working for it; the test kills this process."""
    engine = engine_of(int(workers))
    world = crowd(engine, int(count))
    world.step()
    if neighbours != "10":
        # everybody sees so many others that a step takes a while
        many = np.full(int(count), int(neighbours))
        world.set_agents(world.ids, {"max_neighbors": many, "neighbor_distance": many.astype(np.float64)})
    pids = [worker_of(engine, place).pid for place in range(int(workers))]
    say(workers=pids, forkserver=forkserver._forkserver._forkserver_pid)  # type: ignore[attr-defined]
    while True:
        world.step()


def start_and_close(method: str, rounds: str) -> None:
    """Starts, steps, loses a worker, closes; several times over, and tells what each came to."""
    # what the first use of sockets, clocks and loops opens for good
    asyncio.run(asyncio.sleep(0))
    wanted = outcomes(crowd(inline_engine(), 100), 4)
    before = descriptors()
    for _ in range(int(rounds)):
        engine = engine_of(2, method=method)
        world = crowd(engine, 100)
        found = outcomes(world, 2)
        kill(worker_of(engine, 0).pid)
        started = time.monotonic()
        found += outcomes(world, 2)
        seconds = time.monotonic() - started
        ignored = _ignored(worker_of(engine, 1).pid, signal.SIGINT)
        del world
        asyncio.run(engine.close())
        say(
            right=found == wanted,
            children=children(),
            descriptors=descriptors() - before,
            restarts=engine.restarts,
            seconds=seconds,
            ignored=ignored,
        )


def _ignored(pid: int, number: signal.Signals) -> bool:
    """Whether a process ignores a signal."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def lose_the_server_of_forks() -> None:
    """Workers live on without it; one that is needed afterwards comes from another."""
    wanted = outcomes(crowd(inline_engine(), 100), 6)
    engine = engine_of(2)
    world = crowd(engine, 100)
    found = outcomes(world, 2)
    workers = [worker_of(engine, place).pid for place in range(2)]
    kill(forkserver._forkserver._forkserver_pid)  # type: ignore[attr-defined]
    found += outcomes(world, 2)
    kept = [worker_of(engine, place).pid for place in range(2)] == workers
    kill(workers[0])
    found += outcomes(world, 2)
    del world
    asyncio.run(engine.close())
    say(right=found == wanted, kept=kept, restarts=engine.restarts, children=children())


def close_while_starting(delay: str) -> None:
    """Closes an engine that is being started by another thread."""
    import threading

    raised: list[str] = []

    def start() -> None:
        try:
            engine.start()
        except BaseException as error:
            raised.append(repr(error))

    engine = ProcessEngine(workers=2, helpers=1, split_agents=1, deadline=30.0)
    thread = threading.Thread(target=start)
    thread.start()
    time.sleep(float(delay))
    started = time.monotonic()
    asyncio.run(engine.close())
    thread.join()
    seconds = time.monotonic() - started
    gone = wait_until(lambda: not children(), 5.0)
    say(raised=raised, seconds=seconds, gone=gone)


def start_cold(folder: str) -> None:
    """Starts an engine whose server of forks finds a package of our name that cannot be imported."""
    broken = Path(folder) / "orca_core"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    os.environ["PYTHONPATH"] = folder
    # a process that is started finds packages of its working folder before all others
    os.chdir(folder)
    wanted = outcomes(crowd(inline_engine(), 100), 2)
    engine = engine_of(2)
    found = outcomes(crowd(engine, 100), 2)
    say(right=found == wanted, cold=engine.cold)
    asyncio.run(engine.close())


def leave_without_closing() -> None:
    """Ends with workers that nobody has closed."""
    engine = engine_of(2)
    crowd(engine, 100).step()
    say(workers=[worker_of(engine, place).pid for place in range(2)])


def run_out_of_room(megabytes: str) -> None:
    """Adds agents until the address space is full; every refusal leaves the world as it was."""
    import resource

    from orca_crowd.errors import ApiError

    engine = ProcessEngine(workers=1, helpers=1, split_agents=1, deadline=30.0)
    world = crowd(engine, 1000)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    full, whole = used + (int(megabytes) << 20), resource.getrlimit(resource.RLIMIT_AS)[1]
    refusals: list[str] = []
    unchanged = True
    while len(refusals) < 3 and world.agent_count < 1_000_000:
        before, digest = world.agent_count, world.digest()
        new = {"position": np.zeros((2000, 2)) + before, "radius": np.full(2000, 0.4)}
        resource.setrlimit(resource.RLIMIT_AS, (full, whole))
        try:
            world.add_agents(new)
        except (ApiError, MemoryError) as error:
            refusals.append(getattr(error, "code", type(error).__name__))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (whole, whole))
        if world.agent_count == before:
            unchanged &= world.digest() == digest
        else:
            unchanged &= not refusals
    say(refusals=refusals, unchanged=unchanged, agents=world.agent_count)


if __name__ == "__main__":
    {
        function.__name__: function
        for function in (
            step_for_ever,
            start_and_close,
            lose_the_server_of_forks,
            close_while_starting,
            start_cold,
            leave_without_closing,
            run_out_of_room,
        )
    }[sys.argv[1]](*sys.argv[2:])  # type: ignore[operator]
