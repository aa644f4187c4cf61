"""Doors: obstacles that stand open do not act, and act again in the very next step after they are closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.errors import Gone, NotFound
from orca_core.guidance.navmesh import NavmeshPlanner
from orca_core.guidance.planner import Path, Unreachable
from tests.support.worlds import PROFILES, box, wall, world_of

# two rooms side by side, and the wall between them in three pieces: the middle one is the door
ROOMS = [wall((0.0, -5.0), (0.0, -1.0)), wall((0.0, 1.0), (0.0, 5.0))]
DOOR = wall((0.0, -1.0), (0.0, 1.0))


def passing(options: Options, *, is_open: bool) -> tuple[World, int]:
    """Somebody on the way through, and the door."""
    world = world_of([(-3.0, 0.0)], options=options, walls=ROOMS, preferred_velocity=(1.5, 0.0))
    return world, int(world.add_obstacles([replace(DOOR, open=is_open)]).ids[0])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_door_acts_while_it_is_closed_and_from_the_next_step_on(profile: str) -> None:
    world, door = passing(PROFILES[profile], is_open=False)
    world.step(120)
    waiting = float(world.column("position")[0, 0])
    assert waiting == pytest.approx(-0.5, abs=1e-4)
    assert waiting <= -0.5
    world.open_obstacles([door])
    world.step()
    # the ends of the gap still slow it, and nothing else does
    assert world.column("position")[0, 0] > waiting + 0.1
    world.step(19)
    assert world.column("position")[0, 0] > 3.0
    # and back, against the door that is closed right before
    world.set_agents([0], {"position": [(2.0, 0.0)], "preferred_velocity": [(-1.5, 0.0)]})
    world.open_obstacles([door], False)
    world.step(120)
    assert world.column("position")[0, 0] == pytest.approx(0.5, abs=1e-4)


def test_what_is_open_has_no_walls_and_is_there_all_the_same() -> None:
    world, door = passing(Options.service(), is_open=True)
    assert [one.open for one in world.obstacles()] == [False, False, True]
    assert len(world.statics().walls) == 2
    closed, _ = passing(Options.service(), is_open=False)
    # closed it is one wall with its neighbours, as if it had never been a door
    assert closed.statics().walls.tolist() == [[0.0, -5.0, 0.0, 5.0]]
    assert [notice.code for notice in world.open_obstacles([door], False)] == ["merged"]
    assert world.statics().walls.tobytes() == closed.statics().walls.tobytes()
    # a PUT says whether it is open, like everything else of it
    world.set_obstacle(door, replace(DOOR, open=True))
    assert world.obstacle_set.get(door).open


def test_a_gap_of_the_surface_is_closed_by_an_obstacle_across_it() -> None:
    ring = np.array([(0, 0), (4, 0), (4, 2), (5, 2), (5, 0), (9, 0), (9, 6), (5, 6), (5, 4), (4, 4), (4, 6), (0, 6)])
    world = world_of([(2.0, 3.0)], goal=(7.0, 3.0))
    world.add_walkable([WalkableArea(((ring.astype(float),),))])
    door = int(world.add_obstacles([wall((4.5, 2.0), (4.5, 4.0))]).ids[0])
    world.step(120)
    assert world.column("position")[0, 0] == pytest.approx(4.0, abs=1e-4)
    world.open_obstacles([door])
    world.step(40)
    assert world.agent(0)["status"] == "arrived"


def test_the_planner_knows_which_doors_are_open() -> None:
    world, door = passing(Options.service(), is_open=False)
    world.add_walkable([WalkableArea(((np.array([(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)]),),))])

    def planned() -> object:
        return NavmeshPlanner(world.walkable_set, world.obstacle_set).path([-3.0, 0.0], [3.0, 0.0], 0.4)

    assert isinstance(planned(), Unreachable)
    world.open_obstacles([door])
    assert isinstance(planned(), Path)


def test_an_unknown_door_is_refused_and_nothing_has_moved() -> None:
    world, door = passing(Options.service(), is_open=False)
    gone = int(world.add_obstacles([wall((8.0, 8.0), (9.0, 9.0))]).ids[0])
    world.remove_obstacle(gone)
    before, statics = world.snapshot(), world.statics()
    for wrong, refusal in ((77, NotFound), (gone, Gone)):
        with pytest.raises(refusal):
            world.open_obstacles([door, wrong])
        assert world.snapshot() == before
        assert world.statics() is statics


def test_a_snapshot_keeps_doors_and_a_world_without_any_has_the_bytes_it_had() -> None:
    world, door = passing(Options.service(), is_open=True)
    plain, _ = passing(Options.service(), is_open=False)
    world.step(3)
    again = World.restore(world.snapshot())
    assert [one.open for one in again.obstacles()] == [False, False, True]
    for one in (world, again):
        one.step(3)
        one.open_obstacles([door], False)
        one.step(5)
    assert world.snapshot() == again.snapshot()
    assert b"obstacles.open" not in plain.snapshot()
    assert b"obstacles.open" not in world.snapshot()


def test_a_hundred_rounds_of_doors_and_boxes_leave_a_world_as_fresh() -> None:
    pieces = [wall((4.0 * k, 2.0), (4.0 * k + 2.0, 2.0), (4.0 * k + 4.0, 2.0)) for k in range(4)]
    boxes = [box(4.0 * k, 3.0, 4.0 * k + 2.0, 5.0) for k in range(4)]
    walkers = {"preferred_velocity": np.array([[1.0, 0.4], [1.2, -0.3]])}
    used, fresh = (world_of([(-2.0, 1.0), (-2.0, 6.0)], walls=pieces, **walkers) for _ in range(2))
    ids = [int(one) for one in used.add_obstacles(boxes).ids]
    for _ in range(100):
        for identifier in ids:
            used.remove_obstacle(identifier)
        used.open_obstacles([0, 2])
        ids = [int(used.add_obstacles([one]).ids[0]) for one in boxes]
        used.open_obstacles([2, 0], False)
    fresh.add_obstacles(boxes)
    assert used.statics().walls.tobytes() == fresh.statics().walls.tobytes()
    used.step(60)
    fresh.step(60)
    assert used.digest() == fresh.digest()


def test_a_door_costs_the_agents_nothing_that_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening and closing copies no column of agents: with many of them that alone would be a hitch."""
    world, door = passing(Options.service(), is_open=False)
    monkeypatch.setattr(world.population, "keep", lambda: pytest.fail("a door copied all agents"))
    world.open_obstacles([door])
    world.set_obstacle(door, Obstacle(DOOR.points))
    world.remove_obstacle(door)
