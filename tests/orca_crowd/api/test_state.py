"""Digests, snapshots and restored worlds over REST."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import httpx
import numpy as np
import pytest

from tests.orca_crowd.api.checks import digest, problem

BYTES = {"content-type": "application/octet-stream"}


@pytest.fixture
def crowd(client: httpx.Client, world: str) -> str:
    """Path of a world with agents, walls, an area and ten steps behind it."""
    client.post(
        f"{world}/walkable",
        json={"areas": [{"geometry": {"type": "Polygon", "coordinates": [[[-9, -9], [9, -9], [9, 9], [-9, 9]]]}}]},
    )
    client.post(f"{world}/obstacles", json={"obstacles": [{"points": [[0, 2], [5, 2]]}]})
    rows = [{"position": [-5 + 2 * k, 0.1 * k], "goal": [5 - 2 * k, 0]} for k in range(5)]
    client.post(f"{world}/agents", json={"agents": rows})
    client.post(f"{world}/steps", json={"count": 10})
    return world


def test_the_digest_is_over_position_and_velocity_in_index_order(client: httpx.Client, crowd: str) -> None:
    shown = client.get(f"{crowd}/agents").json()
    rows = np.hstack([shown["position"], shown["velocity"]]).astype("<f8")
    assert client.get(f"{crowd}/digest").json() == {"step": 10, "sha256": hashlib.sha256(rows.tobytes()).hexdigest()}


def test_an_empty_world_has_the_digest_of_nothing(client: httpx.Client, world: str) -> None:
    assert digest(client, world) == hashlib.sha256(b"").hexdigest()


def test_the_sign_of_zero_is_in_the_digest(client: httpx.Client, world: str) -> None:
    client.post(
        f"{world}/agents",
        content=b'{"agents": [{"position": [-0.0, 0]}]}',
        headers={"content-type": "application/json"},
    )
    assert digest(client, world) == hashlib.sha256(struct.pack("<4d", -0.0, 0, 0, 0)).hexdigest()


def test_a_restored_world_has_the_same_bits_and_goes_on_the_same(client: httpx.Client, crowd: str) -> None:
    client.delete(f"{crowd}/agents/1")
    taken = client.get(f"{crowd}/snapshot")
    assert taken.headers["content-type"] == "application/octet-stream"
    restored = client.post("/v1/worlds/restore?id=again", content=taken.content, headers=BYTES)
    assert restored.status_code == 201, restored.text
    try:
        shown = restored.json()
        first = client.get(crowd).json()
        for name in ("time_step", "step", "time", "agents", "obstacles", "walkable", "options", "seed", "defaults"):
            assert shown[name] == first[name]
        again = "/v1/worlds/again"
        for path in ("agents?fields=position,velocity,goal,status,radius", "obstacles", "walkable", "digest"):
            assert client.get(f"{again}/{path}").content == client.get(f"{crowd}/{path}").content
        problem(client.get(f"{again}/agents/1"), 410, "gone")
        for world in (crowd, again):
            client.post(f"{world}/agents", json={"agents": [{"position": [0, -5], "goal": [0, 1]}]})
            client.post(f"{world}/steps", json={"count": 20})
        assert client.get(f"{again}/agents").content == client.get(f"{crowd}/agents").content
        problem(client.post("/v1/worlds/restore?id=again", content=taken.content, headers=BYTES), 409, "exists")
    finally:
        client.delete("/v1/worlds/again")


def test_a_restored_world_is_given_an_id(client: httpx.Client, crowd: str) -> None:
    taken = client.get(f"{crowd}/snapshot").content
    given = client.post("/v1/worlds/restore", content=taken, headers=BYTES).json()["id"]
    assert digest(client, f"/v1/worlds/{given}") == digest(client, crowd)
    assert client.delete(f"/v1/worlds/{given}").status_code == 204


@pytest.mark.parametrize(
    "spoil", [lambda b: b"", lambda b: b[:-1], lambda b: b[: len(b) // 2], lambda b: b + b"\0", lambda b: b"x" * 99]
)
def test_bytes_that_are_no_snapshot_are_refused(client: httpx.Client, crowd: str, spoil: Any) -> None:
    worlds = client.get("/v1/worlds").json()
    taken = client.get(f"{crowd}/snapshot").content
    problem(client.post("/v1/worlds/restore", content=spoil(taken), headers=BYTES), 422, "bad-snapshot")
    assert client.get("/v1/worlds").json() == worlds


def test_a_flipped_bit_anywhere_is_found(client: httpx.Client, crowd: str) -> None:
    taken = client.get(f"{crowd}/snapshot").content
    for place in range(0, len(taken), max(1, len(taken) // 40)):
        spoilt = bytearray(taken)
        spoilt[place] ^= 0x10
        problem(client.post("/v1/worlds/restore", content=bytes(spoilt), headers=BYTES), 422, "bad-snapshot")


def test_what_restore_takes(client: httpx.Client, crowd: str) -> None:
    taken = client.get(f"{crowd}/snapshot").content
    problem(
        client.post("/v1/worlds/restore", content=taken, headers={"content-type": "application/json"}),
        415,
        "unsupported-type",
    )
    problem(client.post("/v1/worlds/restore?id=a/b", content=taken, headers=BYTES), 422, "invalid")
    problem(client.post("/v1/worlds/restore?name=a", content=taken, headers=BYTES), 422, "invalid")


def test_a_snapshot_over_the_limits_is_refused(client: httpx.Client, world: str, small: httpx.Client) -> None:
    client.post(f"{world}/agents", json={"columns": {"position": [[9 * k, 0] for k in range(21)]}})
    taken = client.get(f"{world}/snapshot").content
    if len(taken) <= 4096:
        problem(small.post("/v1/worlds/restore", content=taken, headers=BYTES), 429, "limit")
    else:
        problem(small.post("/v1/worlds/restore", content=taken, headers=BYTES), 413, "too-large")
