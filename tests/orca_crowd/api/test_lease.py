"""The right to step over REST."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.orca_crowd.api.checks import faults, problem


@pytest.fixture
def crowd(client: httpx.Client, world: str) -> str:
    """Path of a world with an agent."""
    assert client.post(f"{world}/agents", json={"agents": [{"id": 1, "position": [0, 0]}]}).status_code == 201
    return world


def test_only_the_holder_of_the_lease_steps(client: httpx.Client, crowd: str) -> None:
    mine, other = {"Orca-Crowd-Lease": "me"}, {"Orca-Crowd-Lease": "you"}
    taken = client.post(f"{crowd}/lease", json={"holder": "me", "ttl": 60})
    assert taken.status_code == 200
    assert taken.json()["holder"] == "me"
    assert taken.json()["expires"] > 1.6e9
    assert client.post(f"{crowd}/steps", json={}, headers=mine).json()["step"] == 1
    for headers in ({}, other):
        assert problem(client.post(f"{crowd}/steps", json={}, headers=headers), 409, "leased")["holder"] == "me"
    # commands need no lease
    assert client.patch(f"{crowd}/agents/1", json={"radius": 0.25}).status_code == 200
    problem(client.post(f"{crowd}/lease", json={"holder": "you", "ttl": 60}), 409, "leased")
    assert client.post(f"{crowd}/lease", json={"holder": "me", "ttl": 30}).status_code == 200
    problem(client.delete(f"{crowd}/lease", headers=other), 409, "leased")
    problem(client.delete(f"{crowd}/lease"), 409, "leased")
    assert client.delete(f"{crowd}/lease", headers=mine).status_code == 204
    assert client.delete(f"{crowd}/lease").status_code == 204
    assert client.post(f"{crowd}/steps", json={}).json()["step"] == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"ttl": 5}, "holder"),
        ({"holder": "me"}, "ttl"),
        ({"holder": "", "ttl": 5}, "holder"),
        ({"holder": 5, "ttl": 5}, "holder"),
        ({"holder": "me", "ttl": 0}, "ttl"),
        ({"holder": "me", "ttl": 1e9}, "ttl"),
        ({"holder": "me", "ttl": "5"}, "ttl"),
    ],
)
def test_a_wrong_lease_is_named(client: httpx.Client, crowd: str, body: dict[str, Any], field: str) -> None:
    assert faults(client.post(f"{crowd}/lease", json=body)) == {(None, field)}
