"""What each route needs: nothing, or a key with a scope. A route that is not in this table cannot be made.

`read` sees, `control` changes and steps worlds, `admin` makes and deletes them. Reading what the server is needs a key
as well; whether it is alive and ready, how it is called (the two documents) and the page itself do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import Request

from orca_crowd.errors import ApiError
from orca_crowd.keys.doorkeeper import Doorkeeper, key_of_header
from orca_crowd.keys.scopes import Grant, Scope

__all__ = ["NEEDS", "authorize", "check_new", "grant_of", "needed"]

OPEN: Final = None
NEEDS: Final[Mapping[tuple[str, str], Scope | None]] = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/readyz"): OPEN,
    ("GET", "/openapi.json"): OPEN,
    ("GET", "/asyncapi.json"): OPEN,
    ("GET", "/metrics"): "read",
    ("GET", "/v1/info"): "read",
    ("GET", "/v1/demos"): "read",
    ("POST", "/v1/demos/{name}"): "admin",
    ("POST", "/v1/worlds"): "admin",
    ("GET", "/v1/worlds"): "read",
    ("GET", "/v1/worlds/{world}"): "read",
    ("PATCH", "/v1/worlds/{world}"): "control",
    ("DELETE", "/v1/worlds/{world}"): "admin",
    ("POST", "/v1/worlds/restore"): "admin",
    ("POST", "/v1/worlds/{world}/restore"): "admin",
    ("POST", "/v1/worlds/{world}/fork"): "admin",
    ("POST", "/v1/worlds/{world}/agents"): "control",
    ("GET", "/v1/worlds/{world}/agents"): "read",
    ("PATCH", "/v1/worlds/{world}/agents"): "control",
    ("DELETE", "/v1/worlds/{world}/agents"): "control",
    ("GET", "/v1/worlds/{world}/agents/{id}"): "read",
    ("PATCH", "/v1/worlds/{world}/agents/{id}"): "control",
    ("PUT", "/v1/worlds/{world}/agents/{id}"): "control",
    ("DELETE", "/v1/worlds/{world}/agents/{id}"): "control",
    ("GET", "/v1/worlds/{world}/agents/{id}/explain"): "read",
    ("POST", "/v1/worlds/{world}/obstacles"): "control",
    ("GET", "/v1/worlds/{world}/obstacles"): "read",
    ("GET", "/v1/worlds/{world}/obstacles/{id}"): "read",
    ("PUT", "/v1/worlds/{world}/obstacles/{id}"): "control",
    ("PATCH", "/v1/worlds/{world}/obstacles/{id}"): "control",
    ("DELETE", "/v1/worlds/{world}/obstacles/{id}"): "control",
    ("POST", "/v1/worlds/{world}/walkable"): "control",
    ("GET", "/v1/worlds/{world}/walkable"): "read",
    ("GET", "/v1/worlds/{world}/walkable/{id}"): "read",
    ("PUT", "/v1/worlds/{world}/walkable/{id}"): "control",
    ("DELETE", "/v1/worlds/{world}/walkable/{id}"): "control",
    ("POST", "/v1/worlds/{world}/map"): "control",
    ("GET", "/v1/worlds/{world}/grid-map"): "read",
    ("POST", "/v1/worlds/{world}/paths"): "read",
    ("POST", "/v1/worlds/{world}/commands"): "control",
    ("POST", "/v1/worlds/{world}/steps"): "control",
    ("POST", "/v1/worlds/{world}/lease"): "control",
    ("DELETE", "/v1/worlds/{world}/lease"): "control",
    ("GET", "/v1/worlds/{world}/digest"): "read",
    ("GET", "/v1/worlds/{world}/snapshot"): "read",
    ("POST", "/v1/steer"): "control",
}


def needed(method: str, path: str) -> Scope | None:
    """The scope that a route asks for; KeyError for one that nobody has thought about."""
    return NEEDS[method, path]


def authorize(request: Request, door: Doorkeeper, scope: Scope, now: float, wall: float) -> None:
    """Let the request pass and keep what its key allows, or refuse it with 401, 403 or 429."""
    address = request.client.host if request.client is not None else ""
    grant = door.admit(key_of_header(request.headers.get("authorization")), address, now, wall)
    door.charge(grant, now)
    door.check(grant, scope, request.path_params.get("world"))
    request.state.grant = grant


def grant_of(request: Request) -> Grant:
    """What the key of a request allows, once it has passed."""
    found: Grant = request.state.grant
    return found


def check_new(request: Request, door: Doorkeeper, name: str | None) -> None:
    """403 where a key that is bound to worlds would make one that it does not go for; it has to name the new one."""
    grant = grant_of(request)
    if grant.worlds is not None and name is None:
        raise ApiError("forbidden", "the key goes for some worlds alone: name the new one with an `id` of those")
    door.check(grant, "admin", name)
