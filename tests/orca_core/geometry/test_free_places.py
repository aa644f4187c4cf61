"""The nearest free place is the nearest there is, however far from each other the points are that are asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from orca_core.geometry.free_places import nearest_free
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea, WalkableSet

# a U of three arms, a box before its notch, a star: what is nearest lies in a notch for some and outside for others
SOLID = (
    [(0, 0), (9, 0), (9, 7), (6.5, 7), (6.5, 2.5), (2.5, 2.5), (2.5, 7), (0, 7)],
    [(3.5, 6), (5.5, 6), (5.5, 8), (3.5, 8)],
    [(14 + (4 - 2.5 * (k % 2)) * math.cos(k * 0.5), 3 + (4 - 2.5 * (k % 2)) * math.sin(k * 0.5)) for k in range(12)],
)
ROOM = [(-1, -0.6), (19, -0.6), (19, 8.5), (-1, 8.5)]


@pytest.mark.parametrize("radius", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("within", ["plane", "room"])
def test_it_is_the_nearest(radius: float, within: str) -> None:
    obstacles = [Obstacle(np.array(points), id=at, closed=True) for at, points in enumerate(SOLID)]
    walkable, room = WalkableSet(), shapely.box(-100, -100, 100, 100)
    if within == "room":
        walkable.add([WalkableArea(((np.array(ROOM, float),),))])
        room = shapely.Polygon(ROOM).buffer(-radius, join_style="mitre")
    solid = shapely.union_all([shapely.Polygon(points) for points in SOLID])
    free = room.difference(solid.buffer(radius, quad_segs=256))
    generator = np.random.default_rng(20)
    points = generator.uniform((0.0, -1.0), (18.0, 8.0), (400, 2))
    points = points[shapely.contains_xy(solid, points[:, 0], points[:, 1])]

    # all at once, a few, and each for itself: whoever is asked for beside it decides nothing
    together, found = nearest_free(walkable, obstacles, radius, True, points)
    assert found.all()
    for some in (slice(0, 5), slice(5, 6), slice(6, 7)):
        assert nearest_free(walkable, obstacles, radius, True, points[some])[0] == pytest.approx(together[some])

    needed = shapely.distance(free, shapely.points(points))
    gone = np.sqrt(((together - points) ** 2).sum(axis=1))
    # by facets round corners up to 2 % of the radius farther, and never nearer
    assert (gone >= needed - 1e-4 * radius - 1e-9).all()
    assert (gone <= needed + 0.03 * radius + 2e-6).all()
