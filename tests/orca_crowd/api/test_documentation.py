"""The OpenAPI document: every route, every reference resolved, and real answers held against its schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pydantic
import pytest

from orca_core.options import OPTION_MEANINGS, Options
from orca_crowd.app import create_app
from orca_crowd.protocol import shown
from orca_crowd.protocol.codes import CODES
from orca_crowd.protocol.commands import COMMAND_BODIES
from orca_crowd.protocol.demos import DemosAnswer
from orca_crowd.protocol.worlds import OptionsBody
from orca_crowd.settings import Settings

CALLS = {
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/metrics"),
    ("get", "/asyncapi.json"),
    ("get", "/v1/info"),
    ("get", "/v1/demos"),
    ("post", "/v1/demos/{name}"),
    ("post", "/v1/steer"),
    ("post", "/v1/worlds"),
    ("get", "/v1/worlds"),
    ("post", "/v1/worlds/restore"),
    ("get", "/v1/worlds/{world}"),
    ("patch", "/v1/worlds/{world}"),
    ("delete", "/v1/worlds/{world}"),
    *((method, "/v1/worlds/{world}/agents") for method in ("get", "post", "patch", "delete")),
    *((method, "/v1/worlds/{world}/agents/{id}") for method in ("get", "put", "patch", "delete")),
    ("get", "/v1/worlds/{world}/agents/{id}/explain"),
    *((method, f"/v1/worlds/{{world}}/{kind}") for method in ("get", "post") for kind in ("obstacles", "walkable")),
    *(
        (method, f"/v1/worlds/{{world}}/{kind}/{{id}}")
        for method in ("get", "put", "delete")
        for kind in ("obstacles", "walkable")
    ),
    ("patch", "/v1/worlds/{world}/obstacles/{id}"),
    ("post", "/v1/worlds/{world}/map"),
    ("get", "/v1/worlds/{world}/grid-map"),
    ("post", "/v1/worlds/{world}/paths"),
    ("post", "/v1/worlds/{world}/commands"),
    ("post", "/v1/worlds/{world}/steps"),
    ("post", "/v1/worlds/{world}/lease"),
    ("delete", "/v1/worlds/{world}/lease"),
    ("get", "/v1/worlds/{world}/digest"),
    ("get", "/v1/worlds/{world}/snapshot"),
    ("post", "/v1/worlds/{world}/restore"),
    ("post", "/v1/worlds/{world}/fork"),
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document, made without a running server."""
    found: dict[str, Any] = create_app(Settings()).openapi()
    return found


