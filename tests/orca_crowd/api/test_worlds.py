"""Worlds over REST: made, listed, shown, changed, deleted, and every refusal on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from orca_core.options import Options
from tests.orca_crowd.api.checks import faults, problem
from tests.orca_crowd.conftest import MakeWorld


def test_a_world_is_shown_as_it_was_made(client: httpx.Client, make_world: Callable[..., str]) -> None:
    path = make_world(
        id="a.B_c-1",
        name="Hall",
        time_step=0.1,
        seed=7,
        ttl=3600,
        defaults={"radius": 0.25, "max_neighbors": 4},
        options={"profile": "text", "part_coincident": True},
    )
    shown = client.get(path).json()
    assert path == "/v1/worlds/a.B_c-1"
    assert shown["id"] == "a.B_c-1"
    assert shown["name"] == "Hall"
    assert shown["time_step"] == 0.1
    assert shown["seed"] == 7
    assert shown["ttl"] == 3600
    assert shown["step"] == 0
    assert shown["time"] == 0.0
    assert shown["state"] == "ready"
    assert shown["clock"] == {"mode": "manual"}
    assert shown["durability"] == "none"
    assert shown["defaults"] == {"radius": 0.25, "max_neighbors": 4}
    assert shown["options"] == {**Options.text().as_mapping(), "part_coincident": True}
    assert (shown["agents"], shown["obstacles"], shown["walkable"]) == (0, 0, 0)
    assert shown in client.get("/v1/worlds").json()["worlds"]


def test_the_default_profile_is_service_and_an_id_is_given(client: httpx.Client) -> None:
    shown = client.post("/v1/worlds", json={"time_step": 0.25}).json()
    assert shown["options"] == Options.service().as_mapping()
    assert shown["id"]
    assert client.delete(f"/v1/worlds/{shown['id']}").status_code == 204


def test_the_defaults_hold_for_what_agents_leave_out(client: httpx.Client, make_world: Callable[..., str]) -> None:
    path = make_world(defaults={"radius": 0.25, "max_speed": 2.0, "time_horizon": 3.0, "max_neighbors": 4})
    client.post(f"{path}/agents", json={"agents": [{"id": 5, "position": [0, 0]}, {"position": [9, 0], "radius": 1}]})
    first = client.get(f"{path}/agents/5").json()
    assert (first["radius"], first["max_speed"], first["max_neighbors"]) == (0.25, 2.0, 4)
    assert first["neighbor_distance"] == 2 * 0.25 + 2 * 2.0 * 3.0
    assert client.get(f"{path}/agents?fields=radius").json()["radius"] == [0.25, 1.0]


def test_a_taken_id_is_409_and_free_again_after_deletion(client: httpx.Client, world: str) -> None:
    name = world.rpartition("/")[2]
    problem(client.post("/v1/worlds", json={"id": name, "time_step": 0.25}), 409, "exists")
    assert client.delete(world).status_code == 204
    problem(client.get(world), 404, "not-found")
    problem(client.delete(world), 404, "not-found")
    assert client.post("/v1/worlds", json={"id": name, "time_step": 0.25}).status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "time_step"),
        ({"time_step": 0}, "time_step"),
        ({"time_step": -0.25}, "time_step"),
        ({"time_step": 9e-7}, "time_step"),
        ({"time_step": True}, "time_step"),
        ({"time_step": "0.25"}, "time_step"),
        ({"time_step": None}, "time_step"),
        ({"time_step": [0.25]}, "time_step"),
        ({"time_step": 0.25, "id": "."}, "id"),
        ({"time_step": 0.25, "id": ".."}, "id"),
        ({"time_step": 0.25, "id": "a/b"}, "id"),
        ({"time_step": 0.25, "id": ""}, "id"),
        ({"time_step": 0.25, "id": "x" * 65}, "id"),
        ({"time_step": 0.25, "id": 5}, "id"),
        ({"time_step": 0.25, "name": 5}, "name"),
        ({"time_step": 0.25, "seed": -1}, "seed"),
        ({"time_step": 0.25, "seed": 1.0}, "seed"),
        ({"time_step": 0.25, "seed": 2**53}, "seed"),
        ({"time_step": 0.25, "ttl": 0}, "ttl"),
        ({"time_step": 0.25, "step": 1}, "step"),
        ({"time_step": 0.25, "clock": {"mode": "sometimes"}}, "clock.mode"),
        ({"time_step": 0.25, "clock": {"mode": "realtime"}}, "clock.rate"),
        ({"time_step": 0.25, "clock": {"mode": "realtime", "rate": 0}}, "clock.rate"),
        ({"time_step": 0.25, "clock": {"mode": "realtime", "rate": 1e9}}, "clock.rate"),
        ({"time_step": 0.25, "clock": {"mode": "manual", "rate": 20}}, "clock.rate"),
        ({"time_step": 0.25, "clock": {"mode": "manual", "timeout": 20}}, "clock.timeout"),
        ({"time_step": 0.25, "defaults": {"raduis": 1}}, "defaults.raduis"),
        ({"time_step": 0.25, "defaults": {"radius": -1}}, "defaults.radius"),
        ({"time_step": 0.25, "defaults": {"position": [0, 0]}}, "defaults.position"),
        ({"time_step": 0.25, "defaults": {"time_horizon": 1e-7}}, "defaults.time_horizon"),
        ({"time_step": 0.25, "options": {"profile": "both"}}, "options.profile"),
        ({"time_step": 0.25, "options": {"fast": True}}, "options.fast"),
        ({"time_step": 0.25, "options": {"part_coincident": 1}}, "options.part_coincident"),
        ({"time_step": 0.25, "options": {"stall_time": -1}}, "options.stall_time"),
        ({"time_step": 0.25, "durability": "always"}, "durability"),
    ],
)
def test_a_wrong_member_is_named(client: httpx.Client, body: dict[str, Any], field: str) -> None:
    before = client.get("/v1/worlds").json()
    assert faults(client.post("/v1/worlds", json=body)) == {(None, field)}
    assert client.get("/v1/worlds").json() == before


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_time_step_that_is_not_finite_is_named(client: httpx.Client, text: str) -> None:
    answer = client.post("/v1/worlds", content=f'{{"time_step": {text}}}', headers={"content-type": "application/json"})
    assert faults(answer) == {(None, "time_step")}


@pytest.mark.parametrize("durability", ["process", "power"])
def test_durability_that_cannot_be_kept_is_not_promised(client: httpx.Client, durability: str) -> None:
    answer = client.post("/v1/worlds", json={"time_step": 0.25, "durability": durability})
    assert "not available" in problem(answer, 422, "not-available")["detail"]


def test_a_barrier_has_a_timeout_and_is_not_stepped_by_hand(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(clock={"mode": "barrier", "timeout": 2})
    assert client.get(world).json()["clock"] == {"mode": "barrier", "timeout": 2.0}
    detail = problem(client.post(f"{world}/steps", json={}), 409, "wrong-clock")["detail"]
    assert "manual" in detail
    assert client.patch(world, json={"clock": {"mode": "manual"}}).json()["clock"] == {"mode": "manual"}
    assert client.post(f"{world}/steps", json={}).json()["step"] == 1
    for clock, field in (
        ({"mode": "barrier"}, "clock.timeout"),
        ({"mode": "barrier", "timeout": 0}, "clock.timeout"),
        ({"mode": "barrier", "timeout": 1e6}, "clock.timeout"),
        ({"mode": "barrier", "timeout": 1, "rate": 5}, "clock.rate"),
        ({"mode": "realtime", "rate": 5, "timeout": 1}, "clock.timeout"),
    ):
        assert faults(client.patch(world, json={"clock": clock})) == {(None, field)}


def test_clock_name_and_defaults_can_be_changed_and_nothing_else(client: httpx.Client, world: str) -> None:
    body = {"clock": {"mode": "realtime", "rate": 50}, "name": "New", "defaults": {"radius": 1.0}}
    shown = client.patch(world, json=body).json()
    assert {name: shown[name] for name in body} == body
    # what is left out stays
    shown = client.patch(world, json={"clock": {"mode": "manual"}}).json()
    assert (shown["name"], shown["defaults"], shown["clock"]) == ("New", {"radius": 1.0}, {"mode": "manual"})
    assert faults(client.patch(world, json={"time_step": 1})) == {(None, "time_step")}
    # a refused change changes nothing of it
    assert faults(client.patch(world, json={"name": "Other", "defaults": {"radius": -1}})) == {
        (None, "defaults.radius")
    }
    assert client.get(world).json()["name"] == "New"


def test_every_route_of_an_unknown_world_is_404(client: httpx.Client) -> None:
    for method, tail in [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/agents"),
        ("POST", "/agents"),
        ("GET", "/agents/1"),
        ("GET", "/agents/1/explain"),
        ("GET", "/obstacles"),
        ("GET", "/walkable"),
        ("POST", "/map?as=obstacles"),
        ("POST", "/commands"),
        ("POST", "/steps"),
        ("POST", "/lease"),
        ("DELETE", "/lease"),
        ("GET", "/digest"),
        ("GET", "/snapshot"),
    ]:
        problem(client.request(method, f"/v1/worlds/nobody{tail}"), 404, "not-found")


def test_the_number_of_worlds_has_a_limit(small: httpx.Client) -> None:
    for name in "abcd":
        assert small.post("/v1/worlds", json={"id": name, "time_step": 0.25}).status_code == 201
    problem(small.post("/v1/worlds", json={"id": "e", "time_step": 0.25}), 429, "limit")
    assert small.delete("/v1/worlds/a").status_code == 204
    assert small.post("/v1/worlds", json={"id": "e", "time_step": 0.25}).status_code == 201
