"""Results as a benchmark would give them, of figures made up, for tests of what is shown of them."""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.behaviour_bars import behaviour_bars, behaviour_figures
from orca_crowd.bench.dispatch import DIVIDED, OWN
from orca_crowd.bench.durability_figures import durability_bars, durability_figures
from orca_crowd.bench.engine import engine_bars, engine_figures
from orca_crowd.bench.figures import kernel_figures
from orca_crowd.bench.scale import scale_bars, scale_figures
from orca_crowd.bench.scenes import Scene, variants_for
from orca_crowd.bench.stream_figures import stream_bars, stream_figures
from orca_crowd.bench.stream_loop import ENGINE, HERE, POST, SOCKET

__all__ = ["behaviour_result", "durability_result", "engine_result", "kernel_result", "scale_result", "stream_result"]

MACHINE = {
    "processor": "a processor",
    "architecture": "x86_64",
    "cores": 2,
    "cores_allowed": 2,
    "system": "Linux 6",
    "python": "3.11.7",
    "caches": {"L2 unified": "1024K"},
    "packages": {"numba": "0.60", "pyrvo": None},
    "others": 0.0,
}


def distribution(median: float, p99: float) -> dict[str, Any]:
    """A distribution around a median."""
    points = [median] * 50 + [p99] * 51
    return {"median": median, "p10": 0.9 * median, "p90": 1.2 * median, "p99": p99, "max": p99, "points": points}


def kernel_result(agents: int = 10_000, walls: int = 0, time: float = 1.0) -> dict[str, Any]:
    """A result of one scene in which ours takes `time` µs per agent and step, and one variant at twice that."""
    spread = {"median": time, "p10": 0.9 * time, "p90": 1.2 * time}
    ours = {
        "microseconds_per_agent_step": spread,
        "milliseconds_per_step": time * agents / 1e3,
        "agent_steps_per_second": 1e6,
        "wall_over_processor": 1.0,
    }
    theirs = {**ours, "microseconds_per_agent_step": {"median": 2.0, "p10": 1.9, "p90": 2.5}}
    share = {"median": 0.5, "p10": 0.45, "p90": 0.6}
    crowd = {"overlapping": 0.01, "neighbours": 9.5, "progress": 0.8, "neighbours used": 9.4}
    plain, variant, *_ = variants_for(agents, 0)
    entries = [
        {**ours, "scene": scene.facts(), "worst_block": 3.5, "ratio": {**spread, "median": 2.0, "runs": [1.9, 2.1]}}
        for scene in (plain, variant)
    ]
    result = {
        "benchmark": "kernel",
        "machine": MACHINE,
        "core": 1,
        "peers": ["pyrvo"],
        "steps": 40,
        "block": 5,
        "repeat": 3,
        "scenes": [
            {
                "scene": Scene(agents, walls).facts(),
                "block": 20,
                "repeat": 12,
                "contenders": {"ours, service": ours, "pyrvo": theirs},
                "ratios": {"pyrvo": {"ours, service": share}},
                "crowds": {"pyrvo": crowd},
                "phases": {"bin": 0.1, "solve": 0.9},
                "avoids": {"pyrvo": True},
                "left_out": {},
            }
        ],
        "variants": entries,
        "bars": [
            {"name": "a bar", "value": 0.5, "limit": 0.2, "unit": "", "at_least": False, "reached": False},
            {"name": "a rate", "value": 12.5, "limit": 12.0, "unit": "a second", "at_least": True, "reached": True},
        ],
    }
    return {**result, "figures": kernel_figures(result)}


def scale_result(agents: int = 1_000_000, size: int = 590_000_000, step: float = 0.9) -> dict[str, Any]:
    """A result of one world."""
    world = {
        "agents": agents,
        "step": [step, step],
        "bytes": size,
        "peak_bytes": size,
        "snapshot_bytes": 170_000_000,
        "frame_bytes": 16_000_000,
        **{key: [0.1] for key in ("create", "set_agents", "frame", "digest", "snapshot", "restore")},
    }
    result = {"benchmark": "scale", "machine": MACHINE, "engine": "inline", "workers": 2, "worlds": [world]}
    return {**result, "figures": scale_figures(result), "bars": scale_bars(result), "facts": ["how"], "remarks": []}


def engine_result(times: float = 1.75, late: float = 0.02, workers: int = 2) -> dict[str, Any]:
    """A result of every part."""
    result = {
        "benchmark": "engine",
        "machine": MACHINE,
        "engine": "inline",
        "workers": workers,
        "empty": {
            "no call": distribution(5e-5, 1e-4),
            DIVIDED: distribution(2e-4, 4e-4),
            OWN: distribution(1.4e-4, 3e-4),
        },
        "speed_up": [
            {
                "agents": agents,
                "seconds": {"1 worker": [2.0, 2.0], "2 workers": [1.0, 1.0]},
                "times_as_fast": [times, times],
                "same_bits": True,
            }
            for agents in (10_000, 100_000)
        ],
        "tick": {"agents": 1_064, **distribution(2.4e-3, 3e-3)},
        "realtime": {
            "worlds": 200,
            "agents": 100,
            "rate": 20.0,
            "late": distribution(1e-3, late),
            "watched": 20,
            "uncertain": 2e-3,
            "given_up": 0.0,
            "processor": 1.5e-4,
            "seen": 1.0,
        },
    }
    return {**result, "figures": engine_figures(result), "bars": engine_bars(result), "facts": [], "remarks": ["busy"]}


