"""Who stays blocked asks whoever plans its path for another, round whom it waits for, and not all the time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core import World
from orca_core.report import Event
from orca_core.simulation import Simulation
from tests.support.jams import LAYER, corridor, jam, options_with, watch
from tests.support.ways import guide_of
from tests.support.worlds import wall


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
            # no wider than half as wide again as that one, and not so wide that it stands in it itself
            assert 0.25 <= radius <= 0.75
            assert (x > 0.0) == (row == 0) or abs(x) < 1.0


def doors(*names: str) -> World:
    """One on its way through the nearer of two doors, in which somebody stands who does not move."""
    walls = [wall((0.0, -30.0), (0.0, -0.7)), wall((0.0, 0.7), (0.0, 5.3)), wall((0.0, 6.7), (0.0, 30.0))]
    world = jam([(-4.0, 0.0), (0.0, 0.0)], [(4.0, 0.0), (0.0, 0.0)], walls=walls, options=options_with(*names))
    world.set_agents([0], {"guidance": np.array(["path"], object)})
    world.set_agents([1], {"locked": np.array([True])})
    return world


def test_it_alone_leads_through_the_other_door() -> None:
    """No other option of the layer helps: who stands there makes no way."""
    others = tuple(name for name in LAYER if name != "replan_jams")
    assert watch(doors(*others), 40.0).left()[0] > 4.0
    world = doors("replan_jams")
    ways = []
    course = watch(world, 30.0, lambda now: ways.append(now.column("position")[0].tolist()))
    assert course.statuses()[0] == "arrived"
    assert course.deepest <= 1e-3
    assert max(y for _, y in ways) > 5.5
    # the jam stays behind it: it is not led back and forth
    beside = [x for x, y in ways if y > 2.0]
    assert sum(before > after + 1e-3 for before, after in pairwise(beside)) < len(beside) // 4


def behind_a_wall(*names: str, guidance: str = "straight") -> World:
    """One whose straight way to its goal is barred by a wall of eight metres."""
    options = options_with(*names) if names else None
    world = jam([(0.0, -2.0)], [(0.0, 2.0)], walls=[wall((-4.0, 0.0), (4.0, 0.0))], time_step=0.1, options=options)
    world.set_agents([0], {"guidance": np.array([guidance], object)})
    return world


def test_who_goes_straight_is_led_round_a_wall_after_a_while() -> None:
    stuck = watch(behind_a_wall("detect_blocked"), 25.0)
    assert stuck.statuses() == ["stalled"]
    course = watch(behind_a_wall(), 25.0)
    assert course.statuses() == ["arrived"]
    # one with guidance `path` knows it from the start
    assert course.first("arrived")[0] > watch(behind_a_wall(guidance="path"), 25.0).first("arrived")[0] + 5.0


def test_where_no_way_leads_round_it_is_told_so() -> None:
    ring = [(-2.0, 2.0), (2.0, 2.0), (2.0, 6.0), (-2.0, 6.0), (-2.0, 2.0)]
    world = jam([(0.0, -2.0)], [(0.0, 4.0)], walls=[wall(*ends) for ends in pairwise(ring)], time_step=0.1)
    course = watch(world, 20.0)
    assert course.statuses() == ["unreachable"]
    told = next(event for event in course.events if event.kind == "unreachable")
    assert told.data["reason"] == ["disconnected"]
    # with another order it goes straight again, to the bit
    world.set_agents([0], {"goal": np.array([(-6.0, -2.0)])})
    watch(world, 0.5)
    assert world.agent(0)["status"] == "moving"
    assert watch(world, 10.0).statuses() == ["arrived"]


def test_a_snapshot_knows_who_is_led() -> None:
    world = behind_a_wall()
    while not len(guide_of(world).kept().get("led", ())):
        watch(world, 0.1)
    assert world.time < 10.0
    assert world.column("velocity")[0, 0] == 0.0, "before it has a way"
    again = Simulation(World.restore(world.snapshot())).world
    assert again.snapshot() == world.snapshot()
    for each in (world, again):
        watch(each, 15.0)
    assert again.digest() == world.digest()
    assert again.agent(0)["status"] == "arrived"
