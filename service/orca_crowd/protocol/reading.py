"""What arrived on a socket as a message, or the problem that the client is told.

Nothing that a client sends ends the connection but its size: whatever else is wrong is one BadMessage.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from pydantic import Field, TypeAdapter, ValidationError

from orca_crowd.errors import ApiError, Fault, InvalidRequest, faults_of
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL
from orca_crowd.protocol.pieces import read_json
from orca_crowd.protocol.stream import CLIENT_MESSAGES, ClientMessage

__all__ = ["BadMessage", "read_message"]

# of a key that is given back with an error; longer ones are refused anyway
KEY_LENGTH = 256


class BadMessage(Exception):
    """What arrived is no message; `problem` is what the client is told, `key` the key it came with."""

    def __init__(self, problem: ApiError, key: str | None = None) -> None:
        """Keep both."""
        super().__init__(problem.detail)
        self.problem = problem
        self.key = key


_adapter: TypeAdapter[ClientMessage] = TypeAdapter(Annotated[ClientMessage, Field(discriminator="type")])
_types = tuple(model.model_fields["type"].annotation.__args__[0] for model in CLIENT_MESSAGES)  # type: ignore[union-attr]
_kinds = ("all", "ids", "rectangle", "circle", "around")


def read_message(data: str | bytes, subprotocol: str) -> ClientMessage:
    """The message in one WebSocket message; BadMessage when it is none."""
    values = _parse(data, subprotocol)
    if not isinstance(values, dict):
        raise BadMessage(InvalidRequest("a message is a map with `type`"))
    key = values.get("key")
    key = key if isinstance(key, str) and len(key) <= KEY_LENGTH else None
    try:
        return _adapter.validate_python(values)
    except ApiError as problem:
        raise BadMessage(problem, key) from None
    except ValidationError as error:
        raise BadMessage(InvalidRequest(_faults(error)), key) from None


def _parse(data: str | bytes, subprotocol: str) -> Any:
    json = subprotocol == JSON_SUBPROTOCOL
    if json is not isinstance(data, str):
        sent, right = ("binary", "text") if json else ("text", "binary")
        raise BadMessage(ApiError("malformed", f"a {sent} message came, and {subprotocol} is {right}"))
    try:
        # NaN and infinities come through and are refused by the field they stand in, as over REST
        return read_json(data) if isinstance(data, str) else msgspec.msgpack.decode(data)
    except RecursionError:
        raise BadMessage(ApiError("malformed", "the message is nested too deeply")) from None
    except ValueError as error:  # msgspec's errors, from_json's and UnicodeDecodeError are all of this kind
        raise BadMessage(ApiError("malformed", f"not {'JSON' if json else 'MessagePack'}: {error}")) from None


def _faults(error: ValidationError) -> list[Fault]:
    """Faults as REST names them; the tag that chose the model is no part of a field's name."""
    entry = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if entry["type"] in ("union_tag_not_found", "union_tag_invalid"):
        name, known = ("interest.kind", _kinds) if "interest" in entry["loc"] else ("type", _types)
        wrong = "is missing" if entry["type"] == "union_tag_not_found" else "is unknown"
        return [Fault(None, name, f"{wrong}; one of {', '.join(known)}")]
    return [
        Fault(fault.item, _untagged(fault.field.partition(".")[2]) if fault.field else None, fault.message)
        for fault in faults_of(error)
    ]


def _untagged(field: str) -> str:
    """The path of a field without the kind of interest, which is no part of it."""
    first, _, rest = field.partition(".")
    kind, _, inside = rest.partition(".")
    return f"{first}.{inside}" if first == "interest" and kind in _kinds and inside else field
