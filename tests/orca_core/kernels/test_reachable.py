"""Programs over two discs against samples of the set: no sampled velocity that is permitted is better."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.bodies import body_velocity, settled, stopping_speed
from orca_core.kernels.reachable import farthest_reachable, nearest_reachable, reachable_velocity
from orca_core.kernels.turning import FREE, cosine_sine, wedge_rows
from tests.support.samples import samples

Floats = NDArray[np.float64]

# how far the nearest sample of a set may be from any point of it, relative to the size of the smaller disc
GRID = 60
COARSE = 0.06


def random_discs(generator: np.random.Generator) -> Floats:
    """Two discs that meet: a reachable one somewhere in or across the edge of a permitted one."""
    limit = generator.uniform(0.3, 3.0)
    speed = limit * generator.uniform(0.0, 1.0)
    angle = generator.uniform(-math.pi, math.pi)
    change = generator.choice([0.02, 0.2, 1.0, 4.0])
    return np.array([speed * math.cos(angle), speed * math.sin(angle), change, 0.0, 0.0, limit])


def sampled(discs: Floats) -> Floats:
    """Points (m, 2) all over the smaller disc, those in both."""
    x, y, radius = discs[:3] if discs[2] < discs[5] else discs[3:]
    steps = np.linspace(-1.0, 1.0, 2 * GRID + 1)
    unit = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    points = np.array([x, y]) + radius * unit
    return points[inside(points, discs)]


def inside(points: Floats, discs: Floats, slack: float = 0.0) -> NDArray[np.bool_]:
    """Which points (m, 2) lie in both discs."""
    first = np.hypot(*(points - discs[:2]).T) <= discs[2] + slack
    return np.asarray(first & (np.hypot(*(points - discs[3:5]).T) <= discs[5] + slack))


def random_planes(generator: np.random.Generator, count: int, discs: Floats) -> Floats:
    """Half-planes (count, 4) that cross the smaller disc or lie about it."""
    x, y, radius = discs[:3] if discs[2] < discs[5] else discs[3:]
    angle = generator.uniform(-math.pi, math.pi, count)
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    point = np.array([x, y]) + normal * (radius * generator.uniform(-1.2, 0.7, (count, 1)))
    return np.ascontiguousarray(np.hstack([point, normal]))


def room(points: Floats, planes: Floats) -> Floats:
    """The smallest signed distance (m,) of points from the half-planes."""
    if not len(planes):
        return np.full(len(points), np.inf)
    distance = ((points[:, None] - planes[None, :, :2]) * planes[None, :, 2:]).sum(axis=2)
    return np.asarray(distance.min(axis=1))


def test_the_nearest_and_the_farthest_point_of_two_discs() -> None:
    generator = np.random.default_rng(1)
    for _ in range(samples(400)):
        discs = random_discs(generator)
        points = sampled(discs)
        wish = generator.normal(0.0, 2.0, 2)
        nearest = np.array(nearest_reachable(*wish, discs))
        assert inside(nearest[None], discs, 1e-9).all()
        assert np.hypot(*(points - wish).T).min() >= np.hypot(*(nearest - wish)) - 1e-9
        farthest = np.array(farthest_reachable(*wish, discs))
        assert inside(farthest[None], discs, 1e-9).all()
        assert (points @ wish).max() <= farthest @ wish + 1e-9


@pytest.mark.parametrize("count", [0, 1, 2, 4, 7])
def test_no_sampled_velocity_is_better(count: int) -> None:
    generator = np.random.default_rng(count)
    feasible = 0
    for _ in range(samples(200)):
        discs = random_discs(generator)
        hard = int(generator.integers(0, 2)) if count > 1 else 0
        planes = random_planes(generator, count, discs)
        points, wish = sampled(discs), generator.normal(0.0, 1.5, 2)
        derived = np.empty((count + 1, 4))
        failed, x, y = reachable_velocity(planes, 0, hard, count, discs, *wish, derived)
        velocity = np.array([[x, y]])
        assert inside(velocity, discs, 1e-9).all()
        left = room(points, planes)
        if failed == count:
            feasible += 1
            assert room(velocity, planes)[0] >= -1e-9
            distance = np.hypot(*(points[left >= 0.0] - wish).T)
            assert distance.min(initial=np.inf) >= np.hypot(*(velocity[0] - wish)) - 1e-9
        elif failed >= hard:
            # nothing is left: the smallest distance from the soft ones is as large as it can be, hard ones kept
            assert left.max(initial=-np.inf) <= 1e-9
            assert room(velocity, planes[:hard])[0] >= -1e-9
            kept = points[room(points, planes[:hard]) >= 0.0]
            assert room(kept, planes[hard:]).max(initial=-np.inf) <= room(velocity, planes[hard:])[0] + 1e-9
    assert count == 0 or feasible > 0


def test_a_body_keeps_its_limits_whatever_is_asked_of_it() -> None:
    generator = np.random.default_rng(7)
    for _ in range(samples(2000)):
        limit = generator.uniform(0.3, 3.0)
        angle, speed = generator.uniform(-math.pi, math.pi), limit * generator.choice([0.0, 0.3, 1.0, 1.4])
        turn = float(generator.choice([0.0, 0.01, 0.3, math.pi / 2]))
        bodies = np.array(
            [[generator.choice([0.0, 0.05, 0.5, math.inf]), *cosine_sine(turn), generator.choice([0, 1])]]
        )
        if generator.random() < 0.3:
            bodies[0, 1:3] = FREE, 0.0
        heading = (math.cos(angle), math.sin(angle))
        vx, vy = speed * heading[0], speed * heading[1]
        planes = np.empty((12, 4))
        body = wedge_rows(*heading, bodies[0, 1], bodies[0, 2], planes)
        discs = np.array([vx, vy, min(bodies[0, 0], 9.0), 0.0, 0.0, limit])
        count = body + int(generator.integers(0, 8))
        planes[body:count] = random_planes(generator, count - body, discs)
        hard = body + int(generator.integers(0, count - body + 1))
        _, x, y = body_velocity(
            planes, body, hard, count, limit, vx, vy, *generator.normal(0.0, 2.0, 2), 0, bodies, *heading,
            np.empty(6), np.empty((16, 4)),
        )  # fmt: skip
        assert math.hypot(x - vx, y - vy) <= bodies[0, 0] + 1e-14
        assert math.hypot(x, y) <= max(limit, speed - bodies[0, 0]) * (1.0 + 1e-12) + 1e-14
        if bodies[0, 1] != FREE and (x, y) != (0.0, 0.0):
            turned = math.atan2(heading[0] * y - heading[1] * x, heading[0] * x + heading[1] * y)
            assert abs(turned) <= turn + 1e-14


def test_the_preference_for_forward_motion_is_what_it_says() -> None:
    """Full speed forward, the root of 1 - f of it aside, 1 - f of it back."""
    for forward in (0.25, 0.75, 1.0):
        bodies = np.array([[math.inf, FREE, 0.0, forward]])
        for way, share in ((1.0, 1.0), (0.0, math.sqrt(1.0 - forward)), (-1.0, 1.0 - forward)):
            # half-planes that leave nothing but one direction, or rest
            x, y = way, math.sqrt(1.0 - way * way)
            planes = np.array([[0.0, 0.0, -y, x], [0.0, 0.0, y, -x], [2.0 * x * share, 2.0 * y * share, x, y]])
            _, vx, vy = body_velocity(
                planes, 0, 2, 3, 2.0, 0.0, 0.0, 2.0, 0.0, 0, bodies, 0.0, 0.0, np.empty(6), np.empty((6, 4))
            )
            assert (vx, vy) == pytest.approx((2.0 * x * share, 2.0 * y * share), abs=1e-12)


def test_settling_takes_off_no_more_than_rounding() -> None:
    x, y = settled(1.0 + 1e-13, 0.0, 0.5, 0.0, 0.5, 1.0, 0.0, *cosine_sine(0.1))
    assert (x, y) == (1.0, 0.0)
    # behind the point of the wedge only rest is left
    assert settled(-1e-17, 1e-18, 0.1, 0.0, 0.2, 1.0, 0.0, *cosine_sine(0.1)) == (0.0, 0.0)


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.004, 0.01, 0.0333, 1.0, 77.7])
def test_from_the_stopping_speed_a_body_comes_to_rest_exactly_there(distance: float) -> None:
    change, dt = 0.2, 0.05
    left, speed = distance, math.inf
    for _ in range(100_000):
        following = min(stopping_speed(left, change, dt), left / dt)
        assert speed == math.inf or speed - following <= change + 1e-9
        speed = following
        left -= speed * dt
        if speed <= 1e-12:
            break
    assert abs(left) <= 1e-9
