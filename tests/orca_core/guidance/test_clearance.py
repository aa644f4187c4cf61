"""One rule of clearance: whoever looks for a way goes through no gap that steering will not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_core import Obstacle, WalkableArea, World
from orca_core.formats.movingai import GridMap
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.grid_map import GridMapPlanner
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unreachable
from orca_core.kernels.clearance import MARGIN, kept_clear, narrowest_passage
from tests.support.worlds import wall, world_of

# radius, width of the gap, whether it is a passage
GAPS = [
    *(
        (0.5, width, passes)
        for width, passes in ((0.98, False), (1.0, False), (1.005, False), (1.02, True), (1.2, True))
    ),
    *((0.3, width, passes) for width, passes in ((0.6, False), (0.61, True), (0.7, True), (1.0, True), (1.5, True))),
]


def ends_of_walls(width: float) -> tuple[list[WalkableArea], list[Obstacle]]:
    """A gap between the ends of two walls, on the free plane within a box."""
    half = 0.5 * width
    ring = np.array([(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)])
    return [WalkableArea(((ring,),))], [wall((0.0, -7.0), (0.0, -half)), wall((0.0, half), (0.0, 7.0))]


def corridor(width: float) -> tuple[list[WalkableArea], list[Obstacle]]:
    """Two rooms and a corridor between them, all of one area."""
    half = 0.5 * width
    above = [(6.0, 6.0), (1.0, 6.0), (1.0, half), (-1.0, half), (-1.0, 6.0), (-6.0, 6.0)]
    return [WalkableArea(((np.array([*above, *((x, -y) for x, y in reversed(above))]),),))], []


def beside_an_obstacle(width: float) -> tuple[list[WalkableArea], list[Obstacle]]:
    """A gap between a wall and the edge of the area."""
    area, _ = ends_of_walls(width)
    return area, [wall((0.0, 7.0), (0.0, -6.0 + width))]


SCENES = {"ends": ends_of_walls, "corridor": corridor, "edge": beside_an_obstacle}


def answer_of(scene: Any, width: float, radius: float) -> Any:
    """What the navigation mesh says of the way through."""
    areas, obstacles = scene(width)
    walkable, blocking = WalkableSet(), ObstacleSet()
    walkable.add(areas)
    blocking.add(obstacles)
    return NavmeshPlanner(walkable, blocking).path([-4.0, 0.5], [4.0, 0.5], radius)


def steered(scene: Any, width: float, radius: float, seconds: float) -> World:
    """A world in which an agent walks the middle of the gap, which is where any way through it leads."""
    areas, obstacles = scene(width)
    lane = -6.0 + 0.5 * width if scene is beside_an_obstacle else 0.0
    world = world_of([(-2.0, lane)], time_step=0.1, goal=(2.0, lane), radius=radius, preferred_speed=1.0)
    world.add_walkable(areas)
    if obstacles:
        world.add_obstacles(obstacles)
    world.step(round(seconds * 10))
    return world


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
@pytest.mark.parametrize(("radius", "width", "passes"), GAPS)
def test_the_planner_goes_through_passages_and_steering_takes_them(
    scene: Any, radius: float, width: float, passes: bool
) -> None:
    assert (width >= narrowest_passage(kept_clear(radius), kept_clear(radius))) == passes
    answer = answer_of(scene, width, radius)
    if passes:
        assert isinstance(answer, Path)
        assert steered(scene, width, radius, 60.0).column("position")[0, 0] > 1.0
    else:
        assert isinstance(answer, Unreachable)
        assert answer.reason == "disconnected"
    if width < 2.0 * radius:
        assert steered(scene, width, radius, 20.0).column("position")[0, 0] < 0.0


def test_a_gap_as_wide_as_the_agent_is_one_that_steering_does_not_take() -> None:
    assert steered(ends_of_walls, 1.0, 0.5, 60.0).column("position")[0, 0] < 1.0


@pytest.mark.parametrize(("radius", "passes"), [(0.49, True), (0.495, True), (0.4955, False), (0.5, False)])
def test_grid_maps_know_the_same_passages(radius: float, passes: bool) -> None:
    free = np.ones((7, 9), np.bool_)
    free[:, 4] = [False, False, False, True, False, False, False]
    assert (
        isinstance(GridMapPlanner(PlacedGrid(GridMap(9, 7, free))).path([1.5, 3.5], [7.5, 3.5], radius), Path) == passes
    )


def test_clearance_of_an_area_counts_on_both_sides() -> None:
    for clearance, passes in ((0.0, True), (0.04, True), (0.049, False), (0.06, False)):
        areas, _ = corridor(1.1)
        walkable = WalkableSet()
        walkable.add([WalkableArea(areas[0].polygons, clearance=clearance)])
        answer = NavmeshPlanner(walkable, ObstacleSet()).path([-4.0, 0.5], [4.0, 0.5], 0.5)
        assert isinstance(answer, Path) == passes, clearance


def test_what_is_no_gap_is_not_cut() -> None:
    """Edges shorter than the margin, and corners, leave the surface whole."""
    angle = 2.0 * np.pi * np.arange(400) / 400
    walkable = WalkableSet()
    walkable.add([WalkableArea(((np.stack([np.cos(angle), np.sin(angle)], axis=1) * 1.2,),))])
    for radius in (0.25, 0.5):
        answer = NavmeshPlanner(walkable, ObstacleSet()).path([-0.69, 0.0], [0.69, 0.05], radius)
        assert answer == Path(((-0.69, 0.0), (0.69, 0.05)), pytest.approx(np.hypot(1.38, 0.05)))


def test_the_margin_is_a_share_of_what_is_kept() -> None:
    assert narrowest_passage(0.5, 0.5) == pytest.approx(1.0 + MARGIN)
    assert narrowest_passage(0.5, 0.7) == pytest.approx(1.2 * (1.0 + MARGIN))
    assert narrowest_passage(0.0, 0.0) == 0.0
