"""MovingAI maps and scenarios: which way the axes run, and the line that each broken file is blamed on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orca_core.errors import InvalidInput
from orca_core.formats.movingai import MAX_SIDE, GridMap, parse_map, parse_scenario

# 3 wide and 2 high, so that swapped axes show
SMALL = "type octile\nheight 2\nwidth 3\nmap\n..@\nT.S\n"
SCENARIO = "version 1\n0\tsmall.map\t3\t2\t1\t1\t0\t0\t1.41421356\n"


def message_of(text: str, *, scenario: bool = False) -> str:
    """The one message with which the text is refused."""
    grid = parse_map(SMALL)
    with pytest.raises(InvalidInput) as caught:
        parse_scenario(text, grid) if scenario else parse_map(text)
    (problem,) = caught.value.problems
    return problem.message


def scenario_with(**changes: str) -> str:
    """A scenario of two lines, the second with some fields changed."""
    names = ["bucket", "map", "width", "height", "start_x", "start_y", "goal_x", "goal_y", "length"]
    fields = dict(zip(names, ["0", "small.map", "3", "2", "1", "1", "0", "0", "1.4"], strict=True)) | changes
    return SCENARIO + "\t".join(fields.values()) + "\n"


def test_axes_are_column_and_row_from_the_top() -> None:
    grid = parse_map(SMALL)
    assert (grid.width, grid.height) == (3, 2)
    assert grid.free.tolist() == [[True, True, False], [False, True, True]]


def test_the_world_counts_y_upward() -> None:
    grid = parse_map(SMALL)
    assert grid.cell_center(0, 0) == (0.5, 1.5)
    assert grid.cell_center(2, 1) == (2.5, 0.5)
    assert grid.cell_center(2, 0, cell_size=4.0) == (10.0, 6.0)


@pytest.mark.parametrize(("column", "row"), [(3, 0), (0, 2), (-1, 0), (0, -1)])
def test_a_cell_outside_has_no_centre(column: int, row: int) -> None:
    with pytest.raises(InvalidInput, match="outside the map of 3 columns and 2 rows"):
        parse_map(SMALL).cell_center(column, row)


@pytest.mark.parametrize(
    "text", [SMALL.replace("\n", "\r\n"), SMALL.rstrip("\n"), SMALL + "\n\n", SMALL.replace("\n", "\r\n").rstrip()]
)
def test_line_ends_do_not_matter(text: str) -> None:
    assert parse_map(text).free.tolist() == parse_map(SMALL).free.tolist()


def test_every_printable_character_is_free_or_blocked() -> None:
    characters = "".join(chr(code) for code in range(0x21, 0x7F))
    grid = parse_map(f"type octile\nheight 1\nwidth {len(characters)}\nmap\n{characters}")
    assert {characters[column] for column in np.nonzero(grid.free[0])[0]} == {".", "G", "S"}


@pytest.mark.parametrize(
    ("character", "shown"),
    [(" ", "' '"), ("\t", "'\\t'"), ("\0", "'\\x00'"), ("é", "'\\xe9'"), ("\ud800", "'\\ud800'"), ("\x85", "'\\x85'")],
)
def test_an_unknown_character_is_named_with_line_and_column(character: str, shown: str) -> None:
    message = message_of(SMALL.replace("T.S", "T" + character + "S"))
    assert message.startswith("line 6:")
    assert f"unknown character {shown} in column 2" in message


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "must begin with 'type octile', not the end of the file"),
        ("height 2\nwidth 3\nmap\n..@\nT.S\n", 1, "must begin with 'type octile', not 'height 2'"),
        (SMALL.replace("octile", "tile"), 1, "not 'type tile'"),
        (
            "type octile\nwidth 3\nheight 2\nmap\n..@\nT.S\n",
            2,
            "must be 'height N' (height before width), not 'width 3'",
        ),
        ("type octile\nheight 2\n", 3, "must be 'width N' (height before width), not the end of the file"),
        (SMALL.replace("height 2", "height"), 2, "must be 'height N'"),
        (SMALL.replace("height 2", "height two"), 2, "must be a whole number of at least 0, not 'two'"),
        (SMALL.replace("height 2", "height 2.0"), 2, "must be a whole number"),
        (SMALL.replace("height 2", "height 2_0"), 2, "must be a whole number"),
        (SMALL.replace("height 2", "height -2"), 2, "must be a whole number"),
        (SMALL.replace("width 3", "width ٣"), 3, "must be a whole number"),
        (SMALL.replace("width 3", "width 0"), 3, f"must be from 1 to {MAX_SIDE}, not 0"),
        (SMALL.replace("width 3", "width 1000000000000"), 3, f"must be from 1 to {MAX_SIDE}, not 1000000000000"),
        (SMALL.replace("width 3", "width " + "9" * 10_000), 3, f"must be from 1 to {MAX_SIDE}"),
        (SMALL.replace("map\n", ""), 4, "must be 'map', after which the rows follow, not '..@'"),
        (SMALL.replace("..@", ".."), 5, "the row has 2 characters, must have 3 as line 3 says"),
        (SMALL.replace("T.S", "T.S."), 6, "the row has 4 characters, must have 3 as line 3 says"),
        (SMALL.replace("..@\n", "..@\n\n"), 6, "the row has 0 characters, must have 3"),
        (SMALL.replace("height 2", "height 3"), 7, "the file ends after 2 rows, must have 3 as line 2 says"),
        (SMALL + "...\n", 7, "a row too many: there are 3, must be 2 as line 2 says"),
        (SMALL.replace("height 2", "height 3").replace("width 3", "width 2"), 5, "height and width look swapped"),
    ],
)
def test_a_broken_map_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    message = message_of(text)
    assert message.startswith(f"line {line}:")
    assert says in message


def test_a_grid_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"shape \(height, width\) = \(2, 3\)"):
        GridMap(width=3, height=2, free=np.ones((3, 2), dtype=np.bool_))


@given(arrays.arrays(np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 6))))
def test_what_is_written_is_read(free: np.ndarray) -> None:
    rows = ["".join(".@"[not cell] for cell in row) for row in free]
    grid = parse_map("\n".join(["type octile", f"height {free.shape[0]}", f"width {free.shape[1]}", "map", *rows]))
    assert (grid.free == free).all()


def test_a_scenario_is_read() -> None:
    (row,) = parse_scenario(SCENARIO, parse_map(SMALL))
    assert (row.line, row.bucket, row.map_name) == (2, 0, "small.map")
    assert (row.start, row.goal, row.optimal_length) == ((1, 1), (0, 0), 1.41421356)


def test_a_scenario_may_say_version_1_0_and_have_other_line_ends() -> None:
    text = SCENARIO.replace("version 1", "version 1.0").replace("\n", "\r\n").rstrip()
    assert parse_scenario(text, parse_map(SMALL)) == parse_scenario(SCENARIO + "\n", parse_map(SMALL))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "must begin with 'version 1', not the end of the file"),
        (SCENARIO.replace("version 1", "version 2"), 1, "must begin with 'version 1', not 'version 2'"),
        (SCENARIO + "\n" + SCENARIO.split("\n")[1], 3, "1 fields, must be 9 separated by tabs"),
        (SCENARIO.replace("\t", " "), 2, "1 fields, must be 9 separated by tabs"),
        (scenario_with(start_x="2", start_y="0"), 3, "start x=2, y=0 is on a blocked cell, must be on a free one"),
        (scenario_with(goal_x="0", goal_y="1"), 3, "goal x=0, y=1 is on a blocked cell"),
        (scenario_with(start_x="3"), 3, "start x=3, y=1 is outside the map, must be x < 3 and y < 2"),
        (scenario_with(goal_y="2"), 3, "goal x=0, y=2 is outside the map"),
        (scenario_with(goal_x="-1"), 3, "goal x must be a whole number of at least 0, not '-1'"),
        (
            scenario_with(width="2", height="3"),
            3,
            "made for a map of width 2 and height 3, but the map has width 3 and height 2",
        ),
        (scenario_with(length="nan"), 3, "optimal length must be a number of at least 0, not 'nan'"),
        (scenario_with(length="long"), 3, "optimal length must be a number"),
        (scenario_with(length="1_0"), 3, "optimal length must be a number"),
        (scenario_with(length="-1"), 3, "optimal length must be a number"),
        (scenario_with(bucket="1.5"), 3, "bucket must be a whole number"),
    ],
)
def test_a_broken_scenario_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    message = message_of(text, scenario=True)
    assert message.startswith(f"line {line}:")
    assert says in message
