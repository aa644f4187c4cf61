"""The engine benchmark: what stands between a step and who asked for it, and how many of them fit the cores."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.dispatch import IDLE, OWN, empty_steps, speed_up
from orca_crowd.bench.engines import event_loop
from orca_crowd.bench.figures import figure
from orca_crowd.bench.machine import busy_before, facts
from orca_crowd.bench.scenes import HEADLINE, Scene
from orca_crowd.bench.serving import Remote, serving
from orca_crowd.bench.tick import realtime, tick_seconds

__all__ = ["FORMAT", "EnginePlan", "engine_bars", "engine_figures", "measure_engine"]

FORMAT = 1
# the bars, for two workers
WORKERS = 2
EMPTY_MICROSECONDS = 150.0
TIMES_AS_FAST = {10_000: 1.7, 100_000: 1.8}
TICK_MILLISECONDS = 2.5
LATE_MILLISECONDS = 25.0
REALTIME = (200, 100, 20.0)
# points of a distribution that the result keeps
POINTS = 101


@dataclass(frozen=True)
class EnginePlan:
    """What is to be run, each part as large as it says; 0 leaves a part out."""

    engine: str
    workers: int
    rounds: int = 2_000
    agents: tuple[int, ...] = (10_000, 100_000)
    steps: int = 40
    ticks: int = 500
    tick_agents: int = HEADLINE
    worlds: int = REALTIME[0]
    world_agents: int = REALTIME[1]
    rate: float = REALTIME[2]
    seconds: float = 20.0
    watched: int = 20


def measure_engine(plan: EnginePlan, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run the plan; `tell` hears what is done. Ready for JSON."""
    machine = facts()
    result: dict[str, Any] = {
        "benchmark": "engine",
        "format": FORMAT,
        "machine": machine,
        "engine": plan.engine,
        "workers": plan.workers,
        "facts": [
            f"engine {plan.engine}, {plan.workers} workers; everything on the wall",
            f"idle steps are those of {IDLE} agents a worker who meet nobody",
            f"in real time {plan.worlds} worlds of {plan.world_agents} agents at {plan.rate:g} Hz, {plan.watched} "
            "of them watched, and once more with a single one; a step is late by what passes from its deadline until "
            "its frame has been read",
        ],
        "remarks": busy_before(machine),
        "empty": {},
        "speed_up": [],
        "tick": None,
        "realtime": None,
        "realtime_hardly_watched": None,
    }
    if plan.rounds:
        tell("empty steps")
        waits = empty_steps(plan.engine, plan.workers, plan.rounds)
        result["empty"] = {name: _distribution(values) for name, values in waits.items()}
    for agents in plan.agents:
        tell(f"{agents:,} agents, one worker and {plan.workers}")
        result["speed_up"].append(speed_up(plan.engine, plan.workers, agents, steps=plan.steps))
    if plan.ticks or plan.worlds:
        with serving(plan.engine, plan.workers) as address, asyncio.Runner(loop_factory=event_loop) as runner:
            result.update(runner.run(_served(plan, address, tell)))
    for entry in result["speed_up"]:
        if not entry["same_bits"]:
            result["remarks"].append(f"With {entry['agents']:,} agents the workers disagree: these figures are void.")
    return {**result, "figures": engine_figures(result), "bars": engine_bars(result)}


async def _served(plan: EnginePlan, address: str, tell: Callable[[str], None]) -> dict[str, Any]:
    """The parts that go through a socket."""
    found: dict[str, Any] = {}
    async with Remote(address) as remote:
        if plan.ticks:
            tell(f"ticks of {plan.tick_agents:,} agents")
            taken = await tick_seconds(remote, Scene(plan.tick_agents), plan.ticks)
            found["tick"] = {"agents": plan.tick_agents, **_distribution(taken)}
        if plan.worlds:
            tell(f"{plan.worlds} worlds in real time")
            scenes = [replace(Scene(plan.world_agents), seed=seed) for seed in range(plan.worlds)]
            for name, watched in (("realtime", min(plan.watched, plan.worlds)), ("realtime_hardly_watched", 1)):
                with at_rest():
                    live = await realtime(remote, scenes, rate=plan.rate, seconds=plan.seconds, watched=watched)
                found[name] = {**live, "late": _distribution(live["late"])}
    return found


