"""What worlds take they give back: memory, descriptors and maps, here and in the workers, and steps take nothing."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from orca_core import Options, World
from orca_crowd.engine.processes import ProcessEngine
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.support import crowd, kill, wait_until, worker_of


def maps(pid: int) -> int:
    """How many blocks of our memory a process has mapped."""
    return Path(f"/proc/{pid}/maps").read_text().count("memfd:orca-crowd")


def descriptors(pid: int | str = "self") -> int:
    """How many descriptors a process has."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid: int) -> int:
    """Bytes of memory of its own that a process has."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon")


def held(engine: ProcessEngine) -> dict[str, object]:
    """All that an engine and its workers hold."""
    pids = [worker_of(engine, place).pid for place in range(engine.crew.count)]
    return {
        "bytes": engine.lender.bytes_held,
        "descriptors": descriptors(),
        "pids": pids,
        "maps": [maps(pid) for pid in pids],
        "theirs": [descriptors(pid) for pid in pids],
        "favourites": len(engine._favourite),
    }


def test_three_hundred_worlds_come_and_go(make_engine: MakeEngine) -> None:
    engine = make_engine(3, split_agents=80)
    # what the first order brings for good
    crowd(engine, 100).step()
    assert wait_until(lambda: held(engine)["maps"] == [0, 0, 0])
    before = held(engine)
    assert before["bytes"] == 0
    worlds: list[World] = []
    for number in range(300):
        worlds.append(crowd(engine, 20 + number % 100, seed=number))
        worlds[-1].step(2)
        # some stay for a while
        if number % 3:
            worlds.pop(number % len(worlds))
    assert engine.lender.bytes_held > 0
    worlds.clear()
    # nobody steps any more: workers are told all the same
    assert wait_until(lambda: held(engine) == before), (before, held(engine))
    assert engine._knowledge._living == set()
    assert all(not worker_of(engine, place).statics for place in range(3))


def test_a_large_world_is_given_back_at_once_and_by_everybody(make_engine: MakeEngine) -> None:
    engine = make_engine(2)
    world = crowd(engine, 50_000)
    world.step()
    assert engine.lender.bytes_held > 50_000 * 200
    assert min(maps(worker_of(engine, place).pid) for place in range(2)) > 1
    del world
    assert engine.lender.bytes_held == 0
    assert wait_until(lambda: held(engine)["maps"] == [0, 0])


def test_a_world_that_grew_is_let_go_where_it_was(make_engine: MakeEngine) -> None:
    """A worker that is not asked for a world any more must not keep its old arrays."""
    engine = make_engine(2, split_agents=10**9)
    world = crowd(engine, 20_000)
    world.step()
    (first,) = [place for place in range(2) if maps(worker_of(engine, place).pid)]
    worker = worker_of(engine, first)
    before = maps(worker.pid)
    # as if the first one was always busy
    with engine._turns.take(1, first) as busy:
        assert busy == [first]
        world.add_agents({"position": np.random.default_rng(0).uniform(0.0, 900.0, (80_000, 2))})
        world.step()
    assert maps(worker_of(engine, 1 - first).pid) > before
    # a block that is used again for another array may stay, and no other
    assert wait_until(lambda: not worker.layouts)
    assert wait_until(lambda: maps(worker.pid) == len(worker.blocks))
    assert len(worker.blocks) < before
    assert not engine.lender.gone(worker.blocks)


def test_growing_and_transactions_and_many_steps_take_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine(2)
    world = crowd(engine, 600)
    generator = np.random.default_rng(0)

    def live(rounds: int) -> None:
        """Agents come one by one and go, things are tried and undone, and time goes on."""
        for _ in range(rounds):
            for _ in range(3):
                world.add_agents({"position": generator.uniform(0.0, 40.0, (1, 2))})
                world.step()
            with suppress(KeyError), world.transaction():
                world.add_agents({"position": generator.uniform(0.0, 40.0, (50, 2))})
                world.step()
                raise KeyError
            world.remove_agents(world.ids[:3])
            world.step()

    live(60)
    gc.collect()
    before = held(engine)
    pids = [os.getpid(), *(worker_of(engine, place).pid for place in range(2))]
    sizes = [resident(pid) for pid in pids]
    live(400)
    gc.collect()
    assert held(engine) == before
    growth = [resident(pid) - size for pid, size in zip(pids, sizes, strict=True)]
    # two thousand steps: a kilobyte a step would be seen
    assert max(growth) < 2 << 20, growth
    assert world.step_count == 60 * 4 + 400 * 4


def test_replacements_take_nothing(make_engine: MakeEngine) -> None:
    engine = make_engine(2)
    world = crowd(engine, 200)
    world.step()
    before = held(engine)
    before.pop("pids")
    for number in range(20):
        kill(worker_of(engine, number % 2).pid)
        world.step()
    after = held(engine)
    after.pop("pids")
    assert after == before
    assert engine.restarts == 20


@pytest.mark.soak
def test_ten_thousand_worlds_come_and_go(make_engine: MakeEngine) -> None:
    engine = make_engine(4, split_agents=80)
    options = Options.service()
    for number in range(10_000):
        world = engine.create(time_step=0.1, options=options, seed=number)
        world.add_agents({"position": np.random.default_rng(number).uniform(0.0, 20.0, (10 + number % 120, 2))})
        world.step(3)
        del world
        if number == 500:
            assert wait_until(lambda: not any(held(engine)["maps"]))  # type: ignore[arg-type]
            before, size = held(engine), resident(os.getpid())
    assert wait_until(lambda: held(engine) == before), (before, held(engine))
    assert resident(os.getpid()) - size < 8 << 20
