"""Two results are compared where they have the same figures, and what makes the comparison doubtful is told."""

from __future__ import annotations

from typing import Any

import pytest

from orca_crowd.bench.difference import Incomparable, compared
from tests.orca_crowd.bench.results import engine_result, kernel_result, scale_result


def ratio_of(old: dict[str, Any], new: dict[str, Any], name: str) -> list[str]:
    section, _ = compared(old, new)
    return next(row for row in section.rows if row[0] == name)


def test_each_figure_shows_old_new_and_ratio() -> None:
    row = ratio_of(kernel_result(), kernel_result(time=0.5), "10,000: ours, service")
    assert row == ["10,000: ours, service", "µs per agent and step", "1.000", "0.500", "0.500 *"]
    # a tenth less is within the spread
    assert ratio_of(kernel_result(), kernel_result(time=0.9), "10,000: ours, service")[4] == "0.900"


def test_what_only_one_has_is_counted_and_not_compared() -> None:
    both = kernel_result()
    both["figures"] = both["figures"] + [{**both["figures"][0], "name": "another"}]
    section, lines = compared(kernel_result(), both)
    assert "another" not in [row[0] for row in section.rows]
    assert "Only in the new one: 1 figures." in lines


def test_a_zero_has_no_ratio() -> None:
    name = "200 worlds of 100 agents at 20 Hz: steps given up"
    assert ratio_of(engine_result(), engine_result(), name)[4] == ""


def test_another_machine_or_engine_is_told() -> None:
    old, new = engine_result(), engine_result()
    assert not any("differ" in line for line in compared(old, new)[1])
    new["machine"] = {**new["machine"], "processor": "another"}
    new["engine"] = "processes"
    lines = compared(old, new)[1]
    assert any("machines differ" in line for line in lines)
    assert "The old run had engine inline, the new one processes." in lines


def test_results_of_two_kinds_or_of_nothing_in_common_are_refused() -> None:
    with pytest.raises(Incomparable, match="of engine, the second of scale"):
        compared(engine_result(), scale_result())
    with pytest.raises(Incomparable, match="no figure in common"):
        compared(scale_result(agents=1_000), scale_result())
