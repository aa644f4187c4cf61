"""Closest point and outward normal of velocity obstacles against a sampled membership; the two forms compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.velocity_obstacle import (
    agent_half_plane,
    case_form,
    segment_distance_squared,
    segment_half_plane,
    support_form,
)
from tests.oracles.velocity_obstacle import collides, distance_to_segment, inside_at_once, ring
from tests.support.samples import samples

Floats = NDArray[np.float64]
Forms = tuple[Floats, Floats]

DIRECTIONS = ring(24)
# a step off the boundary, in units of the obstacle's size, large against rounding and small against the shape
STEP = 1e-5


def placed(generator: np.random.Generator, count: int, *, overlap: bool) -> tuple[Floats, Floats, Floats]:
    """Sums of radii r (n,), and ends a, b (n, 2) of segments whose distance from the origin is above (or under) r."""
    r = generator.uniform(0.2, 2.0, count)
    share = generator.uniform(0.0, 0.98, count) if overlap else generator.uniform(1.02, 6.0, count)
    turn = generator.uniform(0.0, 2.0 * np.pi, count)
    nearest = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (r * share)[:, None]
    # the segment runs across the nearest point, or ends in it and leads away
    across = np.stack([-np.sin(turn), np.cos(turn)], axis=1)
    lean = np.where(generator.random(count) < 0.5, 0.0, generator.uniform(0.0, 1.5, count))[:, None]
    away = across + nearest / np.maximum(np.sqrt((nearest**2).sum(axis=1)), 1e-12)[:, None] * lean
    back = np.where(lean[:, 0] > 0.0, 0.0, generator.uniform(0.0, 3.0, count))[:, None]
    return r, nearest - across * back, nearest + away * generator.uniform(0.1, 4.0, (count, 1))


def support_forms(a: Floats, b: Floats, r: Floats, x: Floats, tau: Floats, overlap: bool) -> Forms:
    """Signed distances (n,) and normals (n, 2) of the support form."""
    rows = np.array([support_form(*p, *q, s, *v, t, overlap) for p, q, s, v, t in zip(a, b, r, x, tau, strict=True)])
    return rows[:, 0], rows[:, 1:]


def check_closest(a: Floats, b: Floats, r: Floats, x: Floats, tau: Floats, d: Floats, n: Floats, overlap: bool) -> None:
    """The point x - d n lies on the boundary, n leads out of it, and no nearer point of the boundary exists."""
    member = inside_at_once if overlap else collides
    assert np.abs((n * n).sum(axis=1) - 1.0).max() < 1e-9
    # the sign tells inside from outside
    assert ((member(x, a, b, r, tau) < 0.0) == (d < 0.0))[np.abs(d) > STEP].all()
    step = STEP * r / tau
    closest = x - n * d[:, None]
    assert (member(closest + n * step[:, None], a, b, r, tau) > 0.0).all(), "a step along the normal leads out"
    assert (member(closest - n * step[:, None], a, b, r, tau) < 0.0).all(), "a step against it leads in"
    # nearer than |d| everything is on the same side as x
    clear = np.abs(d) > 2.0 * step
    reach = (np.abs(d) - step)[clear, None, None] * DIRECTIONS
    around = x[clear, None] + reach
    parts = (a[clear, None], b[clear, None], r[clear, None], tau[clear, None])
    assert ((member(around, *parts) < 0.0) == (d[clear, None] < 0.0)).all()


@pytest.mark.parametrize("kind", ["agents", "segments"])
def test_closest_point_and_normal(kind: str) -> None:
    generator = np.random.default_rng(1)
    count = samples(2_000)
    r, a, b = placed(generator, count, overlap=False)
    if kind == "agents":
        b = a.copy()
    tau = generator.uniform(0.3, 8.0, count)
    x = generator.normal(0.0, 1.0, (count, 2)) * 2.0
    # a share of the velocities lies well within the obstacle
    middle = (a + b) / (2.0 * tau[:, None]) * generator.uniform(0.8, 3.0, (count, 1))
    x = np.where((np.arange(count) % 2 == 0)[:, None], x, middle + generator.normal(0.0, 0.05, (count, 2)))
    d, n = support_forms(a, b, r, x, tau, overlap=False)
    assert min((d < 0.0).sum(), (d > 0.0).sum()) > count // 5
    check_closest(a, b, r, x, tau, d, n, overlap=False)


@pytest.mark.parametrize("kind", ["agents", "segments"])
def test_closest_point_and_normal_of_an_overlap(kind: str) -> None:
    generator = np.random.default_rng(2)
    count = samples(2_000)
    r, a, b = placed(generator, count, overlap=True)
    if kind == "agents":
        b = a = a * (generator.uniform(0.0, 0.98, count) * r / np.maximum(np.hypot(*a.T), 1e-12))[:, None]
    dt = generator.uniform(0.02, 0.5, count)
    x = generator.normal(0.0, 1.5, (count, 2)) / dt[:, None]
    d, n = support_forms(a, b, r, x, dt, overlap=True)
    assert min((d < 0.0).sum(), (d > 0.0).sum()) > count // 10
    check_closest(a, b, r, x, dt, d, n, overlap=True)


def test_the_case_form_finds_the_point_of_the_support_form() -> None:
    generator = np.random.default_rng(3)
    count = samples(50_000)
    r = generator.uniform(0.05, 3.0, count)
    turn = generator.uniform(0.0, 2.0 * np.pi, count)
    a = (
        np.stack([np.cos(turn), np.sin(turn)], axis=1)
        * (r * (1.0 + 10.0 ** generator.uniform(-3.0, 2.0, count)))[:, None]
    )
    tau = 10.0 ** generator.uniform(-1.0, 1.5, count)
    x = a / tau[:, None] * generator.uniform(0.0, 2.0, (count, 1)) + generator.normal(0.0, 1.0, (count, 2))
    d, n = support_forms(a, a, r, x, tau, overlap=False)
    cases = np.array([case_form(*p, s, *v, t) for p, s, v, t in zip(a, r, x, tau, strict=True)])
    size = 1.0 + np.hypot(*x.T) + np.hypot(*a.T) / tau
    # u has the length of the signed distance, along the same normal
    along = (cases[:, :2] * cases[:, 2:]).sum(axis=1)
    assert (np.abs(along + d) < 1e-9 * size).all()
    assert (np.abs(np.hypot(*cases[:, :2].T) - np.abs(d)) < 1e-9 * size).all()
    # on the axis two points are equally close; everywhere else the point itself is the same
    aside = np.abs(a[:, 0] * x[:, 1] - a[:, 1] * x[:, 0]) / np.hypot(*a.T)
    clear = aside > 1e-6
    assert clear.sum() > 0.9 * count
    assert (np.abs(cases[:, :2] + n * d[:, None]).max(axis=1)[clear] < 1e-7 * size[clear]).all()


def test_a_relative_velocity_along_the_axis_takes_the_right_leg_for_both() -> None:
    u_x, u_y, n_x, n_y = case_form(4.0, 0.0, 1.0, 3.0, 0.0, 2.0)
    assert n_y < 0.0
    assert u_y < 0.0
    other = case_form(-4.0, 0.0, 1.0, -3.0, 0.0, 2.0)
    assert other == (-u_x, -u_y, -n_x, -n_y)


def test_the_share_of_an_agent_is_its_responsibility() -> None:
    whole = agent_half_plane(3.0, 0.4, 1.0, 1.0, 0.0, -1.0, 0.1, 2.0, 0.25, 1.0)
    half = agent_half_plane(3.0, 0.4, 1.0, 1.0, 0.0, -1.0, 0.1, 2.0, 0.25, 0.5)
    none = agent_half_plane(3.0, 0.4, 1.0, 1.0, 0.0, -1.0, 0.1, 2.0, 0.25, 0.0)
    assert none[:2] == (1.0, 0.0)
    assert half[:2] == pytest.approx([(1.0 + whole[0]) / 2.0, whole[1] / 2.0])
    assert whole[2:] == half[2:] == none[2:]


def test_an_overlapping_pair_that_obeys_is_apart_after_one_step() -> None:
    generator = np.random.default_rng(4)
    for _ in range(samples(2_000)):
        r, dt = generator.uniform(0.3, 2.0), generator.uniform(0.05, 0.5)
        p = generator.normal(0.0, 1.0, 2)
        p *= r * generator.uniform(0.001, 0.99) / np.hypot(*p)
        va, vb = generator.normal(0.0, 1.0, (2, 2))
        mine = agent_half_plane(*p, r, *va, *vb, 2.0, dt, 0.5)
        other = agent_half_plane(*-p, r, *vb, *va, 2.0, dt, 0.5)
        # the smallest obedient change of each
        new = [
            np.array(v) + np.array(plane[2:]) * max(0.0, (np.array(plane[:2]) - v) @ np.array(plane[2:]))
            for v, plane in ((va, mine), (vb, other))
        ]
        assert np.hypot(*(p + (new[1] - new[0]) * dt)) >= r * (1.0 - 1e-9)


def test_the_squared_distance_to_a_segment() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(0.0, 2.0, (2, samples(2_000), 2))
    b[::10] = a[::10]
    got = np.array([segment_distance_squared(*p, *q) for p, q in zip(a, b, strict=True)])
    assert np.abs(np.sqrt(got) - distance_to_segment(np.zeros_like(a), a, b)).max() < 1e-12


def test_the_zero_velocity_is_permitted_before_a_wall_and_not_on_it() -> None:
    generator = np.random.default_rng(6)
    count = samples(2_000)
    r, a, b = placed(generator, count, overlap=False)
    for p, q, s in zip(a, b, r, strict=True):
        x, y, nx, ny = segment_half_plane(*p, *q, s, generator.uniform(0.1, 5.0), 0.1)
        assert -x * nx - y * ny >= -1e-12
    r, a, b = placed(generator, count, overlap=True)
    for p, q, s in zip(a, b, r, strict=True):
        x, y, nx, ny = segment_half_plane(*p, *q, s, 2.0, 0.1)
        assert -x * nx - y * ny < 0.0
        assert math.isfinite(x + y + nx + ny)


def test_the_sampled_membership_tells_inside_from_outside() -> None:
    """The oracle itself, on a case anybody can draw: a disc of radius 1 at (4, 0), two seconds ahead."""
    a, r, tau = np.array([[4.0, 0.0]]), np.array([1.0]), np.array([2.0])
    for velocity, hit in (((1.6, 0.0), True), ((1.4, 0.0), False), ((9.0, 2.0), True), ((9.0, 3.0), False)):
        assert (collides(np.array([velocity]), a, a, r, tau)[0] < 0.0) == hit
