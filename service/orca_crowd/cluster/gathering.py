"""The metrics of many processes as those of one server, in the text format of Prometheus.

Counts, sums and buckets are added, sample by sample; of what is a maximum the highest is taken. What a front end counts
itself (requests, keys, sockets of clients, its own process) is its own alone: a process of a world counts the same
request again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector, CollectorRegistry

__all__ = ["gathered"]

MAXIMA: Final = frozenset({"orca_crowd_queued_most", "orca_crowd_journal_replay_seconds"})
# what front ends count
FRONT: Final = (
    *("process_", "orca_crowd_build", "orca_crowd_request", "orca_crowd_problems", "orca_crowd_keys_refused"),
    *("orca_crowd_event_loop", "orca_crowd_handshakes", "orca_crowd_sockets"),
)

Labels = tuple[tuple[str, str], ...]


class _Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        """As they were put together."""
        return self._families


def gathered(own: bytes, others: Iterable[bytes]) -> bytes:
    """One text from that of the front end and those of the processes of worlds."""
    families: dict[str, Metric] = {}
    values: dict[str, dict[tuple[str, Labels], float]] = {}
    for number, text in enumerate([own, *others]):
        for family in text_string_to_metric_families(text.decode()):
            if number and family.name.startswith(FRONT):
                continue
            families.setdefault(family.name, family)
            found = values.setdefault(family.name, {})
            for sample in family.samples:
                key = (sample.name, tuple(sorted(sample.labels.items())))
                before = found.get(key, 0.0)
                if family.name.endswith("_created"):
                    found[key] = min(before or sample.value, sample.value)
                elif family.name in MAXIMA:
                    found[key] = max(before, sample.value)
                else:
                    found[key] = before + sample.value
    registry = CollectorRegistry()
    put_together = []
    for name, family in families.items():
        metric = Metric(name, family.documentation, family.type)
        for (told_as, labels), value in values[name].items():
            metric.add_sample(told_as, dict(labels), value)
        put_together.append(metric)
    registry.register(_Families(put_together))
    return generate_latest(registry)
