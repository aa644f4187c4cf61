"""What the behaviour benchmark comes down to: its figures, and what the project holds itself to in each scene."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.figures import figure

__all__ = ["SLACK", "behaviour_bars", "behaviour_figures", "summary"]

# times the delay of the best
SLACK = 1.05
# m; a touch with rounding is no deeper overlap
SAME = 1e-3
OURS = "ours"


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Runs of one system in one scene as one: sums, means, and the deepest overlap; `last` None unless all arrived."""
    lasts = [run["last"] for run in runs]
    flows = [run["flow"] for run in runs if run["flow"] is not None]
    return {
        "agents": sum(run["agents"] for run in runs),
        "arrived": sum(run["arrived"] for run in runs),
        "last": fmean(lasts) if None not in lasts else None,
        "delay": fmean(run["delay"] for run in runs),
        "overlap": max(run["overlap"] for run in runs),
        "stalled": fmean(run["stalled"] for run in runs),
        "flow": fmean(flows) if flows else None,
        "microseconds_per_agent_step": fmean(run["microseconds_per_agent_step"] for run in runs),
    }


def behaviour_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For each scene and system the delay, the deepest overlap, the time stalled and the cost."""
    found = []
    for entry in result["scenes"]:
        for name, system in entry["systems"].items():
            runs, what = system["runs"], f"{entry['scene']}, {name}"
            found.append(figure(f"{what}: arrived", "share", [run["arrived"] / max(1, run["agents"]) for run in runs]))
            found.append(figure(f"{what}: mean delay", "s", [run["delay"] for run in runs]))
            found.append(figure(f"{what}: deepest overlap", "m", [run["overlap"] for run in runs]))
            found.append(figure(f"{what}: time stalled", "s", [run["stalled"] for run in runs]))
            costs = [run["microseconds_per_agent_step"] for run in runs]
            found.append(figure(f"{what}: a step", "µs per agent and step", costs))
    return found


def behaviour_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """All arrive; and of those peers with whom all do, and who overlap no deeper, none is much sooner."""
    found = []
    for entry in result["scenes"]:
        sums = {name: summary(system["runs"]) for name, system in entry["systems"].items()}
        ours = sums.pop(OURS)
        share = ours["arrived"] / max(1, ours["agents"])
        found.append(bar(f"{entry['scene']}: arrived", share, 1.0, "", at_least=True))
        rivals = [
            peer["delay"]
            for peer in sums.values()
            if peer["arrived"] == peer["agents"] and peer["overlap"] <= ours["overlap"] + SAME
        ]
        if rivals:
            found.append(bar(f"{entry['scene']}: mean delay", ours["delay"], round(SLACK * min(rivals), 3), "s"))
    return found