def stream_result(
    more: float = 1e-3,
    age: float = 0.02,
    missed: int = 0,
    bytes: float = 30_000.0,  # noqa: A002  (named as in the result)
    encode: float = 3e-5,
    share: float = 0.04,
) -> dict[str, Any]:
    """A result of every part."""
    ways = (SOCKET, POST, HERE, ENGINE)
    peer = {"steer": [0.1, 0.1], "steer_on_one_core": [0.05, 0.05], "watch": [0.01, 0.01]}
    result = {
        "benchmark": "stream",
        "machine": MACHINE,
        "engine": "inline",
        "workers": 2,
        "loops": [
            {
                "agents": agents,
                "bare": HERE,
                "same_bits": True,
                "ways": {way: distribution(2e-3, 3e-3) for way in ways},
                "more": {way: distribution(more, 1.4e-3) for way in ways},
            }
            for agents in (1_000, 10_000)
        ],
        "watched": {
            "agents": 2_000,
            "rate": 30.0,
            "subscribers": 100,
            "seconds": 20.0,
            "age": distribution(0.01, age),
            "uncertain": 1e-3,
            "given_up": 0.0,
            "missed": missed,
            "frames": 60_000,
            "busy": 0.05,
        },
        "idle": {"agents": 2_000, "subscribers": 1_000, "bytes": bytes},
        "encode": {"agents": 10_000, "bytes": 400_000, **distribution(encode, 2.0 * encode)},
        "peer": {"agents": 1_000, "ours": [0.1 * share, 0.1 * share], **peer},
    }
    return {**result, "figures": stream_figures(result), "bars": stream_bars(result), "facts": [], "remarks": []}


def durability_result(**change: float) -> dict[str, Any]:
    """A result in which every bar is reached, with some values changed."""
    value = {"step": 40e-6, "command": 40e-6, "commands": 3.0, "steps": 3.0, "capture": 2e-3, "beside": 3e-3, **change}
    cost: dict[str, Any] = {"agents": 1_000}
    for what in ("step", "command"):
        cost[what] = {name: distribution(1e-4, 2e-4) for name in ("none", "process", "power")}
        cost[f"more_{what}"] = {name: distribution(value[what], 1e-3) for name in ("process", "power")}
    result = {
        "benchmark": "durability",
        "machine": MACHINE,
        "cost": cost,
        "recovery": [
            {"after": after, "agents": agents, "commands": commands, "seconds": [value[after]], "bytes": 5e6}
            for after, agents, commands in (("commands", 10_000, 10_000), ("steps", 100_000, 0))
        ],
        "snapshot": {
            "agents": 100_000,
            "bytes": 17e6,
            "capture": distribution(1e-3, value["capture"]),
            "alone": distribution(1e-3, 1e-3),
            "beside": distribution(1e-3, value["beside"]),
        },
    }
    return {**result, "figures": durability_figures(result), "bars": durability_bars(result)}


def behaviour_result(delay: float = 5.0) -> dict[str, Any]:
    """A result of one scene in which ours is late by `delay` s on average, and a peer by 5 s."""
    run = {"agents": 10, "arrived": 10, "last": 30.0, "overlap": 0.1, "stalled": 1.0, "flow": 2.0, "steps": 300}
    systems = {
        name: {"plans": plans, "runs": [{**run, "delay": late, "microseconds_per_agent_step": 2.0}]}
        for name, plans, late in (("ours", True, delay), ("pyrvo", False, 5.0))
    }
    flows = [{"width": 1.0, "flow": 1.5}, {"width": 2.0, "flow": 3.5}]
    ring = [{"density": density, "speed": 1.2, "overlap": 0.0} for density in (0.5, 2.0)]
    result = {
        "benchmark": "behaviour",
        "machine": MACHINE,
        "scenes": [{"scene": "hall", "agents": 10, "seeds": [1], "systems": systems, "left_out": {"detour": "as is"}}],
        "pedestrians": {
            "walkers": 60,
            "bottleneck": {"ours": flows, "pyrvo": [{**flows[0], "flow": None}, flows[1]]},
            "ring": {"ours": ring},
            "narrow": {"radius": 0.12, "ring": {"without": ring, "with": ring}},
        },
    }
    return {**result, "figures": behaviour_figures(result), "bars": behaviour_bars(result), "facts": [], "remarks": []}