def references(value: Any) -> Iterator[str]:
    """Every $ref in the document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_call_of_the_contract_is_documented_and_no_other(document: dict[str, Any]) -> None:
    found = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert found == CALLS


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    names = {reference.removeprefix("#/components/schemas/") for reference in references(document)}
    assert names <= set(document["components"]["schemas"])
    # and every schema is led to, or it describes nothing
    assert set(document["components"]["schemas"]) <= names | {"HTTPValidationError", "ValidationError"}


def test_every_body_is_documented_in_both_encodings(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            content = call.get("requestBody", {}).get("content", {})
            if "application/json" in content and not path.endswith("/map"):
                assert set(content) == {"application/json", "application/msgpack"}, (method, path)
            good = next(answer for status, answer in call["responses"].items() if status.startswith("2"))
            if "application/json" in good.get("content", {}) and path != "/asyncapi.json":
                assert "application/msgpack" in good["content"], (method, path)


def test_every_refusal_that_is_documented_is_a_code(document: dict[str, Any]) -> None:
    told = set()
    for methods in document["paths"].values():
        for call in methods.values():
            for status, answer in call["responses"].items():
                for code in re.findall(r"`([a-z-]+)`: ", answer["description"]):
                    assert CODES[code].status == int(status)
                    told.add(code)
    # those of no single call: paths, methods, versions, handshakes and what a controller says over its socket
    elsewhere = {"no-route", "method", "client-too-old", "subprotocol", "replaced", "not-registered", "interrupted"}
    assert told == set(CODES) - elsewhere


def test_the_operations_are_those_of_the_contract() -> None:
    assert list(COMMAND_BODIES) == [
        "add_agents",
        "set_agents",
        "remove_agents",
        "add_obstacles",
        "set_obstacle",
        "remove_obstacle",
        "open_door",
        "close_door",
        "add_walkable",
        "set_walkable",
        "remove_walkable",
        "set_level_of_detail",
        "set_grid_map",
    ]


def test_the_options_on_the_wire_are_those_of_the_library() -> None:
    assert set(OptionsBody.model_fields) == {"profile", *OPTION_MEANINGS}
    assert OptionsBody().model_dump() == Options.service().as_mapping()


def test_the_document_is_served(client: httpx.Client, document: dict[str, Any]) -> None:
    assert client.get("/openapi.json").json() == document


def test_real_answers_are_as_documented(client: httpx.Client, world: str) -> None:
    def check(answer: httpx.Response, model: type[pydantic.BaseModel], status: int = 200) -> None:
        assert answer.status_code == status, answer.text
        model.model_validate_json(answer.content, strict=True)

    check(client.get("/healthz"), shown.HealthAnswer)
    check(client.get("/v1/info"), shown.InfoAnswer)
    check(client.get("/v1/demos"), DemosAnswer)
    check(client.get(world), shown.WorldShown)
    check(client.get("/v1/worlds"), shown.WorldsAnswer)
    rows = [{"position": [0, 0], "goal": [0.1, 0]}, {"position": [0.2, 0], "time_horizon": 0.1}]
    check(client.post(f"{world}/agents", json={"agents": rows}), shown.AddedAnswer, 201)
    check(client.patch(f"{world}/agents", json={"agents": [{"id": 0, "radius": 1}]}), shown.ChangedAnswer)
    check(client.patch(f"{world}/agents/0", json={"radius": 0.5}), shown.AgentAnswer)
    check(client.get(f"{world}/agents/0"), shown.AgentShown)
    check(client.get(f"{world}/agents/0/explain"), shown.ExplainAnswer)
    every = ",".join(name for name in shown.AgentsAnswer.model_fields if name not in ("step", "time", "ids"))
    check(client.get(f"{world}/agents?fields={every}"), shown.AgentsAnswer)
    step = {"count": 3, "return": "agents", "commands": [{"op": "add_agents", "agents": []}]}
    check(client.post(f"{world}/steps", json=step), shown.StepAnswer)
    check(client.post(f"{world}/steps", json={"return": "digest"}), shown.StepAnswer)
    check(client.post(f"{world}/commands", json={"commands": []}), shown.CommandsAnswer)
    wall = {"obstacles": [{"points": [[0, 3], [1, 3]]}]}
    check(client.post(f"{world}/obstacles", json=wall), shown.AddedAnswer, 201)
    check(client.get(f"{world}/obstacles"), shown.ObstaclesAnswer)
    check(client.get(f"{world}/obstacles/0"), shown.ObstacleShown)
    area = {"areas": [{"geometry": {"type": "Polygon", "coordinates": [[[-9, -9], [9, -9], [0, 9]]]}}]}
    check(client.post(f"{world}/walkable", json=area), shown.AddedAnswer, 201)
    check(client.get(f"{world}/walkable"), shown.AreasAnswer)
    check(client.get(f"{world}/walkable/0"), shown.AreaShown)
    check(client.get(f"{world}/digest"), shown.DigestAnswer)
    check(client.post(f"{world}/lease", json={"holder": "me", "ttl": 1}), shown.LeaseAnswer)
    check(client.delete(f"{world}/agents?ids=0"), shown.RemovedAnswer)
    ways = [
        {"from": [0, 0], "to": [1, 1], "radius": 0.1},
        {"from": [0, 0], "to": [50, 0]},
        {"from": [99, 0], "to": [0, 0]},
    ]
    check(client.post(f"{world}/paths", json={"queries": ways}), shown.PathsAnswer)
    steer = {"time_step": 0.25, "agents": [{"position": [0, 0]}]}
    check(client.post("/v1/steer", json=steer), shown.SteerAnswer)
    check(client.get("/v1/worlds/nobody"), shown.Problem, 404)
