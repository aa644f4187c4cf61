"""GeoJSON: what is read, and the item and path that each fault is blamed on."""

from __future__ import annotations

from typing import Any

import pytest

from orca_core.errors import InvalidInput
from orca_core.formats.geojson import MAX_DEPTH, Place, Reading, obstacles, walkable

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
LINE = [[0, 0], [1, 0], [1, 5]]


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def line(points: Any) -> dict[str, Any]:
    return {"type": "LineString", "coordinates": points}


def features(*geometries: Any) -> dict[str, Any]:
    members = [{"type": "Feature", "properties": None, "geometry": geometry} for geometry in geometries]
    return {"type": "FeatureCollection", "features": members}


def problems_of(read: Any, value: object, **keywords: Any) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(InvalidInput) as caught:
        read(value, **keywords)
    return [(problem.item, problem.field, problem.message) for problem in caught.value.problems]


def test_a_polygon_is_an_area_and_its_rings_are_walls() -> None:
    (area,) = walkable(polygon(SQUARE, HOLE)).shapes
    assert [[ring.tolist() for ring in rings] for rings in area.polygons] == [[SQUARE[:-1], HOLE[:-1]]]
    assert [(wall.points.tolist(), wall.closed) for wall in obstacles(polygon(SQUARE, HOLE)).shapes] == [
        (SQUARE[:-1], True),
        (HOLE[:-1], True),
    ]
    assert area.polygons[0][0].dtype == "float64"


