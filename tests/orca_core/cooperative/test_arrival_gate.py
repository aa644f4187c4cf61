"""Turns by arrival: who is there first goes first, one after the other, and nobody waits in a circle."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.admissions import VisitTable
from orca_core.cooperative.arrival_gate import ArrivalGate
from orca_core.cooperative.config import Config
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.precedence import MOST
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from orca_core.formats.movingai import GridMap, parse_map
from orca_core.kernels import cooperate as columns
from orca_core.kernels.visits import HELD, NEXT
from orca_core.mapf.instance import Instance

HALLS = """
......@......
......@......
.............
......@......
......@......
"""
LONG = """
......@@@@@@@......
......@@@@@@@......
...................
......@@@@@@@......
......@@@@@@@......
"""
DRIFT = STATES.index("DRIFT")

Places = list[tuple[int, int]]


def grid_of(text: str) -> GridMap:
    rows = text.split()
    return parse_map(f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n" + "\n".join(rows) + "\n")


def run_of(text: str, starts: Places, goals: Places, **keys: float) -> Run:
    given = {"turns": "arrival", "step_max": 1500, **keys}
    run = Run(Instance.from_places(grid_of(text), starts, goals), Config.from_mapping(given), Variant.CORCA)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    return run


def order_of(run: Run, column: float) -> list[int]:
    """The agents in the order in which they are halfway through, at this column; all of them arrive."""
    assert run.world is not None
    assert run.guide is not None
    came: list[int] = []
    begin = run.world.column("position")[:, 0] < column
    while run.step():
        over = (run.world.column("position")[:, 0] < column) != begin
        came += [agent for agent in np.flatnonzero(over).tolist() if agent not in came]
        check_no_circle(run)
    assert run.ended == SOLVED
    assert run.metrics.collisions == run.metrics.collisions_obst == 0
    return came


def check_no_circle(run: Run) -> None:
    """Nobody comes back to itself by following whom each waits for."""
    assert run.guide is not None
    waits = run.guide.walk[:, columns.WAIT_FOR]
    for agent in range(len(waits)):
        other, steps = int(waits[agent]), 0
        while other >= 0 and steps <= len(waits):
            assert other != agent
            other, steps = int(waits[other]), steps + 1


def test_the_nearest_goes_first_and_of_equal_ones_the_lower_number() -> None:
    left, right = [(9, 2), (3, 2)], 6.5
    assert order_of(run_of(HALLS, [(1, 2), (9, 2)], left), right) == [1, 0]
    assert order_of(run_of(HALLS, [(3, 2), (11, 2)], left), right) == [0, 1]
    assert order_of(run_of(HALLS, [(3, 2), (9, 2)], left), right) == [0, 1]


def test_the_order_of_the_plan_does_not_count() -> None:
    # one and the same instance: by the plan it is 0 that goes first, and by arrival 1, which is nearer
    starts, goals = [(3, 0), (9, 2)], [(11, 2), (1, 2)]
    first = {turns: order_of(run_of(HALLS, starts, goals, turns=turns), 6.5)[0] for turns in ("plan", "arrival")}
    assert first == {"plan": 0, "arrival": 1}


@pytest.mark.parametrize("key", ["priority_threshold", "gate_match_eps"])
def test_what_counts_as_equally_near_and_as_at_the_gate_is_configured(key: str) -> None:
    # both come at once, 1 nearer by a little
    starts, goals = [(2, 2), (9, 2)], [(9, 2), (3, 2)]
    assert order_of(run_of(HALLS, starts, goals), 6.5) == [1, 0]
    assert order_of(run_of(HALLS, starts, goals, **{key: 5.0}), 6.5) == [0, 1]


def test_who_is_in_holds_up_the_other_side_and_its_own_one_at_a_time() -> None:
    # 0 and 1 from the left, 2 from the right and later
    run = run_of(LONG, [(4, 2), (2, 2), (17, 2)], [(17, 2), (16, 1), (1, 2)])
    assert run.world is not None
    assert run.guide is not None
    cells = range(6, 13)
    together = waited = 0
    while run.step():
        columns_now = np.floor(run.world.column("position")).astype(int)
        inside = [(x, agent) for agent, (x, y) in enumerate(columns_now.tolist()) if y == 2 and x in cells]
        together = max(together, len(inside))
        # never from both sides at once, never two in a cell
        assert not ({agent for _, agent in inside} > {2})
        assert len({cell for cell, _ in inside}) == len(inside)
        record = run.record()
        if record.state[2] == DRIFT:
            waited += 1
            assert record.wait_for[2] in (0, 1)
            assert record.corridor[2] == 0
    assert run.ended == SOLVED
    # one after the other from its own side, while the first is still in
    assert together == 2
    assert waited


def test_a_platoon_is_bounded() -> None:
    starts = [(x, y) for x in (1, 3) for y in range(4)] + [(10, 2)]
    goals = [(x, y) for x in (9, 11) for y in range(4)] + [(1, 4)]
    came = order_of(run_of(HALLS, starts, goals, step_max=4000), 6.5)
    assert len(came) == len(starts)
    # those of the left are nearer, and yet the one from the right does not have to wait for all of them
    assert 1 <= came.index(len(starts) - 1) <= MOST + 1


def test_who_ends_in_a_narrow_place_waits_for_those_who_have_to_get_through() -> None:
    run = run_of(HALLS, [(5, 2), (1, 0), (11, 4)], [(6, 2), (11, 0), (1, 4)])
    came = order_of(run, 6.4)
    assert came[-1] == 0
    assert run.world is not None
    assert run.world.column("position")[0] == pytest.approx([6.5, 2.5], abs=run.config.delta)


def test_who_begins_in_a_narrow_place_is_in() -> None:
    # 0 is in the middle, and both ends are held by others before it comes out
    came = order_of(run_of(LONG, [(9, 2), (5, 2), (13, 2)], [(16, 2), (15, 1), (2, 2)]), 9.6)
    assert sorted(came) == [0, 1, 2]


def test_a_circle_of_those_who_wait_to_be_let_in_is_broken() -> None:
    # cells in a row, 1 and 2 narrow and places of their own: 0 goes right and ends in 2, 1 goes left and ends in 1
    rows = np.arange(4)
    cell, step = np.array([1, 2, 2, 1]), np.array([1, 2, 1, 2])
    table = VisitTable(
        first=np.array([0, 2, 4]), cell=cell, step=step, agent=np.array([0, 0, 1, 1]), before=np.array([0, 1, 3, 2]),
        behind=np.array([2, -1, 1, -1]), order=np.array([0, 3, 2, 1]), cell_first=np.array([0, 0, 2, 4, 4]),
        rank=np.array([0, 3, 2, 1]), left=np.zeros(4, np.uint8), turn=np.array([0, 0, 2, 4]),
        admitted=np.ones(4, np.uint8), holder=np.zeros(2, np.int64),
    )  # fmt: skip
    gate = ArrivalGate(table, np.array([-1, 0, 1, -1], np.int32), 4, Config(turns="arrival"))
    assert not table.admitted.any()
    walk = np.zeros((2, 12), np.int64)
    walk[:, NEXT] = walk[:, HELD] = table.first[:-1]
    position, until = np.array([[0.2, 0.5], [3.4, 0.5]]), np.array([3, 3])
    gate.look(0, position, walk, until, np.zeros(2, np.uint8))
    # 1 is nearer to its gate; who has to get through where it ends is let in with it, as the plan has them
    assert table.admitted.all()
    assert table.order.tolist() == [0, 3, 2, 1]
    assert sorted(table.rank[table.order].tolist()) == rows.tolist()
