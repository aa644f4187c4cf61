"""Agents that follow ways: past traps, round corners, and told the truth where there is no way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.errors import InvalidInput, SnapshotError
from orca_core.formats.contours import obstacles
from orca_core.formats.movingai import GridMap
from orca_core.simulation import Simulation
from tests.support.jams import LAYER
from tests.support.ways import U_TRAP, clearances, guide_of, hall, pathfinders, send, take, yard

MINUTE = 240
ROOMS = ([(0, 0), (10, 0), (10, 10), (0, 10)], [(11, 0), (21, 0), (21, 10), (11, 10)])
CORNER = [(0, 0), (4, 0), (4, 1), (13, 1), (13, 4), (1, 4), (1, 13), (0, 13)]


def kinds(events: list) -> list[str]:  # type: ignore[type-arg]
    """What happened, in order."""
    return [event.kind for event in events]


@pytest.mark.parametrize("walls", [U_TRAP, ([(0, -2), (0, 2)],)], ids=["u", "flat"])
@pytest.mark.parametrize("time_step", [0.25, 1 / 60])
def test_a_trap_is_left(walls: tuple, time_step: float) -> None:  # type: ignore[type-arg]
    world = yard(walls, time_step=time_step)
    world.add_agents(pathfinders([[-6, 0.3]], [[6, 0]]))
    events = take(world, round(60 / time_step))
    assert kinds(events) == ["arrived"]
    straight = yard(walls, time_step=time_step, replan_jams=False)
    straight.add_agents({**pathfinders([[-6, 0.3]], [[6, 0]]), "guidance": np.zeros(1, np.uint8)})
    assert "arrived" not in kinds(take(straight, round(20 / time_step)))


def test_on_the_way_the_radius_is_kept() -> None:
    world = yard(U_TRAP)
    world.add_agents(pathfinders([[-6, 0.3]], [[6, 0]]))
    for _ in range(60):
        take(world, 1)
        assert clearances(world, world.column("position"), U_TRAP)[0] > 0.5 - 1e-6


def test_ways_round_one_corner_lie_beside_each_other() -> None:
    """By id, and only where there is room: in a gap that is hardly wider than they are all keep to its middle."""
    ring = [(0, 0), (20, 0), (20, 4), (4, 4), (4, 20), (0, 20)]
    for rings, apart in (([ring], 0.25), ([[(0, 0), (20, 0), (20, 1.3), (1.3, 1.3), (1.3, 20), (0, 20)]], 0.0)):
        world = yard(rings=rings, **dict.fromkeys(LAYER, False))
        places = [(19.0, 0.65)] * 4
        world.add_agents(pathfinders(places, [(0.65, 19.0)] * 4, radius=0.5, avoidance=np.zeros(4, np.uint8)))
        take(world, 2)
        ways = [guide_of(world).shown(world, identifier)["path"] for identifier in range(4)]
        inner = rings[0][3]
        off = [min(float(np.hypot(*(point - inner))) for point in way) for way in ways]
        assert all(later - sooner >= apart for sooner, later in itertools.pairwise(off)), off
        for _ in range(40):
            take(world, 2)
            assert shapely.Polygon(rings[0]).buffer(-0.5 + 1e-6).covers(shapely.MultiPoint(world.column("position"))), (
                "never nearer to a wall than its radius"
            )


def test_without_anything_in_the_way_nothing_differs_from_going_straight() -> None:
    places = np.array([(x * 1.4 - 5.0, y * 1.4 - 3.0) for x in range(8) for y in range(5)])
    # whoever waits in a jam waits for what it wants where it stands, or where it stood
    worlds = [yard(**dict.fromkeys(LAYER, False)) for _ in range(2)]
    worlds[0].add_agents(pathfinders(places, -places))
    worlds[1].add_agents({**pathfinders(places, -places), "guidance": np.zeros(len(places), np.uint8)})
    for world in worlds:
        take(world, 40)
    assert worlds[0].digest() == worlds[1].digest()


@pytest.mark.parametrize(("radius", "arrives"), [(0.3, True), (1.2, True), (1.6, False)])
def test_a_corner_for_those_it_is_wide_enough_for(radius: float, arrives: bool) -> None:
    ring = [(0, 0), (20, 0), (20, 3), (3, 3), (3, 20), (0, 20)]
    world = yard(rings=[ring])
    world.add_agents(pathfinders([[17, 1.5]], [[1.5, 17]], radius=radius))
    events = take(world, MINUTE)
    if arrives:
        assert kinds(events) == ["arrived"]
    else:
        assert kinds(events)[0] == "unreachable"
        assert world.agent(0)["status"] == "unreachable"


def test_every_waypoint_keeps_the_radius() -> None:
    corner = [[(3, 3), (20, 3)], [(3, 3), (3, 20)]]
    for radius in (0.3, 1.2):
        world = yard(rings=[[(0, 0), (20, 0), (20, 3), (3, 3), (3, 20), (0, 20)]])
        world.add_agents(pathfinders([[17, 1.5]], [[1.5, 17]], radius=radius))
        take(world, 2)
        path = guide_of(world).shown(world, 0)["path"]
        assert len(path) > 0
        assert (clearances(world, path, corner) >= radius).all()


UNREACHABLE = [
    ((15.0, 5.0), "disconnected", (9.5, 5.0)),
    ((9.8, 5.0), "goal-off-surface", (9.5, 5.0)),
    ((40.0, 5.0), "goal-off-surface", (9.5, 5.0)),
]


@pytest.mark.parametrize("policy", ["stop", "nearest"])
@pytest.mark.parametrize(("goal", "reason", "nearest"), UNREACHABLE)
def test_what_cannot_be_reached_is_told_once(
    policy: str, goal: tuple[float, float], reason: str, nearest: tuple[float, float]
) -> None:
    world = yard(rings=ROOMS, unreachable_goals=policy)
    world.add_agents(pathfinders([[2.0, 2.0]], [goal]))
    events = take(world, 2)
    assert [(each.kind, each.step, each.ids) for each in events] == [("unreachable", 2, [0])]
    assert events[0].data == {"reason": [reason], "nearest": [list(nearest)]}
    assert guide_of(world).shown(world, 0)["unreachable"] == {"reason": reason, "nearest": list(nearest)}
    stood = world.column("position")[0].copy()
    assert kinds(take(world, MINUTE)) == []
    assert world.agent(0)["status"] == "unreachable"
    there = world.column("position")[0]
    if policy == "stop":
        assert np.linalg.norm(there - stood) < 0.5
        assert world.column("velocity")[0].tolist() == [0.0, 0.0]
    else:
        assert np.linalg.norm(there - nearest) < 0.02
    # nothing is asked for meanwhile
    assert guide_of(world)._followers.asked[0] <= 2


def test_a_goal_in_a_box_and_one_who_is_in_a_box() -> None:
    box = [(4, 4), (6, 4), (6, 6), (4, 6)]
    world = yard()
    world.add_obstacles([Obstacle(np.array(box, np.float64), closed=True)])
    world.add_agents(pathfinders([[0.0, 5.0], [9.0, 5.0]], [[5.0, 5.0], [0.0, 2.5]]))
    events = take(world, 2)
    assert [(each.kind, each.ids, each.data["reason"]) for each in events] == [
        ("unreachable", [0], ["goal-off-surface"])
    ]
    # who has stopped near its goal may make it step aside once more
    assert set(kinds(take(world, MINUTE))) == {"arrived"}
    assert world.agent(1)["status"] == "arrived"


@pytest.mark.parametrize("guidance", [0, 1, 2], ids=["straight", "path", "flow"])
def test_within_the_contours_of_a_map_ways_are_found_and_nobody_is_caught(guidance: int) -> None:
    rows = np.array([list(row) for row in ("........", ".@@..@@.", ".@@.....", "........")]) == "."
    grid = GridMap(width=8, height=4, free=rows)
    for first in ("agents", "walls"):
        world = yard()
        if first == "walls":
            world.add_obstacles(obstacles(grid))
        walkers = pathfinders([[0.5, 2.1]], [[7.5, 3.5]], radius=0.25, neighbor_distance=7.0, goal_tolerance=0.1)
        assert world.add_agents({**walkers, "guidance": np.full(1, guidance, np.uint8)}).notices == []
        if first == "agents":
            assert world.add_obstacles(obstacles(grid)).notices == []
        assert kinds(take(world, 80))[-1] == "arrived"


def test_a_new_goal_a_new_door_and_a_new_place_are_new_chances() -> None:
    world = yard(rings=ROOMS)
    world.add_agents(pathfinders([[2.0, 2.0]], [[15.0, 5.0]]))
    assert kinds(take(world, 4)) == ["unreachable"]
    send(world, (8.0, 8.0))
    take(world, 1)
    assert world.agent(0)["status"] == "moving"
    assert kinds(take(world, MINUTE)) == ["arrived"]
    send(world, (15.0, 5.0))
    assert kinds(take(world, 8)) == ["unreachable"]
    gap = [(9, 3), (12, 3), (12, 7), (9, 7)]
    door = world.add_walkable([WalkableArea(((np.array(gap, np.float64),),))]).ids[0]
    assert kinds(take(world, MINUTE)) == ["arrived"]
    world.remove_walkable(int(door))
    send(world, (5.0, 5.0))
    assert kinds(take(world, 8)) == ["unreachable"]
    world.set_agents([0], {"position": np.array([[2.0, 5.0]])})
    assert kinds(take(world, 40)) == ["arrived"]


def test_a_door_that_closes_sends_agents_another_way() -> None:
    # a wall with a door in the middle and another at its end
    world = yard([[(0, -9), (0, -1)], [(0, 1), (0, 6)], [(0, 8), (0, 9)]], [[(-9, -9), (9, -9), (9, 9), (-9, 9)]])
    world.add_agents(pathfinders([[-5.0, 0.0]], [[5.0, 0.0]]))
    take(world, 6)
    world.add_obstacles([Obstacle(np.array([(0.0, -1.0), (0.0, 1.0)]))])
    seen = []
    for _ in range(MINUTE):
        events = take(world, 1)
        seen.append(world.column("position")[0].copy())
        if events:
            break
    assert kinds(events) == ["arrived"]
    crossing = next(k for k in range(1, len(seen)) if seen[k - 1][0] < 0.0 <= seen[k][0])
    assert 6.0 < seen[crossing][1] < 8.0


def test_ways_are_asked_for_at_most_once_a_second() -> None:
    world = yard(U_TRAP, time_step=0.1)
    world.add_agents(pathfinders([[-6, 0.3]], [[6, 0]]))
    asked = []
    for k in range(60):
        send(world, (6.0, 0.01 * k))
        take(world, 1)
        asked.append(int(guide_of(world)._followers.asked[0]))
    times = sorted(set(asked))
    assert len(times) > 3
    assert np.diff(times).min() >= 10


@pytest.mark.parametrize(("time_step", "given", "steps"), [(0.25, 0, 1), (0.01, 0, 3), (1 / 60, 0, 2), (0.1, 7, 7)])
def test_a_way_enters_the_world_so_many_steps_after_it_was_asked_for(time_step: float, given: int, steps: int) -> None:
    world = yard(rings=ROOMS, time_step=time_step, plan_delay_steps=given)
    world.add_agents(pathfinders([[2.0, 2.0]], [[15.0, 5.0]]))
    assert [event.step for event in take(world, 20)] == [1 + steps]


def test_a_budget_that_is_spent_postpones_the_others() -> None:
    few, many = hall(plan_expansions=20), hall()
    for world in (few, many):
        take(world, 2)
    known, others = guide_of(few)._followers, guide_of(many)._followers
    assert (known.due >= 0).sum() > 0
    assert (others.due >= 0).sum() == 0
    # none is forgotten, and reachability needs no budget
    for world in (few, many):
        take(world, 60)
    assert (guide_of(few)._followers.standing == guide_of(many)._followers.standing).all()


def test_others_come_and_go_without_changing_a_way() -> None:
    plain, busy = (yard(U_TRAP) for _ in range(2))
    for world in (plain, busy):
        world.add_agents(pathfinders([[-6, 0.3]], [[6, 0]]))
    far = busy.add_agents(pathfinders([[-300.0, 0.0], [-300.0, 9.0]], [[-290.0, 0.0], [-290.0, 9.0]])).ids
    for world in (plain, busy):
        take(world, 12)
    busy.remove_agents(far[:1])
    busy.set_agents(far[1:], {"guidance": np.zeros(1, np.uint8)})
    for world in (plain, busy):
        take(world, 30)
    assert busy.column("position")[0].tolist() == plain.column("position")[0].tolist()


@pytest.mark.parametrize("at", [0, 1, 2, 5, 11, 40])
def test_a_snapshot_in_midst_of_planning_goes_on_with_the_same_bits(at: int) -> None:
    world = hall(plan_delay_steps=4, plan_expansions=50)
    take(world, at)
    if at == 11:
        world.add_obstacles([Obstacle(np.array([(0.0, 10.0), (2.5, 10.0)]))])
    saved = world.snapshot()
    again = Simulation(World.restore(saved)).world
    assert again.snapshot() == saved
    assert [event.data for event in take(world, 50)] == [event.data for event in take(again, 50)]
    assert world.snapshot() == again.snapshot()


@pytest.mark.parametrize("split", [[], [1], [1, 2, 3]])
def test_no_split_changes_a_bit(split: list[int]) -> None:
    whole, cut = hall(), hall()
    take(whole, 60)
    cut.step(60, split=split)
    assert whole.snapshot() == cut.snapshot()


def test_looking_changes_nothing() -> None:
    watched, other = hall(), hall()
    for _ in range(30):
        seen = {k: watched.explain(k)["program"]["velocity"] for k in (0, 7, 30)}
        known, same = (guide_of(world).kept() for world in (watched, other))
        assert all(np.array_equal(known[name], same[name]) for name in known)
        for world in (watched, other):
            take(world, 1)
        assert all(watched.column("velocity")[k].tolist() == velocity for k, velocity in seen.items())
    assert watched.snapshot() == other.snapshot()


def test_most_of_the_hall_arrives() -> None:
    world = hall()
    events = take(world, 900)
    assert sum(len(event.ids) for event in events if event.kind == "unreachable") == 2
    status = [world.agent(k)["status"] for k in world.ids.tolist()]
    assert status.count("arrived") >= 31
    assert status.count("unreachable") == 2


def test_asked_to_go_round_a_place_an_agent_does_where_it_can() -> None:
    # two doors; the way through the nearer one is to be avoided
    world = yard([[(0, -9), (0, -1)], [(0, 1), (0, 4)], [(0, 6), (0, 9)]], [[(-9, -9), (9, -9), (9, 9), (-9, 9)]])
    world.add_agents(pathfinders([[-5.0, -3.0], [-8.0, -8.0]], [[5.0, -3.0], [8.0, -7.0]]))
    take(world, 5)
    guide_of(world).ask(world, np.array([0]), np.array([[0.0, 0.0, 1.0]]))
    take(world, 4)
    assert guide_of(world).shown(world, 0)["path"][:, 1].max() > 4.0
    # where there is no other way it goes through all the same
    guide_of(world).ask(world, np.array([1]), np.array([[0.0, 2.0, 6.0]]))
    take(world, 8)
    assert guide_of(world).shown(world, 1)["path"] is not None
    assert world.agent(1)["status"] != "unreachable"


@pytest.mark.parametrize(
    ("option", "value"),
    [("unreachable_goals", "wander"), ("plan_delay_steps", -1), ("plan_delay_steps", True), ("plan_expansions", 0)],
)
def test_wrong_options_are_refused(option: str, value: object) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Options.from_mapping({option: value})
    assert refusal.value.problems[0].field == f"options.{option}"


def test_what_a_snapshot_tells_of_ways_is_checked() -> None:
    world = hall()
    take(world, 2)
    kept = dict(guide_of(world).kept())
    for name, wrong in (
        ("stop", kept["stop"] + 1000),
        ("standing", np.full_like(kept["standing"], 9)),
        ("goal", kept["goal"][:-1]),
        ("asked_count", kept["asked_count"] + 1 if len(kept["asked_count"]) else np.array([1])),
    ):
        with pytest.raises(SnapshotError):
            type(guide_of(world)).of(world, {**kept, name: wrong})


@pytest.mark.parametrize("width", [1.0, 1.005, 1.02, 1.2])
@pytest.mark.parametrize("kind", ["walls", "area"])
def test_a_gap_that_steering_does_not_take_is_not_looked_through(width: float, kind: str) -> None:
    half = 0.5 * width
    if kind == "walls":
        world = yard([[(0, -6), (0, -half)], [(0, half), (0, 6)]])
    else:
        # a wall as thick as a disc, as two holes, with a doorway between
        hole = [[(-0.5, half), (0.5, half), (0.5, 6), (-0.5, 6)], [(-0.5, -6), (0.5, -6), (0.5, -half), (-0.5, -half)]]
        world = yard()
        outer = np.array([(-9, -9), (9, -9), (9, 9), (-9, 9)], np.float64)
        world.add_walkable([WalkableArea(((outer, *(np.array(each, np.float64) for each in hole)),))])
    world.add_agents(pathfinders([[-3, 0]], [[3, 0]]))
    seen = []
    events = []
    while "arrived" not in kinds(events) and world.step_count < MINUTE:
        events += take(world, 1)
        seen.append(world.column("position")[0].copy())
    assert kinds(events)[-1] == "arrived"
    # through where it is a passage, round where it is none
    assert (np.abs(np.array(seen)[:, 1]).max() < 1.0) == (width > 1.01)


def test_through_a_door_that_is_just_wide_enough_rather_than_far_round() -> None:
    # round the wall it is 40 m, with room; round the one that ends at 3 m it is not worth squeezing through
    for end, through in ((20.0, True), (3.0, False)):
        world = yard(([(0, -20), (0, -0.6)], [(0, 0.6), (0, end)]), time_step=0.1)
        world.add_agents(pathfinders([[-3, 0.2]], [[5, 0]], radius=0.5))
        crossed = None
        for _ in range(150):
            before = world.column("position")[0].copy()
            take(world, 1)
            if before[0] < 0.0 <= world.column("position")[0, 0]:
                crossed = float(world.column("position")[0, 1])
        assert crossed is not None
        assert (abs(crossed) < 0.2) == through
        assert np.allclose(world.column("position"), [[5, 0]], atol=0.1)
