"""A centre stays within the walkable area shrunk by its radius, whatever the vertices, the speed and the neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from orca_core import Options, WalkableArea, World
from tests.support.worlds import agents, deepest_overlap, wall

TOLERANCE = 1e-6
Ring = list[tuple[float, float]]

SQUARE: Ring = [(0, 0), (10, 0), (10, 10), (0, 10)]
ELL: Ring = [(0, 0), (10, 0), (10, 4), (4, 4), (4, 10), (0, 10)]


def polygon(count: int) -> Ring:
    """A regular polygon of radius 5."""
    angle = 2.0 * np.pi * np.arange(count) / count
    return [(5.0 * float(np.cos(a)), 5.0 * float(np.sin(a))) for a in angle]


def area_world(ring: Ring, place: tuple[float, float], wanted: tuple[float, float], **changes: object) -> World:
    """One agent in a walkable area."""
    options = changes.pop("options", Options.service())
    clearance, shrunk = changes.pop("clearance", 0.0), changes.pop("shrunk", False)
    world = World(time_step=0.25, options=options)
    world.add_walkable([WalkableArea(((np.array(ring, np.float64),),), clearance=clearance, shrunk=shrunk)])
    world.add_agents(agents([place], preferred_velocity=wanted, **changes))
    return world


def assert_stays(world: World, ring: Ring, keep: float = 0.5, steps: int = 80) -> None:
    """No centre, and no part of a move, comes nearer to the border of the polygon than `keep`, from within."""
    whole = shapely.Polygon(ring)
    for _ in range(steps):
        before = world.column("position").copy()
        world.step()
        moves = shapely.linestrings(np.stack([before, world.column("position")], axis=1))
        assert whole.contains(shapely.points(world.column("position"))).all()
        assert shapely.distance(moves, whole.exterior).min() >= keep - TOLERANCE


def test_both_senses_of_a_ring_give_the_same_bits() -> None:
    ends = set()
    for ring in (SQUARE, SQUARE[::-1], [*SQUARE, SQUARE[0]]):
        world = area_world(ring, (5.0, 5.0), (-1.0, 0.0))
        world.step(80)
        ends.add(world.digest())
        assert world.column("position")[0, 0] == pytest.approx(0.5, abs=1e-3)
    assert len(ends) == 1


@pytest.mark.parametrize(
    "extra",
    [
        [(10, 0), (10, 0)],
        [(5, 0), (10, 0)],
        [(2.5, 0), (5, 0), (7.5, 0), (10, 0)],
        [(10, 0), (10, 1e-9)],
    ],
)
def test_untidy_vertices_give_the_bits_of_the_clean_polygon(extra: Ring) -> None:
    untidy = [SQUARE[0], *extra, *SQUARE[2:]]
    for place, wanted in (((5.0, 2.0), (0.0, -1.0)), ((5.4, 2.0), (0.1, -1.0)), ((9.0, 1.0), (1.0, -1.0))):
        clean, other = (area_world(ring, place, wanted) for ring in (SQUARE, untidy))
        assert_stays(other, SQUARE)
        clean.step(80)
        assert other.digest() == clean.digest()


@pytest.mark.parametrize("count", [3, 8, 16, 32, 64, 128])
def test_no_vertex_of_a_round_area_leaks(count: int) -> None:
    ring = polygon(count)
    for at in (0.0, 0.5, 0.25):
        angle = 2.0 * np.pi * at / count
        world = area_world(ring, (0.0, 0.0), (float(np.cos(angle)), float(np.sin(angle))))
        assert_stays(world, ring)
        assert np.hypot(*world.column("position")[0]) > (1.4 if count == 3 else 4.0), "it gets to the border"


@pytest.mark.parametrize("wanted", [(1.0, 1.0), (1.0, 0.9), (0.4, 1.0), (1e200, 1e200)])
def test_a_reflex_corner_does_not_leak(wanted: tuple[float, float]) -> None:
    world = area_world(ELL, (2.0, 2.0), wanted)
    assert_stays(world, ELL)
    assert world.column("position").max() > 3.4


@pytest.mark.parametrize("place", [(0.4, 0.4), (0.3, 5.0), (0.5 - 2e-6, 5.0), (-3.0, 5.0), (13.0, 13.0)])
def test_who_starts_too_near_or_outside_comes_in_and_stays(place: tuple[float, float]) -> None:
    world = area_world(SQUARE, place, (-1.0, -1.0))
    world.step(30)
    assert_stays(world, SQUARE)


@pytest.mark.parametrize("clearance", [0.0, 0.25, 1.0])
def test_clearance_comes_on_top_of_the_radius(clearance: float) -> None:
    world = area_world(SQUARE, (5.0, 5.0), (-1.0, 0.0), clearance=clearance)
    world.step(120)
    assert world.column("position")[0, 0] == pytest.approx(0.5 + clearance, abs=1e-3)


def test_a_slide_along_the_border_makes_progress() -> None:
    world = area_world(SQUARE, (1.0, 5.0), (-1.0, 0.5))
    assert_stays(world, SQUARE, steps=30)
    x, y = world.column("position")[0]
    assert x == pytest.approx(0.5, abs=0.02)
    assert y > 8.0


def test_a_crowd_that_is_pushed_stays_inside() -> None:
    generator = np.random.default_rng(1)
    count = 60
    world = World(time_step=0.25, options=Options.service())
    world.add_walkable([WalkableArea(((np.array(ELL, np.float64),),))])
    places = generator.uniform(0.5, 9.5, (400, 2))
    inner = shapely.Polygon(ELL).buffer(-0.3)
    places = places[shapely.contains_xy(inner, places[:, 0], places[:, 1])][:count]
    world.add_agents(agents(places, radius=0.25, max_speed=3.0, preferred_velocity=(2.0, -2.0)))
    for turn in range(4):
        angle = 0.5 * np.pi * turn
        wanted = np.tile([[2.0 * np.cos(angle), 2.0 * np.sin(angle)]], (len(places), 1))
        world.set_agents(world.ids, {"preferred_velocity": wanted})
        assert_stays(world, ELL, keep=0.25, steps=25)
    assert deepest_overlap(world.column("position"), world.column("radius")) < 0.25


def test_a_hole_is_kept_out_of_and_a_wall_in_the_area_holds() -> None:
    hole = [(4.0, 4.0), (6.0, 4.0), (6.0, 6.0), (4.0, 6.0)]
    world = World(time_step=0.25, options=Options.service())
    world.add_walkable([WalkableArea(((np.array(SQUARE, np.float64), np.array(hole)),))])
    world.add_obstacles([wall((0.0, 2.0), (10.0, 2.0))])
    world.add_agents(
        agents([(2.0, 5.0), (5.0, 8.0), (5.0, 1.0)], preferred_velocity=np.array([(1, 0), (0, -1), (0, 1.0)]))
    )
    forbidden = shapely.Polygon(hole).buffer(0.5 - TOLERANCE, join_style="mitre")
    for _ in range(60):
        world.step()
        for x, y in world.column("position"):
            assert not forbidden.contains(shapely.Point(x, y))
        assert world.column("position")[2, 1] <= 1.5 + TOLERANCE


def test_without_the_option_boundaries_leak_at_vertices() -> None:
    options = replace(Options.service(), walkable_surface=False)
    untidy = [(0, 0), (5, 0), *SQUARE[1:]]
    world = area_world(untidy, (5.0, 2.0), (0.0, -1.0), options=replace(options, merge_collinear=False), shrunk=True)
    world.step(80)
    assert world.column("position")[0, 1] < -10.0
    world = area_world(ELL, (2.0, 2.0), (1.0, 1.0), options=options, shrunk=True)
    world.step(80)
    assert world.column("position")[0, 0] > 10.0


def test_away_from_vertices_the_bits_are_those_of_the_boundary_planes() -> None:
    """Who is led along the middle of a stretch by its half-plane alone never meets the surface."""
    worlds = [
        area_world(
            SQUARE, (5.0, 5.0), (-1.0, 0.05), options=replace(Options.service(), walkable_surface=on), clearance=0.2
        )
        for on in (True, False)
    ]
    for world in worlds:
        world.step(60)
    assert worlds[0].digest() == worlds[1].digest()
