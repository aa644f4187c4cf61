"""Numbers are short, bars say which way they go, and a document changes between its markers alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from orca_crowd.bench.bars import bar
from orca_crowd.bench.tables import bar_section, busy_line, plain_number, write_section


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.500"), (9.9994, "9.999"), (12.345, "12.35"), (123.4, "123"), (1e6, "1,000,000")]
)
def test_numbers_have_three_digits_that_count(value: float, text: str) -> None:
    assert plain_number(value) == text


@pytest.mark.parametrize(
    ("value", "at_least", "cells"),
    [
        (2.5, False, ["2.500 ms", "at most 2.5 ms", "reached"]),
        (2.51, False, ["2.510 ms", "at most 2.5 ms", "missed"]),
        (2.49, True, ["2.490 ms", "at least 2.5 ms", "missed"]),
        (2.5, True, ["2.500 ms", "at least 2.5 ms", "reached"]),
    ],
)
def test_a_bar_is_reached_or_missed(value: float, at_least: bool, cells: list[str]) -> None:
    section = bar_section([bar("a tick", value, 2.5, "ms", at_least=at_least)])
    assert section.rows[1] == ["a tick", *cells]
    assert not section.empty
    assert bar_section([]).empty


def test_a_quiet_machine_is_not_remarked() -> None:
    assert busy_line(1.04) == []
    assert "1.30 times" in busy_line(1.3)[0]


def test_a_section_is_replaced_between_its_markers_and_nothing_else(tmp_path: Path) -> None:
    document = tmp_path / "performance.md"
    document.write_text(
        "# Head\n<!-- begin kernel -->\nold\n<!-- end kernel -->\n\nkept <!-- begin start -->\n", "utf-8"
    )
    for text in ("first", "second"):
        write_section(document, "kernel", text)
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
        write_section(document, "kernel", "new")
    assert document.read_text("utf-8") == text


def test_the_document_of_the_project_has_every_section() -> None:
    document = Path(__file__).resolve().parents[3] / "docs" / "performance.md"
    text = document.read_text("utf-8")
    for name in ("kernel", "scale", "engine", "start"):
        assert text.count(f"<!-- begin {name} -->") == text.count(f"<!-- end {name} -->") == 1
