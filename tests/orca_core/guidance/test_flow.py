"""Agents that go along flow fields: they arrive, keep apart, and do the same however they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.errors import InvalidInput, SnapshotError
from orca_core.guidance.flow import Flow
from orca_core.report import Event
from orca_core.simulation import Simulation
from orca_core.state import STATUS_NAMES
from tests.support.worlds import agents, deepest_overlap

STRAIGHT, FLOW = np.uint8(0), np.uint8(2)
HALL = [[0, 0], [30, 0], [30, 20], [0, 20]]
DOOR = Obstacle([[15.0, 8.0], [15.0, 12.0]])
# a hall in two halves, with a gap of four metres between them, and a baffle behind it
SPLIT = [Obstacle([[15, 0], [15, 8]]), Obstacle([[15, 12], [15, 20]]), Obstacle([[20, 4], [20, 20]])]


def hall(
    obstacles: Sequence[Obstacle] = SPLIT,
    *,
    areas: Sequence[Any] = (HALL,),
    options: Options | None = None,
    **more: Any,
) -> World:
    """Geometry without agents, guided."""
    world = World(time_step=0.1, options=options or Options.service(), **more)
    if areas:
        world.add_walkable([WalkableArea(((ring,),)) for ring in areas])
    world.add_obstacles(list(obstacles))
    return Simulation(world).world


def crowd(world: World, count: int = 40, *, goal: Any = (27.0, 10.0), seed: int = 1, **columns: Any) -> World:
    """Agents in the left half of the hall, apart, with one goal."""
    spots = np.stack(np.meshgrid(np.linspace(1.5, 13.0, 12), np.linspace(1.5, 18.5, 14)), axis=-1).reshape(-1, 2)
    places = spots[np.random.default_rng(seed).permutation(len(spots))[:count]]
    values = {"radius": 0.25, "max_speed": 1.5, "goal": goal, "goal_tolerance": 3.0, "guidance": FLOW, **columns}
    world.add_agents(agents(places, **values))
    return world


def statuses(world: World) -> list[str]:
    """Names of the statuses."""
    return [STATUS_NAMES[status] for status in world.column("status").tolist()]


def flow(world: World) -> Flow:
    """The guide under test."""
    return next(guide for guide in world.guides if isinstance(guide, Flow))


def of_kind(events: Sequence[Event], kind: str) -> list[Event]:
    """Events of one kind."""
    return [event for event in events if event.kind == kind]


@pytest.mark.parametrize("areas", [(HALL,), ()])
def test_everybody_arrives_and_keeps_apart(areas: Sequence[Any]) -> None:
    around = [] if areas else [Obstacle(HALL, closed=True)]
    world = crowd(hall([*SPLIT, *around], areas=areas))
    alone = replace(Options.service(), replan_jams=False)
    straight = crowd(hall([*SPLIT, *around], areas=areas, options=alone), guidance=STRAIGHT)
    deepest = 0.0
    for _ in range(80):
        world.step(10)
        deepest = max(deepest, deepest_overlap(world.column("position"), world.column("radius")))
        if statuses(world).count("arrived") == world.agent_count:
            break
    assert statuses(world).count("arrived") == world.agent_count
    assert deepest < 0.1
    # who goes straight, and is not led round walls, never gets there, and without avoidance the crowd would be a heap
    straight.step(world.step_count)
    assert statuses(straight).count("arrived") < world.agent_count // 4


def test_an_agent_alone_loses_no_time() -> None:
    # walls matter to it only when they are very near, so that it goes as fast as it may
    world = crowd(hall(), 1, goal_tolerance=1e-9, obstacle_horizon=0.1)
    world.step(2)
    way = flow(world).distance(world, int(world.ids[0]))
    assert way is not None
    needed = int(np.ceil(way / 1.5 / 0.1))
    world.step(needed - 4)
    assert statuses(world) == ["moving"]
    world.step(12)
    assert statuses(world) == ["arrived"]
    # at its goal to the bit, as if it had gone straight
    world.step(20)
    assert world.column("position").tolist() == [[27.0, 10.0]]


def test_until_the_field_is_there_everybody_goes_straight_and_it_comes_when_it_must() -> None:
    for delay in (1, 5):
        options = Options.from_mapping({"plan_delay_steps": delay})
        world, straight = crowd(hall(options=options)), crowd(hall(options=options), guidance=STRAIGHT)
        # asked for after the first step, it is there for the step after `delay` more
        world.step(1 + delay)
        straight.step(1 + delay)
        assert world.digest() == straight.digest()
        world.step(1)
        straight.step(1)
        assert world.digest() != straight.digest()


def test_a_door_that_opens_and_closes_turns_the_crowd() -> None:
    world = crowd(hall([*SPLIT, DOOR]), 12)
    told = of_kind(world.step(10).events, "unreachable")
    assert sorted(identifier for event in told for identifier in event.ids) == world.ids.tolist()
    assert set(told[0].data["reason"]) == {"disconnected"}
    nearest = np.array(told[0].data["nearest"])
    assert (np.abs(nearest - [14.75, 10.0]) < 0.3).all()
    assert set(statuses(world)) == {"unreachable"}
    before = world.column("position").copy()
    # they stay where they are, are not told of again, and do not count as stalled
    assert {event.kind for event in world.step(50).events} <= {"overlap"}
    assert np.abs(world.column("position") - before).max() < 0.2
    world.remove_obstacle(3)
    world.step(60)
    assert "unreachable" not in statuses(world)
    assert (world.column("position")[:, 0] - before[:, 0]).mean() > 2.0
    # closed again before all are through: those on this side are told once more
    world.add_obstacles([Obstacle(DOOR.points)])
    events = world.step(20).events
    behind = world.ids[world.column("position")[:, 0] < 15.0].tolist()
    assert sorted(identifier for event in of_kind(events, "unreachable") for identifier in event.ids) == behind
    assert 0 < len(behind) < 12


def test_whoever_cannot_reach_its_goal_may_go_as_near_as_it_can() -> None:
    options = Options.from_mapping({"unreachable_goals": "nearest"})
    world = crowd(hall([*SPLIT, DOOR], options=options), 1)
    world.step(200)
    assert statuses(world) == ["unreachable"]
    assert np.abs(world.column("position")[0] - [14.75, 10.0]).max() < 0.3
    assert np.abs(world.column("velocity")).max() < 1e-9


def test_a_goal_in_a_wall_and_a_disc_without_a_place_are_unreachable() -> None:
    world = crowd(hall(), 3, goal=(20.0, 10.0), goal_tolerance=0.1)
    (event,) = of_kind(world.step(4).events, "unreachable")
    assert set(event.data["reason"]) == {"goal-off-surface"}
    large = crowd(hall(), 1, radius=11.0, neighbor_distance=1.0)
    (event,) = of_kind(large.step(4).events, "unreachable")
    assert event.data["reason"] == ["start-off-surface"]
    assert event.data["nearest"] == [None]


def test_within_its_tolerance_nobody_goes_anywhere() -> None:
    # the goal is behind the wall, and near
    world = crowd(hall(), 1, goal=(16.0, 4.0), goal_tolerance=3.0)
    world.set_agents(world.ids, {"position": [[14.0, 4.0]]})
    world.step(20)
    assert statuses(world) == ["arrived"]
    assert world.column("position").tolist() == [[14.0, 4.0]]


def test_a_thin_wall_is_not_gone_through_by_who_is_pressed_against_it() -> None:
    # nearer to the wall than the radius, on either side
    for x in (14.9, 15.1):
        world = crowd(hall(), 1, goal_tolerance=0.1)
        world.set_agents(world.ids, {"position": [[x, 3.0]]})
        before = x
        for _ in range(60):
            world.step()
            here, up = world.column("position")[0].tolist()
            assert (here < 15.0) == (before < 15.0) or up > 8.0
            before = here
        # past the end of the wall from the one side, along it to the way under the baffle from the other
        assert (world.column("position")[0, 1] > 6.0) == (x < 15.0)


def test_groups_follow_every_change_of_goals() -> None:
    world = crowd(hall(), 20)
    world.step(10)
    one, other = world.ids[:10], world.ids[10:]
    world.set_agents(one, {"goal": np.tile([2.0, 2.0], (10, 1))})
    world.remove_agents(other[:3])
    world.step(100)
    near = np.abs(world.column("position") - [2.0, 2.0]).max(axis=1) < 4.0
    assert near.tolist() == [True] * 10 + [False] * 7
    # none of them is guided any more: the world is one without fields
    world.set_agents(world.ids, {"guidance": np.full(17, STRAIGHT)})
    world.step(2)
    assert flow(world).kept() == {}
    plain = World.restore(world.snapshot())
    plain.step(5)
    world.step(5)
    assert plain.digest() == world.digest()


def test_equal_goals_share_a_field_and_who_finds_none_free_goes_straight() -> None:
    options = Options.from_mapping({"flow_fields": 2})
    world = hall(options=options)
    crowd(world, 8)
    crowd(world, 8, seed=2, goal=(27.0, 15.0), radius=0.2)
    crowd(world, 4, seed=3, goal=(27.0, 15.0), radius=0.125)
    crowd(world, 3, seed=4, goal=(27.0, 4.0))
    world.step(3)
    kept = flow(world).kept()
    # the goals of most agents, zero and its negative the same
    assert {tuple(key) for key in kept["key"].tolist()} == {(27.0, 10.0, 0.25), (27.0, 15.0, 0.2)}
    # a smaller disc goes along the field of the larger one; for the last goal there is none
    world.step()
    steered = world.column("guided").astype(bool)
    assert steered[:20].all()
    assert not steered[20:].any()
    # once nobody wants one of them, its place is free
    world.remove_agents(world.ids[[*range(8), *range(16, 20)]])
    world.step(4)
    assert world.column("guided")[-3:].all()


@pytest.mark.parametrize("split", [(), (1,), (2, 3, 5)])
def test_no_split_of_a_step_changes_a_bit(split: Sequence[int]) -> None:
    world, whole = crowd(hall()), crowd(hall())
    for _ in range(30):
        world.step(split=split)
        whole.step()
    assert world.digest() == whole.digest()


@pytest.mark.parametrize("delay", [1, 7])
def test_a_snapshot_goes_on_with_the_same_bits_whenever_it_was_made(delay: int) -> None:
    options = Options.from_mapping({"plan_delay_steps": delay})
    worlds = [crowd(hall([*SPLIT, DOOR], options=options), 30)]
    # while fields are asked for, out of date, asked for again, given up and taken again
    some = worlds[0].ids[:10]
    changes: dict[int, Callable[[World], object]] = {
        10: lambda world: world.remove_obstacle(3),
        13: lambda world: world.add_obstacles([Obstacle(DOOR.points)]),
        20: lambda world: world.set_agents(some, {"goal": np.tile([3.0, 3.0], (10, 1))}),
        24: lambda world: world.set_agents(some, {"goal": np.tile([27.0, 10.0], (10, 1))}),
        30: lambda world: world.remove_obstacle(4),
    }
    for step in range(40):
        if step in changes:
            for world in worlds:
                changes[step](world)
        # one more that begins here, in the midst of it all
        worlds = [*worlds[-9:], Simulation(World.restore(worlds[0].snapshot())).world]
        happened = [[(event.kind, event.ids, event.data) for event in world.step().events] for world in worlds]
        assert all(each == happened[0] for each in happened), step
        assert len({world.digest() for world in worlds}) == 1, step
        assert len({world.column("status").tobytes() for world in worlds}) == 1, step


def test_a_snapshot_whose_fields_do_not_agree_is_refused() -> None:
    world = crowd(hall())
    world.step(4)
    kept = dict(flow(world).kept())
    for name, value in (
        ("due", np.zeros(3, np.int64)),
        ("key", np.zeros((1, 2))),
        ("key", np.array([[0.0, 0.0, 9.9]])),
        ("seen", np.array([0])),
        ("asked", np.array([-1, -1])),
    ):
        with pytest.raises(SnapshotError):
            Flow.of(world, {**kept, name: value})


def test_fields_that_are_out_of_date_take_no_room_in_a_snapshot() -> None:
    world = crowd(hall([*SPLIT, DOOR]), 30)
    world.set_agents(world.ids, {"goal": [(27.0, 0.5 * row + 2.0) for row in range(30)]})
    world.step(10)
    size = len(world.snapshot())
    # thirty fields for what stood before, and thirty that are asked for
    world.remove_obstacle(3)
    world.step()
    kept = flow(world).kept()
    assert (kept["seen"] == 0).all()
    assert len(world.snapshot()) < 1.2 * size
    # of another disc it says nothing
    with pytest.raises(SnapshotError, match="discs"):
        Flow.of(world, {**kept, "stood.0.radius": np.array([0.125])})


def test_looking_at_the_coming_step_changes_nothing() -> None:
    world, other = crowd(hall(), 10), crowd(hall(), 10)
    for _ in range(8):
        seen = {identifier: world.explain(identifier)["program"]["velocity"] for identifier in world.ids.tolist()}
        world.step()
        other.step()
        assert [seen[identifier] for identifier in world.ids.tolist()] == world.column("velocity").tolist()
    assert world.digest() == other.digest()


def test_a_world_without_anything_that_stands_needs_no_field() -> None:
    world, straight = (crowd(hall([], areas=()), guidance=guidance) for guidance in (FLOW, STRAIGHT))
    world.step(40)
    straight.step(40)
    assert world.digest() == straight.digest()


@pytest.mark.parametrize(
    ("name", "value"),
    [("flow_cell_size", 0), ("flow_cell_size", "1"), ("flow_cells", 10), ("flow_cells", 1e6), ("flow_fields", True)],
)
def test_options_say_what_they_may_be(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Options.from_mapping({name: value})
    assert refusal.value.problems[0].field == f"options.{name}"
    assert Options.from_mapping({"flow_cell_size": None}).flow_cell_size is None
    assert Options.from_mapping({"flow_cell_size": 1}).flow_cell_size == 1.0
