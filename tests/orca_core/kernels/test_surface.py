"""Centres never leave the walkable surface, slide along it, and come back to it from outside."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core.kernels.surface import RECOVERING, SLID, UNTOUCHED
from tests.oracles import surface as oracle
from tests.support.surface import Walkers

Floats = NDArray[np.float64]

SQUARE = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
BENT = [(0.0, 0.0), (10.0, 0.0), (10.0, 4.0), (4.0, 4.0), (4.0, 10.0), (0.0, 10.0)]


def ring(count: int, radius: float) -> Floats:
    angle = np.arange(count) * (2.0 * math.pi / count)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def star(random: np.random.Generator, count: int, low: float, high: float) -> Floats:
    # no two of them half a turn apart: such a ring could cross itself
    angle = (np.arange(count) + random.uniform(0.0, 0.5, count)) * (2.0 * math.pi / count)
    return random.uniform(low, high, count)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@given(
    st.integers(3, 50), st.integers(0, 2), st.sampled_from([0.0, 0.3, 0.8]), st.sampled_from([1.5, 12.0]),
    st.booleans(), st.integers(0, 2**32 - 1),
)  # fmt: skip
@settings(max_examples=40)
def test_random_walks_never_leave(
    corners: int, more: int, radius: float, speed: float, walled: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    polygons = [[star(random, corners, 4.0, 12.0), star(random, 5, 0.5, 1.5)]]
    polygons += [[star(random, 12, 2.0, 6.0) + random.uniform(-8, 8, 2)] for _ in range(more)]
    assume(all(shapely.Polygon(rings[0], rings[1:]).is_valid for rings in polygons))
    walls = random.uniform(-8, 8, (6, 4)) if walled else np.empty((0, 4))
    walkers = Walkers(polygons, random.uniform(-12, 12, (60, 2)), radius, walls, max_speed=speed)
    walkers.position = walkers.position[walkers.inside()][:12]
    assume(len(walkers.position) > 0)
    walkers = Walkers(polygons, walkers.position, radius, walls, max_speed=speed)
    area = oracle.area_of(walkers.polygons)
    heading = random.normal(size=walkers.position.shape)
    for _ in range(40):
        turned = random.random(len(heading)) < 0.1
        heading[turned] = random.normal(size=(int(turned.sum()), 2))
        unit = heading / np.sqrt((heading**2).sum(axis=1))[:, None]
        before = walkers.position
        walkers.step(unit * speed * random.uniform(0.2, 1.0, (len(unit), 1)))
        # by the predicate itself, without any tolerance
        assert walkers.inside().all()
        assert walkers.known.all()
        assert (walkers.status != RECOVERING).all()
        # the whole move, by the distance from the true walls
        assert (oracle.clearance(area, before, walkers.position) >= radius - 1e-6).all()
        assert np.sqrt(((walkers.position - before) ** 2).sum(axis=1)).max() <= speed * 0.25 * (1 + 1e-9)
        assert not oracle.crosses_wall(before, walkers.position, walls)


def test_a_free_move_is_not_touched() -> None:
    walkers = Walkers([[SQUARE]], [(5.0, 5.0)], radius=0.5)
    walkers.step((0.1 + 0.2, -0.0))
    assert walkers.status.tolist() == [UNTOUCHED]
    assert walkers.changed == 0


@pytest.mark.parametrize("angle", [5, 30, 45, 60, 85])
def test_pressed_against_a_wall_the_tangential_part_is_kept(angle: float) -> None:
    direction = math.radians(angle)
    walkers = Walkers([[[(-5, 0), (200, 0), (200, 10), (-5, 10)]]], [(0.0, 0.5)], radius=0.5)
    for _ in range(80):
        walkers.step((math.cos(direction), -math.sin(direction)))
    assert walkers.position[0, 0] == pytest.approx(80 * 0.25 * math.cos(direction), rel=1e-9)
    assert walkers.position[0, 1] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("tilt", [0.1, 0.7, 1.3, 2.9])
def test_an_oblique_wall_is_as_smooth_as_a_straight_one(tilt: float) -> None:
    # rounding puts every second point of such a wall on its wrong side
    along = np.array([math.cos(tilt), math.sin(tilt)])
    inward = np.array([-along[1], along[0]])
    corners = [along * s + inward * t for s, t in ((-50, 0), (50, 0), (50, 20), (-50, 20))]
    walkers = Walkers([[corners]], [inward * 0.5 - 30 * along], radius=0.5)
    for _ in range(160):
        walkers.step(along - 0.5 * inward)
    assert (walkers.position[0] + 30 * along) @ along == pytest.approx(40.0, rel=1e-9)
    assert walkers.position[0] @ inward == pytest.approx(0.5, abs=1e-9)


def test_who_is_on_the_boundary_leaves_it_inward_at_once() -> None:
    walkers = Walkers([[SQUARE]], [(5.0, 0.5), (0.5, 0.5), (9.5, 4.0)], radius=0.5)
    assert walkers.inside().all()
    walkers.step([(0.3, 0.4), (1.0, 1.0), (-1.0, 0.0)])
    assert walkers.status.tolist() == [UNTOUCHED] * 3


def test_a_collinear_vertex_is_no_hole() -> None:
    cut = [SQUARE[0], (5.0, 0.0), *SQUARE[1:]]
    for x in (5.0, 5.4):
        walkers, whole = (Walkers([[points]], [(x, 2.0)], radius=0.5) for points in (cut, SQUARE))
        for _ in range(80):
            walkers.step((0.0, -1.0))
            whole.step((0.0, -1.0))
            assert walkers.position.tobytes() == whole.position.tobytes()
        assert walkers.position[0] == pytest.approx([x, 0.5], abs=1e-12)


@pytest.mark.parametrize("count", [8, 16, 32, 64, 128, 500])
def test_pressed_into_a_vertex_of_a_regular_polygon(count: int) -> None:
    for target in (ring(count, 5.0)[3], ring(count, 5.0)[3] + ring(count, 5.0)[4]):
        direction = target / math.hypot(*target)
        walkers = Walkers([[ring(count, 5.0)]], [(0.0, 0.0)], radius=0.5)
        area = oracle.area_of(walkers.polygons)
        for _ in range(80):
            before = walkers.position
            walkers.step(direction)
            assert oracle.clearance(area, before, walkers.position).min() >= 0.5 - 1e-9
        # and it goes as far as there is room
        depth = walkers.position[0] @ direction
        assert depth >= 5.0 * math.cos(math.pi / count) - 0.5 - 1e-6


@pytest.mark.parametrize("count", [8, 32, 128])
def test_round_the_inside_of_a_polygon_with_edges_shorter_than_the_radius(count: int) -> None:
    # always ahead and outward: the way round is walked, corner after corner
    walkers = Walkers([[ring(count, 3.0)]], [(2.4, 0.0)], radius=0.5, dt=0.1)
    turned = 0.0
    for _ in range(300):
        x, y = walkers.position[0]
        r = math.hypot(x, y)
        walkers.step(((x - y) / r, (y + x) / r))
        new_x, new_y = walkers.position[0]
        turned += math.atan2(x * new_y - y * new_x, x * new_x + y * new_y)
        assert walkers.inside().all()
    assert turned > 2.0 * math.pi


def test_round_a_corner_that_juts_in() -> None:
    # straight into the corner it stays before it; a little to one side it passes
    walkers = Walkers([[BENT]], [(2.0, 2.0)], radius=0.5)
    area = oracle.area_of(walkers.polygons)
    for _ in range(80):
        before = walkers.position
        walkers.step((1.0, 1.0))
        assert oracle.clearance(area, before, walkers.position).min() >= 0.5 - 1e-9
    assert walkers.inside().all()
    past = Walkers([[BENT]], [(2.0, 2.0)], radius=0.5)
    for _ in range(80):
        past.step((1.0, 0.8))
    assert past.position[0] == pytest.approx([9.5, 3.5], abs=1e-9)


@pytest.mark.parametrize("step", [0.001, 0.01, 0.03])
def test_a_low_step_does_not_stop_a_disc(step: float) -> None:
    floor = [(0, 0), (5, 0), (5, step), (10, step), (10, 5), (0, 5)]
    walkers = Walkers([[floor]], [(1.0, 0.6)], radius=0.5)
    for _ in range(60):
        walkers.step((1.0, -0.5))
    assert walkers.position[0, 0] > 9.0


def test_an_acute_corner_is_an_end_and_no_trap() -> None:
    wedge = [(0.0, 0.0), (10.0, -0.5), (10.0, 0.5)]
    walkers = Walkers([[wedge]], [(9.0, 0.0)])
    for _ in range(60):
        walkers.step((-1.0, 0.01))
        assert walkers.inside().all()
    assert walkers.position[0, 0] < 0.1
    for _ in range(40):
        walkers.step((1.0, 0.0))
    assert walkers.position[0, 0] > 9.0


def test_a_thin_wall_holds_though_the_other_side_is_inside_too() -> None:
    slot = [(0, 0), (10, 0), (10, 10), (5.0001, 10), (5.0001, 1), (5, 1), (5, 10), (0, 10)]
    walkers = Walkers([[slot]], [(4.0, 5.0)], max_speed=100.0)
    for _ in range(20):
        walkers.step((40.0, 0.0))
        assert walkers.position[0, 0] <= 5.0
    assert walkers.position[0] == pytest.approx([5.0, 5.0], abs=1e-9)


def test_a_chord_over_a_corner_counts_as_well_as_the_way_along_it() -> None:
    # clipped at the floor the move would go on along it behind the post; its straight line would pass through the post
    room = [(0, 0), (10, 0), (10, 10), (0, 10)]
    post = [(3.0, 0.5), (3.2, 0.5), (3.2, 3.0), (3.0, 3.0)]
    walkers = Walkers([[room, post]], [(2.0, 2.0)], max_speed=100.0)
    area = oracle.area_of(walkers.polygons)
    before = walkers.position
    walkers.step((4.0 * 2.0, -4.0 * 4.0))
    assert oracle.clearance(area, before, walkers.position).min() >= 0.0
    assert walkers.inside().all()


def test_starts_within_the_radius_of_a_corner_come_in_and_stay() -> None:
    starts = [(0.4, 0.4), (0.4, 5.0), (9.7, 9.7), (5.0, 0.5 - 2e-6), (0.5, 0.5 - 1e-17)]
    walkers = Walkers([[SQUARE]], starts, radius=0.5)
    assert walkers.inside().tolist() == [False, False, False, False, True]
    walkers.step((-1.0, -1.0))
    assert walkers.status.tolist() == [RECOVERING] * 4 + [SLID]
    assert walkers.inside().all()
    assert walkers.position[0] == pytest.approx([0.5, 0.5], abs=1e-12)
    for _ in range(80):
        walkers.step((-1.0, -1.0))
        assert (walkers.status != RECOVERING).all()
        assert walkers.inside().all()


def test_put_on_the_boundary_but_for_rounding_no_step_is_lost() -> None:
    walkers = Walkers([[SQUARE]], [(5.0, math.nextafter(0.5, 0.0))] * 3, radius=0.5)
    assert not walkers.inside().any()
    walkers.step([(1.0, 0.0), (1.0, -1.0), (0.0, 1.0)])
    assert walkers.status.tolist() == [RECOVERING] * 3
    assert walkers.inside().all()
    assert walkers.position == pytest.approx(np.array([[5.25, 0.5], [5.25, 0.5], [5.0, 0.75]]), abs=1e-12)


def test_from_far_outside_straight_to_the_nearest_point_and_no_faster() -> None:
    walkers = Walkers([[SQUARE]], [(13.0, 5.0), (-3.0, -4.0), (-20.0, 5.0)], radius=0.5, max_speed=1.5)
    nearest = np.array([[9.5, 5.0], [0.5, 0.5], [0.5, 5.0]])
    for _ in range(100):
        before = walkers.position.copy()
        outside = ~walkers.inside()
        walkers.step((0.3, 0.1))
        assert ((walkers.status == RECOVERING) == outside).all()
        away, was = (np.sqrt(((place - nearest) ** 2).sum(axis=1)) for place in (walkers.position, before))
        moved = np.sqrt(((walkers.position - before) ** 2).sum(axis=1))
        assert (moved <= 0.375 * (1 + 1e-12)).all()
        assert away[outside] == pytest.approx(np.maximum(was - 0.375, 0.0)[outside], abs=1e-9)
    assert walkers.inside().all()


@given(st.integers(3, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_whoever_is_outside_comes_in_for_good(corners: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    outer = star(random, corners, 4.0, 12.0)
    assume(shapely.Polygon(outer).is_valid)
    walkers = Walkers([[outer]], random.uniform(-15, 15, (20, 2)), radius=0.3, max_speed=20.0)
    assume(len(walkers.boundaries.edges) > 0)
    for _ in range(8):
        before = walkers.inside()
        walkers.step(random.normal(size=(20, 2)))
        assert walkers.inside()[before].all()
        assert ((walkers.status == RECOVERING) == ~before).all()
    assert walkers.inside().all()


def test_a_wall_holds_on_the_way_in_and_along_a_slide() -> None:
    # outside behind a wall: it waits at the wall and does not pass through
    behind = Walkers([[SQUARE]], [(5.0, -3.0)], walls=[[-20.0, -1.0, 30.0, -1.0]])
    for _ in range(20):
        behind.step((0.0, 1.0))
    assert -1.0 - 1e-9 < behind.position[0, 1] < -1.0
    # a wall that stands on the boundary ends the slide
    along = Walkers([[SQUARE]], [(2.0, 1.0)], walls=[[6.0, -1.0, 6.0, 3.0]])
    for _ in range(60):
        along.step((1.0, -1.0))
    assert along.position[0, 0] < 6.0
    assert along.position[0] == pytest.approx([6.0, 0.0], abs=1e-9)


def test_without_a_place_the_agent_stays_and_is_reported() -> None:
    walkers = Walkers([[SQUARE]], [(5.0, 5.0)], radius=6.0)
    walkers.step((1.0, 1.0))
    assert walkers.position.tolist() == [[5.0, 5.0]]
    assert walkers.velocity.tolist() == [[0.0, 0.0]]
    assert walkers.status.tolist() == [RECOVERING]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_move_to_nowhere_is_no_move(value: float) -> None:
    walkers = Walkers([[SQUARE]], [(5.0, 5.0)])
    walkers.step((value, 0.0))
    assert walkers.position.tolist() == [[5.0, 5.0]]


def test_scratch_that_is_too_small_changes_no_bit() -> None:
    random = np.random.default_rng(8)
    polygons = [[ring(128, 5.0), star(random, 30, 1.0, 2.0)]]
    walls = random.uniform(-5, 5, (12, 4))
    starts = ring(8, 3.5)
    ample, tight = (Walkers(polygons, starts, 0.2, walls, max_speed=8.0, room=room) for room in (None, 1))
    for _ in range(100):
        velocity = random.normal(size=(8, 2)) * 5.0
        assert ample.step(velocity).tobytes() == tight.step(velocity).tobytes()


@pytest.mark.parametrize("origin", [1e3, 1e6, 9e8])
def test_far_from_the_origin_the_surface_holds_as_well(origin: float) -> None:
    # at 9e8 doubles are 1e-7 apart
    offset = np.array([origin, -origin])
    walkers = Walkers([[ring(24, 5.0) + offset]], [offset, np.add(offset, [1.0, 2.0])], radius=0.5)
    random = np.random.default_rng(2)
    for k in range(300):
        walkers.step(random.normal(size=2) if k % 7 == 0 else (1.0, 0.3))
        assert walkers.inside().all()
    assert (walkers.position[:, 0] > origin + 3.5).all()
