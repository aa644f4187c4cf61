"""What the server counts and measures, in a registry of its own, so that several servers fit into one process.

docs/operations.md has a row for each of them.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ["LAG_PERIOD", "LAG_PERIOD_HOSTED", "SIZES", "Metrics"]

# how often the event loop is asked whether it is awake, in seconds
LAG_PERIOD = 0.01
# in a process of worlds, of which a machine may have many: each look wakes it
LAG_PERIOD_HOSTED = 0.5
# classes of worlds by the number of their agents: up to so many; beyond them `more`
SIZES: Final = (100, 1_000, 10_000, 100_000)
CLASSES: Final = (*map(str, SIZES), "more")


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
    handshakes_refused: dict[str, int]
    closed: dict[int, int]


class EngineCounts(Protocol):
    """What the engine counts."""

    name: str

    @property
    def restarts(self) -> int:
        """Workers replaced."""
        ...

    @property
    def hung(self) -> int:
        """Workers that did not answer in time."""
        ...

    @property
    def cold(self) -> int:
        """Workers that came without their kernels."""
        ...


class Metrics:
    """Everything under /metrics."""

    def __init__(self) -> None:
        """Start every count at zero."""
        registry = self.registry = CollectorRegistry()
        # processor time, memory and open files of this process, where the system tells them
        ProcessCollector(registry=registry)
        self._worlds(registry)
        self._journals(registry)
        self._requests(registry)

    def _worlds(self, registry: CollectorRegistry) -> None:
        self.steps = Counter("orca_crowd_steps", "Steps taken, all worlds.", registry=registry)
        self.step_seconds = Histogram(
            "orca_crowd_step_seconds",
            "How long a step takes, by the agents of its world: up to 100, 1000, 10000, 100000, or more.",
            ["size"],
            registry=registry,
            buckets=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3),
        )
        # made at once, so that every class is there from the first scrape on
        self._by_size = [self.step_seconds.labels(size) for size in CLASSES]
        self.late = Counter("orca_crowd_late_steps", "Steps that late realtime worlds gave up.", registry=registry)
        self.barrier_timeouts = Counter(
            "orca_crowd_barrier_timeouts",
            "Steps of barrier worlds that waited no longer for a controller.",
            registry=registry,
        )
        self.overlaps = Counter("orca_crowd_overlaps", "Agents that began to overlap another.", registry=registry)
        self.non_finite = Counter(
            "orca_crowd_non_finite", "Agents stopped because their result was not finite.", registry=registry
        )
        self.worlds = Gauge("orca_crowd_worlds", "Worlds that are here.", registry=registry)
        self.away = Gauge("orca_crowd_away_worlds", "Worlds put away, since nobody used them.", registry=registry)
        self.agents = Gauge("orca_crowd_agents", "Agents in all worlds.", registry=registry)
        self.queued = Gauge("orca_crowd_queued", "Commands, steps and reads that wait, all worlds.", registry=registry)
        self.queued_most = Gauge(
            "orca_crowd_queued_most", "Commands, steps and reads that wait for the world with most.", registry=registry
        )
        self.failed = Gauge("orca_crowd_failed_worlds", "Worlds that stand still after a failure.", registry=registry)
        self.processes = Gauge(
            "orca_crowd_world_processes",
            "Processes of worlds that this front end speaks with; none without a cluster.",
            registry=registry,
        )
        self.found_again = Counter(
            "orca_crowd_worlds_found_again",
            "Worlds whose process was lost to this front end, or moved, and found again.",
            registry=registry,
        )
        self.failures = Counter("orca_crowd_world_failures", "Worlds that have failed.", registry=registry)
        self.restored = Counter(
            "orca_crowd_worlds_restored", "Failed worlds brought back from their journals.", registry=registry
        )

    def _journals(self, registry: CollectorRegistry) -> None:
        self.journal_write_seconds = Histogram(
            "orca_crowd_journal_write_seconds",
            "How long a change or a step waits for its journal before it is acknowledged.",
            registry=registry,
            buckets=(0.00002, 0.00005, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1),
        )
        self.journal_full = Counter(
            "orca_crowd_journal_full", "Writes to journals that found no room on the disk.", registry=registry
        )
        self.cut = Counter("orca_crowd_journals_cut", "Journals whose damaged end was left out.", registry=registry)
        self.journal_bytes = Gauge(
            "orca_crowd_journal_bytes", "Bytes of the journals of the worlds that are here.", registry=registry
        )
        self.journal_log_bytes = Gauge(
            "orca_crowd_journal_log_bytes", "Bytes of journals that wait in their logs.", registry=registry
        )
        self.journal_replay_seconds = Gauge(
            "orca_crowd_journal_replay_seconds",
            "Computing time since the last snapshot, of the world with most: what its recovery would take again.",
            registry=registry,
        )

    def _requests(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "orca_crowd_requests",
            "Requests and handshakes answered, by method and status.",
            ["method", "status"],
            registry=registry,
        )
        self.request_seconds = Histogram(
            "orca_crowd_request_seconds",
            "Time from a request to the head of its answer.",
            registry=registry,
            buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
        )
        self.problems = Counter("orca_crowd_problems", "Requests refused, by code.", ["code"], registry=registry)
        self.keys_refused = Counter(
            "orca_crowd_keys_refused",
            "Requests, handshakes and messages refused for their key: missing, wrong, tries, rate, scope or world.",
            ["reason"],
            registry=registry,
        )
        self.lag = Histogram(
            "orca_crowd_event_loop_lag_seconds",
            "How late the event loop wakes who asked to be woken.",
            registry=registry,
            buckets=(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1),
        )

    def stepped(self, steps: int, seconds: float, agents: int) -> None:
        """Count steps that took so many seconds each, of a world with so many agents."""
        self.steps.inc(steps)
        self._by_size[bisect_left(SIZES, agents)].observe(seconds)

    def events(self, counts: Mapping[str, int]) -> None:
        """Count agents named in events, by kind."""
        if counts.get("overlap"):
            self.overlaps.inc(counts["overlap"])
        if counts.get("non-finite"):
            self.non_finite.inc(counts["non-finite"])

    def key_refused(self, reason: str) -> None:
        """Count somebody who was not let in, or not so far."""
        self.keys_refused.labels(reason).inc()

    def streams(self, counts: StreamCounts, waiting: Callable[[], tuple[int, int]]) -> None:
        """Show what the stream counts; `waiting` gives the replies and the frames that wait for sockets."""
        self.registry.register(_Streams(counts, waiting))

    def engine(self, counts: EngineCounts, version: str) -> None:
        """Show what the engine counts, and what runs here."""
        self.registry.register(_Engine(counts, version))

    async def watch_loop(self, period: float = LAG_PERIOD) -> None:
        """Measure the lag of the running event loop, every `period` seconds, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(period)
            self.lag.observe(max(0.0, loop.time() - before - period))

    def text(self) -> bytes:
        """The Prometheus text format; asks the file system for the sizes of journals, so for a helper thread."""
        return generate_latest(self.registry)


