"""Who stays blocked asks whoever plans its path for another, round whom it waits for, and not all the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core import World
from orca_core.report import Event
from tests.support.jams import corridor, jam, options_with, watch


class Detour:
    """Finds no paths; keeps what it was asked."""

    name = "detour"

    def __init__(self) -> None:
        """Not asked yet."""
        self.asked: list[tuple[float, list[int], list[list[float]]]] = []

    def guide(self, world: World) -> bool:
        """Guide nobody."""
        return False

    def conclude(self, world: World) -> list[Event]:
        """Nothing happened."""
        return []

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """Nothing."""
        return {}

    def ask(self, world: World, rows: NDArray[np.int64], avoid: NDArray[np.float64] | None = None) -> None:
        """Keep it."""
        assert avoid is not None
        self.asked.append((world.time, rows.tolist(), avoid.tolist()))


def asked(*names: str) -> list[tuple[float, list[int], list[list[float]]]]:
    """What is asked in half a minute of a stand-off."""
    world = jam([(-3.0, 0.0), (3.0, 0.01)], [(15.0, 0.0), (-15.0, 0.0)], walls=corridor(1.2),
                options=options_with(*names))  # fmt: skip
    detour = Detour()
    world.guides.insert(0, detour)
    watch(world, 30.0)
    return detour.asked


def test_who_stays_blocked_asks_for_a_way_round_whom_it_waits_for() -> None:
    assert asked() == []
    questions = asked("replan_jams")
    times = [time for time, _, _ in questions]
    assert 6.0 < times[0] < 15.0
    assert {row for _, rows, _ in questions for row in rows} == {0, 1}
    first = [time for time, rows, _ in questions if 0 in rows]
    assert 2 <= len(first) <= 3
    assert min(np.diff(first)) > 5.0
    for _, rows, discs in questions:
        for row, (x, _, radius) in zip(rows, discs, strict=True):
            assert radius == 1.5
            assert (x > 0.0) == (row == 0) or abs(x) < 1.0
