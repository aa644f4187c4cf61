"""The linear programs against vertex enumeration on 10^5 random sets of half-planes, and their named early ends."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core.kernels.linear_program import maximize_along, permitted_velocity, solve, solve_along_line
from tests.oracles.programs import closest_distance, deepest_room, highest_level, signed_distances
from tests.support.samples import samples

Floats = NDArray[np.float64]

# what an intersection of two nearly parallel lines may lose of a double's precision
PRECISION = 1e-6
# the sets by number of half-planes; together 100,000
SIZES = {1: 10_000, 2: 20_000, 3: 25_000, 4: 25_000, 5: 12_000, 6: 6_000, 8: 2_000}


def random_sets(generator: np.random.Generator, sets: int, size: int) -> tuple[Floats, Floats, Floats]:
    """Half-planes (S, m, 4), speed limits (S,) and preferred velocities (S, 2) of every kind that crowds make.

    Points lie within and without the disc; a quarter of the sets has parallel and a quarter opposite normals.
    """
    angle = generator.uniform(0.0, 2.0 * np.pi, (sets, size))
    kind = generator.integers(0, 4, sets)
    if size > 1:
        angle[:, 1] = np.where(kind == 0, angle[:, 0], np.where(kind == 1, angle[:, 0] + np.pi, angle[:, 1]))
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    limit = generator.uniform(0.2, 3.0, sets)
    offset = generator.normal(-0.4, 0.8, (sets, size, 1)) * limit[:, None, None]
    slide = generator.normal(0.0, 1.0, (sets, size, 1))
    point = normal * offset + np.stack([-normal[:, :, 1], normal[:, :, 0]], axis=2) * slide
    preferred = generator.normal(0.0, 1.0, (sets, 2)) * (1.2 * limit[:, None])
    return np.concatenate([point, normal], axis=2), limit, preferred


def kernel_results(planes: Floats, hard: int, limit: Floats, preferred: Floats) -> tuple[NDArray[np.int64], Floats]:
    """First failing row (S,) and velocity (S, 2) of the kernel for every set."""
    size = planes.shape[1]
    derived = np.empty((size + 1, 4))
    failed, velocity = np.empty(len(planes), np.int64), np.empty((len(planes), 2))
    for k in range(len(planes)):
        failed[k], velocity[k, 0], velocity[k, 1] = permitted_velocity(
            planes[k], hard, size, limit[k], preferred[k, 0], preferred[k, 1], derived
        )
    return failed, velocity


@pytest.mark.parametrize("size", SIZES)
def test_optimal_when_feasible_and_least_deepest_penetration_when_not(size: int) -> None:
    generator = np.random.default_rng(size)
    planes, limit, preferred = random_sets(generator, samples(SIZES[size]), size)
    failed, velocity = kernel_results(planes, 0, limit, preferred)
    room = deepest_room(planes, limit)
    distances = signed_distances(planes, velocity[:, None])[:, 0]
    speed = np.sqrt((velocity * velocity).sum(axis=1))
    assert (speed <= limit + PRECISION).all()
    # feasible exactly where there is room; within the precision of the oracle either answer is right
    feasible = failed == size
    assert feasible[room > PRECISION].all()
    assert not feasible[room < -PRECISION].any()
    # feasible: permitted, and nothing permitted is closer to the preferred velocity
    assert (distances[feasible] >= -PRECISION).all()
    wanted = closest_distance(planes, limit, preferred)
    reached = np.sqrt(((velocity - preferred) ** 2).sum(axis=1))
    clear = feasible & (room > PRECISION)
    assert np.abs(reached - wanted)[clear].max(initial=0.0) < PRECISION
    # infeasible: the smallest signed distance is as large as it can be
    lost = ~feasible
    assert np.abs(distances[lost].min(axis=1) - room[lost]).max(initial=0.0) < PRECISION
    if size >= 3:
        assert min(feasible.sum(), lost.sum()) > len(planes) // 20, "both outcomes are tried in earnest"


@pytest.mark.parametrize(("size", "hard"), [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
def test_relaxation_keeps_the_hard_half_planes_and_is_best_over_the_soft(size: int, hard: int) -> None:
    generator = np.random.default_rng(100 * size + hard)
    planes, limit, preferred = random_sets(generator, samples(8_000), size)
    # hard half-planes that permit the zero velocity with a little to spare, as walls that are not touched do
    inner = (planes[:, :hard, :2] * planes[:, :hard, 2:]).sum(axis=2, keepdims=True)
    spare = generator.uniform(0.001, 0.2, inner.shape) * limit[:, None, None]
    planes[:, :hard, :2] -= planes[:, :hard, 2:] * np.maximum(inner + spare, 0.0)
    failed, velocity = kernel_results(planes, hard, limit, preferred)
    assert (failed >= hard).all()
    lost = failed < size
    assert lost.sum() > len(planes) // 50
    distances = signed_distances(planes, velocity[:, None])[:, 0]
    assert (distances[:, :hard] >= -PRECISION).all()
    wanted = highest_level(planes[:, :hard], planes[:, hard:], limit)
    assert np.abs(distances[lost, hard:].min(axis=1) - wanted[lost]).max(initial=0.0) < PRECISION


def test_a_hard_prefix_that_contradicts_itself_is_relaxed_alone() -> None:
    generator = np.random.default_rng(7)
    planes, limit, preferred = random_sets(generator, samples(10_000), 5)
    failed, velocity = kernel_results(planes, 3, limit, preferred)
    inside = failed < 3
    assert inside.sum() > len(planes) // 20
    distances = signed_distances(planes[:, :3], velocity[:, None])[:, 0]
    wanted = deepest_room(planes[:, :3], limit)
    assert np.abs(distances[inside].min(axis=1) - wanted[inside]).max() < PRECISION


def test_objective_program_is_farthest_in_its_direction() -> None:
    generator = np.random.default_rng(8)
    planes, limit, _ = random_sets(generator, samples(5_000), 4)
    angle = generator.uniform(0.0, 2.0 * np.pi, len(planes))
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ends = [maximize_along(rows, 4, *numbers) for rows, *numbers in zip(planes, limit, *direction.T, strict=True)]
    failed, velocity = np.array([end[0] for end in ends]), np.array([end[1:] for end in ends])
    roomy = deepest_room(planes, limit) > PRECISION
    assert (failed[roomy] == 4).all()
    assert (signed_distances(planes, velocity[:, None])[roomy] >= -PRECISION).all()
    # the same optimum is the permitted velocity closest to a point far out in that direction
    far = direction * 1e4
    wanted = closest_distance(planes, limit, far)
    reached = np.sqrt(((velocity - far) ** 2).sum(axis=1))
    assert (reached <= wanted + PRECISION)[roomy].all()


@pytest.mark.parametrize(
    ("preferred", "limit", "wanted"),
    [
        ((0.3, 0.4), 1.0, (0.3, 0.4)),
        ((3.0, 4.0), 2.0, (1.2, 1.6)),
        ((3.0, 4.0), 0.0, (0.0, 0.0)),
        ((0.0, 0.0), 0.0, (0.0, 0.0)),
    ],
)
def test_without_half_planes_only_the_disc_bounds(
    preferred: tuple[float, float], limit: float, wanted: tuple[float, float]
) -> None:
    failed, x, y = solve(np.empty((0, 4)), 0, limit, *preferred)
    assert (failed, x, y) == (0, pytest.approx(wanted[0], abs=1e-15), pytest.approx(wanted[1], abs=1e-15))


def test_a_line_beyond_the_disc_has_no_interval_and_one_through_it_has_its_chord() -> None:
    planes = np.array([[0.0, 1.5, 0.0, 1.0], [0.0, 0.6, 0.0, 1.0]])
    assert not solve_along_line(planes, 0, 1.0)[0]
    feasible, lower, upper = solve_along_line(planes[1:], 0, 1.0)
    assert feasible
    assert (lower, upper) == (pytest.approx(-0.8), pytest.approx(0.8))


def test_parallel_half_planes_that_contradict_each_other_fail_at_the_second() -> None:
    planes = np.array([[0.0, 0.5, 0.0, 1.0], [0.0, -0.5, 0.0, -1.0]])
    failed, _, _ = solve(planes, 2, 1.0, 0.0, 0.0)
    assert failed == 1
    failed, _, y = permitted_velocity(planes, 0, 2, 1.0, 0.0, 0.0, np.empty((3, 4)))
    assert failed == 1
    assert abs(y) <= 1e-12, "half way between the two"
