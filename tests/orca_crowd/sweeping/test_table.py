"""What the runs of a sweep come to: one table of all rows, a line for each kind, and the figures."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from orca_core.cooperative.variants import Variant
from orca_crowd.solving.row import COLUMNS, row_text
from orca_crowd.sweeping.figures import FIGURES, draw_figures
from orca_crowd.sweeping.job import Job
from orca_crowd.sweeping.table import Line, line_text, points_of, table_text
from tests.orca_crowd.solving.outcomes import outcome


def line(number: int, agents: int, variant: Variant, ended: str = "solved", **metrics: object) -> Line:
    run = outcome(variant, ended, **metrics)  # type: ignore[arg-type]
    job = Job(Path("maps/room.map"), Path(f"maps/room-even-{number}.scen"), agents, variant)
    row = next(csv.DictReader(io.StringIO(row_text(run))))
    return Line(job, row, {"ended": ended, "steps": 183, "struck": None, "time_limit": None})


LINES = [
    line(1, 20, Variant.CORCA_MAPF, flow_time=1000.0, lns_sum_of_costs=500, ecbs_count=0),
    line(2, 20, Variant.CORCA_MAPF, flow_time=1500.0, lns_sum_of_costs=1000, ecbs_count=3),
    line(3, 20, Variant.CORCA_MAPF, "standing", flow_time=90_000.0, success_rate=90.0, ecbs_count=0, collisions=2),
    line(1, 40, Variant.CORCA_MAPF, flow_time=2000.0, lns_sum_of_costs=1000),
    line(1, 20, Variant.ORCA, "time-limit", flow_time=3000.0, success_rate=70.0),
]


def test_the_table_has_a_row_for_each_run() -> None:
    rows = list(csv.DictReader(io.StringIO(table_text(LINES))))
    assert list(rows[0]) == ["map", "variant", "ended", "steps", "struck", "time_limit", *COLUMNS]
    assert [(row["map"], row["variant"], row["ended"], row["flow_time"]) for row in rows] == [
        ("room", "corca-mapf", "solved", "1000.0"),
        ("room", "corca-mapf", "solved", "1500.0"),
        ("room", "corca-mapf", "standing", "90000.0"),
        ("room", "corca-mapf", "solved", "2000.0"),
        ("room", "orca", "time-limit", "3000.0"),
    ]
    # columns that a variant does not have are empty
    assert (rows[4]["lns_sum_of_costs"], rows[0]["lns_sum_of_costs"]) == ("", "500")


def test_runs_of_a_kind_come_together() -> None:
    points = points_of(LINES)
    assert [(point.kind, point.agents, point.variant, len(point.lines)) for point in points] == [
        ("room-even", 20, Variant.CORCA_MAPF, 3),
        ("room-even", 40, Variant.CORCA_MAPF, 1),
        ("room-even", 20, Variant.ORCA, 1),
    ]
    assert (points[0].solved, points[0].ratios) == (2, [2.0, 1.5])
    shown = line_text(points).splitlines()
    assert [cell.strip() for cell in shown[2].split("|")[1:-1]] == [
        "room-even", "20", "corca-mapf", "2 of 3", "96.7 %", "30,833", "1.75", "2.00", "3", "2 of 3", "2", "0", "7.8",
    ]  # fmt: skip
    # without a plan there is no ratio
    assert [cell.strip() for cell in shown[4].split("|")[5:9]] == ["70.0 %", "3,000", "", ""]
    assert len({text.count("|") for text in shown}) == 1


def test_no_run_is_no_figure() -> None:
    assert points_of([]) == []
    assert line_text([]).count("\n") == 2


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """The figures, drawn for all tests: matplotlib keeps its fonts open for ever."""
    folder = tmp_path_factory.mktemp("figures")
    return {suffix: draw_figures(points_of(LINES), folder, suffix) for suffix in (".png", ".svg")}


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_figures_are_drawn_and_come_out_again(tmp_path: Path, drawn: dict[str, list[Path]], suffix: str) -> None:
    points, files = points_of(LINES), drawn[suffix]
    assert [file.name for file in files] == [f"{name}{suffix}" for name in FIGURES]
    again = draw_figures(points, tmp_path / "two", suffix)
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]
    if suffix == ".svg":
        assert "corca-mapf" in files[0].read_text("utf-8") or "<path" in files[0].read_text("utf-8")
        return
    with Image.open(files[0]) as picture:
        pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    colours = {tuple(colour) for colour in np.unique(pixels, axis=0).tolist()}
    # the lines of both variants, one of which solved nothing
    assert {(0x1D, 0x5F, 0xD1), (0x8A, 0x94, 0xA6)} <= colours
