"""Query parameters: each declared once, for reading and for the OpenAPI document.

Unknown, repeated and malformed ones are 422.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastapi import Request

from orca_crowd.errors import Fault, InvalidRequest
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.steps import check_fields

__all__ = ["Parameter", "choice", "count", "decimal", "field_names", "identifiers", "read_query", "text"]


@dataclass(frozen=True)
class Parameter:
    """How one parameter is read, and how it is documented."""

    read: Callable[[str], Any]
    schema: Mapping[str, Any]
    description: str
    required: bool = False


def read_query(request: Request, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """The values of those parameters that were given, by name."""
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, value in request.query_params.multi_items():
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            faults.append(Fault(None, name, f"unknown parameter; there are: {known}"))
        elif name in values:
            faults.append(Fault(None, name, "is given twice"))
        else:
            try:
                values[name] = parameters[name].read(value)
            except ValueError as error:
                values[name] = None
                faults.append(Fault(None, name, str(error)))
            except InvalidRequest as error:
                values[name] = None
                faults += [Fault(None, name, fault.message) for fault in error.errors]
    faults += [Fault(None, name, "is missing") for name, p in parameters.items() if p.required and name not in values]
    if faults:
        raise InvalidRequest(faults)
    return values


def choice(*names: str, description: str, required: bool = False) -> Parameter:
    """One of some words."""

    def read(value: str) -> str:
        if value not in names:
            raise ValueError(f"must be one of {', '.join(names)}, not {value[:32]!r}")
        return value

    return Parameter(read, {"type": "string", "enum": list(names)}, description, required)


def count(description: str) -> Parameter:
    """A whole number from 0."""

    def read(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,15}", value):
            raise ValueError(f"must be a whole number from 0, not {value[:32]!r}")
        return int(value)

    return Parameter(read, {"type": "integer", "minimum": 0}, description)


def decimal(description: str) -> Parameter:
    """A finite number; `NaN` and `Infinity` are none."""

    def read(value: str) -> float:
        number = (
            float(value) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", value) else float("nan")
        )
        if not np.isfinite(number):
            raise ValueError(f"must be a finite number, not {value[:32]!r}")
        return number

    return Parameter(read, {"type": "number"}, description)


def text(read: Callable[[str], str], description: str) -> Parameter:
    """A word that another function checks."""
    return Parameter(read, {"type": "string"}, description)


def field_names() -> Parameter:
    """Names of columns between commas."""
    return Parameter(
        lambda value: check_fields(value.split(",") if value else []),
        {"type": "string", "example": "position,velocity"},
        f"Columns beside the ids, between commas, of {', '.join(FIELDS)}; left out: position,velocity.",
    )


def identifiers(description: str, *, required: bool = False) -> Parameter:
    """Ids between commas, as int64 (n,)."""

    def read(value: str) -> Any:
        parts = value.split(",") if value else []
        for part in parts:
            if not re.fullmatch(r"[0-9]{1,16}", part) or int(part) >= 2**53:
                raise ValueError(f"must be whole numbers from 0 to 2^53 - 1 between commas, not {part[:32]!r}")
        return np.array([int(part) for part in parts], np.int64)

    return Parameter(read, {"type": "string", "example": "1,2"}, description, required)
