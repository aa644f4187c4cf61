"""Grid maps (`.map`) and scenarios (`.scen`) of the MovingAI benchmarks, read strictly.

Source: N. R. Sturtevant, Benchmarks for Grid-Based Pathfinding, 2012; https://movingai.com/benchmarks/formats.html.

In the files (x, y) is (column, row) and y counts DOWNWARD from the top row. In the world y grows UPWARD, so that a map
looks on a plot as it looks in the file: cell (column, row) covers the world square

    [column * c, (column + 1) * c]  x  [(height - 1 - row) * c, (height - row) * c]

with c the cell size; the lower left corner of the map is the origin. Row 0 is the top, in the file and in `free`.

Free are '.', 'G' and 'S' (swamp, which some readers block); '@', 'O', 'T', 'W' and every other printable ASCII
character are blocked. Blanks, control characters and anything beyond ASCII are faults: they come from damaged files,
and a wall read out of one would stand where nobody drew it. Nothing is skipped or mended; every message begins with
`line N:`, counted from 1. Lines end with LF or CRLF; the last may lack it, and empty lines at the end are no lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem

__all__ = ["MAX_SIDE", "GridMap", "ScenarioRow", "parse_map", "parse_scenario"]

# the largest map of the benchmarks has 1,550 columns; more than this is a damaged number
MAX_SIDE = 16_384

FREE = np.array([ord(character) for character in ".GS"], dtype=np.uint32)
FIRST_PRINTABLE, LAST_PRINTABLE = 0x21, 0x7E

SCENARIO_FIELDS = (
    "bucket",
    "map",
    "map width",
    "map height",
    "start x",
    "start y",
    "goal x",
    "goal y",
    "optimal length",
)


@dataclass(frozen=True, eq=False)
class GridMap:
    """A map of free and blocked cells; `free` is a bool array (height, width), row 0 at the top."""

    width: int
    height: int
    free: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Refuse an array of another shape: swapped axes would else be found far from here."""
        if self.free.shape != (self.height, self.width) or self.free.dtype != np.bool_:
            raise InvalidInput(
                f"free must be a bool array of shape (height, width) = ({self.height}, {self.width}), "
                f"not {self.free.dtype} {self.free.shape}"
            )

    def cell_center(self, column: int, row: int, cell_size: float = 1.0) -> tuple[float, float]:
        """World position of the centre of a cell; raises InvalidInput outside the map."""
        if not (0 <= column < self.width and 0 <= row < self.height):
            raise InvalidInput(
                f"cell ({column}, {row}) is outside the map of {self.width} columns and {self.height} rows"
            )
        return (column + 0.5) * cell_size, (self.height - row - 0.5) * cell_size


@dataclass(frozen=True)
class ScenarioRow:
    """One start and goal of a scenario, as (column, row) from the top; `line` is its line in the file, from 1."""

    line: int
    bucket: int
    map_name: str
    start: tuple[int, int]
    goal: tuple[int, int]
    optimal_length: float


def parse_map(text: str) -> GridMap:
    """Read the text of a `.map`; raises InvalidInput with the line at fault."""
    lines = _lines(text)
    # the header, in the one order that the format has
    if not lines or lines[0].split() != ["type", "octile"]:
        raise _fault(1, f"the file must begin with 'type octile', not {_shown(lines, 1)}")
    height = _header_number(lines, 2, "height")
    width = _header_number(lines, 3, "width")
    if len(lines) < 4 or lines[3].strip() != "map":
        raise _fault(4, f"must be 'map', after which the rows follow, not {_shown(lines, 4)}")
    # the shape: as many rows as the height says, each as long as the width says
    rows = lines[4:]
    swapped = len(rows) == width and width != height and all(len(row) == height for row in rows)
    hint = "; height and width look swapped" if swapped else ""
    for index, row in enumerate(rows[:height]):
        if len(row) != width:
            raise _fault(5 + index, f"the row has {len(row)} characters, must have {width} as line 3 says{hint}")
    if len(rows) < height:
        raise _fault(5 + len(rows), f"the file ends after {len(rows)} rows, must have {height} as line 2 says{hint}")
    if len(rows) > height:
        raise _fault(5 + height, f"a row too many: there are {len(rows)}, must be {height} as line 2 says{hint}")
    # the characters, as code points
    cells = np.frombuffer("".join(rows).encode("utf-32-le", "surrogatepass"), dtype="<u4").reshape(height, width)
    for row_index, column in np.argwhere((cells < FIRST_PRINTABLE) | (cells > LAST_PRINTABLE)):
        raise _fault(
            5 + int(row_index),
            f"unknown character {rows[row_index][column]!a} in column {column + 1}; '.', 'G' and 'S' are free, "
            "'@', 'O', 'T', 'W' and other printable ASCII characters are blocked",
        )
    return GridMap(width, height, np.isin(cells, FREE))


