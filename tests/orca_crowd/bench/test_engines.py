"""The engine that was asked for, or the one that there is; started, used and closed."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.bench import engines
from orca_crowd.bench.dispatch import DIVIDED, OWN, empty_steps, idle_positions, speed_up
from orca_crowd.bench.engines import chosen, running
from orca_crowd.engine.inline import InlineEngine
from orca_crowd.settings import Settings


@pytest.mark.parametrize("name", ["inline", "processes"])
def test_an_engine_that_is_there_is_taken(name: str) -> None:
    assert chosen(name) == (name, None)


@pytest.mark.parametrize("name", ["nobody", "interface", "../inline", ""])
def test_one_that_is_not_is_replaced_and_told(name: str) -> None:
    found, line = chosen(name)
    assert found == "inline"
    assert line is not None
    assert repr(name) in line


async def test_an_engine_is_started_used_and_closed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class RecordedEngine(InlineEngine):
        def start(self) -> None:
            done.append("start")

        async def close(self) -> None:
            done.append("close")
            await super().close()

    def make(settings: Settings) -> InlineEngine:
        done.append(f"{settings.engine} with {settings.workers}")
        return RecordedEngine(workers=1, helpers=1)

    async def fail() -> None:
        async with running("processes", 3) as engine:
            assert await engine.compute(lambda: 7) == 7
            raise RuntimeError("inside")

    monkeypatch.setattr(engines, "make_engine", make)
    with pytest.raises(RuntimeError, match="inside"):
        await fail()
    assert done == ["processes with 3", "start", "close"]


@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_every_kind_of_empty_step_is_waited_for(engine: str) -> None:
    found = empty_steps(engine, 2, 20)
    assert {name: len(values) for name, values in found.items()} == {
        "no call": 20,
        "a step of an empty world": 20,
        DIVIDED: 20,
        "the same step without an engine": 20,
        OWN: 20,
        f"{DIVIDED}, after a pause": 2,
    }
    # what it costs is the difference, round by round
    through, here = found[DIVIDED], found["the same step without an engine"]
    assert found[OWN] == [a - b for a, b in zip(through, here, strict=True)]
    assert min(min(values) for name, values in found.items() if name != OWN) > 0.0


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_an_idle_world_has_something_for_every_worker_and_nothing_to_do(workers: int) -> None:
    world = World(time_step=0.1, options=Options.service())
    world.add_agents({"position": idle_positions(workers)})
    assert world.leaf_count() == workers
    world.step(3)
    assert (world.column("position") == idle_positions(workers)).all()
    apart = np.abs(np.diff(idle_positions(workers), axis=0)).min()
    assert apart > world.column("neighbor_distance").max()


@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_workers_are_compared_pair_by_pair_and_their_bits_agree(engine: str) -> None:
    taken: list[int] = []
    found = speed_up(engine, 2, 30, steps=7, advance=taken.append)
    one, two = found["seconds"].values()
    assert list(found["seconds"]) == ["1 worker", "2 workers"]
    assert found["times_as_fast"] == [a / b for a, b in zip(one, two, strict=True)]
    assert len(one) == 2
    assert sum(taken) == 2 * (20 + 10)
    assert found["same_bits"] is True
