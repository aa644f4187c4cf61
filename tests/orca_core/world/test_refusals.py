"""What a world refuses: every fault named by item and field, and nothing changed by any of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core import InvalidInput, Obstacle, Options, OrcaError, WalkableArea, World
from orca_core.agent_columns import COLUMNS
from tests.support.worlds import PROFILES, agents, wall, world_of

# by column: values that are refused, and values at the very ends of what is not
REFUSED: dict[str, list[Any]] = {
    "position": [(math.nan, 0.0), (0.0, math.inf), (1.0000001e9, 0.0), (0.0, -1.7976931348623157e308)],
    "velocity": [(math.nan, 0.0), (-math.inf, 0.0), (0.0, 2e9)],
    "preferred_velocity": [(math.inf, math.inf), (0.0, math.nan)],
    "goal": [(math.nan, math.nan), (1e10, 0.0)],
    "preferred_speed": [-1.0, math.nan, math.inf],
    "goal_tolerance": [-1e-300, math.nan],
    "radius": [-1.0, -5e-324, math.nan, math.inf, 1e200],
    "max_speed": [-1.0, math.inf, math.nan],
    "time_horizon": [0.0, -1.0, 1e-300, 9e-7, math.inf, math.nan],
    "obstacle_horizon": [0.0, -1.0, 1e-300, math.inf, math.nan],
    "neighbor_distance": [-1.0, math.inf, math.nan, 1e20],
    "max_neighbors": [-1, 10**9, 2.5, math.nan],
    "weight": [-1.0, -5e-324, math.nan, math.inf, 1e10],
    "priority": [0.5, 2e9, -2e9, math.nan],
    "locked": [1, "true", None, 0.0],
    "avoidance": [1, "false", None, 0.0],
    "layer": [-1, 2**32, 0.5, math.nan],
    "mask": [-1, 2**32, 0.5, math.nan],
    "elevation": [math.nan, math.inf, 1e10],
    "height": [-1.0, math.nan, math.inf, 1e10],
    "group": [-1, 2.0**53, 0.5, math.nan],
    "group_mode": ["alone", "", None, 1.0, True],
    "quality": ["some", "", None, 0, True],
    "max_acceleration": [-1.0, -5e-324, math.nan, math.inf, 1e10],
    "max_turning_rate": [-1.0, math.nan, math.inf],
    "forward_preference": [-0.1, 1.0000000000000002, math.nan],
    "heading": [(math.nan, 1.0), (math.inf, 0.0), (1e10, 0.0)],
    "guidance": ["teleport", "", None, 1.0, True],
}
ACCEPTED: dict[str, list[Any]] = {
    "position": [(1e9, -1e9), (-0.0, 5e-324)],
    "velocity": [(1e9, -1e9)],
    "preferred_velocity": [(1.7976931348623157e308, -1e308), (-0.0, 0.0)],
    "goal": [(-1e9, 1e9)],
    "preferred_speed": [0.0, 1e9],
    "goal_tolerance": [0.0, 1e9],
    "radius": [0.0, 5e-324, 1e9],
    "max_speed": [0.0, 1e9],
    "time_horizon": [1e-6, 1e9],
    "obstacle_horizon": [1e-6, 1e9],
    "neighbor_distance": [0.0, 1e19],
    "max_neighbors": [0, 1, 1_000_000],
    "weight": [0.0, 5e-324, 1e9],
    "priority": [-(10**9), 0, 10**9],
    "locked": [True, False],
    "avoidance": [True, False],
    "layer": [0, 1, 2**32 - 1],
    "mask": [0, 1, 2**32 - 1],
    "elevation": [-1e9, 0.0, 1e9],
    "height": [0.0, 1e9],
    "group": [0, 1, 2**53 - 1],
    "group_mode": ["none", "ignore", "together"],
    "quality": ["all", "few", "none"],
    "max_acceleration": [0.0, 5e-324, 1e9],
    "max_turning_rate": [0.0, 1e9],
    "forward_preference": [0.0, 0.5, 1.0],
    "heading": [(0.0, 0.0), (1e9, -1e9), (0.0, 5e-324)],
    "guidance": ["straight", "path", "flow"],
}


@contextmanager
def unchanged(world: World) -> Iterator[None]:
    """The block is refused with an error of the library, and leaves every byte of the world as it was."""
    before = world.snapshot()
    yield
    assert world.snapshot() == before


def a_world() -> World:
    """A small world with everything in it."""
    world = world_of([(1.0, 1.0), (4.0, 1.0), (1.0, 4.0)], goal=(5.0, 5.0), walls=[wall((0.0, 3.0), (2.0, 3.0))])
    world.add_walkable([WalkableArea(((np.array([(0, 0), (9, 0), (9, 9), (0, 9)]),),))])
    world.step(3)
    return world


def test_every_column_is_tried() -> None:
    assert set(REFUSED) == set(ACCEPTED) == set(COLUMNS)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values])
def test_a_wrong_value_is_refused_at_its_item_and_field(name: str, value: Any) -> None:
    world = a_world()
    for act in (lambda columns: world.add_agents(columns), lambda columns: world.set_agents(world.ids, columns)):
        columns = agents([(2.0, 2.0), (3.0, 6.0), (6.0, 3.0)])
        rule = COLUMNS[name]
        good: Any = np.zeros((3, 2)) + 1.0 if rule.width == 2 else np.ones(3)
        if rule.coded:
            good = [rule.shown(0)] * 3
        good[1] = value
        columns[name] = good
        with unchanged(world), pytest.raises(InvalidInput) as refused:
            act(columns)
        (problem,) = refused.value.problems
        assert (problem.item, problem.field) == (1, name)
        assert "must be" in problem.message


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in ACCEPTED.items() for value in values])
def test_what_is_at_the_end_of_the_range_steps_without_harm(name: str, value: Any, profile: str) -> None:
    if profile == "text" and name == "preferred_velocity":
        pytest.skip("the text alone overflows there, and stands still")
    world = world_of([(1.0, 1.0), (4.0, 1.2)], options=PROFILES[profile], preferred_velocity=(0.5, 0.0))
    world.add_obstacles([wall((0.0, 3.0), (2.0, 3.0))])
    world.set_agents([0], {name: [value]})
    if name != "heading":
        # that one is made a unit vector
        assert world.agent(0)[name] == (list(value) if isinstance(value, tuple) else value)
    world.step(5)
    assert np.isfinite(world.column("position")).all()
    assert np.isfinite(world.column("velocity")).all()


def test_a_batch_is_taken_whole_or_not_at_all() -> None:
    world = a_world()
    columns = agents(np.random.default_rng(1).uniform(1.0, 8.0, (100, 2)))
    columns["radius"][57] = math.nan
    columns["max_neighbors"] = columns["max_neighbors"].astype(float)
    columns["max_neighbors"][80] = 0.5
    with unchanged(world), pytest.raises(InvalidInput) as refused:
        world.add_agents(columns)
    assert [(problem.item, problem.field) for problem in refused.value.problems] == [
        (57, "radius"),
        (80, "max_neighbors"),
    ]
    assert "item 57, radius" in str(refused.value)


TRIANGLE = np.array([(0.0, 0.0), (1.0, 1.0), (1.0, 0.0)])
# one more than may be in use beside a walkable area, and a few
SEVENTY_RADII = np.linspace(0.1, 0.3, 70)

REQUESTS: dict[str, Callable[[World], object]] = {
    "unknown column": lambda world: world.add_agents({"position": [(1.0, 1.0)], "raduis": [1.0]}),
    "no position": lambda world: world.add_agents({"radius": [1.0]}),
    "wrong shape": lambda world: world.add_agents({"position": [(1.0, 1.0, 1.0)]}),
    "wrong length": lambda world: world.add_agents({"position": [(1.0, 1.0)], "radius": [1.0, 2.0]}),
    "words": lambda world: world.add_agents({"position": [("a", "b")]}),
    "id twice": lambda world: world.add_agents({"position": np.zeros((2, 2)), "id": [8, 8]}),
    "id in use": lambda world: world.add_agents({"position": np.zeros((2, 2)), "id": [8, 0]}),
    "id a float": lambda world: world.add_agents({"position": np.zeros((1, 2)), "id": [1.5]}),
    "change twice": lambda world: world.set_agents([1, 1], {"goal": np.zeros((2, 2))}),
    "change nobody": lambda world: world.set_agents([0, 77], {"goal": np.zeros((2, 2))}),
    "null radius": lambda world: world.set_agents([0], {}, cleared={"radius": np.array([True])}),
    "remove nobody": lambda world: world.remove_agents([0, 77]),
    "default": lambda world: world.set_defaults({"radius": -1.0}),
    "default of nothing": lambda world: world.set_defaults({"position": 1.0}),
    "wall of a point": lambda world: world.add_obstacles([wall((0, 0), (1, 0)), wall((0, 0), (0, 0))]),
    "wall of nowhere": lambda world: world.add_obstacles([wall((0, 0), (math.nan, 0))]),
    "wall far out": lambda world: world.set_obstacle(0, wall((0, 0), (2e9, 0))),
    "bow-tie": lambda world: world.add_obstacles([Obstacle(np.array([(0, 0), (1, 1), (1, 0), (0, 1)]), closed=True)]),
    "area without area": lambda world: world.add_walkable([WalkableArea(((np.array([(0, 0), (1, 1), (2, 2)]),),))]),
    "area twisted": lambda world: world.set_walkable(0, WalkableArea(((np.array([(0, 0), (1, 1), (1, 0), (0, 1)]),),))),
    "clearance": lambda world: world.add_walkable([WalkableArea(((TRIANGLE,),), clearance=-1.0)]),
    "remove no wall": lambda world: world.remove_obstacle(5),
    "remove no area": lambda world: world.remove_walkable(5),
    "too many radii": lambda world: world.add_agents({"position": np.ones((70, 2)), "radius": SEVENTY_RADII}),
}  # fmt: skip


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_refused_request_changes_nothing(request_name: str) -> None:
    world = a_world()
    digest = world.digest()
    with unchanged(world), pytest.raises(OrcaError) as refused:
        REQUESTS[request_name](world)
    assert str(refused.value)
    assert world.digest() == digest
    # and nothing that is not in a snapshot either: it goes on as one that was never asked
    other = a_world()
    world.step(5)
    other.step(5)
    assert world.snapshot() == other.snapshot()


@pytest.mark.parametrize("time_step", [0.0, -0.25, math.nan, math.inf, 1e-7, 1e10, True, "0.1", None])
def test_a_time_step_is_a_sensible_number(time_step: Any) -> None:
    with pytest.raises(InvalidInput, match="time_step"):
        World(time_step=time_step)


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "1"])
def test_a_seed_is_an_integer_that_json_keeps(seed: Any) -> None:
    with pytest.raises(InvalidInput, match="seed"):
        World(time_step=0.1, seed=seed)


@pytest.mark.parametrize(
    ("given_options", "field"),
    [({"profile": "best"}, "options.profile"), ({"part": True}, "options.part"),
     ({"stop_at_walls": 1}, "options.stop_at_walls"), ({"stall_time": 0}, "options.stall_time"),
     ({"stall_time": math.nan}, "options.stall_time"), ({"stall_time": True}, "options.stall_time")],
)  # fmt: skip
def test_options_are_checked_by_name_and_kind(given_options: Mapping[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Options.from_mapping(given_options)
    assert [problem.field for problem in refused.value.problems] == [field]


def test_options_override_their_profile() -> None:
    assert Options.from_mapping({}) == Options.service()
    assert Options.from_mapping({"profile": "text"}) == Options.text()
    mixed = Options.from_mapping({"profile": "text", "stop_at_walls": True, "stall_time": 5})
    assert mixed.as_mapping() == {**Options.text().as_mapping(), "stop_at_walls": True, "stall_time": 5.0}
    assert Options.from_mapping(mixed.as_mapping()) == mixed


anything = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.integers(-(10**20), 10**20), st.sampled_from([0.5, 1.0, 2.0])
)


@given(names=st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4, unique=True), data=st.data())
def test_any_value_is_taken_or_refused_whole(names: list[str], data: st.DataObject) -> None:
    """Whatever is sent: either it stands there and the world steps on, or the world is as it was."""
    world = a_world()
    columns: dict[str, Any] = {}
    for name in names:
        width = COLUMNS[name].width
        columns[name] = [
            [data.draw(anything) for _ in range(2)] if width == 2 else data.draw(anything) for _ in range(2)
        ]
    before = world.snapshot()
    faults = None
    try:
        world.set_agents([0, 2], columns)
    except InvalidInput as refused:
        faults = refused.problems
    if faults is not None:
        assert all(problem.field in names for problem in faults)
        assert world.snapshot() == before
        return
    for name in names:
        # a goal of the same row takes a preferred velocity's place, and a heading is made a unit vector
        if name not in ("preferred_velocity", "heading"):
            assert (world.column(name)[[0, 2]] == np.asarray(columns[name], float)).all()
    world.step(2)
    assert np.isfinite(world.column("position")).all()
