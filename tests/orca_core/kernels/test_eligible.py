"""Steps of crowds that do not all heed each other, against everybody looked at; and when the plain path is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orca_core import World
from orca_core.kernels.step import LOCKING, SELECTING, SHARING
from orca_core.state import AgentState
from orca_core.yielding import MANNERS, manners_of
from tests.oracles.yielding import velocity
from tests.orca_core.yielding.manners import manners, rows_of
from tests.support.crowds import CROWDS
from tests.support.samples import samples
from tests.support.worlds import agents


def crowd(seed: int, count: int, names: list[str], places: str = "lattice", **columns: Any) -> World:
    """A world of the text with manners of these names."""
    generator = np.random.default_rng(seed)
    world = World(time_step=0.1)
    filled = {
        "velocity": generator.normal(0.0, 0.8, (count, 2)),
        "preferred_velocity": generator.normal(0.0, 1.0, (count, 2)),
        "radius": generator.choice([0.0, 0.3, 0.5, 2.0], count),
        "neighbor_distance": generator.choice([0.0, 1.5, 4.0, 1e19], count),
        "max_neighbors": generator.choice([0, 1, 3, 10, 1000], count),
        **columns,
    }
    world.add_agents({**agents(CROWDS[places](generator, count), **filled), **manners(generator, count, names)})
    return world


def assert_steps(world: World, count: int) -> None:
    """Every step gives every agent the velocity, to the bit, that the oracle says."""
    for _ in range(count):
        rows = rows_of(world)
        wanted = [velocity(rows, row, world.time_step) for row in range(len(rows))]
        before = world.column("position").copy()
        world.step()
        assert world.column("velocity").tobytes() == np.array(wanted).tobytes()
        assert world.column("position").tobytes() == (before + np.array(wanted) * world.time_step).tobytes()


@settings(max_examples=samples(60))
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 60), st.lists(st.sampled_from(MANNERS), unique=True),
    st.sampled_from(sorted(CROWDS)),
)  # fmt: skip
def test_a_step_is_that_of_brute_force(seed: int, count: int, names: list[str], places: str) -> None:
    assert_steps(crowd(seed, count, names, places), 2)


def test_a_larger_crowd_where_lists_are_full_and_bounds_shrink() -> None:
    world = crowd(3, samples(400), ["mask", "layer", "priority"], neighbor_distance=40.0, max_neighbors=5)
    assert_steps(world, 2)


@pytest.mark.parametrize("sight", [2.5, 5.0, 40.0])
def test_lists_that_are_kept_over_steps_prove_what_they_say(sight: float) -> None:
    world = crowd(4, samples(120), ["mask", "priority", "locked"], neighbor_distance=sight, max_neighbors=4)
    assert_steps(world, 12)


def test_who_is_not_heeded_takes_no_place() -> None:
    """Ten ghosts nearer than the one who matters, and room for one."""
    places = [(0.0, 0.0), *[(0.6 + 0.01 * k, 0.0) for k in range(10)], (3.0, 0.02)]
    world = World(time_step=0.25)
    world.add_agents(
        {
            **agents(places, preferred_velocity=(1.0, 0.0), max_neighbors=1),
            "avoidance": np.array([True, *[False] * 10, True]),
            "velocity": np.array([(1.0, 0.0), *[(0.0, 0.0)] * 10, (-1.0, 0.0)]),
        }
    )
    assert [one["id"] for one in world.explain(0)["neighbors"]] == [11]
    world.step()
    assert abs(world.column("velocity")[0, 1]) > 0.0


def test_manners_may_change_between_any_two_steps() -> None:
    """Lists that are kept over plain steps say nothing wrong after steps that did not use them."""
    generator = np.random.default_rng(5)
    count = samples(60)
    world = crowd(5, count, [], neighbor_distance=4.0, max_neighbors=10)
    neutral = {name: world.column(name).copy() for name in MANNERS}
    for turn in range(samples(18)):
        if turn % 3 == 1:
            world.set_agents(world.ids, manners(generator, count, [str(generator.choice(MANNERS))]))
        elif turn % 3 == 2:
            world.set_agents(world.ids, neutral)
        assert_steps(world, 2)


PLAIN = 0
SHARED = SHARING
CHOSEN = SELECTING | SHARING


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, PLAIN),
        ({"weight": [3.0, 3.0]}, PLAIN),
        ({"priority": [7, 7]}, PLAIN),
        ({"layer": [2, 2]}, PLAIN),
        ({"mask": [1, 1]}, PLAIN),
        ({"elevation": [0.0, 1.0], "height": [1.0, 0.0]}, PLAIN),
        ({"group": [1, 1], "group_mode": [2, 2]}, PLAIN),
        ({"weight": [1.0, 3.0]}, SHARED),
        ({"locked": [0, 1]}, SHARED | LOCKING),
        ({"weight": [1.0, 0.0]}, CHOSEN),
        ({"priority": [7, 8]}, CHOSEN),
        ({"layer": [2, 0]}, CHOSEN),
        ({"mask": [2, 2]}, CHOSEN),
        ({"elevation": [0.0, 1.0]}, CHOSEN),
        ({"group": [1, 2], "group_mode": [1, 0]}, CHOSEN),
        ({"avoidance": [1, 0]}, CHOSEN),
    ],
)
def test_the_plain_path_is_left_only_where_it_matters(changes: dict[str, list[Any]], wanted: int) -> None:
    state = AgentState()
    state.append(2)
    for name, values in changes.items():
        state.put(name, slice(None), values)
    assert manners_of(state) == wanted


def test_nobody_has_plain_manners() -> None:
    assert manners_of(AgentState()) == PLAIN
