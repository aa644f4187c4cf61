"""Table: the rows of all runs in one file, and what they come to for each kind of scenario, number and variant."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orca_core.cooperative.variants import Variant
from orca_crowd.solving.row import COLUMNS
from orca_crowd.sweeping.folder import Folder
from orca_crowd.sweeping.job import Job

__all__ = ["Line", "Point", "line_text", "lines_of", "points_of", "table_text"]

LEADING = ("map", "variant", "ended", "steps", "struck", "time_limit")
HEADINGS = (
    *("scenarios", "agents", "variant", "solved", "agents there", "flowtime", "÷ plan's cost", "most", "ECBS calls"),
    *("runs without", "collisions", "with walls", "seconds"),
)


@dataclass(frozen=True)
class Line:
    """A run that is over: its row and how it ended."""

    job: Job
    row: dict[str, str]
    record: dict[str, object]

    @property
    def solved(self) -> bool:
        """Whether everybody was there."""
        return self.record.get("ended") == "solved"

    def number(self, column: str) -> float:
        """A figure; not a number where the variant has none."""
        text = self.row.get(column, "")
        return float(text) if text else float("nan")


@dataclass(frozen=True)
class Point:
    """All runs of one kind of scenario with so many agents by one variant."""

    map_name: str
    kind: str
    agents: int
    variant: Variant
    lines: list[Line]

    @property
    def solved(self) -> int:
        """Runs in which everybody was there."""
        return sum(line.solved for line in self.lines)

    def column(self, name: str, *, solved: bool = False) -> list[float]:
        """A figure of each run that has it, or of each that is solved."""
        numbers = [line.number(name) for line in self.lines if line.solved or not solved]
        return [number for number in numbers if number == number]

    @property
    def ratios(self) -> list[float]:
        """Flow time by the cost of the plan, of each run that is solved."""
        both = [(line.number("flow_time"), line.number("lns_sum_of_costs")) for line in self.lines if line.solved]
        return [time / cost for time, cost in both if cost > 0.0 and time == time]


def lines_of(folder: Folder, jobs: Sequence[Job]) -> list[Line]:
    """Every run that is over, in the order of the plan."""
    return [Line(job, folder.row(job), folder.record(job)) for job in jobs if folder.has(job)]


def table_text(lines: Sequence[Line]) -> str:
    """One CSV: map, variant and how it ended, then the columns of every run."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow((*LEADING, *COLUMNS))
    for line in lines:
        own = [line.job.map_file.stem, line.job.variant, *(line.record.get(name) for name in LEADING[2:])]
        writer.writerow([*("" if value is None else value for value in own), *(line.row.get(c, "") for c in COLUMNS)])
    return output.getvalue()


def points_of(lines: Sequence[Line]) -> list[Point]:
    """The runs by kind, agents and variant, in the order in which they come first."""
    found: dict[tuple[str, int, Variant], Point] = {}
    for line in lines:
        job = line.job
        key = (f"{job.map_file.stem}/{job.kind}", job.agents, job.variant)
        point = found.setdefault(key, Point(job.map_file.stem, job.kind, job.agents, job.variant, []))
        point.lines.append(line)
    return list(found.values())


def line_text(points: Sequence[Point]) -> str:
    """What the runs come to, as a table in Markdown; flow times are means, and their ratios those of solved runs."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *(_row(point) for point in points)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(point: Point) -> tuple[str, ...]:
    calls, ratios = point.column("ecbs_count"), point.ratios
    clashes = [f"{sum(point.column(name)):,.0f}" for name in ("orca_collisions", "orca_collisions_obst")]
    return (
        point.kind,
        str(point.agents),
        str(point.variant),
        f"{point.solved} of {len(point.lines)}",
        _mean(point.column("success_rate"), "{:.1f} %"),
        _mean(point.column("flow_time"), "{:,.0f}"),
        _mean(ratios, "{:.2f}"),
        f"{max(ratios):.2f}" if ratios else "",
        f"{sum(calls):,.0f}",
        f"{sum(count == 0.0 for count in calls)} of {len(calls)}",
        *clashes,
        _mean(point.column("total_runtime"), "{:.1f}"),
    )


def _mean(numbers: Sequence[float], form: str) -> str:
    return form.format(np.mean(numbers)) if numbers else ""
