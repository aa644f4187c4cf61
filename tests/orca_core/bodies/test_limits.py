"""Bodies with limits in whole worlds: what holds on every step, who arrives, and that nobody else notices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core import Options, World
from orca_core.heading import headings
from orca_core.state import STATUS_NAMES
from tests.support.samples import samples
from tests.support.worlds import PROFILES, agents, deepest_overlap, wall, world_of

Floats = NDArray[np.float64]

ARRIVED = STATUS_NAMES.index("arrived")
RIGHT_ANGLE = math.pi / 2.0


def facing(world: World) -> Floats:
    """Where everybody faces (n, 2), zero for those who do not yet."""
    return headings(world.column("velocity"), world.column("heading"))


def turned(before: Floats, after: Floats) -> Floats:
    """By how much each heading has changed (rad), nothing for one that had none."""
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return np.asarray(np.abs(np.arctan2(cross, (before * after).sum(axis=1))))


def watch(world: World, steps: int) -> tuple[float, float, float]:
    """Step, and tell by how much acceleration (m/s) and turning (rad) were too much, and the deepest overlap."""
    faster, farther, deepest = -math.inf, -math.inf, -math.inf
    for _ in range(steps):
        velocity, before = world.column("velocity").copy(), facing(world)
        world.step()
        for name, excess in (
            ("max_acceleration", np.hypot(*(world.column("velocity") - velocity).T)),
            ("max_turning_rate", turned(before, facing(world))),
        ):
            limit = world.column(name)
            beyond = float((excess - limit * world.time_step)[limit >= 0.0].max(initial=-math.inf))
            faster = max(faster, beyond) if name == "max_acceleration" else faster
            farther = max(farther, beyond) if name == "max_turning_rate" else farther
        deepest = max(deepest, deepest_overlap(world.column("position"), world.column("radius")))
    return faster, farther, deepest


def head_on(offset: float = 0.1, dt: float = 0.1, **columns: Any) -> World:
    """Two who meet in the middle, at full speed already."""
    places = np.array([[-8.0, offset / 2.0], [8.0, -offset / 2.0]])
    speed = columns.get("max_speed", 1.5)
    return world_of(
        places, time_step=dt, goal=places * [[-1.0, 1.0]], velocity=[[speed, 0.0], [-speed, 0.0]],
        neighbor_distance=30.0, **columns,
    )  # fmt: skip


@pytest.mark.parametrize("dt", [0.05, 0.1, 0.25])
@pytest.mark.parametrize("offset", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("speed", [1.0, 1.5, 3.0])
def test_who_sees_as_far_as_braking_takes_meets_nobody(dt: float, offset: float, speed: float) -> None:
    world = head_on(
        offset, dt, max_speed=speed, max_acceleration=2.0, max_turning_rate=RIGHT_ANGLE, time_horizon=speed / 2.0
    )
    faster, farther, deepest = watch(world, samples(int(40.0 / dt / speed)))
    assert faster <= 1e-12
    assert farther <= 1e-12
    assert deepest <= 1e-3
    if samples(100) == 100:
        assert (world.column("status") == ARRIVED).all()
        assert np.abs(world.column("velocity")).max() <= 2.0 * dt


crowds = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**31),
        "count": st.integers(1, 12),
        "dt": st.sampled_from([0.02, 0.1, 0.25, 1.0]),
        "profile": st.sampled_from(sorted(PROFILES)),
        "side": st.sampled_from([2.0, 6.0, 20.0]),
    }
)


@settings(max_examples=samples(60))
@given(crowds)
def test_no_step_of_any_crowd_is_beyond_the_limits(crowd: dict[str, Any]) -> None:
    generator = np.random.default_rng(crowd["seed"])
    count = crowd["count"]
    world = World(time_step=crowd["dt"], options=PROFILES[crowd["profile"]])
    columns = agents(
        generator.uniform(-crowd["side"], crowd["side"], (count, 2)),
        radius=generator.uniform(0.1, 0.6, count),
        max_speed=generator.uniform(0.2, 4.0, count),
        max_acceleration=generator.choice([0.0, 0.3, 2.0, 50.0], count),
        max_turning_rate=generator.choice([0.0, 0.2, 1.5, 20.0], count),
        forward_preference=generator.choice([0.0, 0.5, 1.0], count),
        velocity=generator.normal(0.0, 1.5, (count, 2)) * generator.integers(0, 2, (count, 1)),
        heading=generator.normal(0.0, 1.0, (count, 2)) * generator.integers(0, 2, (count, 1)),
    )
    columns["goal" if generator.random() < 0.5 else "preferred_velocity"] = generator.uniform(-9.0, 9.0, (count, 2))
    world.add_agents(columns)
    faster, farther, _ = watch(world, samples(40))
    assert faster <= 1e-12
    assert farther <= 1e-9
    assert np.isfinite(world.column("position")).all()


def test_bodies_arrive_wherever_their_goals_are() -> None:
    """Beside, behind and near them, at rest and at full speed, by acceleration, by turning, by both."""
    for acceleration, rate in ((0.7, None), (None, 1.0), (1.5, 1.5), (3.0, 0.6)):
        angle = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
        goals = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.tile([0.3, 1.0, 5.0], 4)[:, None]
        limits: dict[str, Any] = {} if acceleration is None else {"max_acceleration": acceleration}
        if rate is not None:
            limits["max_turning_rate"] = rate
        starts = np.stack([np.arange(12) * 50.0, np.zeros(12)], axis=1)
        velocity = np.where(np.arange(12)[:, None] % 2 == 0, [[1.5, 0.0]], 0.0)
        world = world_of(
            starts, time_step=0.1, goal=starts + goals, velocity=velocity, heading=(0.0, 1.0), goal_tolerance=0.01,
            **limits,
        )  # fmt: skip
        world.step(samples(500))
        if samples(500) == 500:
            left = np.hypot(*(world.column("position") - world.column("goal")).T)
            assert left.max() <= 0.01, (acceleration, rate, left)
            assert np.abs(world.column("velocity")).max() <= 1e-9


def test_who_wants_back_turns_on_the_spot_first() -> None:
    world = world_of([(0.0, 0.0)], time_step=0.1, goal=(-5.0, 0.0), heading=(1.0, 0.0), max_turning_rate=RIGHT_ANGLE)
    turns = 0
    while not world.column("velocity").any():
        world.step()
        turns += 1
        assert turns < 30
    # it sets off once its wish lies ahead of it, to one side
    assert 9 <= turns <= 11
    heading = world.agent(0)["heading"]
    assert math.hypot(*heading) == pytest.approx(1.0, abs=1e-15)
    assert heading[1] < 0.0
    world.step(samples(200))
    if samples(200) == 200:
        assert world.agent(0)["status"] == "arrived"


def test_the_heading_is_kept_while_it_stands() -> None:
    world = world_of([(0.0, 0.0)], time_step=0.1, goal=(0.0, 1.0), max_turning_rate=RIGHT_ANGLE)
    assert world.agent(0)["heading"] is None
    world.step(30)
    assert world.agent(0)["status"] == "arrived"
    assert world.column("velocity").tolist() == [[0.0, 0.0]]
    assert world.agent(0)["heading"] == [0.0, 1.0]
    world.set_agents([0], {"heading": [[-3.0, 4.0]]})
    assert world.agent(0)["heading"] == [-0.6, 0.8]
    world.set_agents([0], {}, cleared={"heading": np.ones(1, bool)})
    assert world.agent(0)["heading"] is None


def test_walls_stop_bodies_that_cannot_brake_in_time() -> None:
    """A wall is harder than a body: the centre stays on its side, and then the limit of acceleration does not hold."""
    world = world_of(
        [(0.0, 0.0)], time_step=0.1, velocity=(3.0, 0.0), preferred_velocity=(3.0, 0.0), max_speed=3.0,
        max_acceleration=0.5, walls=[wall((2.0, -5.0), (2.0, 5.0))],
    )  # fmt: skip
    hardest = 0.0
    for _ in range(40):
        before = world.column("velocity").copy()
        world.step()
        hardest = max(hardest, float(np.hypot(*(world.column("velocity") - before)[0])))
        assert world.column("position")[0, 0] < 2.0
    assert hardest > 1.0


def test_a_body_that_sees_far_enough_brakes_before_a_wall() -> None:
    world = world_of(
        [(0.0, 0.0)], time_step=0.1, velocity=(2.0, 0.0), preferred_velocity=(2.0, 0.0), max_speed=2.0,
        obstacle_horizon=2.0, max_acceleration=1.0, max_turning_rate=1.0, walls=[wall((9.0, -9.0), (9.0, 9.0))],
    )  # fmt: skip
    faster, farther, _ = watch(world, samples(300))
    assert max(faster, farther) <= 1e-12
    assert world.column("position")[0, 0] <= 8.5 + 1e-9


def test_others_keep_their_bits_beside_a_body() -> None:
    """Whoever has no limits is solved as ever: far from the body, the same bits."""
    generator = np.random.default_rng(5)
    columns = agents(generator.uniform(-6.0, 6.0, (40, 2)), goal=generator.uniform(-6.0, 6.0, (40, 2)))
    plain, mixed = (World(time_step=0.1, options=Options.service()) for _ in range(2))
    for world in (plain, mixed):
        world.add_agents(columns)
        extra = agents([(500.0, 0.0)], goal=(510.0, 0.0), **({} if world is plain else {"max_acceleration": 1.0}))
        world.add_agents(extra)
        world.step(samples(60))
    for name in ("position", "velocity"):
        assert plain.column(name)[:40].tobytes() == mixed.column(name)[:40].tobytes()
    assert mixed.column("position")[40, 0] < plain.column("position")[40, 0]


def crowd_of_bodies() -> World:
    """A crossing crowd of which two thirds have limits, with a wall in its middle."""
    generator = np.random.default_rng(99)
    count = 60
    world = world_of(
        generator.uniform(-7.0, 7.0, (count, 2)), time_step=0.1, goal=generator.uniform(-7.0, 7.0, (count, 2)),
        radius=0.3, walls=[wall((-2.0, 0.0), (2.0, 0.5))],
    )  # fmt: skip
    some = world.ids[::3]
    world.set_agents(some, {"max_acceleration": np.full(len(some), 2.0), "max_turning_rate": np.full(len(some), 2.0)})
    others = world.ids[1::3]
    world.set_agents(others, {"forward_preference": np.full(len(others), 0.8)})
    return world


def test_no_split_and_no_snapshot_changes_a_bit() -> None:
    whole, split, resumed = (crowd_of_bodies() for _ in range(3))
    for step in range(samples(50)):
        whole.step()
        split.step(split=[1, 2, 5])
        resumed.step()
        if step % 7 == 3:
            resumed = World.restore(resumed.snapshot())
    assert whole.digest() == split.digest() == resumed.digest()
    assert facing(whole).tobytes() == facing(split).tobytes() == facing(resumed).tobytes()
    assert whole.snapshot() == split.snapshot()


def test_explain_tells_what_the_body_can_do() -> None:
    world = world_of(
        [(0.0, 0.0), (3.0, 0.1)], time_step=0.1, goal=(9.0, 0.0), velocity=(0.0, 1.0), max_acceleration=[2.0, 5.0],
        max_turning_rate=1.0,
    )  # fmt: skip
    told = world.explain(0)
    assert told["body"]["heading"] == [0.0, 1.0]
    assert told["body"]["change"] == pytest.approx(0.2, abs=1e-15)
    assert math.atan2(*told["body"]["turn"][::-1]) == pytest.approx(0.1, abs=1e-12)
    world.step()
    assert told["next"]["velocity"] == world.agent(0)["velocity"]
    assert world_of([(0.0, 0.0)]).explain(0)["body"] is None


def test_a_horizon_too_short_to_brake_is_warned_of() -> None:
    world = World(time_step=0.1)
    added = world.add_agents(
        agents([(0.0, 0.0)], max_acceleration=0.5, time_horizon=2.0, obstacle_horizon=4.0, neighbor_distance=9.0)
    )
    assert [(notice.code, notice.item, notice.field) for notice in added.notices] == [
        ("short-horizon", 0, "time_horizon")
    ]
    assert world.set_agents([0], {"max_acceleration": np.array([0.75])}) == []
