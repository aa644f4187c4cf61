"""Coordination: agents of a world that follow a plan for all, come, go, change their minds, and are brought back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orca_core import World
from orca_core.cooperation import COOPERATION_STATES, COOPERATIVE
from orca_core.errors import InvalidInput
from orca_core.formats import contours
from orca_core.formats.movingai import parse_map
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_core.state import STATUS_NAMES

ORIGIN = (-3.0, 40.0)
# two rooms with a gap of one cell between them, and a third room that nobody can get into
ROOMS = """type octile
height 9
width 19
map
.......@.......@...
.......@.......@...
.......@.......@...
.......@.......@...
...............@...
.......@.......@...
.......@.......@...
.......@.......@...
.......@.......@...
"""
ARRIVED, UNREACHABLE = STATUS_NAMES.index("arrived"), STATUS_NAMES.index("unreachable")
DRIFT = COOPERATION_STATES.index("drift")


def a_world(variant: str = "corca-mapf", **options: Any) -> World:
    grid = PlacedGrid(parse_map(ROOMS), 1.0, ORIGIN)
    world = World(
        time_step=0.25, options=Options.from_mapping({"cooperation": {"variant": variant}, **options}), seed=3
    )
    world.set_grid_map(grid)
    world.add_obstacles(contours.obstacles(grid.grid, 1.0, ORIGIN))
    Simulation(world)
    return world


def place(world: World, *cells: tuple[int, int]) -> np.ndarray:
    """Middles of cells, columns from the left and rows from the top."""
    assert world.grid_map is not None
    return np.array([world.grid_map.center(*cell) for cell in cells])


def add(world: World, starts: list[tuple[int, int]], goals: list[tuple[int, int]], **columns: Any) -> np.ndarray:
    count = len(starts)
    given = {
        "position": place(world, *starts),
        "goal": place(world, *goals),
        "guidance": np.full(count, COOPERATIVE, np.uint8),
        "radius": np.full(count, 0.4),
        "max_speed": np.full(count, 1.0),
        "time_horizon": np.full(count, 5.4),
        "obstacle_horizon": np.full(count, 0.25),
        "neighbor_distance": np.full(count, 10.0),
        "goal_tolerance": np.full(count, 0.05),
    }
    return world.add_agents({**given, **columns}).ids


def crossing(world: World) -> np.ndarray:
    """Four from each side to the other."""
    left, right = [(2, row) for row in (1, 3, 5, 7)], [(12, row) for row in (1, 3, 5, 7)]
    return add(world, left + right, right + left)


def closest(world: World) -> float:
    position = world.column("position")
    away = np.sqrt(((position[:, None] - position[None]) ** 2).sum(axis=2))
    return float((away + 1e9 * np.eye(len(position))).min())


def run(world: World, steps: int) -> set[int]:
    """Take steps until all have arrived; returns the states that were seen. Discs of 0.35 never touch."""
    seen: set[int] = set()
    for _ in range(steps):
        world.step()
        seen |= set(world.column("cooperation").tolist())
        assert closest(world) > 0.7
        if (world.column("status") == ARRIVED).all():
            break
    return seen


@pytest.mark.parametrize("variant", ["corca", "corca-mapf"])
def test_who_crosses_takes_turns_at_the_gap_and_arrives(variant: str) -> None:
    world = a_world(variant)
    crossing(world)
    seen = run(world, 1200)
    assert (world.column("status") == ARRIVED).all()
    assert DRIFT in seen, "nobody had to wait"


def test_discs_hardly_touch_however_dense_it_is() -> None:
    found = {}
    for holding in (True, False):
        world = a_world()
        chance = np.random.default_rng(4)
        halves = [[(left + column, row) for column in range(7) for row in range(9)] for left in (0, 8)]
        starts = [[half[k] for k in chance.permutation(len(half))[:14]] for half in halves]
        goals = [[half[k] for k in chance.permutation(14)] for half in starts[::-1]]
        add(world, starts[0] + starts[1], goals[0] + goals[1])
        if not holding:
            world.hold = None
        least = np.inf
        for step in range(300):
            if holding and step == 150:
                world = World.restore(world.snapshot())
                Simulation(world)
            world.step()
            least = min(least, closest(world))
        found[holding] = least
    # discs of 0.4, of which a fiftieth may touch
    assert found[True] >= 0.98 * 0.8
    assert found[False] < 0.94 * 0.8


def test_whoever_is_kept_from_meeting_another_has_not_arrived_yet() -> None:
    world = World(time_step=0.25)
    traits = {"radius": [0.4], "max_speed": [1.0], "goal_tolerance": [0.1], "preferred_speed": [1.0]}
    world.add_agents({"position": [[0.0, 0.0]], "goal": [[0.3, 0.0]], **traits})
    agents = world.population.state

    def hold(_: World) -> np.ndarray:
        agents["position"][0, 0] -= 0.1
        agents.place_anew()
        return np.array([0])

    world.hold = hold
    assert (world.step().events, world.column("status").tolist()) == ([], [STATUS_NAMES.index("moving")])
    assert world.column("position")[0, 0] == pytest.approx(0.15)
    world.hold = None
    assert [event.kind for event in world.step().events] == ["arrived"]
    assert world.column("status").tolist() == [ARRIVED]


def test_a_world_that_is_brought_back_goes_on_with_the_same_bits() -> None:
    world = a_world()
    crossing(world)
    # one under way, one with its plan just asked for
    for steps in (90, 1):
        world.step(steps)
        other = World.restore(world.snapshot())
        Simulation(other)
        assert other.snapshot() == world.snapshot()
        for _ in range(60):
            world.step()
            other.step()
            assert other.digest() == world.digest()
            assert (other.column("waits_for") == world.column("waits_for")).all()
        world.set_agents([0], {"goal": place(world, (9, 8))})


def test_another_goal_makes_another_plan_a_fixed_number_of_steps_later() -> None:
    world = a_world()
    ids = add(world, [(1, 4)], [(3, 4)])
    world.step()
    # nobody moves without a plan, and the plan comes in the step after
    assert (world.column("position") == place(world, (1, 4))).all()
    world.step(40)
    assert world.column("status")[0] == ARRIVED
    world.set_agents(ids, {"goal": place(world, (13, 7))})
    world.step(120)
    assert world.column("status")[0] == ARRIVED
    assert np.abs(world.column("position") - place(world, (13, 7))).max() < 0.05


def test_a_goal_beside_the_middle_of_a_cell_is_reached_exactly() -> None:
    world = a_world()
    goal = place(world, (13, 7)) + np.array([0.17, -0.15])
    ids = add(world, [(1, 4)], [(3, 4)])
    world.set_agents(ids, {"goal": goal})
    world.step(200)
    assert np.abs(world.column("position") - goal).max() < 1e-9


def test_who_comes_and_goes_changes_the_plan() -> None:
    world = a_world()
    ids = crossing(world)
    world.step(30)
    world.remove_agents(ids[:2])
    late = add(world, [(5, 8)], [(10, 0)])
    run(world, 1200)
    assert (world.column("status") == ARRIVED).all()
    assert set(late.tolist()) < set(world.ids.tolist())


def test_an_unreachable_goal_is_told_once_with_the_nearest_that_can_be_reached() -> None:
    world = a_world()
    ids = add(world, [(1, 1), (1, 3)], [(17, 4), (13, 3)])
    events = [event for _ in range(300) for event in world.step().events if event.kind == "unreachable"]
    assert [(event.ids, event.data["reason"]) for event in events] == [([int(ids[0])], ["disconnected"])]
    assert events[0].data["nearest"][0] == place(world, (14, 4))[0].tolist()
    assert world.column("status").tolist() == [UNREACHABLE, ARRIVED]
    assert (world.column("position")[0] == place(world, (1, 1))[0]).all()


def test_two_with_one_goal_end_beside_each_other() -> None:
    world = a_world()
    add(world, [(1, 1), (1, 7)], [(12, 4), (12, 4)])
    for _ in range(300):
        world.step()
        assert closest(world) > 0.7
    away = np.sqrt(((world.column("position") - place(world, (12, 4))) ** 2).sum(axis=1))
    assert sorted(away.round(6).tolist()) == [0.0, 1.0]


def test_who_does_not_fit_into_a_cell_may_go_straight() -> None:
    world = a_world()
    traits = {"radius": np.array([0.6]), "max_neighbors": np.array([5]), "guidance": np.zeros(1, np.uint8)}
    add(world, [(1, 1)], [(5, 5)], **traits)
    world.step()
    assert world.column("cooperation").tolist() == [0]
    assert (world.column("position")[0] != place(world, (1, 1))[0]).any()


def test_without_a_grid_map_agents_go_straight() -> None:
    world = a_world()
    world.set_grid_map(None)
    world.add_agents({"position": [[0.0, 44.0]], "goal": [[1.0, 44.0]], "guidance": np.array([COOPERATIVE], np.uint8)})
    world.step(4)
    assert world.column("position")[0, 0] > 0.5
    assert world.column("cooperation").tolist() == [0]


def test_agents_of_other_worlds_cannot_cooperate() -> None:
    world = World(time_step=0.25)
    before = world.digest()
    with pytest.raises(InvalidInput, match="guidance"):
        world.add_agents({"position": [[0.0, 0.0]], "guidance": np.array([COOPERATIVE], np.uint8)})
    assert (world.digest(), world.agent_count) == (before, 0)
    world.add_agents({"position": [[0.0, 0.0]]})
    with pytest.raises(InvalidInput, match="guidance"):
        world.set_agents([0], {"guidance": np.array([COOPERATIVE], np.uint8)})
    with pytest.raises(InvalidInput, match="guidance"):
        world.set_defaults({"guidance": "cooperative"})


def test_two_dozen_through_one_gap_with_goals_beside_the_middles_of_cells() -> None:
    rows = [("." * 10 + ("." if row == 10 else "@") + "." * 10) for row in range(21)]
    grid = PlacedGrid(parse_map(f"type octile\nheight 21\nwidth 21\nmap\n{chr(10).join(rows)}\n"))
    world = World(time_step=0.25, options=Options.from_mapping({"cooperation": {"variant": "corca-mapf"}}), seed=1)
    world.set_grid_map(grid)
    world.add_obstacles(contours.obstacles(grid.grid))
    Simulation(world)
    chance = np.random.default_rng(7)
    cells = chance.permutation(200)[:24]
    here = [(int(cell) % 10, int(cell) // 10) for cell in cells]
    starts = [(column + 11 * (k % 2), row) for k, (column, row) in enumerate(here)]
    goals = [(column + 11 * (1 - k % 2), row) for k, (column, row) in enumerate(here)]
    ids = add(world, starts, starts)
    world.set_agents(ids, {"goal": place(world, *goals) + chance.uniform(-0.1, 0.1, (24, 2))})
    seen = run(world, 3000)
    assert (world.column("status") == ARRIVED).all()
    assert DRIFT in seen


def test_whoever_gets_through_no_gap_of_the_grid_is_refused() -> None:
    world = a_world()
    add(world, [(2, 1), (2, 3)], [(12, 1), (12, 3)])
    before = world.snapshot()
    with pytest.raises(InvalidInput, match=r"item 1, radius: must be at most 0\.4995, .* it is 0\.5") as caught:
        add(world, [(2, 5), (2, 7)], [(12, 5), (12, 7)], radius=np.array([0.4995, 0.5]))
    assert len(caught.value.problems) == 1
    with pytest.raises(InvalidInput, match="item 0, radius"):
        world.set_agents([1, 0], {"radius": np.array([0.6, 0.4])})
    grid = world.grid_map
    assert grid is not None
    with pytest.raises(InvalidInput, match=r"cell_size: of 0\.8 .* at most, and agent 0, .* has 0\.4: make the cells"):
        world.set_grid_map(replace(grid, cell_size=0.8))
    assert world.snapshot() == before
    # whoever goes by itself may be as wide as it likes, but not become one of those
    (wide,) = add(world, [(2, 5)], [(12, 5)], radius=np.array([0.6]), guidance=np.zeros(1, np.uint8))
    before = world.snapshot()
    with pytest.raises(InvalidInput, match="item 0, radius"):
        world.set_agents([wide], {"guidance": np.array([COOPERATIVE], np.uint8)})
    assert world.snapshot() == before
    world.set_agents([wide], {"guidance": np.array([COOPERATIVE], np.uint8), "radius": np.array([0.4])})