class _Engine(Collector):
    """The counts of the engine, read when somebody asks."""

    def __init__(self, counts: EngineCounts, version: str) -> None:
        self._counts = counts
        self._version = version

    def collect(self) -> Iterator[Metric]:
        """One family a count."""
        build = GaugeMetricFamily("orca_crowd_build_info", "What runs here; always 1.", labels=["version", "engine"])
        build.add_metric([self._version, self._counts.name], 1)
        yield build
        yield CounterMetricFamily(
            "orca_crowd_workers_replaced", "Workers that were lost and replaced.", value=self._counts.restarts
        )
        yield CounterMetricFamily(
            "orca_crowd_workers_hung", "Workers given up since they did not answer in time.", value=self._counts.hung
        )
        yield CounterMetricFamily(
            "orca_crowd_workers_cold",
            "Workers that had to load their kernels themselves; such a replacement takes ten times as long.",
            value=self._counts.cold,
        )


class _Streams(Collector):
    """The counts of the stream, read when somebody asks."""

    def __init__(self, counts: StreamCounts, waiting: Callable[[], tuple[int, int]]) -> None:
        self._counts = counts
        self._waiting = waiting

    def collect(self) -> Iterator[Metric]:
        """One family a count."""
        counts = self._counts
        replies, frames = self._waiting()
        yield GaugeMetricFamily("orca_crowd_sockets", "WebSocket connections that are open.", value=counts.sockets)
        yield GaugeMetricFamily(
            "orca_crowd_subscribers", "WebSocket connections with a subscription.", value=counts.subscribers
        )
        yield GaugeMetricFamily("orca_crowd_replies_queued", "Replies and events that wait for sockets.", value=replies)
        yield GaugeMetricFamily("orca_crowd_frames_queued", "State frames that wait for sockets.", value=frames)
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
            "orca_crowd_frames_replaced",
            "State frames dropped, each replaced by a newer one.",
            value=counts.frames_replaced,
        )
        yield CounterMetricFamily(
            "orca_crowd_messages_refused", "Messages of clients that were refused.", value=counts.messages_refused
        )
        refused = CounterMetricFamily("orca_crowd_handshakes_refused", "Handshakes refused, by code.", labels=["code"])
        for code, count in list(counts.handshakes_refused.items()):
            refused.add_metric([code], count)
        yield refused
        closed = CounterMetricFamily(
            "orca_crowd_sockets_closed", "Sockets closed by the server, by code.", labels=["code"]
        )
        for number, count in list(counts.closed.items()):
            closed.add_metric([str(number)], count)
        yield closed
