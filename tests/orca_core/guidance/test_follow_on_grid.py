"""Agents that follow ways over the cells of a grid map."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from orca_core import Obstacle, Options, World
from orca_core.errors import InvalidInput, NotFound, SnapshotError
from orca_core.formats.contours import walkable_areas
from orca_core.formats.movingai import parse_map
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.simulation import Simulation
from tests.support.ways import guide_of, pathfinders, take


def cells(*rows: str) -> PlacedGrid:
    """A map in cells of 2 m, its lower left corner at (-8, -4)."""
    text = "\n".join(["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map", *rows])
    return PlacedGrid(parse_map(text), 2.0, (-8.0, -4.0))


def test_on_a_grid_map_ways_lead_over_its_cells() -> None:
    world = World(time_step=0.25, options=Options.from_mapping({"planner": "grid"}))
    Simulation(world)
    plan = cells("........", "....@...", "....@...", "....@...")
    world.set_grid_map(plan)
    world.add_walkable(walkable_areas(plan.grid, plan.cell_size, plan.origin))
    world.add_agents(pathfinders([[-6, -3], [-6, 3]], [[6, -3], [1, -3]]))
    door = world.add_obstacles([Obstacle([(-2.0, 2.0), (-2.0, 4.0)])]).ids.tolist()
    take(world, 1)
    events = take(world, 2)
    assert [(event.kind, event.ids) for event in events] == [("unreachable", [0, 1])]
    assert [event.data["reason"] for event in events] == [["disconnected", "goal-off-surface"]]
    world.open_obstacles(door)
    take(world, 8)
    path = guide_of(world).shown(world, 0)["path"]
    assert len(path) > 0
    assert shapely.LineString(path).distance(shapely.box(0, -4, 2, 2)) >= 0.5 - 1e-8
    back = World.restore(world.snapshot())
    Simulation(back)
    assert back.grid_map is not None
    assert back.grid_map.to_arrays().keys() == plan.to_arrays().keys()
    for each in (world, back):
        take(each, 80)
    assert back.digest() == world.digest()
    assert world.agent(0)["status"] == "arrived"
    # another map is another chance
    assert world.agent(1)["status"] == "unreachable"
    world.set_grid_map(cells(*["........"] * 4))
    take(world, 8)
    assert world.agent(1)["status"] != "unreachable"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"cell_size": 0.0}, "cell_size"), ({"origin": (np.nan, 0.0)}, "origin"), ({"origin": (1e9, 0.0)}, "origin")],
)
def test_a_map_that_lies_nowhere_is_refused(wrong: dict, field: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InvalidInput) as caught:
        PlacedGrid(cells("..").grid, **wrong)
    assert [problem.field for problem in caught.value.problems] == [field]


def test_a_refused_change_leaves_the_map_and_a_cut_one_no_world() -> None:
    world = World(time_step=0.25)
    world.set_grid_map(cells("..", ".@"))

    def give_up() -> None:
        with world.transaction():
            world.set_grid_map(None)
            world.remove_obstacle(7)

    with pytest.raises(NotFound):
        give_up()
    assert world.grid_map is not None
    assert (world.grid_map.cell_at(-7.0, -3.0), world.grid_map.cell_at(-9.0, 0.0)) == ((0, 1), None)
    assert world.grid_map.center(1, 0) == (-5.0, -1.0)
    with pytest.raises(SnapshotError, match="grid map"):
        PlacedGrid.from_arrays({**world.grid_map.to_arrays(), "size": np.array([9, 9])})
