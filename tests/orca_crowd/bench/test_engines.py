"""The engine that was asked for, or the one that there is; started, used and closed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from orca_crowd.bench.dispatch import empty_steps, speed_up
from orca_crowd.bench.engines import chosen, running
from orca_crowd.engine.inline import InlineEngine


def test_an_engine_that_is_there_is_taken() -> None:
    assert chosen("inline") == ("inline", None)


@pytest.mark.parametrize("name", ["nobody", "interface", "../inline", ""])
def test_one_that_is_not_is_replaced_and_told(name: str) -> None:
    found, line = chosen(name)
    assert found == "inline"
    assert line is not None
    assert repr(name) in line


async def test_an_engine_with_a_start_is_started_and_every_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    class RecordedEngine(InlineEngine):
        async def start(self) -> None:
            done.append("start")

        async def compute(self, call: Callable[[], Any]) -> Any:
            done.append("compute")
            return await super().compute(call)

        async def close(self) -> None:
            done.append("close")
            await super().close()

    module: Any = ModuleType("orca_crowd.engine.recorded")
    module.RecordedEngine = RecordedEngine
    monkeypatch.setitem(sys.modules, module.__name__, module)

    async def fail() -> None:
        async with running("recorded", 2) as engine:
            await engine.compute(lambda: None)
            raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        await fail()
    assert done == ["start", "compute", "close"]


def test_every_kind_of_empty_step_is_waited_for() -> None:
    found = empty_steps("inline", 2, 20)
    assert {name: len(values) for name, values in found.items()} == {
        "no call": 20,
        "an empty step": 20,
        "an empty step after a pause": 2,
        "a step of one agent": 20,
    }
    assert min(min(values) for values in found.values()) > 0.0


def test_workers_are_compared_pair_by_pair_and_their_bits_agree() -> None:
    taken: list[int] = []
    found = speed_up("inline", 2, 30, steps=7, advance=taken.append)
    one, two = found["seconds"].values()
    assert list(found["seconds"]) == ["1 worker", "2 workers"]
    assert found["times_as_fast"] == [a / b for a, b in zip(one, two, strict=True)]
    assert len(one) == 2
    assert sum(taken) == 2 * (20 + 10)
    assert found["same_bits"] is True