def parse_scenario(text: str, grid: GridMap) -> list[ScenarioRow]:
    """Read the text of a `.scen` made for `grid`; raises InvalidInput with the first line at fault, skips none."""
    lines = _lines(text)
    version = lines[0].split() if lines else []
    if len(version) != 2 or version[0] != "version" or version[1] not in ("1", "1.0"):
        raise _fault(1, f"the file must begin with 'version 1', not {_shown(lines, 1)}")
    return [_scenario_row(number, line, grid) for number, line in enumerate(lines[1:], start=2)]


def _scenario_row(number: int, line: str, grid: GridMap) -> ScenarioRow:
    """Read one line of a scenario and hold it against the map."""
    fields = line.split("\t")
    if len(fields) != len(SCENARIO_FIELDS):
        raise _fault(
            number,
            f"{len(fields)} fields, must be {len(SCENARIO_FIELDS)} separated by tabs: {', '.join(SCENARIO_FIELDS)}",
        )
    whole = {
        name: _whole_number(number, name, field)
        for name, field in zip(SCENARIO_FIELDS, fields, strict=True)
        if name not in ("map", "optimal length")
    }
    # the size first: it explains every place that would be wrong after it
    if (whole["map width"], whole["map height"]) != (grid.width, grid.height):
        raise _fault(
            number,
            f"made for a map of width {whole['map width']} and height {whole['map height']}, "
            f"but the map has width {grid.width} and height {grid.height}",
        )
    places = {}
    for name in ("start", "goal"):
        column, row = whole[f"{name} x"], whole[f"{name} y"]
        if column >= grid.width or row >= grid.height:
            raise _fault(
                number,
                f"{name} x={column}, y={row} is outside the map, must be x < {grid.width} and y < {grid.height}",
            )
        if not grid.free[row, column]:
            raise _fault(number, f"{name} x={column}, y={row} is on a blocked cell, must be on a free one")
        places[name] = (column, row)
    # float() takes 'nan', '1_0' and blanks around it; the format has plain numbers
    try:
        length = float(fields[8]) if "_" not in fields[8] else -1.0
    except ValueError:
        length = -1.0
    if not 0.0 <= length < inf:
        raise _fault(number, f"optimal length must be a number of at least 0, not {fields[8]!a}")
    return ScenarioRow(number, whole["bucket"], fields[1], places["start"], places["goal"], length)


def _lines(text: str) -> list[str]:
    """Split at LF or CRLF; empty lines at the end are no lines (str.splitlines would split at more than line ends)."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _header_number(lines: list[str], number: int, name: str) -> int:
    """The value of the header line `name N`."""
    words = lines[number - 1].split() if len(lines) >= number else []
    if len(words) != 2 or words[0] != name:
        raise _fault(number, f"must be '{name} N' (height before width), not {_shown(lines, number)}")
    value = _whole_number(number, name, words[1])
    if not 1 <= value <= MAX_SIDE:
        raise _fault(number, f"{name} must be from 1 to {MAX_SIDE}, not {words[1][:24]}")
    return value


def _whole_number(number: int, name: str, field: str) -> int:
    """Read plain decimal digits; int() alone would take '1_0', '+1', ' 1' and the digits of every script."""
    if not (field.isascii() and field.isdigit()):
        raise _fault(number, f"{name} must be a whole number of at least 0, not {field[:24]!a}")
    # longer than any size or place that is accepted, and int() of a huge text is slow
    return int(field) if len(field) <= 12 else 10**12


def _shown(lines: list[str], number: int) -> str:
    """A line as a message shows it."""
    return ascii(lines[number - 1][:40]) if len(lines) >= number else "the end of the file"


def _fault(number: int, message: str) -> InvalidInput:
    """The error for one line, counted from 1."""
    return InvalidInput([Problem(None, None, f"line {number}: {message}")])
