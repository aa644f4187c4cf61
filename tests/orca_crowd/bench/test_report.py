"""Tables say what was measured, the same in the terminal and in the document."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from orca_crowd.bench import report
from tests.orca_crowd.bench.results import engine_result, kernel_result, scale_result


def shown(result: dict[str, Any]) -> str:
    screen = io.StringIO()
    report.show(result, Console(file=screen, width=250))
    return screen.getvalue()


def test_rows_name_time_rate_and_share() -> None:
    head, ours, theirs = report.contender_rows(kernel_result())
    assert len(head) == len(ours) == len(theirs)
    assert ours == ["10,000", "ours, service", "1.000 (0.900 to 1.200)", "10.00", "1.00"]
    shares = report.share_rows(kernel_result())
    assert shares == [["agents", "who", "share of pyrvo's time"], ["10,000", "ours, service", "0.500 (0.450 to 0.600)"]]


def test_a_result_without_peers_has_no_table_of_shares() -> None:
    alone = kernel_result()
    alone["scenes"][0]["ratios"] = {}
    alone["peers"] = []
    assert report.share_rows(alone) == [["agents", "who"]]
    assert "Shares" not in report.markdown(alone)


def test_variants_say_which_steps_count() -> None:
    head, plain, variant = report.variant_rows(kernel_result())
    assert len(head) == len(plain) == len(variant)
    assert plain[:2] == ["10,000", "20 to 60"]
    assert plain[4] == ""
    assert variant == ["10,000 coincident", "0 to 40", "1.000 (0.900 to 1.200)", "3.500", "2.000 (1.900 to 2.100)"]


def test_a_phase_that_only_some_scenes_have_is_shown() -> None:
    result = kernel_result()
    result["scenes"] += kernel_result(walls=200)["scenes"]
    result["scenes"][1]["phases"] = {"solve": 0.8, "movement": 0.2}
    assert report.phase_rows(result)[1:] == [
        ["bin", "0.1000", "0.0000"],
        ["solve", "0.9000", "0.8000"],
        ["movement", "0.0000", "0.2000"],
    ]


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (kernel_result(), ["1.000 (0.900 to 1.200)", "kept on core 1", "9.50 (used: 9.40)", "at most 0.2", "missed"]),
        (scale_result(), ["590 bytes an agent", "at least 1 a second", "reached", "snapshot", "how"]),
        (engine_result(), ["1.750", "at least 1.8 times", "missed", "140", "busy", "20.00 ms"]),
    ],
    ids=["kernel", "scale", "engine"],
)
def test_terminal_and_markdown_hold_the_same(result: dict[str, Any], parts: list[str]) -> None:
    screen, text = shown(result), report.markdown(result, "images/picture.svg")
    for part in (*parts, "a processor", "numba 0.60"):
        assert part in screen
        assert part in text
    assert "![" in text
    assert "(images/picture.svg)" in text
    assert "pyrvo None" not in text


def test_a_busy_machine_and_a_peer_that_does_not_avoid_are_told() -> None:
    assert report.remarks(kernel_result()) == []
    doubtful = kernel_result()
    doubtful["scenes"][0]["avoids"]["pyrvo"] = False
    doubtful["scenes"][0]["left_out"]["detour"] = "it is tired"
    doubtful["scenes"][0]["contenders"]["pyrvo"]["wall_over_processor"] = 1.4
    busy, void, left_out = report.remarks(doubtful)
    assert "1.40 times as long" in busy
    assert "void" in void
    assert left_out == "10,000: detour is left out, it is tired."


def test_the_start_tells_median_and_slowest() -> None:
    run = [{"healthz_seconds": s, "readyz_seconds": 10.0 * s} for s in (1.0, 3.0, 2.0)]
    head, cold, warm = report.start_section({"cold": run, "warm": run[:1]}).rows
    assert len(head) == 3
    assert cold == ["empty", "2.00 (slowest 3.00)", "20.00 (slowest 30.00)"]
    assert warm == ["full", "1.00 (slowest 1.00)", "10.00 (slowest 10.00)"]
