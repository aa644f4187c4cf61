"""What a result of the durability benchmark comes down to: figures, and the bars."""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.durability_cost import DURABILITIES, NONE, PROCESS
from orca_crowd.bench.figures import figure

__all__ = ["durability_bars", "durability_figures"]

# the world whose steps and commands the cost is about, and what `process` may cost at the median
COST_AGENTS = 1_000
MORE_MICROSECONDS = 60.0
# agents and commands of the worlds whose recovery has a bar
RECOVERED = {("commands", 10_000, 10_000): 5.0, ("steps", 100_000, 0): 5.0}
SNAPSHOT_AGENTS = 100_000
DELAY_MILLISECONDS = 5.0


def durability_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Medians with their spread, and the 99th percentile of what has a tail."""
    found = []

    def tailed(name: str, unit: str, factor: float, values: dict[str, Any]) -> None:
        found.append(figure(name, unit, {key: values[key] * factor for key in ("median", "p10", "p90")}))
        found.append(figure(f"{name}, 99th percentile", unit, [values["p99"] * factor]))

    cost = result["cost"]
    if cost is not None:
        for what in ("step", "command"):
            for name in DURABILITIES:
                tailed(f"a {what}, {name}", "µs", 1e6, cost[what][name])
            for name in DURABILITIES:
                if name != NONE:
                    tailed(f"a {what}, {name} beyond {NONE}", "µs", 1e6, cost[f"more_{what}"][name])
    for entry in result["recovery"]:
        found.append(figure(recovered(entry), "s", entry["seconds"]))
        found.append(figure(f"{recovered(entry)}: its file", "MB", [entry["bytes"] / 1e6]))
    snapshot = result["snapshot"]
    if snapshot is not None:
        size = f"{snapshot['agents']:,} agents"
        tailed(f"a snapshot of {size}: what its world waits for", "ms", 1e3, snapshot["capture"])
        tailed("a tick beside no snapshot, late by", "ms", 1e3, snapshot["alone"])
        tailed(f"a tick beside a snapshot of {size}, late by", "ms", 1e3, snapshot["beside"])
        found.append(figure(f"a snapshot of {size}", "MB", [snapshot["bytes"] / 1e6]))
    return found


def recovered(entry: dict[str, Any]) -> str:
    """How a recovery is called."""
    after = f"{entry['commands']:,} commands" if entry["commands"] else "steps"
    return f"recovery of {entry['agents']:,} agents after {after}"


def durability_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What the project holds itself to, as far as the result has it."""
    found = []
    cost = result["cost"]
    if cost is not None and cost["agents"] == COST_AGENTS:
        for what in ("step", "command"):
            more = cost[f"more_{what}"][PROCESS]["median"] * 1e6
            found.append(bar(f"a {what}, {PROCESS} beyond {NONE}", more, MORE_MICROSECONDS, "µs"))
    for entry in result["recovery"]:
        limit = RECOVERED.get((entry["after"], entry["agents"], entry["commands"]))
        if limit is not None:
            found.append(bar(recovered(entry), spread(entry["seconds"])["median"], limit, "s"))
    snapshot = result["snapshot"]
    if snapshot is not None and snapshot["agents"] == SNAPSHOT_AGENTS:
        own = snapshot["capture"]["p99"] * 1e3
        found.append(bar("a snapshot, delay of its world's tick, 99th percentile", own, DELAY_MILLISECONDS, "ms"))
        more = (snapshot["beside"]["p99"] - snapshot["alone"]["p99"]) * 1e3
        found.append(bar("a snapshot, delay of ticks beside it, 99th percentile", more, DELAY_MILLISECONDS, "ms"))
    return found
