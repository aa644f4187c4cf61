"""The doors benchmark on a small crowd: every step is counted once, and every figure has its bar."""

from __future__ import annotations

import json

from orca_crowd.bench import doors, report
from orca_crowd.bench.doors import DoorsPlan, measure_doors
from orca_crowd.bench.flow_cost import FlowCostPlan


def test_every_step_is_counted_and_every_change_has_its_bar() -> None:
    told: list[str] = []
    cost = FlowCostPlan(agents=50, blocks=2)
    plan = DoorsPlan(agents=30, boxes=16, changes=3, warm_up=5, orders=2, at_once=10, cost=cost)
    result = measure_doors(plan, tell=told.append)
    assert json.loads(json.dumps(result)) == result
    assert [text.split()[-1] for text in told] == ["straight", "path", "flow", "turns", "10"]
    assert [figure["unit"] for figure in result["figures"]] == [*["ms"] * 11, *["ms of the processor"] * 2, "ratio"]
    assert all(figure["median"] > 0.0 for figure in result["figures"])
    assert [bar["limit"] for bar in result["bars"]] == [*[2.0] * 12, *[50.0] * 4, 1.1]
    assert set(result["told"]) == {"1", "10"}
    assert result["flow_cost"]["p10"] <= result["bars"][-1]["value"] <= result["flow_cost"]["p90"]
    assert len(result["facts"]) == 2
    usual, after, first = doors._played(DoorsPlan(agents=12, boxes=9, changes=2, warm_up=1), "path")
    assert (len(usual), len(after), len(first)) == (20, 20, 2)
    markdown = report.markdown(result)
    assert "the change and its step, along fields" in markdown
    assert "along fields to straight on, to 4 exits" in markdown
