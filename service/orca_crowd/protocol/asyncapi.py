"""The AsyncAPI 3 document of the stream, written by the same models that check and name its messages."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from orca_crowd.protocol.codes import CLOSE_CODES
from orca_crowd.protocol.frames import SUBPROTOCOLS
from orca_crowd.protocol.stream import CLIENT_MESSAGES, SERVER_MESSAGES

__all__ = ["asyncapi_document"]

ADDRESS = "/v1/worlds/{world}/stream"

DESCRIPTION = """The state of a world as it changes, and orders to it.

One of the two subprotocols must be named in the handshake, which answers 400 without; it answers 404 for a world that
is not there and 503 while the server is not ready. Every message is a map with `type`. With `{json}` messages are text
and columns are arrays; with `{msgpack}` messages are binary, number columns are bins of little-endian float64 (float32,
int16 or int8 where asked for), id columns bins of int64, vector columns x0 y0 x1 y1 …, columns of strings arrays.

`hello` comes first. What the client sends is answered in order; what is not understood is answered with one `error` and
changes nothing. Events go to every socket, subscribed or not.

Close codes: {codes}"""


def asyncapi_document(version: str) -> dict[str, Any]:
    """The document as plain Python values; `version` is the server's."""
    models = (*CLIENT_MESSAGES, *SERVER_MESSAGES)
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], by_alias=True, ref_template="#/components/schemas/{model}"
    )
    codes = " ".join(f"{code}: {meaning}" for code, meaning in CLOSE_CODES.items())
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "orca-crowd stream",
            "version": version,
            "description": DESCRIPTION.format(json=SUBPROTOCOLS[0], msgpack=SUBPROTOCOLS[1], codes=codes),
        },
        "defaultContentType": "application/json",
        "channels": {
            "stream": {
                "address": ADDRESS,
                "title": "The stream of one world",
                "parameters": {"world": {"description": "Id of the world."}},
                "messages": {_name(model): {"$ref": f"#/components/messages/{_name(model)}"} for model in models},
                "bindings": {
                    "ws": {
                        "method": "GET",
                        "headers": {
                            "type": "object",
                            "required": ["Sec-WebSocket-Protocol"],
                            "properties": {
                                "Sec-WebSocket-Protocol": {"type": "string", "enum": list(SUBPROTOCOLS)},
                                "Orca-Crowd-Lease": {"type": "string", "description": "Holder of the right to step."},
                            },
                        },
                        "bindingVersion": "0.1.0",
                    }
                },
            }
        },
        "operations": {
            "order": _operation("receive", "What the client sends.", CLIENT_MESSAGES),
            "watch": _operation("send", "What the server sends.", SERVER_MESSAGES),
        },
        "components": {
            "messages": {_name(model): _message(model) for model in models},
            "schemas": _named_discriminators(schemas.get("$defs", {})),
        },
    }


def _named_discriminators(schema: Any) -> Any:
    """The schema with each discriminator by its name alone: AsyncAPI has no mapping beside it, as OpenAPI has."""
    if isinstance(schema, list):
        return [_named_discriminators(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _named_discriminators(part) for name, part in schema.items()}
    if isinstance(made.get("discriminator"), dict) and "propertyName" in made["discriminator"]:
        made["discriminator"] = made["discriminator"]["propertyName"]
    return made


def _name(model: type[BaseModel]) -> str:
    """The `type` of its messages."""
    annotation: Any = model.model_fields["type"].annotation
    name: str = annotation.__args__[0]
    return name


def _message(model: type[BaseModel]) -> dict[str, Any]:
    return {
        "name": _name(model),
        "summary": (model.__doc__ or "").partition("\n")[0],
        "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
    }


def _operation(action: str, summary: str, models: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/stream"},
        "messages": [{"$ref": f"#/channels/stream/messages/{_name(model)}"} for model in models],
    }
