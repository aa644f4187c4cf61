"""Every route with every kind of key: who may, may; who may not has changed nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from orca_crowd.api.access import NEEDS
from orca_crowd.keys.scopes import SCOPES, Grant
from tests.support.guarded import SECOND, WORLD, Guarded, guarded_server, rows
from tests.support.interface import path_template, routes

SQUARE = {"type": "Polygon", "coordinates": [[[-40, -40], [40, -40], [40, 40], [-40, 40]]]}
BYTES = {"Content-Type": "application/octet-stream"}
W = f"/v1/worlds/{WORLD}"


@dataclass(frozen=True)
class Call:
    """A call that is right but for its key: it would do what it is for."""

    method: str
    route: str
    path: str
    status: int = 200
    members: dict[str, Any] = field(default_factory=dict)
    # whether a key that is bound to WORLD may
    bound: bool = True

    @property
    def needs(self) -> str | None:
        """The scope that it takes."""
        return NEEDS[self.method, self.route]


def call(
    method: str, route: str, status: int = 200, path: str | None = None, bound: bool = True, **members: Any
) -> Call:
    """A call; its path is that of the route in WORLD."""
    filled = route.replace("{world}", WORLD).replace("{id}", "0").replace("{name}", "circle")
    return Call(method, route, path or filled, status, members, bound)


# in an order in which each of them can be done
CALLS = (
    *(call("GET", path) for path in ("/healthz", "/readyz", "/openapi.json", "/asyncapi.json", "/metrics")),
    *(call("GET", path) for path in ("/v1/info", "/v1/demos", "/v1/worlds", "/v1/worlds/{world}")),
    call("PATCH", "/v1/worlds/{world}", json={"name": "changed", "clock": {"mode": "realtime", "rate": 1}}),
    call("PATCH", "/v1/worlds/{world}", json={"clock": {"mode": "manual"}}),
    call("POST", "/v1/worlds/{world}/agents", 201, json=rows(2)),
    call("GET", "/v1/worlds/{world}/agents"),
    call("PATCH", "/v1/worlds/{world}/agents", json={"agents": [{"id": 1, "radius": 0.1}]}),
    call("GET", "/v1/worlds/{world}/agents/{id}"),
    call("PATCH", "/v1/worlds/{world}/agents/{id}", json={"radius": 0.2}),
    call("PUT", "/v1/worlds/{world}/agents/{id}", json={"radius": 0.3}),
    call("GET", "/v1/worlds/{world}/agents/{id}/explain"),
    call("POST", "/v1/worlds/{world}/obstacles", 201, json={"obstacles": [{"points": [[0, 9], [1, 9]]}]}),
    call("GET", "/v1/worlds/{world}/obstacles"),
    call("GET", "/v1/worlds/{world}/obstacles/{id}"),
    call("PUT", "/v1/worlds/{world}/obstacles/{id}", json={"points": [[0, 8], [1, 8]]}),
    call("PATCH", "/v1/worlds/{world}/obstacles/{id}", json={"open": True}),
    call("POST", "/v1/worlds/{world}/walkable", 201, json={"areas": [{"geometry": SQUARE}]}),
    call("GET", "/v1/worlds/{world}/walkable"),
    call("GET", "/v1/worlds/{world}/walkable/{id}"),
    call("PUT", "/v1/worlds/{world}/walkable/{id}", json={"geometry": SQUARE}),
    call(
        "POST",
        "/v1/worlds/{world}/map",
        201,
        f"{W}/map?as=obstacles",
        content="type octile\nheight 1\nwidth 3\nmap\n.@.\n",
        headers={"Content-Type": "text/plain"},
    ),
    call("GET", "/v1/worlds/{world}/grid-map"),
    call("POST", "/v1/worlds/{world}/commands", json={"commands": [{"op": "remove_agents", "ids": [2]}]}),
    call("POST", "/v1/worlds/{world}/lease", json={"holder": "h", "ttl": 5}),
    call("DELETE", "/v1/worlds/{world}/lease", 204, headers={"Orca-Crowd-Lease": "h"}),
    call("POST", "/v1/worlds/{world}/steps", json={"count": 3}),
    call("GET", "/v1/worlds/{world}/digest"),
    call("GET", "/v1/worlds/{world}/snapshot", path=f"{W}/snapshot?step=1"),
    call("DELETE", "/v1/worlds/{world}/walkable/{id}", 204),
    call("DELETE", "/v1/worlds/{world}/obstacles/{id}", 204),
    call("DELETE", "/v1/worlds/{world}/agents/{id}", 204),
    call("DELETE", "/v1/worlds/{world}/agents", path=f"{W}/agents?ids=1"),
    call("POST", "/v1/steer", json={"time_step": 0.1, "agents": [{"position": [0, 0]}]}),
    # a world of another id, or of none, is not for a key that is bound to one
    call("POST", "/v1/worlds", 201, bound=False, json={"id": "new", "time_step": 0.1}),
    call("POST", "/v1/worlds/{world}/fork", 201, bound=False, json={"step": 1, "id": "forked"}),
    call("POST", "/v1/demos/{name}", 201, bound=False),
    # nothing to restore: the key is right, the body is not
    call(
        "POST", "/v1/worlds/restore", 422, "/v1/worlds/restore?id=restored", bound=False, content=b"no", headers=BYTES
    ),
    call("POST", "/v1/worlds/{world}/restore", 409),
    call("POST", "/v1/worlds/{world}/paths", json={"queries": [{"from": [0, 0], "to": [1, 1]}]}),
    call("DELETE", "/v1/worlds/{world}", 204),
)
STRANGERS = ("none", "wrong", "nonsense", "mixed", "expired", "revoked")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that wants keys."""
    with guarded_server(tmp_path_factory.mktemp("guarded")) as made:
        yield made


