"""What all bodies share: strict models, numbers, vectors and names.

They check what comes in and write the OpenAPI document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orca_crowd.errors import Fault, InvalidRequest, faults_of

__all__ = [
    "IDENTIFIER_LIMIT",
    "STRICT",
    "Identifier",
    "Identifiers",
    "Key",
    "Number",
    "Strict",
    "Vector",
    "Warnings",
    "WorldName",
    "as_map",
    "digest_of",
    "validate",
    "validate_rows",
]

# the largest id that every JSON reader keeps exactly
IDENTIFIER_LIMIT = 2**53 - 1

# no unknown field, no boolean or string for a number, no NaN and no infinity
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=True)


class Strict(BaseModel):
    """A body or a part of one."""

    model_config = STRICT


Number = Annotated[float, Field(allow_inf_nan=False)]
# a list and not a tuple: strict validation of decoded values takes no list for a tuple
Vector = Annotated[list[Number], Field(min_length=2, max_length=2, description="[x, y]")]
Identifier = Annotated[int, Field(ge=0, le=IDENTIFIER_LIMIT, description="0 to 2^53 - 1")]
Identifiers = list[Identifier]
Key = Annotated[str, Field(min_length=1, max_length=256, description="The same key and body again answers the same.")]
WorldName = Annotated[
    str,
    # "." and ".." are steps in a path, and no client could reach a world of that name
    Field(
        pattern=r"^\.{0,2}[A-Za-z0-9_-][A-Za-z0-9._-]*$",
        max_length=64,
        description="Letters, digits, dot, underscore, hyphen; not dots alone.",
    ),
]


class Warning_(BaseModel):  # noqa: N801  (Warning is a builtin; the schema is named by its title)
    """Something accepted that is likely a mistake."""

    model_config = ConfigDict(title="Warning")

    code: str
    item: int | None
    field: str | None
    message: str


Warnings = list[Warning_]
Model = TypeVar("Model", bound=BaseModel)


def as_map(body: object, what: str = "the body") -> dict[str, Any]:
    """The body as a map with strings for keys, or a refusal."""
    if not isinstance(body, dict):
        raise InvalidRequest(f"{what} must be a map, not {kind_of(body)}")
    if any(not isinstance(name, str) for name in body):
        raise InvalidRequest(f"{what} has a key that is not a string")
    return body


def validate(model: type[Model], body: object, lists: Sequence[str] = ()) -> Model:
    """Check a decoded body; `lists` are its fields that hold the items which faults are counted by."""
    try:
        return model.model_validate(as_map(body))
    except ValidationError as error:
        raise InvalidRequest(faults_of(error, lists)) from None


def validate_rows(model: type[Model], body: object, name: str) -> tuple[dict[int, Any], list[Fault]]:
    """The rows of `name` that are of the right shape, by their place, and the faults of the others.

    Raises InvalidRequest for what is wrong with the body as a whole.
    """
    try:
        return dict(enumerate(getattr(validate(model, body, [name]), name))), []
    except InvalidRequest as error:
        if any(fault.item is None for fault in error.errors) or not error.errors:
            raise
        faults = error.errors
    wrong = {fault.item for fault in faults}
    rows = as_map(body)[name]
    others = [item for item in range(len(rows)) if item not in wrong]
    read = validate(model, {**as_map(body), name: [rows[item] for item in others]}, [name])
    return dict(zip(others, getattr(read, name), strict=True)), faults


def kind_of(value: object) -> str:
    """How a client would call the type of a decoded value."""
    names = {dict: "a map", list: "a list", str: "a string", bool: "a boolean", bytes: "bytes", type(None): "null"}
    return names.get(type(value), "a number")


def digest_of(*parts: object) -> bytes:
    """Digest of a decoded body: equal for equal values, in any order of fields and in either encoding."""
    try:
        encoded = msgspec.msgpack.encode(parts, order="deterministic")
    except (OverflowError, TypeError, UnicodeEncodeError) as error:
        raise InvalidRequest([Fault(None, None, f"a value has no encoding: {error}")]) from None
    return hashlib.sha256(encoded).digest()
