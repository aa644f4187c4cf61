"""What is written of a run: the row in columns that others read, and the block for people."""

from __future__ import annotations

import csv
import io

import pytest

from orca_core.cooperative.variants import Variant
from orca_crowd.solving.block import block
from orca_crowd.solving.outcome import STEP, Outcome, Struck
from orca_crowd.solving.row import CLOCK_COLUMNS, COLUMNS, row_text
from tests.orca_crowd.solving.outcomes import outcome

HEADER = (
    "num_agents,map_name,lns_success,lns_runtime,lns_sum_of_costs,lns_initial_costs,lns_iterations,lns_avg_group_size,"
    "corridor_identify_time,dependency_build_time,orca_runtime,success_rate,flow_time,orca_makespan,orca_collisions,"
    "orca_collisions_obst,orca_sum_of_costs,dependency_triggers,total_runtime,used_waypoints,mapf_successes,n_ag,"
    "init_count,ecbs_count"
)


def row(run: Outcome) -> dict[str, str]:
    text = row_text(run)
    assert text.count("\n") == 2
    return next(csv.DictReader(io.StringIO(text)))


def test_the_header_is_the_one_that_others_read() -> None:
    assert ",".join(COLUMNS) == HEADER
    for variant in (Variant.CORCA, Variant.CORCA_MAPF, Variant.LNS_ONLY):
        assert row_text(outcome(variant)).splitlines()[0] == HEADER


def test_without_a_plan_its_columns_are_left_out() -> None:
    plan = "lns_success,lns_runtime,lns_sum_of_costs,lns_initial_costs,lns_iterations,lns_avg_group_size,"
    for variant in (Variant.ORCA, Variant.ORCA_MAPF):
        header, values = row_text(outcome(variant)).splitlines()
        assert header == HEADER.replace(plan, "")
        assert len(values.split(",")) == len(header.split(","))


def test_numbers_keep_their_bits_and_truths_are_noughts_and_ones() -> None:
    assert row_text(outcome(Variant.CORCA_MAPF)).splitlines()[1] == (
        "50,room-even-1,1,2.145400,1234,1300,17,8.0,0.010000,0.020000,5.678100,100.0,890.1234,45.678,0,0,"
        "812.0625,3,7.823500,1,2,5.5,2,2"
    )
    assert float(row(outcome(Variant.CORCA, flow_time=0.1 + 0.2))["flow_time"]) == 0.1 + 0.2
    assert row(outcome(Variant.CORCA, lns_success=False))["lns_success"] == "0"


def test_columns_of_the_clock_are_all_that_read_it() -> None:
    run = outcome(Variant.CORCA)
    before = row(run)
    run.seconds.plan = run.seconds.corridors = run.seconds.dependencies = run.seconds.moving = run.seconds.total = 9.0
    after = row(run)
    assert {name for name in COLUMNS if before[name] != after[name]} == set(CLOCK_COLUMNS)


def test_where_nobody_moved_there_is_no_figure_of_it() -> None:
    without = row(outcome(Variant.CORCA, "no-plan", None, lns_success=False))
    assert [without[name] for name in ("success_rate", "flow_time", "orca_makespan")] == ["0.0", "", ""]
    planned = row(outcome(Variant.LNS_ONLY, steps=None))
    assert [planned[name] for name in ("success_rate", "flow_time", "lns_sum_of_costs")] == ["", "", "1234"]


def test_the_block_has_the_lines_that_others_print() -> None:
    assert block(outcome(Variant.CORCA_MAPF, n_ag=50.0)) == (
        "=== Results ===\nLNS: 2.145s, cost=1234\nORCA: 5.678s, rate=100.00%\n  Flowtime: 890.123\n"
        "  Makespan: 45.678\n  Collisions: 0\n  Dependency Triggers: 3\n  N_ag: 50\n  ECBS Count: 2\nTotal: 7.824s"
    )


@pytest.mark.parametrize("variant", [Variant.ORCA, Variant.ORCA_MAPF])
def test_without_a_plan_the_block_is_silent_of_it(variant: Variant) -> None:
    assert block(outcome(variant)).splitlines()[:2] == ["=== Results ===", "ORCA: 5.678s, rate=100.00%"]


def test_the_block_says_what_did_not_come_about() -> None:
    assert block(outcome(Variant.LNS_ONLY, steps=None)).splitlines() == [
        "=== Results ===",
        "LNS: 2.145s, cost=1234",
        "Total: 7.824s",
    ]
    assert "LNS: 2.145s, no plan" in block(outcome(Variant.CORCA, "no-plan", None, lns_success=False))
    assert block(outcome(Variant.ORCA, struck=Struck(STEP, 812))).splitlines()[-1] == "Time limit: step 812"
