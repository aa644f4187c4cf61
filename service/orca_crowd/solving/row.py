"""Row: the figures of a run as one row of CSV, in columns with the names and in the order that others read."""

from __future__ import annotations

import csv
import io
from typing import Any

from orca_crowd.solving.outcome import Outcome

__all__ = ["COLUMNS", "PLAN_COLUMNS", "columns_of", "row_text", "values_of"]

COLUMNS = (
    "num_agents",
    "map_name",
    "lns_success",
    "lns_runtime",
    "lns_sum_of_costs",
    "lns_initial_costs",
    "lns_iterations",
    "lns_avg_group_size",
    "corridor_identify_time",
    "dependency_build_time",
    "orca_runtime",
    "success_rate",
    "flow_time",
    "orca_makespan",
    "orca_collisions",
    "orca_collisions_obst",
    "orca_sum_of_costs",
    "dependency_triggers",
    "total_runtime",
    "used_waypoints",
    "mapf_successes",
    "n_ag",
    "init_count",
    "ecbs_count",
)
# of a plan, which the variants without guidance do not make; they leave these columns out
PLAN_COLUMNS = tuple(name for name in COLUMNS if name.startswith("lns_"))
# read off the clock on the wall, and so the only ones that differ between two runs of one seed
CLOCK_COLUMNS = ("lns_runtime", "corridor_identify_time", "dependency_build_time", "orca_runtime", "total_runtime")
# of moving: without a step there is nothing to say of it
MOVED_COLUMNS = ("success_rate", "flow_time", "orca_makespan", "orca_sum_of_costs")


def columns_of(outcome: Outcome) -> tuple[str, ...]:
    """The columns that a run of this variant has."""
    if outcome.variant.plans:
        return COLUMNS
    return tuple(name for name in COLUMNS if name not in PLAN_COLUMNS)


def values_of(outcome: Outcome) -> dict[str, Any]:
    """The value of every column of a run; None where nobody moved and there is no figure."""
    own = {"num_agents": outcome.agents, "map_name": outcome.name, **outcome.seconds.columns()}
    # the library has no need to say whose makespan it is
    values = {
        name: own[name] if name in own else getattr(outcome.metrics, name.removeprefix("orca_"))
        for name in columns_of(outcome)
    }
    if outcome.steps is None:
        values.update(dict.fromkeys(MOVED_COLUMNS))
        # nobody got there, where somebody was to go
        values["success_rate"] = 0.0 if outcome.variant.moves else None
    return values


def row_text(outcome: Outcome) -> str:
    """The header and the one row."""
    values = values_of(outcome)
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(values)
    writer.writerow([_shown(name, value) for name, value in values.items()])
    return output.getvalue()


def _shown(name: str, value: Any) -> str:
    """Truths as 0 and 1, times of the clock to the microsecond, other numbers with all their bits."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if name in CLOCK_COLUMNS:
        return f"{value:.6f}"
    return repr(value) if isinstance(value, float) else str(value)
