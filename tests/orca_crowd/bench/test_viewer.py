"""The page is measured in a real browser; what comes of it has a bar for the crowd that is promised."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from orca_crowd.bench import app, report
from orca_crowd.bench.viewer import LOOKS, measure_viewer, viewer_result
from tests.support.browser import find_browser


def test_a_real_page_is_measured_in_every_look() -> None:
    result = measure_viewer(str(find_browser()), agents=50, frames=10)
    names = [figure["name"] for figure in result["figures"]]
    assert [look for look in LOOKS if not any(look in name for name in names)] == []
    assert all(figure["median"] > 0.0 for figure in result["figures"])
    assert result["bars"] == []


@pytest.mark.parametrize(("slow", "reached"), [(10.0, True), (20.0, False)])
def test_the_bar_is_the_slowest_look_of_the_promised_crowd(slow: float, reached: bool) -> None:
    result = viewer_result(20_000, {"one": [1.0] * 50, "other": [slow] * 50})
    (bar,) = result["bars"]
    assert bar["value"] == slow
    assert bar["reached"] is reached
    assert "99th percentile" in report.markdown(result)


def test_without_a_browser_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    done = CliRunner().invoke(app, ["viewer"])
    assert done.exit_code == 2
    assert "--browser" in done.output
