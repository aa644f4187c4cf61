"""The OpenAPI document: every route with the schemas that its bodies are checked by, in both encodings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from orca_crowd import __version__
from orca_crowd.api.access import needed
from orca_crowd.api.queries import Parameter
from orca_crowd.protocol import agents, commands, demos, geometry, paths, shown, steer, steps, worlds
from orca_crowd.protocol.bodies import JSON, MSGPACK
from orca_crowd.protocol.codes import CODES

__all__ = ["MODELS", "described", "install"]

REFERENCE = "#/components/schemas/{model}"

# what bodies are checked by, and what answers look like
MODELS: tuple[type[BaseModel], ...] = (
    *(body for body, _ in commands.COMMAND_BODIES.values()),
    agents.AgentsBody,
    commands.CommandsBody,
    geometry.AreaRow,
    geometry.AreasBody,
    geometry.DoorBody,
    geometry.ObstacleRow,
    geometry.ObstaclesBody,
    paths.PathsBody,
    steer.SteerBody,
    steps.StepBody,
    worlds.ForkBody,
    worlds.LeaseBody,
    worlds.NewWorld,
    worlds.WorldChange,
    *(getattr(shown, name) for name in shown.__all__),
    *(getattr(demos, name) for name in demos.__all__),
)
ROWS: tuple[Any, ...] = (agents.NewAgent, agents.AgentChange)

# refusals that any call may meet
EVERYWHERE = ("unauthorized", "forbidden", "limit", "not-ready", "draining", "internal")
ON_BODIES = ("malformed", "too-large", "unsupported-type", "invalid")


def described(
    summary: str,
    *,
    body: type[Any] | None = None,
    body_types: Sequence[str] = (JSON, MSGPACK),
    body_required: bool = True,
    answer: type[BaseModel] | None = None,
    answer_types: Sequence[str] = (JSON, MSGPACK),
    status: int = 200,
    query: Mapping[str, Parameter] | None = None,
    headers: Mapping[str, str] | None = None,
    codes: Sequence[str] = (),
    tag: str,
) -> dict[str, Any]:
    """What a route is declared with: its summary, its bodies, its answers and the codes it refuses with."""
    # whatever can grow over a limit can also run out of memory
    refusals = dict.fromkeys(
        [
            *codes,
            *(["no-room"] if "limit" in codes else []),
            *(ON_BODIES if body is not None or body_types != (JSON, MSGPACK) else ()),
            *EVERYWHERE,
        ]
    )
    responses: dict[int | str, dict[str, Any]] = {status: {"description": "Done."}}
    if answer is not None:
        responses[status]["content"] = _content(answer, answer_types)
    elif status != 204:
        responses[status]["content"] = {kind: {"schema": {"type": "string"}} for kind in answer_types}
    for code in refusals:
        entry = responses.setdefault(
            CODES[code].status, {"description": "", "content": _content(shown.Problem, ["application/problem+json"])}
        )
        entry["description"] = f"{entry['description']} `{code}`: {CODES[code].meaning}".strip()
    extra: dict[str, Any] = {}
    if body is not None:
        extra["requestBody"] = {"required": body_required, "content": _content(body, body_types)}
    elif body_types != (JSON, MSGPACK):
        extra["requestBody"] = {
            "required": body_required,
            "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in body_types},
        }
    extra["parameters"] = [
        {"name": name, "in": "query", "required": p.required, "description": p.description, "schema": dict(p.schema)}
        for name, p in (query or {}).items()
    ] + [
        {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}
        for name, text in (headers or {}).items()
    ]
    return {
        "summary": summary,
        "status_code": status,
        "responses": responses,
        "openapi_extra": extra,
        "response_class": Response,
        "response_model": None,
        "tags": [tag],
    }


def install(app: FastAPI) -> None:
    """Let the application show this document under /openapi.json, made when first asked for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title="orca-crowd",
        version=__version__,
        summary="Steering as a service: ORCA crowds, exact to the bit.",
        routes=app.routes,
    )
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            if needed(method.upper(), path) is None:
                # who needs no key is not refused for one
                for status in ("401", "403", "429"):
                    call["responses"].pop(status, None)
    _, definitions = models_json_schema([(model, "validation") for model in MODELS], ref_template=REFERENCE)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(definitions["$defs"])
    for row in ROWS:
        schema = TypeAdapter(row).json_schema(ref_template=REFERENCE)
        schemas.update(schema.pop("$defs", {}))
        schemas[row.__name__] = schema
    # bodies whose items are checked apart from them name the schema of the items here
    _items(schemas["AgentsBody"]["properties"]["agents"], "AgentChange", "NewAgent")
    _items(schemas["AddAgentsCommand"]["properties"]["agents"], "NewAgent")
    _items(schemas["SetAgentsCommand"]["properties"]["agents"], "AgentChange")
    _items(schemas["SteerBody"]["properties"]["agents"], "NewAgent")
    _items(schemas["SteerBody"]["properties"]["obstacles"], "ObstacleRow")
    _items(schemas["SteerBody"]["properties"]["walkable"], "AreaRow")
    for name in ("CommandsBody", "StepBody"):
        _items(
            schemas[name]["properties"]["commands"], *(body.__name__ for body, _ in commands.COMMAND_BODIES.values())
        )
    return document


def _items(schema: dict[str, Any], *names: str) -> None:
    """Name the schema of the items of a list, also of one that may be null."""
    target = next((part for part in schema.get("anyOf", ()) if part.get("type") == "array"), schema)
    references = [{"$ref": REFERENCE.format(model=name)} for name in names]
    target["items"] = references[0] if len(references) == 1 else {"anyOf": references}


def _content(model: type[Any], kinds: Sequence[str]) -> dict[str, Any]:
    return {kind: {"schema": {"$ref": REFERENCE.format(model=model.__name__)}} for kind in kinds}
