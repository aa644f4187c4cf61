"""What a result of the cluster benchmark comes down to, and the bars of two nodes on one machine."""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure

__all__ = ["cluster_bars", "cluster_figures"]

TICK_AGENTS, TICK_MILLISECONDS = 10_000, 4.0
DIVIDED_AGENTS, DIVIDED_ACTORS, DIVIDED_MILLISECONDS = 100_000, 2, 12.0
REALTIME, LATE_MILLISECONDS = (50, 200, 10.0), 50.0
BACK_SECONDS = {"process": 3.0, "node": 30.0, "drained": 2.0}
INTERRUPTED = {
    "process": "the process of a world killed",
    "node": "its node killed",
    "drained": "its node emptied",
}
FAULTS = {
    "lost": "acknowledged steps lost",
    "other_bits": "answers with other bits",
    "of_the_past": "answers of an older life",
}


def cluster_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Medians with their spread, in the order in which they were taken."""
    found = []
    scenes = result["congruence"]
    if scenes:
        found.append(figure("scenes with the digests of `inline` in every step", "scenes", [_same(scenes)]))
    for way, values in result["ways"].items():
        found.append(figure(f"50,000 rows to an actor and back by {way}", "ms", _milliseconds(values)))
    for entry in result["division"]:
        name = f"{entry['agents']:,} agents"
        for engine, seconds in entry["seconds"].items():
            who = "one thread" if engine == "inline" else f"{entry['actors']} {_members(engine)}"
            found.append(figure(f"{name}, {who}: a step", "ms", [value * 1e3 for value in seconds]))
        added = [value * 1e3 for value in entry["added"]]
        found.append(figure(f"{name}: added to the step of as many worker processes", "ms", added))
        found.append(figure(f"{name}: {entry['actors']} actors against one", "times", entry["times_as_fast"]))
    found += _tick_figures(result["tick"])
    for live in result["realtime"]:
        found += _realtime_figures(live)
    for what, deaths in result["killed"].items():
        if deaths:
            name = INTERRUPTED[what]
            found.append(figure(f"{name}: no step acknowledged for", "s", [death["seconds"] for death in deaths]))
            found += [figure(f"{name}: {text}", "", [_sum(deaths, fault)]) for fault, text in FAULTS.items()]
    return found


def _tick_figures(tick: dict[str, Any] | None) -> list[dict[str, Any]]:
    if tick is None:
        return []
    name = f"a tick of {tick['agents']:,} agents"
    return [
        figure(f"{name} through a front end", "ms", _milliseconds(tick["front end"])),
        figure(f"{name} at a server of one machine", "ms", _milliseconds(tick["one machine"])),
        figure(f"{name}: the bare step", "ms", _milliseconds(tick["bare step"])),
    ]


def _realtime_figures(live: dict[str, Any]) -> list[dict[str, Any]]:
    name = f"{live['worlds']} worlds of {live['agents']} agents at {live['rate']:g} Hz {_where(live)}"
    return [
        figure(f"{name}: late by", "ms", _milliseconds(live["late"])),
        figure(f"{name}: late by, 99th percentile", "ms", [live["late"]["p99"] * 1e3]),
        figure(f"{name}: latest", "ms", [live["late"]["max"] * 1e3]),
        figure(f"{name}: steps given up", "steps", [live["given_up"]]),
        figure(f"{name}: steps of those watched that were seen", "%", [live["seen"] * 100.0]),
    ]


def cluster_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What two nodes on a machine with two cores are held to."""
    found = []
    scenes = result["congruence"]
    if scenes:
        name = "scenes with the digests of `inline` in every step"
        found.append(bar(name, float(_same(scenes)), float(len(scenes)), "scenes", at_least=True))
    tick = result["tick"]
    if tick is not None and tick["agents"] == TICK_AGENTS:
        added = (tick["front end"]["median"] - tick["bare step"]["median"]) * 1e3
        found.append(bar("added to a step of 10,000 agents, front end, actor and back", added, TICK_MILLISECONDS, "ms"))
    for entry in result["division"]:
        if (entry["agents"], entry["actors"]) == (DIVIDED_AGENTS, DIVIDED_ACTORS):
            added = spread(entry["added"])["median"] * 1e3
            found.append(bar("added at 100,000 agents over two actors", added, DIVIDED_MILLISECONDS, "ms"))
    for live in result["realtime"]:
        if (live["worlds"], live["agents"], live["rate"]) == REALTIME:
            late = live["late"]["p99"] * 1e3
            found.append(bar(f"50 worlds {_where(live)}, 99th percentile late", late, LATE_MILLISECONDS, "ms"))
    for what, deaths in result["killed"].items():
        if deaths:
            name = INTERRUPTED[what]
            slowest = max(death["seconds"] for death in deaths)
            found.append(bar(f"{name}: back after, the slowest", slowest, BACK_SECONDS[what], "s"))
            found += [bar(f"{name}: {text}", _sum(deaths, fault), 0.0, "") for fault, text in FAULTS.items()]
    return found


def _where(live: dict[str, Any]) -> str:
    return f"in {live['processes']} processes" if live["processes"] else "in a process each"


def _same(scenes: list[dict[str, Any]]) -> int:
    return sum(scene["same_bits"] for scene in scenes)


def _sum(deaths: list[dict[str, Any]], fault: str) -> float:
    return float(sum(death[fault] for death in deaths))


def _members(engine: str) -> str:
    return "actors" if engine == "ray" else "worker processes"


def _milliseconds(values: dict[str, Any]) -> dict[str, float]:
    return {key: values[key] * 1e3 for key in ("median", "p10", "p90")}
