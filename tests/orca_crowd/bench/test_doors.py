"""The doors benchmark on a small crowd: every step is counted once, and every figure has its bar."""

from __future__ import annotations

import json

from orca_crowd.bench import doors, report
from orca_crowd.bench.doors import DoorsPlan, measure_doors


def test_every_step_is_counted_and_every_change_has_its_bar() -> None:
    told: list[str] = []
    result = measure_doors(DoorsPlan(agents=30, boxes=16, changes=3, warm_up=5, orders=2, at_once=10), tell=told.append)
    assert json.loads(json.dumps(result)) == result
    assert [text.split()[-1] for text in told] == ["straight", "path", "10"]
    assert len(result["figures"]) == 8
    assert all(figure["unit"] == "ms" and figure["median"] > 0.0 for figure in result["figures"])
    assert [bar["limit"] for bar in result["bars"]] == 8 * [2.0] + 4 * [50.0]
    assert set(result["told"]) == {"1", "10"}
    usual, after, first = doors._played(DoorsPlan(agents=12, boxes=9, changes=2, warm_up=1), "path")
    assert (len(usual), len(after), len(first)) == (20, 20, 2)
    assert "the change and its step, along ways" in report.markdown(result)
