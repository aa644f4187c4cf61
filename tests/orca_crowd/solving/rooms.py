"""Two rooms with a gap of one cell between them, agents who cross, and the files of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["GAP", "PLACES", "ROOMS", "row_of", "write_config", "write_map", "write_rooms", "write_scenario"]

ROOMS = ("@@@@@@@@@", "@...@...@", "@...@...@", "@.......@", "@...@...@", "@...@...@", "@@@@@@@@@")
GAP = (4, 3)
Place = tuple[int, int]
# starts and goals, (column, row): the first three go through the gap, one of them the other way
PLACES: tuple[tuple[Place, Place], ...] = (
    ((1, 1), (7, 1)),
    ((7, 5), (1, 5)),
    ((1, 4), (6, 4)),
    ((2, 1), (1, 2)),
)


def row_of(start: Place, goal: Place, name: str = "rooms.map", size: Place = (9, 7)) -> str:
    """A line of a scenario."""
    numbers = (*size, *start, *goal)
    return "\t".join(["0", name, *map(str, numbers), "0"])


def write_map(folder: Path, rows: Sequence[str] = ROOMS, name: str = "rooms.map") -> Path:
    """The map."""
    file = folder / name
    head = f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n"
    file.write_text(head + "\n".join(rows) + "\n", "utf-8")
    return file


def write_scenario(folder: Path, rows: Sequence[str] | None = None, name: str = "rooms-even-1.scen") -> Path:
    """The scenario; left out, that of PLACES."""
    file = folder / name
    lines = [row_of(*place) for place in PLACES] if rows is None else rows
    file.write_text("version 1\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    return file


def write_config(folder: Path, text: str = "", name: str = "config.yml") -> Path:
    """A configuration; left out, all defaults."""
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def write_rooms(folder: Path) -> list[str]:
    """All three, as options of the command."""
    return [
        *("--map", str(write_map(folder)), "--scen", str(write_scenario(folder))),
        *("--config", str(write_config(folder, "run:\n  step_max: 4000\n"))),
    ]