@contextmanager
def at_rest() -> Iterator[None]:
    """Keep the collector of this process from what is loaded: its long rounds would look like a server that is late."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _distribution(seconds: Sequence[float] | Any) -> dict[str, Any]:
    """Spread, 99th percentile, maximum, and enough points to draw it."""
    values = np.asarray(seconds, dtype=np.float64)
    if not len(values):
        raise RuntimeError("nothing arrived, so there is nothing to measure")
    points = np.percentile(values, np.linspace(0.0, 100.0, POINTS))
    return {
        **spread(values.tolist()),
        "p99": float(np.percentile(values, 99.0)),
        "max": float(values.max()),
        "count": len(values),
        "points": points.tolist(),
    }


def engine_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Medians with their spread, and the 99th percentile of what has a tail."""
    found = []

    def tailed(name: str, unit: str, factor: float, values: dict[str, Any]) -> None:
        found.append(figure(name, unit, {key: values[key] * factor for key in ("median", "p10", "p90")}))
        found.append(figure(f"{name}, 99th percentile", unit, [values["p99"] * factor]))

    for name, values in result["empty"].items():
        tailed(name, "µs", 1e6, values)
    for entry in result["speed_up"]:
        for who, seconds in entry["seconds"].items():
            found.append(figure(f"{entry['agents']:,} agents, {who}: a step", "ms", [s * 1e3 for s in seconds]))
        found.append(
            figure(
                f"{entry['agents']:,} agents: {result['workers']} workers against one", "times", entry["times_as_fast"]
            )
        )
    if result["tick"] is not None:
        tailed(f"a tick of {result['tick']['agents']:,} agents over the socket", "ms", 1e3, result["tick"])
    for live, how in ((result["realtime"], ""), (result.get("realtime_hardly_watched"), ", one of them watched")):
        if live is None:
            continue
        name = f"{live['worlds']} worlds of {live['agents']} agents at {live['rate']:g} Hz{how}"
        tailed(f"{name}: late by", "ms", 1e3, live["late"])
        for what, unit, value in (
            ("latest", "ms", live["late"]["max"] * 1e3),
            ("beginning of a clock known to within", "ms", live["uncertain"] * 1e3),
            ("steps given up", "steps", live["given_up"]),
            ("processor time of the server's process for a step", "µs", live["processor"] * 1e6),
            ("steps of those watched that were seen", "%", live["seen"] * 100.0),
        ):
            found.append(figure(f"{name}: {what}", unit, [value]))
    return found


def engine_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What two workers are held to."""
    if result["workers"] != WORKERS:
        return []
    found = []
    if result["empty"]:
        own = result["empty"][OWN]["median"] * 1e6
        found.append(bar("an idle step, the engine's own cost", own, EMPTY_MICROSECONDS, "µs"))
    for entry in result["speed_up"]:
        if entry["agents"] in TIMES_AS_FAST:
            value, limit = spread(entry["times_as_fast"])["median"], TIMES_AS_FAST[entry["agents"]]
            found.append(
                bar(f"{entry['agents']:,} agents, two workers against one", value, limit, "times", at_least=True)
            )
    tick = result["tick"]
    if tick is not None and tick["agents"] == HEADLINE:
        found.append(bar(f"a tick of {HEADLINE:,} agents", tick["median"] * 1e3, TICK_MILLISECONDS, "ms"))
    live = result["realtime"]
    if live is not None and (live["worlds"], live["agents"], live["rate"]) == REALTIME:
        found.append(
            bar("worlds in real time, 99th percentile late", live["late"]["p99"] * 1e3, LATE_MILLISECONDS, "ms")
        )
        found.append(bar("worlds in real time, steps given up", live["given_up"], 0.0, "steps"))
    return found
