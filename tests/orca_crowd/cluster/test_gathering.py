"""Metrics of many processes as those of one server."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from orca_crowd.cluster.gathering import gathered
from orca_crowd.metrics import Metrics


def values(text: bytes) -> dict[str, float]:
    return {
        sample.name + "".join(f"{{{label}={value}}}" for label, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def test_counts_are_added_and_maxima_are_not() -> None:
    front, *worlds = (Metrics() for _ in range(3))
    for number, each in enumerate(worlds):
        each.stepped(10, 0.002, 500)
        each.agents.set(100)
        each.queued_most.set(5 - number)
        each.requests.labels("GET", "200").inc(7)
    front.requests.labels("GET", "200").inc(2)
    found = values(gathered(front.text(), [each.text() for each in worlds]))
    assert found["orca_crowd_steps_total"] == 20
    assert found["orca_crowd_agents"] == 200
    assert found["orca_crowd_queued_most"] == 5
    assert found["orca_crowd_step_seconds_count{size=1000}"] == 2
    assert found["orca_crowd_step_seconds_bucket{le=0.003}{size=1000}"] == 2
    # a request is counted where the client sent it
    assert found["orca_crowd_requests_total{method=GET}{status=200}"] == 2
    # a counter began when the first of them did
    assert found["orca_crowd_steps_created"] == min(
        values(each.text())["orca_crowd_steps_created"] for each in (front, *worlds)
    )
