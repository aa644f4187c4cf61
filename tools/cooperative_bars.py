"""Run the sweep of docs/sweep/bars.yml and bring docs/cooperative.md up to date with what came of it.

    python tools/cooperative_bars.py MAPS OUT [--procs 2]

MAPS has a folder for each map; OUT keeps the runs, and begun again it goes on. The table of all runs is kept as
docs/sweep/sweep.csv, the figures as docs/images/sweep-*.svg, and the tables stand between their marks in the document.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "docs" / "sweep" / "bars.yml"
TABLE = ROOT / "docs" / "sweep" / "sweep.csv"
DOCUMENT = ROOT / "docs" / "cooperative.md"
IMAGES = ROOT / "docs" / "images"

Row = dict[str, str]


@dataclass(frozen=True)
class Bar:
    """What corca-mapf is to reach on one kind of scenario: runs solved, flow time by the cost of the plan, no calls."""

    kind: str
    agents: int
    solved: int
    ratio: float | None = None
    without_calls: float | None = None


BARS = (
    Bar("gap-64-64-1-gen", 15, 15, 1.6, 0.9),
    Bar("gap-64-64-1-gen", 30, 15, 2.0, 0.9),
    Bar("room-32-32-4-even", 50, 14, 2.0),
    Bar("random-32-32-20-even", 50, 14, 2.0),
    Bar("random-32-32-20-even", 100, 14),
    Bar("random-32-32-20-random", 200, 12),
    Bar("warehouse-10-20-10-2-1-even", 100, 14, 1.6),
    Bar("warehouse-10-20-10-2-1-even", 200, 13),
)
VARIANTS = ("orca", "orca-mapf", "corca", "corca-mapf")
# the scenarios that all variants have
SHARED = ("1", "2", "3")


def read(file: Path) -> list[Row]:
    """All runs."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def chosen(
    rows: Sequence[Row], kind: str, agents: int, variant: str, numbers: Sequence[str] | None = None
) -> list[Row]:
    """The runs of a kind, by the number at the end of their scenarios where those are given."""
    found = [row for row in rows if row["num_agents"] == str(agents) and row["variant"] == variant]
    named = [(row, re.fullmatch(rf"{re.escape(kind)}-([0-9]+)", row["map_name"])) for row in found]
    return [row for row, match in named if match is not None and (numbers is None or match[1] in numbers)]


def solved(rows: Sequence[Row]) -> list[Row]:
    """Those in which everybody was at the goal."""
    return [row for row in rows if row["ended"] == "solved"]


def total(rows: Sequence[Row], column: str) -> float:
    """The sum of a column."""
    return sum(float(row[column]) for row in rows if row[column])


def ratios(rows: Sequence[Row]) -> list[float]:
    """Flow time by the cost of the plan, of each run that is solved."""
    return [float(row["flow_time"]) / float(row["lns_sum_of_costs"]) for row in solved(rows)]


def bar_lines(rows: Sequence[Row]) -> list[str]:
    """A line of Markdown for each bar: what it is, what was reached, and whether that is enough."""
    lines = [
        "| corca-mapf | bar | solved | flow time ÷ cost, mean (worst) | without a call | collisions | reached |",
        "|---|---|---|---|---|---|---|",
    ]
    for bar in BARS:
        found = chosen(rows, bar.kind, bar.agents, "corca-mapf")
        there, times = len(solved(found)), ratios(found)
        free = sum(row["ecbs_count"] == "0" for row in found)
        hits = total(found, "orca_collisions") + total(found, "orca_collisions_obst")
        wanted = [f"{bar.solved} of 15"]
        enough = [there >= bar.solved, hits == 0.0]
        if bar.ratio is not None:
            wanted.append(f"≤ {bar.ratio:g} ×")
            enough.append(bool(times) and statistics.mean(times) <= bar.ratio)
        if bar.without_calls is not None:
            wanted.append(f"{bar.without_calls:.0%} without a call")
            enough.append(bool(found) and free >= bar.without_calls * len(found))
        ratio = f"{statistics.mean(times):.2f} ({max(times):.2f})" if times else ""
        lines.append(
            f"| {bar.kind}, {bar.agents} agents | {', '.join(wanted)} | {there} of {len(found)} | {ratio} "
            f"| {free} of {len(found)} | {hits:.0f} | {'yes' if all(enough) else '**no**'} |"
        )
    return lines


def comparison_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each kind and variant, of the scenarios that all of them have."""
    lines = [
        "| scenarios 1 to 3 | variant | solved | agents there | flow time | calls of ECBS | collisions | ms a step |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for bar in BARS:
        for variant in VARIANTS:
            found = chosen(rows, bar.kind, bar.agents, variant, SHARED)
            if not found:
                continue
            steps = sum(int(row["steps"] or 0) for row in found)
            cost = f"{1e3 * total(found, 'orca_runtime') / steps:.2f}" if steps else ""
            moved = [row for row in found if row["flow_time"]]
            time = f"{total(moved, 'flow_time') / len(moved):,.0f}" if moved else ""
            hits = total(found, "orca_collisions") + total(found, "orca_collisions_obst")
            lines.append(
                f"| {bar.kind}, {bar.agents} | {variant} | {len(solved(found))} of {len(found)} "
                f"| {total(found, 'success_rate') / len(found):.1f} % | {time} "
                f"| {total(found, 'ecbs_count'):,.0f} | {hits:.0f} | {cost} |"
            )
    return lines


def put(text: str, name: str, lines: Sequence[str]) -> str:
    """The document with the lines between two marks; ValueError where they are not there."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"there is no {begin} … {end} in the document")
    return f"{before}{begin}\n\n" + "\n".join(lines) + f"\n\n{end}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Sweep, then write; the exit code is that of the sweep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maps", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--procs", type=int, default=2)
    given = parser.parse_args(arguments)
    command = [sys.executable, "-m", "orca_crowd", "sweep", str(PLAN), "--figures", "svg"]
    options = ["--maps", str(given.maps), "--out", str(given.out), "--procs", str(given.procs)]
    code = subprocess.run([*command, *options], check=False).returncode
    if code:
        return code
    shutil.copyfile(given.out / "sweep.csv", TABLE)
    for figure in (given.out / "figures").glob("*.svg"):
        shutil.copyfile(figure, IMAGES / f"sweep-{figure.name}")
    rows = read(TABLE)
    text = put(DOCUMENT.read_text(encoding="utf-8"), "bars", bar_lines(rows))
    DOCUMENT.write_text(put(text, "comparison", comparison_lines(rows)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
