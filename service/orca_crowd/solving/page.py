"""Page: a trace as one HTML file that plays it, with nothing to fetch, so that it opens from a disk.

Every column travels as the differences from one frame to the next, whole hundredths in 32 bits, byte by byte of all of
them and then deflated: most agents go on as they did, so most bytes are zero. The browser inflates them by itself.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.corridors import identify
from orca_core.formats.movingai import GridMap
from orca_crowd.solving.trace_file import COLUMNS, STATE_NAMES, Traces

__all__ = ["MOST_ROWS", "packed", "page"]

# lines of agents in one page: 56 bytes of memory each in the browser, and far fewer in the file
MOST_ROWS = 1_500_000
SCRIPTS = ("page_trace.js", "page_stage.js", "page_panel.js", "page.js")
# around what is to be seen where there is no map
MARGIN = 200


def packed(columns: Mapping[str, NDArray[np.int32]]) -> str:
    """Columns int32 (frames, agents) in the order of COLUMNS, deflated, as base64."""
    parts = []
    for name in COLUMNS:
        column = columns[name]
        # the first frame as it is; differences wrap round, and so do their sums
        changes = np.diff(column, axis=0, prepend=np.zeros((1, column.shape[1]), np.int32)).astype("<i4")
        parts.append(changes.reshape(-1).view(np.uint8).reshape(-1, 4).T.tobytes())
    return base64.b64encode(zlib.compress(b"".join(parts), 9)).decode("ascii")


def page(
    title: str,
    traces: Traces,
    *,
    radii: Sequence[float],
    cell_size: float = 1.0,
    grid: GridMap | None = None,
    goals: list[tuple[int, int]] | None = None,
) -> str:
    """The whole page; `radii` are those of the agents by their row, `goals` are (column, row) of each."""
    data: dict[str, Any] = {
        "ids": traces.ids,
        "steps": traces.steps,
        "times": traces.times,
        "columns": COLUMNS,
        "states": STATE_NAMES,
        "radii": list(radii),
        "cellSize": cell_size,
        "box": _box(traces, grid, cell_size),
        "map": _map(grid),
        "goals": None if goals is None else [[(c + 0.5) * cell_size, (r + 0.5) * cell_size] for c, r in goals],
        "note": _note(traces),
        "packed": packed(traces.columns),
    }
    folder = files("orca_crowd.solving")
    template, style, *scripts = (
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "page.css", *SCRIPTS)
    )
    # inside a script nothing may look like its end
    shown = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    fields = {"title": html.escape(title), "style": style, "script": "\n".join(scripts), "data": shown}
    # in one go: what is put in is not looked through again
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fields[found[1]], template)


def _note(traces: Traces) -> str:
    """What of the trace is not in the page."""
    notes = []
    if len(traces.steps) < traces.total:
        notes.append(f"{len(traces.steps):,} of {traces.total:,} steps: the trace is too large for all of them")
    if traces.cut:
        notes.append("the last step was cut off and is left out")
    return "; ".join(notes)


def _map(grid: GridMap | None) -> dict[str, Any] | None:
    """Rows of the map, `.` free and `@` blocked, and the cells of each narrow place, corridors first."""
    if grid is None:
        return None
    corridors = identify(grid)
    return {
        "rows": ["".join("." if free else "@" for free in row) for row in grid.free.tolist()],
        "corridors": corridors.count,
        "places": [corridors.cells(number).tolist() for number in range(corridors.places)],
    }


def _box(traces: Traces, grid: GridMap | None, cell_size: float) -> list[float]:
    """What there is to see: left, top, right, bottom."""
    if grid is not None:
        return [0.0, 0.0, grid.width * cell_size, grid.height * cell_size]
    across, down = traces.columns["x"], traces.columns["y"]
    sides = (across.min() - MARGIN, down.min() - MARGIN, across.max() + MARGIN, down.max() + MARGIN)
    return [float(side) / 100.0 for side in sides]
