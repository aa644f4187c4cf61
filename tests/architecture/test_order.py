"""The order in which tests are handed out names what there is, and keeps together what belongs together."""

from __future__ import annotations

import pytest

from tests.support.imports import ROOT
from tests.support.order import LONGEST, TOGETHER, place_of, share_of


def test_every_file_and_folder_of_the_order_is_there() -> None:
    named = [*LONGEST, *(part for parts in TOGETHER for part in parts)]
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("parts", TOGETHER, ids=lambda parts: parts[0])
def test_what_belongs_together_is_one_share(parts: tuple[str, ...]) -> None:
    files = [file for part in parts for file in (ROOT / part).parent.rglob("test_*.py")]
    files = [file for file in files if any(file.is_relative_to(ROOT / part) for part in parts)]
    assert len(files) > 1
    assert {share_of(f"{file.relative_to(ROOT).as_posix()}::test[a::b]") for file in files} == {parts[0]}


def test_all_else_is_shared_file_by_file_and_what_takes_long_comes_first() -> None:
    assert share_of("tests/architecture/test_order.py::test[a::b]") == "tests/architecture/test_order.py"
    places = [place_of(ROOT / name, ROOT) for name in (*LONGEST, "tests/architecture/test_order.py")]
    assert places == sorted(set(places))