def test_every_route_is_in_the_table() -> None:
    assert {(each.method, each.route) for each in CALLS} == set(NEEDS)
    # what is not in the table is the page, and the stream, which has its own test
    served = {(method, path) for method, path in routes() if path != "/" and not path.endswith("/stream")}
    assert {(method, path_template(path)) for method, path in NEEDS} == served


@pytest.mark.parametrize("kind", STRANGERS)
def test_strangers_are_let_in_nowhere(guarded: Guarded, kind: str) -> None:
    before = guarded.state()
    for each in CALLS:
        answer = guarded.ask(kind, each.method, each.path, **each.members)
        if each.needs is None:
            assert answer.status_code == 200, each
        else:
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized"), each
            assert answer.headers["www-authenticate"] == "Bearer"
            assert str(guarded.keys[kind]) not in answer.text
    assert guarded.state() == before


@pytest.mark.parametrize("kind", ["read", "read here", "control", "control here"])
def test_who_has_less_than_it_takes_changes_nothing(guarded: Guarded, kind: str) -> None:
    before = guarded.state()
    mine = Grant(kind.split()[0])  # type: ignore[arg-type]
    refused = [each for each in CALLS if each.needs is not None and not mine.allows(each.needs)]  # type: ignore[arg-type]
    assert len(refused) > 5
    for each in refused:
        answer = guarded.ask(kind, each.method, each.path, **each.members)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), each
    # and what reading takes is done, and changes nothing either
    for each in CALLS:
        if each.needs == "read" and "step=" not in each.path:
            assert guarded.ask(kind, each.method, each.path, **each.members).status_code == each.status, each
    assert guarded.state() == before


@pytest.mark.parametrize("scope", SCOPES)
def test_a_key_of_another_world_finds_this_one_closed(guarded: Guarded, scope: str) -> None:
    before = guarded.state()
    for each in CALLS:
        if "{world}" in each.route:
            answer = guarded.ask(f"{scope} elsewhere", each.method, each.path, **each.members)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), each
    assert guarded.ask(f"{scope} elsewhere", "GET", "/v1/worlds").json() == {"worlds": []}
    assert [w["id"] for w in guarded.ask(f"{scope} here", "GET", "/v1/worlds").json()["worlds"]] == [WORLD]
    assert guarded.state() == before


def test_a_bound_key_makes_worlds_of_its_ids_alone(guarded: Guarded) -> None:
    before = guarded.state()
    for each in CALLS:
        if not each.bound:
            answer = guarded.ask("admin here", each.method, each.path, **each.members)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), each
    without = guarded.ask("admin here", "POST", "/v1/worlds", json={"time_step": 0.1})
    assert (without.status_code, without.json()["code"]) == (403, "forbidden")
    assert guarded.state() == before
    made = guarded.ask("admin elsewhere", "POST", "/v1/worlds", json={"id": "elsewhere", "time_step": 0.1})
    assert made.status_code == 201
    assert guarded.ask("admin elsewhere", "DELETE", "/v1/worlds/elsewhere").status_code == 204


def test_who_has_just_what_it_takes_may(guarded: Guarded) -> None:
    """Last in this file: it does everything, down to deleting the world."""
    other = guarded.ask("admin", "GET", f"/v1/worlds/{SECOND}/digest").json()
    for each in CALLS:
        kind = "none" if each.needs is None else each.needs + (" here" if each.bound and each.needs else "")
        answer = guarded.ask(kind, each.method, each.path, **each.members)
        assert answer.status_code == each.status, (each, kind, answer.text)
    assert guarded.ask("admin", "GET", f"/v1/worlds/{SECOND}/digest").json() == other
    assert {w["id"] for w in guarded.ask("admin", "GET", "/v1/worlds").json()["worlds"]} >= {"new", "forked", SECOND}
