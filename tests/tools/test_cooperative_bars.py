"""What is written of a sweep: bars that are reached and missed, variants beside each other, between marks alone."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.support.imports import ROOT


@pytest.fixture(scope="module")
def bars() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("cooperative_bars", ROOT / "tools" / "cooperative_bars.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def row(kind: str, number: int, agents: int, variant: str, **changed: object) -> dict[str, str]:
    values = {
        "ended": "solved", "steps": 100, "num_agents": agents, "map_name": f"{kind}-{number}", "variant": variant,
        "lns_sum_of_costs": 1000, "flow_time": 1500.0, "success_rate": 100.0, "ecbs_count": 0, "orca_collisions": 0,
        "orca_collisions_obst": 0, "orca_runtime": 0.05, **changed,
    }  # fmt: skip
    return {name: str(value) for name, value in values.items()}


def cells(lines: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def test_a_bar_is_reached_by_all_that_it_asks_for(bars: ModuleType) -> None:
    kind = "gap-64-64-1-gen"
    good = [row(kind, number, 15, "corca-mapf") for number in range(1, 16)]
    # another kind whose name begins alike, another variant and another number of agents are none of it
    noise = [row(f"{kind}-x", 1, 15, "corca-mapf"), row(kind, 1, 15, "corca"), row(kind, 1, 16, "corca-mapf")]
    first = cells(bars.bar_lines(good + noise))[0]
    assert first[1:] == ["15 of 15, ≤ 1.6 ×, 90% without a call", "15 of 15", "1.50 (1.50)", "15 of 15", "0", "yes"]
    for changed in (
        {"ended": "standing"},
        {"flow_time": 4000.0},
        {"orca_collisions": 1},
        {"orca_collisions_obst": 1},
    ):
        assert (
            cells(bars.bar_lines([{**good[0], **{k: str(v) for k, v in changed.items()}}, *good[1:]]))[0][6] == "**no**"
        )
    called = [{**each, "ecbs_count": "1"} for each in good]
    assert [cells(bars.bar_lines(called[:n] + good[n:]))[0][6] for n in (1, 2)] == ["yes", "**no**"]
    # nothing measured is nothing reached
    assert {line[6] for line in cells(bars.bar_lines([]))} == {"**no**"}


def test_variants_stand_beside_each_other_on_the_same_scenarios(bars: ModuleType) -> None:
    kind = "room-32-32-4-even"
    rows = [row(kind, number, 50, "corca-mapf") for number in range(1, 16)]
    stood = {"ended": "time-limit", "success_rate": 90.0, "flow_time": 9000.0, "ecbs_count": 7}
    rows += [row(kind, number, 50, "orca", **stood) for number in (1, 2, 3)]
    assert cells(bars.comparison_lines(rows)) == [
        [f"{kind}, 50", "orca", "0 of 3", "90.0 %", "9,000", "21", "0", "0.50"],
        [f"{kind}, 50", "corca-mapf", "3 of 3", "100.0 %", "1,500", "0", "0", "0.50"],
    ]


def test_what_is_between_the_marks_is_replaced_and_nothing_else(bars: ModuleType) -> None:
    text = "a\n<!-- begin bars -->\nold\n<!-- end bars -->\nb\n"
    new = bars.put(text, "bars", ["| x |"])
    assert new == "a\n<!-- begin bars -->\n\n| x |\n\n<!-- end bars -->\nb\n"
    assert bars.put(new, "bars", ["| x |"]) == new
    with pytest.raises(ValueError, match="there is no"):
        bars.put(text, "other", [])


def test_the_document_has_the_marks_and_the_plan_the_bars(bars: ModuleType) -> None:
    text = bars.DOCUMENT.read_text(encoding="utf-8")
    assert bars.put(bars.put(text, "bars", []), "comparison", []) != ""
    plan = bars.PLAN.read_text(encoding="utf-8")
    assert {bar.kind for bar in bars.BARS} == {
        name.rstrip("-") for name in re.findall(r"scenarios: (\S+?)(?:\*|\[123\])\.scen", plan)
    }
