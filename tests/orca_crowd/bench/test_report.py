"""Tables say what was measured, and a document changes between its markers alone."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from orca_crowd.bench import report
from orca_crowd.bench.plot import series


def result(ratio: float = 0.5, agents: int = 10_000, walls: int = 0) -> dict[str, Any]:
    """A result of one scene in which ours takes 1 µs per agent and step."""
    spread = {"median": 1.0, "p10": 0.9, "p90": 1.2}
    ours = {"microseconds_per_agent_step": spread, "agent_steps_per_second": 1e6, "wall_over_processor": 1.0}
    theirs = {**ours, "microseconds_per_agent_step": {"median": 2.0, "p10": 1.9, "p90": 2.5}}
    return {
        "machine": {
            "processor": "a processor",
            "architecture": "x86_64",
            "cores": 2,
            "system": "Linux 6",
            "python": "3.11.7",
            "caches": {"L2 unified": "1024K"},
            "packages": {"numba": "0.60", "pyrvo": None},
        },
        "core": 1,
        "warm_up": 20,
        "steps": 40,
        "block": 5,
        "repeat": 3,
        "scenes": [
            {
                "scene": {"name": f"{agents:,}", "agents": agents, "walls": walls},
                "contenders": {"ours, service": ours, "pyrvo": theirs},
                "ratios": {"ours, service": {"median": ratio, "p10": ratio, "p90": ratio}},
                "crowds": {"pyrvo": {"overlapping": 0.01, "neighbours": 9.5, "progress": 0.8, "neighbours used": 9.4}},
                "phases": {"bin": 0.1, "solve": 0.9},
                "peer_avoids": True,
            }
        ],
    }


def test_rows_name_time_rate_and_share() -> None:
    head, ours, theirs = report.rows(result())
    assert len(head) == len(ours) == len(theirs)
    assert ours == ["10,000", "ours, service", "1.000 (0.900 to 1.200)", "1.00", ours[4]]
    assert ours[4] == "0.500 (0.500 to 0.500), at most 0.55: reached"
    assert theirs[4] == ""


@pytest.mark.parametrize(
    ("ratio", "agents", "walls", "ending"),
    [
        (0.56, 10_000, 0, "at most 0.55: missed"),
        (0.41, 100_000, 0, "at most 0.40: missed"),
        (0.40, 100_000, 0, "at most 0.40: reached"),
        (0.90, 10_000, 200, "0.900)"),
        (0.90, 1_000, 0, "0.900)"),
    ],
)
def test_bars_hold_for_their_scenes(ratio: float, agents: int, walls: int, ending: str) -> None:
    assert report.rows(result(ratio, agents, walls))[1][4].endswith(ending)


def test_a_result_without_a_peer_has_no_share() -> None:
    alone = result()
    del alone["scenes"][0]["ratios"]
    assert [row[4] for row in report.rows(alone)[1:]] == ["", ""]


def test_terminal_and_markdown_hold_the_same_figures() -> None:
    screen = io.StringIO()
    report.show(result(), Console(file=screen, width=200))
    text = report.markdown(result(), "images/kernel.svg")
    for part in ("1.000 (0.900 to 1.200)", "a processor", "kept on core 1", "9.50 (used: 9.40)", "numba 0.60"):
        assert part in screen.getvalue()
        assert part in text
    assert "![" in text
    assert "(images/kernel.svg)" in text
    assert "pyrvo None" not in text


def test_a_busy_machine_and_a_peer_that_does_not_avoid_are_told() -> None:
    assert report.remarks(result()) == []
    doubtful = result()
    doubtful["scenes"][0]["peer_avoids"] = False
    doubtful["scenes"][0]["contenders"]["pyrvo"]["wall_over_processor"] = 1.4
    busy, void = report.remarks(doubtful)
    assert "1.40 times as long" in busy
    assert "void" in void


def test_a_section_is_replaced_between_its_markers_and_nothing_else(tmp_path: Path) -> None:
    document = tmp_path / "performance.md"
    document.write_text(
        "# Head\n<!-- begin kernel -->\nold\n<!-- end kernel -->\n\nkept <!-- begin start -->\n", "utf-8"
    )
    for text in ("first", "second"):
        report.write_section(document, "kernel", text)
        assert document.read_text("utf-8") == (
            f"# Head\n<!-- begin kernel -->\n\n{text}\n\n<!-- end kernel -->\n\nkept <!-- begin start -->\n"
        )


@pytest.mark.parametrize(
    "text",
    [
        "no markers",
        "<!-- begin kernel -->",
        "<!-- end kernel --> <!-- begin kernel -->",
        "<!-- begin kernel --><!-- end kernel --><!-- begin kernel --><!-- end kernel -->",
    ],
)
def test_a_document_without_its_markers_is_left_alone(tmp_path: Path, text: str) -> None:
    document = tmp_path / "performance.md"
    document.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="begin kernel"):
        report.write_section(document, "kernel", "new")
    assert document.read_text("utf-8") == text


def test_the_document_of_the_project_has_both_sections() -> None:
    document = Path(__file__).resolve().parents[3] / "docs" / "performance.md"
    text = document.read_text("utf-8")
    for name in ("kernel", "start"):
        assert text.count(f"<!-- begin {name} -->") == text.count(f"<!-- end {name} -->") == 1


def test_the_start_tells_median_and_slowest() -> None:
    run = [{"healthz_seconds": s, "readyz_seconds": 10.0 * s} for s in (1.0, 3.0, 2.0)]
    head, cold, warm = report.start_rows({"cold": run, "warm": run[:1]})
    assert len(head) == 3
    assert cold == ["empty", "2.00 (slowest 3.00)", "20.00 (slowest 30.00)"]
    assert warm == ["full", "1.00 (slowest 1.00)", "10.00 (slowest 10.00)"]


def test_the_picture_shows_scenes_without_walls_by_agents() -> None:
    both = result()
    both["scenes"] += result(agents=1_000)["scenes"] + result(walls=200)["scenes"]
    assert series(both)["pyrvo"] == [(1_000, 2.0, 1.9, 2.5), (10_000, 2.0, 1.9, 2.5)]


def test_the_same_result_gives_the_same_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="in the extra `bench`")
    # a process of its own each time: matplotlib keeps its fonts open for ever
    script = "import json, sys; from pathlib import Path; from orca_crowd.bench.plot import draw;" + (
        "draw(json.loads(sys.argv[1]), Path(sys.argv[2]))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pictures = [tmp_path / "images" / name for name in ("a.svg", "b.svg")]
    for picture in pictures:
        subprocess.run([sys.executable, "-c", script, json.dumps(result()), str(picture)], env=environment, check=True)
    assert b"<svg" in pictures[0].read_bytes()
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
