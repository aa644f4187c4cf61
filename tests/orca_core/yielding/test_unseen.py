"""Who does not see whom: layers, heights, groups and avoidance off leave everybody the bits of a world without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_core import Options, World
from tests.orca_core.yielding.manners import manners
from tests.support.worlds import PROFILES, agents, least_gap, wall, world_of

profiles = pytest.mark.parametrize("options", PROFILES.values(), ids=PROFILES)

HEAD_ON = np.array([(1.0, 0.0), (-1.0, 0.0)])

# by name: what makes the two of a pair meet no more
APART: dict[str, dict[str, Any]] = {
    "masks": {"layer": [1, 2], "mask": [1, 2]},
    "no layer": {"layer": [0, 0]},
    "no mask": {"mask": [0, 0]},
    "floors": {"elevation": [0.0, 4.0], "height": [2.0, 2.0]},
    "a group": {"group": [7, 7], "group_mode": ["ignore", "ignore"]},
    "weights of zero": {"weight": [0.0, 0.0]},
    "one without avoidance": {"avoidance": [False, True]},
    "both without avoidance": {"avoidance": [False, False]},
}


def pair(options: Options, **columns: Any) -> World:
    """Two that come head-on, exactly, from six metres apart, with these columns."""
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    return world_of([(-3.0, 0.0), (3.0, 0.0)], options=options, preferred_velocity=HEAD_ON, **arrays)


@profiles
@pytest.mark.parametrize("name", APART)
def test_straight_through_each_other_as_if_alone(name: str, options: Options) -> None:
    world = pair(options, **APART[name])
    events = world.step(40).events
    for row, start in enumerate((-3.0, 3.0)):
        alone = world_of([(start, 0.0)], options=options, preferred_velocity=HEAD_ON[row])
        alone.step(40)
        assert world.column("position")[row].tobytes() == alone.column("position")[0].tobytes()
        assert world.column("velocity")[row].tobytes() == alone.column("velocity")[0].tobytes()
    # they went through each other, and nobody calls that an overlap
    assert events == []


@profiles
@pytest.mark.parametrize(
    "columns",
    [
        {"elevation": [0.0, 1.5], "height": [2.0, 2.0]},
        {"elevation": [0.0, 2.0], "height": [2.0, 0.0]},
        {"layer": [1, 2], "mask": [2, 1]},
        {"group": [7, 8], "group_mode": ["ignore", "ignore"]},
        {"group": [7, 7], "group_mode": ["ignore", "none"]},
        {"group": [0, 0], "group_mode": ["ignore", "ignore"]},
        {"group": [7, 7], "group_mode": ["together", "together"]},
    ],
)
def test_what_only_looks_like_a_reason_is_none(columns: dict[str, Any], options: Options) -> None:
    world = pair(options, **columns)
    world.set_agents([0], {"position": [(-3.0, 0.1)]})
    gap = np.inf
    for _ in range(40):
        world.step()
        gap = min(gap, least_gap(world))
    assert gap >= 1.0 - 1e-3


@profiles
@pytest.mark.parametrize(
    "columns",
    [
        {"layer": [1, 2], "mask": [1, 3]},
        {"priority": [1, 0]},
        {"weight": [0.0, 1.0]},
        {"weight": [0.2, 0.8]},
        {"weight": [1.0, 1e9]},
    ],
)
def test_one_makes_way_for_both(columns: dict[str, Any], options: Options) -> None:
    """The second has the whole of it or most; the first goes straight where it has none."""
    world = pair(options, **columns)
    world.set_agents([1], {"position": [(3.0, 0.05)]})
    gap = np.inf
    for _ in range(60):
        world.step()
        gap = min(gap, least_gap(world))
    assert gap >= 1.0 - 1e-6
    first, second = np.abs(world.column("position")[:, 1] - [0.0, 0.05])
    assert second > first
    if columns.get("weight") not in ([0.2, 0.8], [1.0, 1e9]):
        assert world.column("position")[0].tolist() == [12.0, 0.0]


@profiles
@pytest.mark.parametrize("columns", [{"priority": [1, 0]}, {"mask": [0, 1]}, {"weight": [0.0, 1.0]}])
def test_an_idle_one_that_does_not_yield_is_passed_head_on_too(columns: dict[str, Any], options: Options) -> None:
    world = pair(options, **columns)
    world.set_agents([0], {"preferred_velocity": [(0.0, 0.0)]})
    gap = np.inf
    for _ in range(60):
        world.step()
        gap = min(gap, least_gap(world))
    assert world.column("position")[0].tolist() == [-3.0, 0.0]
    assert gap >= 1.0 - 1e-6
    if options.break_symmetry:
        assert world.column("position")[1, 0] < -4.0


@profiles
@pytest.mark.parametrize("way", ["created without", "switched off", "switched off and moved"])
def test_without_avoidance_it_is_nowhere(options: Options, way: str) -> None:
    """Neither where it is, nor where it was, nor at the origin."""
    world = world_of([(0.0, 0.0), (-3.0, 0.0)], options=options,
                     preferred_velocity=np.array([(0.0, 0.0), (1.0, 0.0)]))  # fmt: skip
    if way == "created without":
        world = world_of([(0.0, 0.0), (-3.0, 0.0)], options=options, avoidance=np.array([False, True]),
                         preferred_velocity=np.array([(0.0, 0.0), (1.0, 0.0)]))  # fmt: skip
    world.set_agents([0], {"avoidance": [False]})
    if way == "switched off and moved":
        world.set_agents([0], {"position": [(50.0, 50.0)]})
    alone = world_of([(-3.0, 0.0)], options=options, preferred_velocity=(1.0, 0.0))
    for _ in range(40):
        assert world.step().events == alone.step().events == []
        assert world.column("position")[1].tobytes() == alone.column("position")[0].tobytes()


def test_walls_hold_one_without_avoidance() -> None:
    world = world_of([(-3.0, 0.0)], preferred_velocity=(1.0, 0.0), avoidance=False,
                     walls=[wall((0.0, -5.0), (0.0, 5.0))])  # fmt: skip
    world.step(60)
    assert world.column("position")[0, 0] == pytest.approx(-0.5, abs=1e-2)


def test_switched_on_again_it_is_there_at_once() -> None:
    world = pair(Options.service(), avoidance=[False, True])
    world.step(8)
    world.set_agents([0], {"avoidance": [True]})
    assert world.explain(0)["constraints"] != []
    gap = np.inf
    for _ in range(40):
        world.step()
        gap = min(gap, least_gap(world))
    assert gap >= 1.0 - 1e-6


@profiles
def test_sizes_are_each_agents_own(options: Options) -> None:
    """Radii of 0.3 and 2 in one world keep the sum of both."""
    world = world_of([(-6.0, 0.1), (6.0, 0.0)], options=options, preferred_velocity=HEAD_ON,
                     radius=np.array([0.3, 2.0]), neighbor_distance=20.0)  # fmt: skip
    gap = np.inf
    for _ in range(80):
        world.step()
        gap = min(gap, least_gap(world))
    assert 2.3 - 1e-3 <= gap < 2.6
    assert world.column("position")[0, 0] > 4.0


@profiles
def test_coincident_ones_that_do_not_see_each_other_stay_together(options: Options) -> None:
    for columns in APART.values():
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        world = world_of([(0.0, 0.0), (0.0, 0.0)], options=options, **arrays)
        assert world.step(5).events == []
        assert world.column("position").tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_no_warning_of_an_overlap_that_is_none() -> None:
    world = world_of([(0.0, 0.0)], layer=1, mask=1, neighbor_distance=9.0)
    unseen = agents([(0.2, 0.0)], layer=2, mask=2, neighbor_distance=9.0)
    assert world.add_agents(unseen).notices == []
    # behind the one it does not see stands one it does
    seen = world.add_agents({**unseen, "position": [(0.3, 0.0)]}).notices
    assert [(one.code, one.message.split(";")[0]) for one in seen] == [("overlapping", "overlaps agent 1")]
    one_sided = world.add_agents(agents([(-0.3, 0.0)], layer=4, mask=1, neighbor_distance=9.0)).notices
    assert [one.code for one in one_sided] == ["overlapping"]


def test_an_overlap_is_told_of_those_who_see_it() -> None:
    """One-sided: of the one that has to part; and once they see each other, of both."""
    world = world_of([(0.0, 0.0), (0.4, 0.0)], options=Options.text(), max_speed=0.1, mask=np.array([1, 0]))
    events = world.step(3).events
    assert [(event.kind, event.ids, event.data["other"]) for event in events] == [("overlap", [0], [1])]
    assert [bool(value) for value in world.column("overlapping")] == [True, False]
    world.set_agents([1], {"mask": [1]})
    events = world.step(3).events
    assert [(event.kind, event.ids, event.data["other"]) for event in events] == [("overlap", [1], [0])]


@pytest.mark.parametrize("splits", [[], [1], [1, 2, 3, 4, 5]])
def test_any_split_gives_the_same_bits(splits: list[int]) -> None:
    generator = np.random.default_rng(9)
    columns = agents(generator.uniform(-8.0, 8.0, (60, 2)), goal=generator.uniform(-8.0, 8.0, (60, 2)))
    columns |= manners(generator, 60, ["weight", "locked", "mask", "layer", "priority", "elevation", "height"])
    worlds = [World(time_step=0.1, options=Options.service(), seed=3) for _ in range(2)]
    for world in worlds:
        world.add_obstacles([wall((-4.0, -4.0), (4.0, -4.0))])
        world.add_agents(columns)
    for _ in range(30):
        worlds[0].step()
        worlds[1].step(split=splits)
    assert worlds[0].digest() == worlds[1].digest()
    # and what was saved in the middle goes on the same
    restored = World.restore(worlds[0].snapshot())
    assert restored.step(20) == worlds[0].step(20)
    assert restored.snapshot() == worlds[0].snapshot()


@profiles
@pytest.mark.parametrize("columns", [{"priority": [0, 1]}, {"weight": [1.0, 0.0]}, {"locked": [False, True]}])
def test_it_is_the_same_from_the_other_side(columns: dict[str, Any], options: Options) -> None:
    """The first makes way where the second does not; a world turned by half a circle, to the bit."""
    velocity = np.array([(0.0, 0.0), (-1.0, 0.0)])
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    world = world_of([(-3.0, 0.25), (3.0, 0.0)], options=options, preferred_velocity=HEAD_ON, velocity=velocity,
                     **arrays)  # fmt: skip
    arrays = {name: values[::-1] for name, values in arrays.items()}
    turned = world_of([(-3.0, 0.0), (3.0, -0.25)], options=options, preferred_velocity=HEAD_ON,
                      velocity=-velocity[::-1], **arrays)  # fmt: skip
    for _ in range(40):
        world.step()
        turned.step()
        assert (world.column("position") == -turned.column("position")[::-1]).all()
    assert world.column("position")[1].tolist() == [-7.0, 0.0]
    assert world.column("position")[0, 1] > 0.25
