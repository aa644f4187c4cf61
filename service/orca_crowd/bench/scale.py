"""The scale benchmark: one large world, its memory, its step, and everything that is done to all its agents at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure
from orca_crowd.bench.machine import busy_before, facts
from orca_crowd.bench.start import child_environment

__all__ = ["FORMAT", "measure_scale", "scale_bars", "scale_figures"]

FORMAT = 1
# at least so many steps a second, by number of agents, with two workers
STEPS_A_SECOND = {100_000: 12.0, 1_000_000: 1.0}
WORKERS = 2
# at most so many bytes an agent for everything
BYTES = {1_000_000: 600.0}
# what is measured of a world, and how it is called
DONE = {
    "create": "creation by columns",
    "set_agents": "preferred velocities of all by columns",
    "frame": "a frame of all, copied and encoded (float32, MessagePack)",
    "digest": "digest",
    "snapshot": "snapshot",
    "restore": "restore",
}


def measure_scale(
    agents: list[int], *, engine: str, workers: int, steps: int, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Each world in a process of its own, one after the other; `tell` hears what is done. Ready for JSON."""
    machine = facts()
    worlds = []
    for count in agents:
        tell(f"{count:,} agents")
        plan = {"agents": count, "engine": engine, "workers": workers, "steps": steps}
        worlds.append(_in_a_process(plan, tell))
    result: dict[str, Any] = {
        "benchmark": "scale",
        "format": FORMAT,
        "machine": machine,
        "engine": engine,
        "workers": workers,
        "worlds": worlds,
        "facts": [
            f"engine {engine}, {workers} workers; steps 20 to {20 + steps}, waited for by the event loop, on the wall"
        ],
        "remarks": busy_before(machine),
    }
    return {**result, "figures": scale_figures(result), "bars": scale_bars(result)}


def _in_a_process(plan: dict[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure one world; raises RuntimeError where its process fails."""
    command = [sys.executable, "-m", "orca_crowd.bench.one_world", json.dumps(plan)]
    said: list[str] = []
    pipe, environment = subprocess.PIPE, child_environment()
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stderr:
            said.append(line.rstrip())
            tell(f"{plan['agents']:,} agents: {said[-1]}")
        answer = child.stdout.read()
    if child.returncode:
        raise RuntimeError(f"the world of {plan['agents']:,} agents could not be measured: {said[-1] if said else ''}")
    found: dict[str, Any] = json.loads(answer)
    return found


def scale_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Steps, memory, and all that is done at once, for each world."""
    found = []
    for world in result["worlds"]:
        agents = world["agents"]
        name = f"{agents:,} agents"
        found.append(figure(f"{name}: a step", "ms", [seconds * 1e3 for seconds in world["step"]]))
        found.append(figure(f"{name}: steps", "a second", [1.0 / seconds for seconds in world["step"]]))
        for key, what in (("bytes", "memory"), ("peak_bytes", "memory at its highest while stepping")):
            if world.get(key) is not None:
                found.append(figure(f"{name}: {what}", "bytes an agent", [world[key] / agents]))
        for key, what in (("snapshot_bytes", "snapshot"), ("frame_bytes", "frame")):
            found.append(figure(f"{name}: {what}", "bytes an agent", [world[key] / agents]))
        for key, what in DONE.items():
            found.append(figure(f"{name}: {what}", "ms", [seconds * 1e3 for seconds in world[key]]))
    return found


def scale_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Steps a second and bytes an agent, for worlds of the sizes that have such bars."""
    found = []
    for world in result["worlds"]:
        agents = world["agents"]
        name = f"{agents:,} agents"
        if agents in STEPS_A_SECOND and result["workers"] == WORKERS:
            rate = spread([1.0 / seconds for seconds in world["step"]])["median"]
            found.append(
                bar(f"{name}, {WORKERS} workers, steps", rate, STEPS_A_SECOND[agents], "a second", at_least=True)
            )
        if agents in BYTES and world.get("bytes") is not None:
            found.append(bar(f"{name}, everything", world["bytes"] / agents, BYTES[agents], "bytes an agent"))
    return found
