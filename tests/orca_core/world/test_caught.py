"""Whoever a change leaves where nobody can be is told so, and leaves by the shortest way, whatever stands between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.report import Event
from tests.support.worlds import agents, box, wall, world_of

SQUARE = np.array([(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)])


def area(*ring: tuple[float, float]) -> WalkableArea:
    return WalkableArea(((np.array(ring),),))


def told(events: list[Event]) -> list[tuple[int, list[int]]]:
    """Step and ids of the events of the kind."""
    return [(event.step, event.ids) for event in events if event.kind == "inside-obstacle"]


@pytest.mark.parametrize(
    ("obstacle", "place", "free"),
    [
        (box(-1.0, -1.0, 1.0, 1.0), (0.2, 0.1), (1.5, 0.1)),
        (box(-1.0, -1.0, 1.0, 1.0), (-0.1, -0.75), (-0.1, -1.5)),
        (box(-0.3, -0.3, 0.3, 0.3), (0.05, 0.0), (0.8, 0.0)),
        (Obstacle(np.array([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)]), closed=True), (1.0, 0.5), (1.0, -0.5)),
    ],
)
def test_who_is_caught_leaves_by_the_shortest_way(
    obstacle: Obstacle, place: tuple[float, float], free: tuple[float, float]
) -> None:
    # what it wants is the other way round, and is of no matter until it is out
    away = (np.array(place) - free) * 10.0
    world = world_of([place, (30.0, 0.0)], preferred_velocity=np.array([away, (0.0, 0.0)]))
    world.step(1)
    world.set_agents([0], {"position": [place], "preferred_velocity": [away]})
    added = world.add_obstacles([obstacle])
    assert [(one.code, one.message) for one in added.notices] == [
        ("inside-obstacle", "agent 0 is inside obstacle 0; it leaves by the shortest way")
    ]
    assert world.agent(0)["status"] == "inside-obstacle"
    explained = world.explain(0)["next"]
    assert explained["escapes_to"] == pytest.approx(free, abs=1e-9)
    assert np.hypot(*explained["velocity"]) == pytest.approx(1.5)
    assert "escapes_to" not in world.explain(1)["next"]
    distance, events, way = float(np.hypot(*np.subtract(free, place))), [], [np.array(place)]
    for _ in range(int(np.ceil(distance / 0.375))):
        assert world.agent(0)["status"] == "inside-obstacle"
        events += world.step().events
        way.append(world.column("position")[0].copy())
    assert way[-1] == pytest.approx(free, abs=1e-9)
    assert world.agent(0)["status"] == "moving"
    assert told(events) == [(2, [0])]
    # straight, at full speed
    lengths = np.hypot(*np.diff(way, axis=0).T)
    assert lengths[:-1] == pytest.approx(0.375)
    assert lengths.sum() == pytest.approx(distance)
    # and now the walls hold it outside
    world.step(40)
    assert world.agent(1)["status"] == "no-goal"
    assert shapely.Polygon(obstacle.points).distance(shapely.Point(world.column("position")[0])) >= 0.5 - 1e-6


def test_moving_an_obstacle_and_closing_a_door_catch_as_well() -> None:
    for change in ("move", "close"):
        world = world_of([(0.1, 0.0)], walls=[box(20.0, -1.0, 22.0, 1.0), replace(box(-1, -1, 1, 1), open=True)])
        world.step(4)
        assert world.column("position")[0].tolist() == [0.1, 0.0]
        notices = world.set_obstacle(0, box(-1, -1, 1, 1)) if change == "move" else world.open_obstacles([1], False)
        assert [notice.code for notice in notices] == ["inside-obstacle"]
        world.step(4)
        assert world.column("position")[0] == pytest.approx((1.5, 0.0), abs=1e-9)


def test_other_obstacles_and_the_surface_are_no_place_to_go() -> None:
    # the nearest side is a dead end between two boxes, the next one is off the surface
    world = world_of([(0.6, 0.0)])
    world.add_walkable([area((-9.0, -1.8), (9.0, -1.8), (9.0, 9.0), (-9.0, 9.0))])
    world.add_obstacles([box(1.3, -3.0, 4.0, 3.0)])
    world.step()
    world.add_obstacles([box(-1.0, -1.0, 1.0, 1.0)])
    world.step(8)
    assert world.agent(0)["status"] == "no-goal"
    assert world.column("position")[0, 1] == pytest.approx(1.5, abs=0.02)
    assert world.column("position")[0, 0] <= 0.8 + 1e-9


def test_a_surface_taken_away_is_left_across_walls() -> None:
    world = world_of([(5.0, 0.5), (0.0, 0.0)], walls=[wall((2.0, -9.0), (2.0, 9.0))])
    world.add_walkable([WalkableArea(((SQUARE,),))])
    world.step(2)
    notices = world.set_walkable(0, area((-8.0, -8.0), (1.0, -8.0), (1.0, 8.0), (-8.0, 8.0)))
    assert [notice.code for notice in notices] == ["outside-area"]
    assert world.agent(0)["status"] == "inside-obstacle"
    assert world.agent(1)["status"] == "no-goal"
    report = world.step(12)
    assert told(report.events) == [(3, [0])]
    assert world.column("position")[0] == pytest.approx((0.5, 0.5), abs=1e-9)
    assert world.agent(0)["status"] == "no-goal"


def test_without_any_place_it_waits_and_goes_when_there_is_one() -> None:
    world = world_of([(0.0, 0.0)])
    world.add_walkable([WalkableArea(((SQUARE,),))])
    world.step()
    world.set_walkable(0, area((3.0, 3.0), (3.5, 3.0), (3.5, 3.5), (3.0, 3.5)))
    report = world.step(8)
    assert told(report.events) == [(2, [0])]
    assert world.column("position")[0].tolist() == [0.0, 0.0]
    assert world.agent(0)["status"] == "inside-obstacle"
    world.set_walkable(0, area((3.0, -2.0), (9.0, -2.0), (9.0, 2.0), (3.0, 2.0)))
    world.step(12)
    assert world.column("position")[0] == pytest.approx((3.5, 0.0), abs=1e-9)
    world.set_walkable(0, area((30.0, 3.0), (30.5, 3.0), (30.5, 3.5), (30.0, 3.5)))
    world.remove_walkable(0)
    assert world.agent(0)["status"] == "no-goal"


@pytest.mark.parametrize("way", ["remove", "open", "teleport"])
def test_who_is_not_caught_any_more_goes_on(way: str) -> None:
    world = world_of([(0.0, 0.1)], goal=(0.0, 9.0))
    world.step()
    door = int(world.add_obstacles([box(-3.0, -3.0, 3.0, 3.0)]).ids[0])
    world.step(2)
    assert world.agent(0)["status"] == "inside-obstacle"
    if way == "remove":
        world.remove_obstacle(door)
    elif way == "open":
        world.open_obstacles([door])
    else:
        world.set_agents([0], {"position": [(0.0, 5.0)]})
    assert world.agent(0)["status"] == "moving"
    assert told(world.step(60).events) == []
    assert world.agent(0)["status"] == "arrived"


def test_storeys_and_who_is_driven_are_left_alone() -> None:
    elevation = np.array([0.0, 5.0, 0.0])
    world = world_of([(0.2, 0.1), (0.2, 0.1), (-0.9, -0.5)], elevation=elevation, locked=np.array([False, False, True]))
    world.step()
    solid = replace(box(-1.0, -1.0, 1.0, 1.0), z_range=(-1.0, 2.0))
    notices = world.add_obstacles([solid, replace(box(1.1, -3.0, 4.0, 3.0), z_range=(4.0, 6.0))]).notices
    assert [notice.message[:7] for notice in notices if notice.code == "inside-obstacle"] == ["agent 0"]
    world.step(8)
    # the other storey is no hindrance on the way out either
    assert world.column("position")[0] == pytest.approx((1.5, 0.1), abs=1e-9)
    assert world.column("position")[1:].tolist() == [[0.2, 0.1], [-0.9, -0.5]]
    # whoever is taken over while it is caught goes where it is driven
    world.set_agents([0], {"position": [(0.0, 9.0)]})
    world.add_obstacles([box(-2.0, 7.0, 2.0, 11.0)])
    world.set_agents([0], {"locked": [True], "velocity": [(0.0, 0.5)]})
    world.step(4)
    assert world.column("position")[0] == pytest.approx((0.0, 9.5))
    assert world.agent(0)["status"] != "inside-obstacle"


def test_new_orders_do_not_free_it() -> None:
    world = world_of([(0.0, 0.1)])
    world.step()
    world.add_obstacles([box(-3.0, -3.0, 3.0, 3.0)])
    world.set_agents([0], {"goal": [(0.0, 0.1)]})
    assert world.agent(0)["status"] == "inside-obstacle"
    assert [event.kind for event in world.step().events] == ["inside-obstacle"]
    assert world.agent(0)["status"] == "inside-obstacle"


def test_the_text_knows_of_none_of_it_but_warns() -> None:
    world = world_of([(0.2, 0.1)], options=Options.text())
    world.step()
    added = world.add_obstacles([box(-1.0, -1.0, 1.0, 1.0)])
    assert [notice.message for notice in added.notices] == ["agent 0 is inside obstacle 0, whose walls let nobody out"]
    world.step(20)
    assert np.abs(world.column("position")).max() < 1.0
    assert world.agent(0)["status"] == "no-goal"


def test_a_wall_is_nothing_to_be_inside_of_and_rooms_are_drawn_as_one() -> None:
    world = world_of([(0.0, 0.0)])
    world.step()
    ring = [*box(-2.0, -2.0, 2.0, 2.0).points.tolist(), [-2.0, -2.0]]
    assert "inside-obstacle" not in {notice.code for notice in world.add_obstacles([Obstacle(np.array(ring))]).notices}
    world.step(5)
    assert world.column("position")[0].tolist() == [0.0, 0.0]


def crowd(options: Options | None = None) -> World:
    """Forty agents about to be caught by three obstacles, in a world with a surface."""
    random = np.random.default_rng(3)
    world = World(time_step=0.1, options=options or Options.service(), seed=5)
    world.add_walkable([area((-12.0, -12.0), (12.0, -12.0), (12.0, 12.0), (-12.0, 12.0))])
    world.add_agents(agents(random.uniform(-9.0, 9.0, (40, 2)), radius=np.where(random.random(40) < 0.5, 0.2, 0.3),
                            goal=random.uniform(-11.0, 11.0, (40, 2))))  # fmt: skip
    world.step(3)
    world.add_obstacles([box(-6.0, -6.0, 0.0, 0.0), box(1.0, 1.0, 7.0, 4.0)])
    world.step(2)
    world.add_obstacles([box(-2.0, -1.0, 3.0, 2.0)])
    return world


def test_how_the_step_is_cut_decides_nothing_and_a_snapshot_goes_on() -> None:
    whole, cut, kept = crowd(), crowd(), crowd()
    assert (whole.column("caught") != 0).sum() > 5
    outcomes: list[Any] = []
    for number in range(40):
        outcomes = [
            [(event.kind, event.step, event.ids) for event in report.events]
            for report in (whole.step(), cut.step(split=[1, 2, 4]), kept.step())
        ]
        assert outcomes[0] == outcomes[1] == outcomes[2]
        if number in (0, 7):
            kept = World.restore(kept.snapshot())
        assert whole.digest() == cut.digest() == kept.digest()
    assert whole.snapshot() == kept.snapshot()
    assert not whole.column("caught").any()
    solid = shapely.union_all([shapely.Polygon(one.points) for one in whole.obstacles()])
    assert solid.distance(shapely.points(whole.column("position"))).min() > 0.15


def test_a_world_in_which_nobody_is_caught_keeps_its_bits() -> None:
    one, other = (
        world_of([(0.0, 0.0), (4.0, 0.1)], options=replace(Options.service(), leave_obstacles=on),
                 preferred_velocity=np.array([(1.0, 0.0), (-1.0, 0.0)]))
        for on in (True, False)
    )  # fmt: skip
    for world in (one, other):
        world.step(3)
        world.add_obstacles([box(8.0, 8.0, 9.0, 9.0), wall((-1.0, 0.4), (5.0, 0.4))])
        world.step(30)
    assert one.digest() == other.digest()
