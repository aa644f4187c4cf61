"""Level of detail: who is solved when, by step and index alone, and that walls and goals hold in between."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orca_core import InvalidInput, Options, World
from orca_core.explain import neighbours
from orca_core.level_of_detail import MOST_INTEREST, LevelOfDetail
from tests.support.samples import samples
from tests.support.worlds import box, deepest_overlap, wall, world_of

SERVICE = Options.service()


def crowd(detail: LevelOfDetail | None, **options: Any) -> World:
    """Agents all over a field, each on its way across it."""
    generator = np.random.default_rng(21)
    return world_of(
        generator.uniform(-12.0, 12.0, (90, 2)), time_step=0.1, goal=generator.uniform(-12.0, 12.0, (90, 2)),
        radius=0.3, options=replace(SERVICE, level_of_detail=detail, **options), walls=[wall((-3.0, 0.0), (3.0, 0.0))],
    )  # fmt: skip


def test_whose_turn_it_is_follows_from_step_and_index() -> None:
    every = 4
    world = crowd(LevelOfDetail(distance=3.0, every=every, points=((6.0, 6.0),), boxes=((-9.0, -9.0, -7.0, -5.0),)))
    coasted = 0
    for _ in range(samples(30)):
        position, velocity = world.column("position").copy(), world.column("velocity").copy()
        step = world.step_count
        world.step()
        x, y = position.T
        near = np.hypot(x - 6.0, y - 6.0) <= 3.0
        near |= (
            np.hypot(np.maximum(np.maximum(-9.0 - x, x + 7.0), 0.0), np.maximum(np.maximum(-9.0 - y, y + 5.0), 0.0))
            <= 3.0
        )
        turn = (step + np.arange(90)) % every == 0
        arriving = np.hypot(*(world.column("goal") - position).T) <= np.hypot(*velocity.T) * every * 0.1
        passed = ~near & ~turn & ~arriving
        # away from the wall nothing cuts a move short
        free = passed & (np.hypot(np.maximum(np.abs(x) - 3.0, 0.0), y) > 0.5)
        assert (world.column("velocity")[free] == velocity[free]).all()
        coasted += int((passed & (velocity != 0.0).any(axis=1)).sum())
    assert coasted > 0


def test_between_its_turns_it_is_not_solved_at_all() -> None:
    """Two on a collision course: with a turn every fifth step the first sees nothing of it until then."""
    detail = LevelOfDetail(distance=1.0, every=5)
    world = world_of(
        [(0.0, 0.0), (3.0, 0.1)], time_step=0.1, velocity=[[1.5, 0.0], [-1.5, 0.0]],
        preferred_velocity=[[1.5, 0.0], [-1.5, 0.0]], options=replace(SERVICE, level_of_detail=detail),
    )  # fmt: skip
    solved = []
    for _ in range(10):
        assert world.explain(0)["next"]["coasts"] is (world.step_count % 5 != 0)
        before = world.column("velocity").copy()
        world.step()
        solved.append((world.column("velocity") != before).any(axis=1).tolist())
    assert [step for step, (first, _) in enumerate(solved) if first] == [0, 5]
    assert [step for step, (_, second) in enumerate(solved) if second] == [4, 9]


def test_walls_hold_between_turns() -> None:
    """The wall appears across the way of agents that will not look for many steps."""
    detail = LevelOfDetail(distance=0.0, every=1000, points=((900.0, 900.0),))
    rows = np.arange(1, 31)
    world = world_of(
        np.stack([np.zeros(31), np.arange(31) * 2.0], axis=1), time_step=0.1, velocity=(3.0, 0.0),
        preferred_velocity=(3.0, 0.0), max_speed=3.0, options=replace(SERVICE, level_of_detail=detail),
    )  # fmt: skip
    world.add_obstacles([wall((1.0, -5.0), (1.0, 70.0))])
    world.step(samples(40))
    assert (world.column("position")[rows, 0] < 1.0).all()
    assert (world.column("position")[rows, 0] > 0.9).all() or samples(40) < 40


def test_nobody_runs_past_its_goal() -> None:
    detail = LevelOfDetail(distance=1.0, every=7)
    world = world_of(
        np.stack([np.zeros(14), np.arange(14) * 30.0], axis=1), time_step=0.1,
        goal=np.stack([np.linspace(1.0, 5.0, 14), np.arange(14) * 30.0], axis=1),
        options=replace(SERVICE, level_of_detail=detail),
    )  # fmt: skip
    farthest = 0.0
    for _ in range(samples(80)):
        world.step()
        farthest = max(farthest, float((world.column("position") - world.column("goal"))[:, 0].max()))
    assert farthest <= 1e-9
    if samples(80) == 80:
        assert (world.column("status") == 2).all()


def test_fewer_neighbours_far_away() -> None:
    near, far = crowd(None), crowd(LevelOfDetail(distance=1.0, neighbors=2))
    few = world_of(
        near.column("position"), time_step=0.1, goal=near.column("goal"), radius=0.3, max_neighbors=2, options=SERVICE,
        walls=[wall((-3.0, 0.0), (3.0, 0.0))],
    )  # fmt: skip
    for world in (near, far, few):
        world.step(samples(30))
    assert far.digest() == few.digest() != near.digest()


def test_with_nothing_to_save_no_bit_differs() -> None:
    worlds = [
        crowd(None),
        crowd(LevelOfDetail(distance=1.0)),
        crowd(LevelOfDetail(distance=100.0, every=5, neighbors=1, boxes=((-1.0, -1.0, 1.0, 1.0),))),
    ]
    for world in worlds:
        world.step(samples(30))
    assert len({world.digest() for world in worlds}) == 1


def test_no_split_and_no_snapshot_changes_a_bit() -> None:
    detail = LevelOfDetail(distance=4.0, every=3, neighbors=4, points=((0.0, 0.0),))
    whole, split, resumed = (crowd(detail, slow_when_dense=True) for _ in range(3))
    for step in range(samples(40)):
        for world in (whole, split, resumed):
            if step == 20:
                world.set_level_of_detail({"distance": 2.0, "every": 5, "boxes": [[-4.0, -4.0, 4.0, 0.0]]})
        whole.step()
        split.step(split=[1, 4, 5])
        resumed.step()
        if step % 6 == 1:
            resumed = World.restore(resumed.snapshot())
    assert whole.digest() == split.digest() == resumed.digest()
    assert whole.snapshot() == split.snapshot()
    assert whole.options.level_of_detail == resumed.options.level_of_detail
    whole.set_level_of_detail(None)
    assert whole.options.level_of_detail is None
    assert World.restore(whole.snapshot()).options.level_of_detail is None


def test_a_failed_transaction_leaves_the_level_of_detail() -> None:
    world = crowd(None)

    def change() -> None:
        with world.transaction():
            world.set_level_of_detail({"distance": 5.0})
            world.set_agents([0], {"radius": np.array([-1.0])})

    with pytest.raises(InvalidInput):
        change()
    assert world.options.level_of_detail is None


@pytest.mark.parametrize(
    ("given", "item", "field", "message"),
    [
        ([], None, "", "must be an object or null"),
        ({}, None, ".distance", "must be a number from 0"),
        ({"distance": -1.0}, None, ".distance", "must be a number from 0"),
        ({"distance": math.inf}, None, ".distance", "must be a number from 0"),
        ({"distance": True}, None, ".distance", "must be a number from 0"),
        ({"distance": 1, "every": 0}, None, ".every", "must be an integer from 1"),
        ({"distance": 1, "every": 2.0}, None, ".every", "must be an integer from 1"),
        ({"distance": 1, "neighbors": -1}, None, ".neighbors", "must be an integer from 0"),
        ({"distance": 1, "points": [[0, 0], [1, math.nan]]}, 1, ".points", r"must be \[x, y\]"),
        ({"distance": 1, "points": [[0, 0, 0]]}, 0, ".points", r"must be \[x, y\]"),
        ({"distance": 1, "points": 3}, None, ".points", "must be a list"),
        ({"distance": 1, "boxes": [[1, 0, 0, 1]]}, 0, ".boxes", "must have min before max"),
        ({"distance": 1, "points": [[0, 0]] * (MOST_INTEREST + 1)}, None, ".points", "there may be 64"),
        ({"distance": 1, "radius": 2}, None, ".radius", "is not a member"),
    ],
)
def test_what_is_wrong_is_named(given: object, item: int | None, field: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        Options.from_mapping({"level_of_detail": given})
    assert [(problem.item, problem.field) for problem in refused.value.problems] == [
        (item, f"options.level_of_detail{field}")
    ]


def test_options_travel_as_plain_values() -> None:
    detail = LevelOfDetail(2.0, 3, 4, ((1.0, 2.0),), ((0.0, 0.0, 1.0, 1.0),))
    options = replace(SERVICE, level_of_detail=detail, avoidance_model="vo")
    assert Options.from_mapping(options.as_mapping()) == options


def test_quality_says_how_many_neighbours_count() -> None:
    places = np.stack([np.arange(8) * 1.1, np.zeros(8)], axis=1)
    columns: dict[str, Any] = {"preferred_velocity": (1.0, 0.0), "time_step": 0.1}
    world = world_of(places, quality=["all", "few", "none"] + ["all"] * 5, **columns)
    assert [len(neighbours(world, row)) for row in range(3)] == [4, 4, 0]
    world.set_agents([0, 1], {"neighbor_distance": np.full(2, 50.0)})
    assert [len(neighbours(world, row)) for row in range(2)] == [7, 4]
    # as with that many neighbours
    few = world_of(places, quality="few", **columns)
    four = world_of(places, max_neighbors=4, **columns)
    for each in (few, four):
        each.step(samples(20))
    assert few.digest() == four.digest()


def test_whoever_sees_one_without_avoidance_takes_the_whole() -> None:
    world = world_of(
        [(-2.0, 0.0), (2.0, 0.1)], time_step=0.1, preferred_velocity=[[1.0, 0.0], [-1.0, 0.0]], quality=["none", "all"]
    )
    assert [one.share for one in neighbours(world, 1)] == [1.0]
    deepest = 0.0
    for _ in range(samples(60)):
        world.step()
        deepest = max(deepest, deepest_overlap(world.column("position"), world.column("radius")))
        assert world.column("velocity")[0].tolist() == [1.0, 0.0]
    assert deepest <= 1e-6


def test_without_avoidance_it_goes_straight_on_and_walls_hold() -> None:
    world = world_of(
        [(0.0, 0.0), (1.2, 0.05)], time_step=0.1, preferred_velocity=[[1.0, 0.0], [0.0, 0.0]], quality=["none", "all"],
        walls=[box(-5.0, -5.0, 5.0, 5.0)],
    )  # fmt: skip
    for _ in range(samples(20)):
        world.step()
        assert world.column("velocity")[0] == pytest.approx([1.0, 0.0], abs=1e-12)
    world.step(samples(100))
    assert world.column("position")[0, 0] <= 4.5 + 1e-9
