"""What the server counts and measures, in a registry of its own, so that several servers fit into one process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ["Metrics"]

# how often the event loop is asked whether it is awake, in seconds
LAG_PERIOD = 0.01


class StreamCounts(Protocol):
    """What the stream counts."""

    sockets: int
    subscribers: int
    frames_encoded: int
    fulls_encoded: int
    frames_sent: int
    frames_replaced: int
    resumed: int
    kept_steps: int
    kept_bytes: int
    messages_refused: int
    closed: dict[int, int]


class EngineCounts(Protocol):
    """What the engine counts."""

    @property
    def restarts(self) -> int:
        """Workers replaced."""
        ...

    @property
    def cold(self) -> int:
        """Workers that came without their kernels."""
        ...


class Metrics:
    """Everything under /metrics."""

    def __init__(self) -> None:
        """Start every count at zero."""
        self.registry = CollectorRegistry()
        # processor time, memory and open files of this process, where the system tells them
        ProcessCollector(registry=self.registry)
        self.steps = Counter("orca_crowd_steps", "Steps taken, all worlds.", registry=self.registry)
        self.step_seconds = Histogram(
            "orca_crowd_step_seconds",
            "How long a step takes, all worlds.",
            registry=self.registry,
            buckets=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3),
        )
        self.worlds = Gauge("orca_crowd_worlds", "Worlds that are here.", registry=self.registry)
        self.agents = Gauge("orca_crowd_agents", "Agents in all worlds.", registry=self.registry)
        self.queued = Gauge(
            "orca_crowd_queued", "Commands, steps and reads that wait, all worlds.", registry=self.registry
        )
        self.failed = Gauge(
            "orca_crowd_failed_worlds", "Worlds that stand still after a failure.", registry=self.registry
        )
        self.failures = Counter("orca_crowd_world_failures", "Worlds that have failed.", registry=self.registry)
        self.cut = Counter(
            "orca_crowd_journals_cut", "Journals whose damaged end was left out.", registry=self.registry
        )
        self.late = Counter("orca_crowd_late_steps", "Steps that late realtime worlds gave up.", registry=self.registry)
        self.barrier_timeouts = Counter(
            "orca_crowd_barrier_timeouts",
            "Steps of barrier worlds that waited no longer for a controller.",
            registry=self.registry,
        )
        self.overlaps = Counter("orca_crowd_overlaps", "Agents that began to overlap another.", registry=self.registry)
        self.non_finite = Counter(
            "orca_crowd_non_finite", "Agents stopped because their result was not finite.", registry=self.registry
        )
        self.problems = Counter("orca_crowd_problems", "Requests refused, by code.", ["code"], registry=self.registry)
        self.lag = Histogram(
            "orca_crowd_event_loop_lag_seconds",
            "How late the event loop wakes who asked to be woken.",
            registry=self.registry,
            buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1),
        )

    def events(self, counts: Mapping[str, int]) -> None:
        """Count agents named in events, by kind."""
        if counts.get("overlap"):
            self.overlaps.inc(counts["overlap"])
        if counts.get("non-finite"):
            self.non_finite.inc(counts["non-finite"])

    def streams(self, counts: StreamCounts) -> None:
        """Show what the stream counts."""
        self.registry.register(_Streams(counts))

    def engine(self, counts: EngineCounts) -> None:
        """Show what the engine counts."""
        self.registry.register(_Engine(counts))

    async def watch_loop(self) -> None:
        """Measure the lag of the running event loop until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(LAG_PERIOD)
            self.lag.observe(max(0.0, loop.time() - before - LAG_PERIOD))

    def text(self) -> bytes:
        """The Prometheus text format."""
        return generate_latest(self.registry)


class _Engine(Collector):
    """The counts of the engine, read when somebody asks."""

    def __init__(self, counts: EngineCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """One family a count."""
        yield CounterMetricFamily(
            "orca_crowd_workers_replaced", "Workers that were lost and replaced.", value=self._counts.restarts
        )
        yield CounterMetricFamily(
            "orca_crowd_workers_cold",
            "Workers that had to load their kernels themselves; such a replacement takes ten times as long.",
            value=self._counts.cold,
        )


class _Streams(Collector):
    """The counts of the stream, read when somebody asks."""

    def __init__(self, counts: StreamCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """One family a count."""
        counts = self._counts
        yield GaugeMetricFamily("orca_crowd_sockets", "WebSocket connections that are open.", value=counts.sockets)
        yield GaugeMetricFamily(
            "orca_crowd_subscribers", "WebSocket connections with a subscription.", value=counts.subscribers
        )
        yield GaugeMetricFamily("orca_crowd_kept_steps", "Steps kept of watched worlds.", value=counts.kept_steps)
        yield GaugeMetricFamily("orca_crowd_kept_bytes", "Bytes of the steps kept.", value=counts.kept_bytes)
        yield CounterMetricFamily(
            "orca_crowd_frames_encoded",
            "State frames encoded: one a step for all who asked for and know the same.",
            value=counts.frames_encoded,
        )
        yield CounterMetricFamily(
            "orca_crowd_fulls_encoded", "Whole states encoded for who begins to watch.", value=counts.fulls_encoded
        )
        yield CounterMetricFamily("orca_crowd_frames_sent", "State frames sent.", value=counts.frames_sent)
        yield CounterMetricFamily(
            "orca_crowd_resumed", "Clients who went on from a step that was still kept.", value=counts.resumed
        )
        yield CounterMetricFamily(
            "orca_crowd_frames_replaced", "State frames replaced by newer ones.", value=counts.frames_replaced
        )
        yield CounterMetricFamily(
            "orca_crowd_messages_refused", "Messages of clients that were refused.", value=counts.messages_refused
        )
        closed = CounterMetricFamily(
            "orca_crowd_sockets_closed", "Sockets closed by the server, by code.", labels=["code"]
        )
        for code, count in counts.closed.items():
            closed.add_metric([str(code)], count)
        yield closed
