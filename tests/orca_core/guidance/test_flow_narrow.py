"""Narrow places of flow fields: what is a passage for planners is one for fields, and agents go through without ado."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.flow_grid import FlowGrid
from orca_core.guidance.flow_standing import Standing
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path
from orca_core.simulation import Simulation
from orca_core.statics import Statics
from tests.support.samples import samples
from tests.support.worlds import agents

SQUARE = [(-6.0, -6.0), (6.0, -6.0), (6.0, 6.0), (-6.0, 6.0)]
FAR = 20.0

Floats = np.ndarray[Any, np.dtype[np.float64]]


def gap_of(kind: str, width: float, angle: float, middle: Floats, length: float, bend: float) -> tuple[Any, Any, Any]:
    """Walls with a gap between them, and a place on either side of it."""
    across = np.array([math.cos(angle), math.sin(angle)])
    along = np.array([-across[1], across[0]])
    half = 0.5 * width
    if kind == "edge":
        # between the end of a wall and the edge of the area
        wall = Obstacle([(middle[0], -6.0 + width), (middle[0] + bend, 7.0)])
        return [wall], (middle[0] - 2.5, -5.4), (middle[0] + 2.5, -5.4)
    if kind == "ends":
        walls = [[middle - FAR * across, middle - half * across], [middle + half * across, middle + FAR * across]]
        before, behind = middle - 2.5 * along, middle + 2.5 * along
    else:
        # a passage that goes along for a while, and then in another direction
        turned = np.array([math.cos(angle + bend), math.sin(angle + bend)])
        onward = np.array([-turned[1], turned[0]])
        corner = half / math.cos(0.5 * bend)
        inner = corner * np.array([math.cos(angle + 0.5 * bend), math.sin(angle + 0.5 * bend)])
        first, last = middle - length * along, middle + length * onward
        walls = [
            [
                first + side * FAR * across,
                first + side * half * across,
                middle + side * inner,
                last + side * half * turned,
                last + side * FAR * turned,
            ]
            for side in (-1.0, 1.0)
        ]
        before, behind = first - along, last + onward
    return [Obstacle(wall) for wall in walls], np.clip(before, -5.4, 5.4), np.clip(behind, -5.4, 5.4)


@settings(max_examples=samples(60))
@given(
    kind=st.sampled_from(["ends", "passage", "edge"]),
    ratio=st.floats(0.9, 1.3) | st.sampled_from([1.005, 1.015, 1.02, 1.05]),
    angle=st.floats(0.0, math.pi),
    place=st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)),
    length=st.floats(0.6, 2.0),
    bend=st.floats(-1.2, 1.2),
    radius=st.sampled_from([0.25, 0.3, 0.5]),
    size=st.sampled_from([None, None, 0.1, 0.5, 1.0]),
)
@example("ends", 1.02, 0.7, (0.1, -0.3), 1.0, 0.0, 0.25, None)
@example("passage", 1.015, 2.0, (0.4, 0.3), 1.5, 0.9, 0.3, None)
def test_fields_lead_through_the_very_gaps_that_planners_take(
    kind: str, ratio: float, angle: float, place: Any, length: float, bend: float, radius: float, size: Any
) -> None:
    # on the edge itself rounding decides
    assume(abs(ratio - 1.01) > 0.003)
    walls, start, goal = gap_of(kind, 2.0 * radius * ratio, angle, np.array(place), length, bend)
    walkable, blocking = WalkableSet(), ObstacleSet()
    walkable.add([WalkableArea(((SQUARE,),))])
    blocking.add(walls)
    planned = NavmeshPlanner(walkable, blocking).path(start, goal, radius)
    statics = Statics.build(blocking, walkable, np.array([radius]), Options.service())
    grid = FlowGrid.over(Standing.of(statics, radius), size=size)
    assert grid is not None
    assert math.isfinite(FlowField.towards(grid, [goal]).distance_from(start)) == isinstance(planned, Path)


def walked(world: World, goal: Any, seconds: float) -> tuple[Any, Any]:
    """Who has arrived after a while, and how often each has turned round, from one half second to the next."""
    count, half = world.agent_count, round(0.5 / world.time_step)
    arrived, turns, last = np.zeros(count, np.bool_), np.zeros(count, np.int64), np.zeros((count, 2))
    for _ in range(round(2.0 * seconds)):
        before = world.column("position").copy()
        world.step(half)
        way = world.column("position") - before
        arrived |= np.hypot(*(world.column("position") - goal).T) < 0.31
        moving = (np.hypot(*way.T) > 0.02) & ~arrived
        turns += ((way * last).sum(axis=1) < 0.0) & moving
        last = np.where(moving[:, None], way, last)
        if arrived.all():
            break
    return arrived, turns


@pytest.mark.parametrize(("radius", "angle"), [(0.25, 0.3), (0.3, 0.0)])
def test_an_agent_goes_through_a_gap_of_hardly_more_than_its_width(radius: float, angle: float) -> None:
    walls, start, goal = gap_of("ends", 1.02 * 2.0 * radius, angle, np.array([0.13, 0.07]), 0.0, 0.0)
    world = Simulation(World(time_step=0.1, options=Options.service())).world
    world.add_walkable([WalkableArea(((SQUARE,),))])
    world.add_obstacles(walls)
    world.add_agents(agents([start], radius=radius, goal=tuple(goal), goal_tolerance=0.3, guidance=np.uint8(2)))
    arrived, turns = walked(world, goal, 60.0)
    assert arrived.all()
    assert (turns <= 1).all()


def room(width: float, side: float, place: float, angle: float, corner: Any) -> tuple[WalkableArea, Any]:
    """A room with a mouth in one of its sides, `place` along it, into a hall; and what puts places into the world."""
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    low, high, wall = place - 0.5 * width, place + 0.5 * width, 0.2
    ring = [(0, 0), (side, 0), (side, low), (side + wall, low), (side + wall, -3), (2 * side + 4, -3)]
    ring += [
        (2 * side + 4, side + 3),
        (side + wall, side + 3),
        (side + wall, high),
        (side, high),
        (side, side),
        (0, side),
    ]

    def placed(places: Any) -> Any:
        return np.asarray(places, np.float64) @ turn + corner

    distinct = [one for k, one in enumerate(ring) if one != ring[k - 1]]
    return WalkableArea(((placed(distinct),),)), placed


@pytest.mark.parametrize("profile", ["service", "text"])
@pytest.mark.parametrize("radius", [0.25, 0.3])
def test_nobody_swings_at_the_mouth_of_a_room(radius: float, profile: str) -> None:
    """Also in profile `text`, where nothing keeps centres on the surface: some are pushed off it beside the posts."""
    random = np.random.default_rng(7)
    widths = [*np.linspace(2.2 * radius, 1.5, 5).tolist(), 1.2, 1.2, 1.2, 2.15 * radius, 2.38 * radius]
    for number, width in enumerate(widths):
        side = (3.0, 4.0, 5.0, 8.0)[number % 4]
        place = (0.5 * side, 0.5 * width, random.uniform(0.5 * width, side - 0.5 * width))[number % 3]
        area, placed = room(width, side, place, (0.0, math.pi / 4, 4.2, 1.1)[number // 3], random.uniform(0.0, 1.0, 2))
        options = Options.from_mapping({"profile": profile, "flow_cell_size": (None, 0.5, 1.0, None)[number % 4]})
        world = Simulation(World(time_step=0.1, options=options)).world
        world.add_walkable([area])
        goal = placed([(2 * side + 3, random.uniform(0.0, side))])[0]
        starts = placed(random.uniform(radius + 0.05, side - radius - 0.05, (12, 2)))
        columns = {"radius": radius, "max_speed": 1.5, "preferred_speed": 1.3, "goal": tuple(goal)}
        # each for itself: what is looked at is where they want to go
        world.add_agents(agents(starts, goal_tolerance=0.3, guidance=np.uint8(2), quality=np.uint8(2), **columns))
        arrived, turns = walked(world, goal, 60.0)
        assert arrived.all(), (number, width)
        assert (turns <= 1).all(), (number, width, turns)
