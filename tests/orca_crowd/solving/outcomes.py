"""Outcomes of runs that nobody made, for what is only written down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orca_core.cooperative.metrics import Metrics
from orca_core.cooperative.variants import Variant
from orca_crowd.solving.outcome import Outcome, Seconds, Struck

__all__ = ["METRICS", "outcome"]

METRICS = Metrics(
    num_agents=50,
    steps=183,
    success_rate=100.0,
    flow_time=890.1234,
    makespan=45.678,
    collisions=0,
    collisions_obst=0,
    sum_of_costs=812.0625,
    dependency_triggers=3,
    lns_success=True,
    lns_sum_of_costs=1234,
    lns_initial_costs=1300,
    lns_iterations=17,
    lns_avg_group_size=8.0,
    used_waypoints=True,
    mapf_successes=2,
    n_ag=5.5,
    init_count=2,
    ecbs_count=2,
)


def outcome(
    variant: Variant, ended: str = "solved", steps: int | None = 183, struck: Struck | None = None, **metrics: Any
) -> Outcome:
    """A run of fifty agents with the figures of METRICS but for those that are given."""
    seconds = Seconds(plan=2.1454, corridors=0.01, dependencies=0.02, moving=5.6781, total=7.8235)
    return Outcome("room-even-1", 50, variant, replace(METRICS, **metrics), ended, steps, struck, seconds)