def test_a_multipolygon_is_one_area() -> None:
    far = [[10, 0], [11, 0], [10, 1]]
    (area,) = walkable({"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [far]]}).shapes
    assert [len(rings) for rings in area.polygons] == [2, 1]
    # a ring without its closing vertex is a ring
    assert area.polygons[1][0].tolist() == far


def test_lines_are_open_walls() -> None:
    walls = obstacles(
        {
            "type": "GeometryCollection",
            "geometries": [line(LINE), {"type": "MultiLineString", "coordinates": [LINE, LINE]}],
        }
    )
    assert [(wall.points.tolist(), wall.closed) for wall in walls.shapes] == [(LINE, False)] * 3
    assert walls.places == [
        Place(0, "geometries[0]"),
        Place(1, "geometries[1]"),
        Place(1, "geometries[1]"),
    ]


def test_features_and_collections_are_walked_in_order() -> None:
    collection = features(
        polygon(SQUARE), {"type": "GeometryCollection", "geometries": [polygon(HOLE), polygon(SQUARE)]}
    )
    reading = walkable(collection)
    assert [area.polygons[0][0].tolist() for area in reading.shapes] == [SQUARE[:-1], HOLE[:-1], SQUARE[:-1]]
    assert reading.places == [
        Place(0, "features[0].geometry"),
        Place(1, "features[1].geometry.geometries[0]"),
        Place(1, "features[1].geometry.geometries[1]"),
    ]
    assert walkable(collection["features"][0]).places == [Place(None, "geometry")]


def test_numbers_are_kept_to_the_bit() -> None:
    (wall,) = obstacles(line([[0.1, -0.0], [1e-300, 123456789.123456789]])).shapes
    assert [value.hex() for value in wall.points.ravel().tolist()] == [
        value.hex() for value in (0.1, -0.0, 1e-300, 123456789.123456789)
    ]


@pytest.mark.parametrize("read", [walkable, obstacles])
def test_a_third_number_is_left_out_with_a_notice(read: Any) -> None:
    reading: Reading[Any] = read(features(polygon(SQUARE), polygon([[0, 0, 7], [4, 0, 7], [4, 4], [0, 4, 7.5, 1]])))
    (notice,) = reading.notices
    assert (notice.code, notice.item) == ("extra-ordinates-ignored", 1)
    assert notice.field == "features[1].geometry.coordinates[0]"
    assert notice.message.startswith("3 positions have more than two numbers")
    assert len(reading.shapes) == 2
    assert read(polygon(SQUARE)).notices == []


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (True, "true (a boolean)"),
        ("1.5", "'1.5'"),
        (None, "null or left out"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (10**400, "an integer beyond the range"),
        ([1], "a list of 1"),
        ({}, "an object"),
    ],
)
def test_only_finite_numbers_are_numbers(number: object, shown: str) -> None:
    value = features(polygon(SQUARE), polygon(SQUARE), polygon(SQUARE), polygon([[0, 0], [4, 0], [4, number], [0, 4]]))
    expected = (3, "features[3].geometry.coordinates[0][2][1]", f"must be a finite number, not {shown}")
    assert problems_of(walkable, value) == [expected]
    assert problems_of(obstacles, value) == [expected]


def test_a_height_that_is_no_number_is_refused() -> None:
    ((item, field, message),) = problems_of(obstacles, line([[0, 0, "high"], [1, 1, 2]]))
    assert (item, field) == (None, "coordinates[0][2]")
    assert message == "must be a finite number, not 'high'"


@pytest.mark.parametrize(
    ("value", "item", "field", "says"),
    [
        ([], None, None, "must be a GeoJSON object, not a list of 0"),
        ({}, None, "type", "must be one of Polygon, MultiPolygon"),
        ({"type": ["Polygon"]}, None, "type", "not a list of 1"),
        ({"type": "polygon", "coordinates": [SQUARE]}, None, "type", "not 'polygon'"),
        ({"type": "Polygon"}, None, "coordinates", "must be a list of rings, not null or left out"),
        (polygon(), None, "coordinates", "must have at least 1 rings, not 0"),
        (polygon(5), None, "coordinates", "must be a list of rings, not a list of numbers"),
        (polygon("5"), None, "coordinates[0]", "must be a list of positions, not '5'"),
        (polygon(SQUARE, [[1, 1], [2, 2]]), None, "coordinates[1]", "must have at least 3 positions, not 2"),
        (
            polygon([[1, 1], [2, 2], [1, 1], [1, 1]]),
            None,
            "coordinates[0]",
            "must have at least 3 distinct points, not 2",
        ),
        (
            polygon([[1, 1], [2], [3, 0], [3, 1]]),
            None,
            "coordinates[0][1]",
            "must be a position [x, y], not a list of 1",
        ),
        (polygon([[1, 1], "22", [3, 0], [3, 1]]), None, "coordinates[0][1]", "must be a position [x, y], not '22'"),
        (
            {"type": "MultiPolygon", "coordinates": [SQUARE]},
            None,
            "coordinates[0][0]",
            "a level of brackets is missing",
        ),
        ({"type": "Polygon", "coordinates": SQUARE}, None, "coordinates[0]", "a level of brackets is missing"),
        (features(), None, "features", "must have at least 1 features, not 0"),
        (features(None), 0, "features[0].geometry", "must be a GeoJSON object, not null or left out"),
        (
            {"type": "FeatureCollection", "features": [polygon(SQUARE)]},
            0,
            "features[0].type",
            "must be one of Feature, not 'Polygon'",
        ),
        ({"type": "Feature", "geometry": {"type": "Feature"}}, None, "geometry.type", "not 'Feature'"),
        ({"type": "GeometryCollection"}, None, "geometries", "must be a list of geometries"),
    ],
)
def test_a_broken_area_is_refused_with_its_place(value: object, item: int | None, field: str | None, says: str) -> None:
    found = problems_of(walkable, value)
    assert found[0][:2] == (item, field)
    assert says in found[0][2]


@pytest.mark.parametrize("kind", ["Point", "MultiPoint", "LineString", "MultiLineString"])
def test_points_and_lines_are_no_area(kind: str) -> None:
    value = features(polygon(SQUARE), {"type": kind, "coordinates": LINE})
    ((item, field, message),) = problems_of(walkable, value)
    assert (item, field) == (1, "features[1].geometry.type")
    assert message.endswith(f"not '{kind}'; it encloses nothing to walk on")


@pytest.mark.parametrize(
    ("value", "field", "says"),
    [
        ({"type": "Point", "coordinates": [0, 0]}, "type", "Polygon, MultiPolygon, LineString, MultiLineString"),
        (line([[0, 0]]), "coordinates", "must have at least 2 positions, not 1"),
        (line([[1, 2], [1, 2]]), "coordinates", "must have at least 2 distinct points, not 1"),
        ({"type": "MultiLineString", "coordinates": [LINE, [[0, 0]]]}, "coordinates[1]", "at least 2 positions"),
    ],
)
def test_a_broken_wall_is_refused_with_its_place(value: object, field: str, says: str) -> None:
    ((_, found, message),) = problems_of(obstacles, value)
    assert found == field
    assert says in message


def test_all_faults_are_named_at_once_but_not_without_end() -> None:
    bad = polygon([[0, 0], [4, True], [4, 4]])
    assert [problem[0] for problem in problems_of(walkable, features(bad, polygon(SQUARE), bad))] == [0, 2]
    assert len(problems_of(walkable, features(*[bad] * 500))) == 100


def test_a_place_in_a_greater_input_is_kept() -> None:
    value = polygon([[0, 0], [4, "0"], [4, 4]])
    ((item, field, _),) = problems_of(walkable, value, place=Place(2, "geometry"))
    assert (item, field) == (2, "geometry.coordinates[0][1][1]")
    ((item, field, _),) = problems_of(walkable, features(polygon(SQUARE), value), place=Place(7, "geometry"))
    assert (item, field) == (7, "geometry.features[1].geometry.coordinates[0][1][1]")


def test_collections_are_not_nested_without_end() -> None:
    value: dict[str, Any] = polygon(SQUARE)
    for _ in range(MAX_DEPTH):
        value = {"type": "GeometryCollection", "geometries": [value]}
    assert len(walkable(value).shapes) == 1
    for _ in range(5000):
        value = {"type": "GeometryCollection", "geometries": [value]}
    ((_, _, message),) = problems_of(walkable, value)
    assert f"may stand {MAX_DEPTH} deep in each other, not deeper" in message
