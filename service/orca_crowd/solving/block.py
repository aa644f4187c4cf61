"""Block: the figures of a run as they are printed for people."""

from __future__ import annotations

from orca_crowd.solving.outcome import Outcome

__all__ = ["block"]


def block(outcome: Outcome) -> str:
    """The lines, without the last line end. Parts that a variant does not have are left out.

    A lifelong run has its throughput, in goals a second of the simulation.
    Where the time limit struck, one more line at the end says at what, since nothing else in it could.
    """
    metrics, seconds = outcome.metrics, outcome.seconds
    lines = ["=== Results ==="]
    if outcome.variant.plans:
        found = f"cost={metrics.lns_sum_of_costs}" if metrics.lns_success else "no plan"
        lines.append(f"LNS: {seconds.plan:.3f}s, {found}")
    if outcome.steps is not None:
        lines += [
            f"ORCA: {seconds.moving:.3f}s, rate={metrics.success_rate:.2f}%",
            f"  Flowtime: {metrics.flow_time:.3f}",
            f"  Makespan: {metrics.makespan:.3f}",
            f"  Collisions: {metrics.collisions}",
            f"  Dependency Triggers: {metrics.dependency_triggers}",
            f"  N_ag: {metrics.n_ag:.6g}",
            f"  ECBS Count: {metrics.ecbs_count}",
        ]
        if metrics.throughput is not None:
            lines.append(f"  Throughput: {metrics.throughput:.6g}")
    lines.append(f"Total: {seconds.total:.3f}s")
    if outcome.struck is not None:
        lines.append(f"Time limit: {outcome.struck}")
    return "\n".join(lines)
