"""The stream benchmark: what the wire costs beside a step, and how soon everybody who watches has seen it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from orca_crowd.bench.engines import event_loop
from orca_crowd.bench.machine import busy_before, facts
from orca_crowd.bench.peer_sumo import SumoPeer
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, Server, serving_process
from orca_crowd.bench.stream_audience import WARM, idle_bytes, watched
from orca_crowd.bench.stream_encode import encode_seconds
from orca_crowd.bench.stream_figures import stream_bars, stream_figures
from orca_crowd.bench.stream_loop import tight_loop
from orca_crowd.bench.stream_peer import beside_sumo

__all__ = ["FORMAT", "StreamPlan", "measure_stream"]

FORMAT = 1
# points of a distribution that the result keeps
POINTS = 101
# descriptors and sockets that a process has open beside those of the subscribers
BESIDE = 128


@dataclass(frozen=True)
class StreamPlan:
    """What is to be run, each part as large as it says; 0 leaves a part out."""

    engine: str
    workers: int
    agents: tuple[int, ...] = (1_000, 10_000)
    ticks: int = 300
    subscribers: int = 100
    watched_agents: int = 2_000
    rate: float = 30.0
    seconds: float = 20.0
    idle: int = 1_000
    encodes: int = 1_000
    encoded_agents: int = 10_000
    peer: SumoPeer | None = None
    peer_agents: int = 1_000
    peer_blocks: int = 20


def measure_stream(plan: StreamPlan, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run the plan; `tell` hears what is done. Ready for JSON."""
    machine = facts()
    result: dict[str, Any] = {
        "benchmark": "stream",
        "format": FORMAT,
        "machine": machine,
        "engine": plan.engine,
        "workers": plan.workers,
        "facts": _facts(plan),
        "remarks": busy_before(machine),
        "loops": [],
        "watched": None,
        "idle": None,
        "encode": None,
        "peer": None,
    }
    if plan.encodes:
        tell(f"encoding {plan.encoded_agents:,} agents")
        taken, size = encode_seconds(Scene(plan.encoded_agents), plan.encodes)
        result["encode"] = {"agents": plan.encoded_agents, "bytes": size, **distribution(taken)}
    settings = {"sockets": max(plan.subscribers, plan.idle + WARM) + BESIDE}
    with (
        _descriptors(),
        serving_process(plan.engine, plan.workers, **settings) as server,
        asyncio.Runner(loop_factory=event_loop) as runner,
    ):
        result.update(runner.run(_served(plan, server, tell)))
    for entry in result["loops"]:
        if not entry["same_bits"]:
            result["remarks"].append(f"{entry['agents']:,} agents ended apart by one way and by another: void.")
    return {**result, "figures": stream_figures(result), "bars": stream_bars(result)}


async def _served(plan: StreamPlan, server: Server, tell: Callable[[str], None]) -> dict[str, Any]:
    """The parts that go through a socket."""
    found: dict[str, Any] = {"loops": []}
    async with Remote(server.address) as remote:
        # first, since what others leave behind would be taken for theirs
        if plan.idle:
            tell(f"{plan.idle:,} subscribers at rest")
            found["idle"] = await idle_bytes(remote, Scene(plan.watched_agents), server.process, plan.idle)
        for agents in plan.agents if plan.ticks else ():
            tell(f"the tight loop of {agents:,} agents")
            loop = await tight_loop(remote, Scene(agents), plan.ticks, engine=plan.engine, workers=plan.workers)
            found["loops"].append(_told(loop))
        if plan.subscribers:
            tell(f"{plan.subscribers} subscribers of {plan.watched_agents:,} agents at {plan.rate:g} Hz")
            live = await watched(
                remote,
                Scene(plan.watched_agents),
                rate=plan.rate,
                seconds=plan.seconds,
                subscribers=plan.subscribers,
            )
            found["watched"] = {**live, "age": distribution(live["age"])}
        if plan.peer is not None:
            tell(f"beside SUMO with {plan.peer_agents:,} persons")
            found["peer"] = await beside_sumo(remote, plan.peer, Scene(plan.peer_agents), plan.peer_blocks)
    return found


def _told(loop: dict[str, Any]) -> dict[str, Any]:
    """A loop by its distributions; `more` is what each tick took beyond the bare step beside it."""
    seconds, bare = loop["seconds"], loop["bare"]
    more = {name: np.subtract(values, seconds[bare]) for name, values in seconds.items()}
    return {
        "agents": loop["agents"],
        "bare": bare,
        "same_bits": loop["same_bits"],
        "ways": {name: distribution(values) for name, values in seconds.items()},
        "more": {name: distribution(values) for name, values in more.items()},
    }


def distribution(seconds: Sequence[float] | Any) -> dict[str, Any]:
    """Median, 99th percentile, spread, and enough points to draw it; raises RuntimeError where nothing arrived."""
    values = np.asarray(seconds, dtype=np.float64)
    if not len(values):
        raise RuntimeError("nothing arrived, so there is nothing to measure")
    low, middle, high, tail = np.percentile(values, [10.0, 50.0, 90.0, 99.0]).tolist()
    points = np.percentile(values, np.linspace(0.0, 100.0, POINTS)).tolist()
    return {
        "median": middle,
        "p10": low,
        "p90": high,
        "p99": tail,
        "max": float(values.max()),
        "count": len(values),
        "points": points,
    }


def _facts(plan: StreamPlan) -> list[str]:
    """How it was measured, a fact a line."""
    found = [
        f"engine {plan.engine}, {plan.workers} workers; everything on the wall, over loopback, the server in a process "
        "of its own"
    ]
    if plan.ticks:
        found.append(
            "the bare step is the quicker of World.step in the client's thread and through an engine with as many "
            "workers; all ways of taking a tick in turn"
        )
    if plan.subscribers:
        found.append(
            f"{plan.watched_agents:,} agents at {plan.rate:g} Hz to {plan.subscribers} subscribers of positions and "
            "velocities in float32, delivery latest; the age of a frame is what passes from the moment its step was "
            "due until it has been read"
        )
    return found


@contextmanager
def _descriptors() -> Iterator[None]:
    """As many descriptors as the system lets us have, for us and for who we start; as before afterwards."""
    try:
        import resource
    except ImportError:
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))
