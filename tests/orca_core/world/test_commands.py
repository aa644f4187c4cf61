"""Commands in full: defaults, values given in some rows only, nulls, warnings, and transactions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core import InvalidInput, Obstacle, Options, WalkableArea, World
from tests.support.worlds import agents, box, wall, world_of


def test_an_agent_of_which_only_the_place_is_told() -> None:
    world = World(time_step=0.25)
    world.add_agents({"position": [(1.0, 2.0)]})
    assert world.agent(0) == {
        "id": 0,
        "position": [1.0, 2.0],
        "velocity": [0.0, 0.0],
        "preferred_velocity": [0.0, 0.0],
        "goal": None,
        "preferred_speed": 1.5,
        "goal_tolerance": 1e-9,
        "radius": 0.5,
        "max_speed": 1.5,
        "time_horizon": 2.0,
        "obstacle_horizon": 2.0,
        "neighbor_distance": 7.0,
        "max_neighbors": 10,
        "weight": 1.0,
        "priority": 0,
        "locked": False,
        "avoidance": True,
        "layer": 1,
        "mask": 2**32 - 1,
        "elevation": 0.0,
        "height": 0.0,
        "group": 0,
        "group_mode": "none",
        "quality": "all",
        "max_acceleration": None,
        "max_turning_rate": None,
        "forward_preference": 0.0,
        "heading": None,
        "guidance": "straight",
        "status": "no-goal",
        "waiting": 0.0,
        "blocked_by": None,
        "yields_to": None,
        "cooperation": "none",
        "waits_for": None,
    }


def test_the_neighbour_distance_follows_from_the_others_and_then_stays() -> None:
    world = World(time_step=3.0)
    world.add_agents(
        {"position": np.zeros((2, 2)), "radius": [0.2, 1.0], "max_speed": [2.0, 1.0], "time_horizon": [1.0, 5.0]}
    )
    assert world.column("neighbor_distance").tolist() == [0.4 + 2.0 * 2.0 * 3.0, 2.0 + 2.0 * 5.0]
    world.set_agents([0], {"max_speed": [0.5]})
    assert world.column("neighbor_distance")[0] == 12.4


def test_defaults_of_the_world_hold_for_what_is_added_later() -> None:
    world = World(time_step=0.25)
    world.add_agents({"position": [(0.0, 0.0)]})
    world.set_defaults({"radius": 0.25, "max_neighbors": 3, "neighbor_distance": 4.0, "preferred_speed": 0.75})
    world.add_agents(
        {"position": [(5.0, 0.0), (9.0, 0.0)], "radius": [1.0, 7.0]}, given={"radius": np.array([True, False])}
    )
    assert world.column("radius").tolist() == [0.5, 1.0, 0.25]
    assert world.column("max_neighbors").tolist() == [10, 3, 3]
    assert world.column("neighbor_distance").tolist() == [7.0, 4.0, 4.0]
    assert [world.agent(identifier)["preferred_speed"] for identifier in (0, 1, 2)] == [1.5, 0.75, 0.75]
    assert dict(World.restore(world.snapshot()).defaults) == dict(world.defaults)
    world.set_defaults({})
    world.add_agents({"position": [(20.0, 0.0)]})
    assert world.agent(3)["radius"] == 0.5


def test_who_yields_may_be_a_default() -> None:
    world = World(time_step=0.25)
    defaults = {
        "weight": 0.5, "priority": -3, "locked": True, "avoidance": False, "layer": 2, "mask": 2**32 - 2,
        "elevation": 3.0, "height": 1.5, "group": 7, "group_mode": "together",
    }  # fmt: skip
    world.set_defaults(defaults)
    world.add_agents(
        {"position": [(0.0, 0.0), (9.0, 0.0)], "weight": [2.0, np.nan], "locked": [False, True]},
        given={"weight": np.array([True, False])},
    )
    assert {name: world.agent(1)[name] for name in defaults} == defaults
    assert {name: world.agent(0)[name] for name in defaults} == {**defaults, "weight": 2.0, "locked": False}
    restored = World.restore(world.snapshot())
    restored.add_agents({"position": [(20.0, 0.0)]})
    assert {name: restored.agent(2)[name] for name in defaults} == defaults
    for name, value in {"layer": -1, "priority": 0.5, "locked": 1, "group_mode": "alone"}.items():
        with pytest.raises(InvalidInput, match=name):
            world.set_defaults({name: value})


def test_a_row_that_is_not_given_is_not_looked_at() -> None:
    world = world_of([(0.0, 0.0), (9.0, 0.0)])
    some = np.array([True, False])
    world.set_agents([0, 1], {"goal": [(1.0, 1.0), (np.nan, np.inf)], "max_neighbors": [3, -9]},
                     given={"goal": some, "max_neighbors": some})  # fmt: skip
    assert world.agent(0)["goal"] == [1.0, 1.0]
    assert world.agent(1)["goal"] is None
    assert world.column("max_neighbors").tolist() == [3, 10]
    world.add_agents({"position": [(5.0, 5.0)], "radius": [np.nan]}, given={"radius": np.array([False])})
    assert world.agent(2)["radius"] == 0.5


def test_of_goal_and_preferred_velocity_the_one_set_last_holds() -> None:
    world = world_of([(0.0, 0.0)], goal=(4.0, 0.0))
    assert world.agent(0)["status"] == "moving"
    world.set_agents([0], {"preferred_velocity": [(0.0, 1.0)]})
    assert (world.agent(0)["goal"], world.agent(0)["preferred_velocity"]) == (None, [0.0, 1.0])
    world.set_agents([0], {"goal": [(4.0, 0.0)], "preferred_velocity": [(0.0, 9.0)]})
    assert (world.agent(0)["goal"], world.agent(0)["preferred_velocity"]) == ([4.0, 0.0], [0.0, 0.0])
    cleared = np.array([True])
    world.set_agents([0], {}, cleared={"goal": cleared})
    assert (world.agent(0)["goal"], world.agent(0)["preferred_velocity"]) == (None, [0.0, 0.0])
    world.set_agents([0], {"preferred_velocity": [(0.0, 1.0)], "preferred_speed": [0.5], "velocity": [(1.0, 1.0)]})
    world.set_agents([0], {}, cleared=dict.fromkeys(("preferred_velocity", "preferred_speed", "velocity"), cleared))
    agent = world.agent(0)
    assert (agent["preferred_velocity"], agent["preferred_speed"], agent["velocity"]) == ([0.0, 0.0], 1.5, [0.0, 0.0])
    assert agent["status"] == "no-goal"
    # clearing a goal that is not there leaves the preferred velocity alone
    world.set_agents([0], {"preferred_velocity": [(0.0, 1.0)]})
    world.set_agents([0], {}, cleared={"goal": cleared})
    assert world.agent(0)["preferred_velocity"] == [0.0, 1.0]


def codes(world: World, **columns: object) -> set[str]:
    """The warnings of one more agent at (0, 0)."""
    return {
        notice.code
        for notice in world.add_agents(agents([(0.0, 0.0)], **{"neighbor_distance": 7.0, **columns})).notices
    }


def test_what_may_not_work_as_meant_is_warned_of() -> None:
    fresh = lambda: World(time_step=0.25, options=Options.service())  # noqa: E731
    assert codes(fresh()) == set()
    assert codes(fresh(), time_horizon=0.1) == {"short-horizon"}
    assert codes(fresh(), obstacle_horizon=0.1) == {"short-horizon"}
    assert codes(fresh(), neighbor_distance=2.0, max_speed=10.0) == {"short-neighbor-distance"}
    assert codes(fresh(), neighbor_distance=0.0, max_neighbors=0) == set(), "who sees nobody by design is not warned"
    world = fresh()
    world.add_agents(agents([(0.9, 0.0)]))
    assert codes(world) == {"overlapping"}
    world = fresh()
    world.add_agents(agents([(1.0, 0.0)]))
    assert codes(world) == set(), "a touch is no overlap"
    world = fresh()
    world.add_obstacles([box(-1.0, -1.0, 1.0, 1.0)])
    assert codes(world) == {"inside-obstacle"}
    world = fresh()
    world.add_walkable([WalkableArea(((np.array([(-0.4, -9), (9, -9), (9, 9), (-0.4, 9)]),),))])
    assert codes(world) == {"outside-area"}


def test_defaults_satisfy_the_warnings_for_every_legal_speed() -> None:
    generator = np.random.default_rng(1)
    for time_step in (1e-6, 0.25, 7.0, 1e9):
        world = World(time_step=time_step)
        speeds = np.concatenate([[0.0, 1e9], 10.0 ** generator.uniform(-9.0, 9.0, 40)])
        horizons = np.full(len(speeds), max(2.0, time_step))
        added = world.add_agents(
            {"position": generator.uniform(-1e9, 1e9, (len(speeds), 2)), "max_speed": speeds, "time_horizon": horizons,
             "obstacle_horizon": horizons}
        )  # fmt: skip
        assert added.notices == []


def test_warnings_name_their_item_and_field_and_are_no_more_than_a_hundred_and_one() -> None:
    world = world_of([])
    added = world.add_agents(agents(np.arange(400.0).reshape(200, 2) * 50.0, time_horizon=0.1, neighbor_distance=99.0))
    assert [notice.item for notice in added.notices[:100]] == list(range(100))
    assert {notice.field for notice in added.notices[:100]} == {"time_horizon"}
    assert added.notices[-1].code == "more"
    changed = world.set_agents([5, 9], {"neighbor_distance": [99.0, 0.5]})
    assert [(notice.code, notice.item) for notice in changed] == [("short-neighbor-distance", 1)]


def test_a_transaction_that_fails_leaves_no_trace() -> None:
    world = world_of([(0.0, 0.0), (3.0, 0.0)], goal=(9.0, 0.0))
    world.step()
    before = world.snapshot()

    def everything() -> None:
        world.add_obstacles([wall((0.0, 5.0), (9.0, 5.0))])
        world.add_walkable([WalkableArea(((np.array([(-9, -9), (19, -9), (19, 19), (-9, 19)]),),))])
        world.add_agents(agents([(8.0, 8.0)], radius=0.25))
        world.remove_agents([0])
        world.set_defaults({"radius": 0.125})
        world.set_agents([1], {"goal": [(1.0, 1.0)]})
        world.step(2)

    def everything_and_then_a_fault() -> None:
        with world.transaction():
            everything()
            with world.transaction():
                world.remove_obstacle(0)
            world.set_agents([1], {"radius": [-1.0]})

    with pytest.raises(InvalidInput):
        everything_and_then_a_fault()
    assert world.snapshot() == before
    # the next id is given as if nothing had happened
    with world.transaction():
        everything()
    assert world.ids.tolist() == [1, 2]
    assert world.step_count == 3


def test_an_inner_transaction_undoes_itself_alone() -> None:
    world = world_of([(0.0, 0.0)])

    def inner() -> None:
        with world.transaction():
            world.remove_agents(world.ids)
            raise KeyError

    with world.transaction():
        world.add_agents(agents([(5.0, 0.0)]))
        with pytest.raises(KeyError):
            inner()
        world.add_agents(agents([(9.0, 0.0)]))
    assert world.column("position")[:, 0].tolist() == [0.0, 5.0, 9.0]


def test_columns_are_views_that_cannot_be_written() -> None:
    world = world_of([(0.0, 0.0)])
    for name in ("position", "velocity", "status", "id"):
        with pytest.raises(ValueError, match="read-only"):
            world.column(name)[0] = 1
    with pytest.raises(InvalidInput, match="raduis"):
        world.column("raduis")


def test_arrays_of_the_caller_are_copied() -> None:
    position = np.zeros((1, 2))
    points = np.array([(0.0, 5.0), (9.0, 5.0)])
    world = world_of(position)
    world.add_obstacles([Obstacle(points)])
    position[:] = points[:] = 77.0
    assert world.column("position").tolist() == [[0.0, 0.0]]
    assert np.asarray(world.obstacles()[0].points).tolist() == [[0.0, 5.0], [9.0, 5.0]]


@pytest.mark.parametrize(
    "mask", [np.array([True]), np.array([True, True, True]), np.array([1, 0]), np.ones((2, 2), bool)]
)
def test_a_mask_that_is_not_one_a_row_is_refused(mask: np.ndarray) -> None:
    world = world_of([(0.0, 0.0), (9.0, 0.0)])
    before = world.snapshot()
    columns = {"preferred_velocity": np.ones((2, 2))}
    for call in (
        lambda: world.set_agents([0, 1], columns, given={"preferred_velocity": mask}),
        lambda: world.set_agents([0, 1], {}, cleared={"goal": mask}),
        lambda: world.add_agents({"position": np.ones((2, 2)), "radius": [0.1, 0.2]}, given={"radius": mask}),
        lambda: world.add_agents({"position": np.ones((2, 2)), "id": [7, 8]}, given={"id": mask}),
    ):
        with pytest.raises(InvalidInput, match=r"mask of .*must be bool \(2,\)"):
            call()
        assert world.snapshot() == before


@given(
    ids=st.one_of(
        st.just(list(range(8))),
        st.integers(0, 6).map(lambda first: list(range(first, 8))),
        st.lists(st.integers(0, 7), unique=True, min_size=1),
    ),
    data=st.data(),
)
def test_an_order_for_many_is_the_orders_for_each(ids: list[int], data: st.DataObject) -> None:
    """Whichever rows they are, one behind another, all, or anywhere, the bits are those of orders one by one."""
    many, single = (world_of([(3.0 * k, 0.0) for k in range(8)]) for _ in range(2))
    for world in (many, single):
        world.step(3)
        world.set_agents([2, 3], {"goal": [(5.0, 5.0), (0.0, 0.0)]})
    vectors = st.tuples(st.sampled_from([0.0, -0.0, 1.0, -2.5]), st.sampled_from([0.0, 0.5]))
    columns = {
        name: data.draw(st.lists(vectors, min_size=len(ids), max_size=len(ids)))
        for name in data.draw(st.sets(st.sampled_from(["goal", "preferred_velocity", "position", "velocity"])))
    }
    held = {
        name: np.array(data.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids)))) for name in columns
    }
    many.set_agents(ids, columns, given=held)
    for row, identifier in enumerate(ids):
        own = {name: [values[row]] for name, values in columns.items() if held[name][row]}
        single.set_agents([identifier], own)
    assert many.snapshot() == single.snapshot()
    many.step(2)
    single.step(2)
    assert many.digest() == single.digest()
