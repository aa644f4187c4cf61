"""Which agents a subscription is about: all, a list, a rectangle, a circle, or the surroundings of one of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator

from orca_crowd.errors import Fault, InvalidRequest
from orca_crowd.protocol.columns import read_identifiers
from orca_crowd.protocol.models import Identifier, Strict, Vector

__all__ = [
    "Interest",
    "InterestAll",
    "InterestAround",
    "InterestCircle",
    "InterestIds",
    "InterestRectangle",
]

Radius = Annotated[
    float, Field(ge=0.0, allow_inf_nan=False, description="Agents whose centre is exactly so far count.")
]


class InterestAll(Strict):
    """Every agent of the world."""

    kind: Literal["all"]


class InterestIds(Strict):
    """The agents of a list; one that is removed leaves."""

    kind: Literal["ids"]
    # Any, since a bin is no list; the schema tells of the list
    ids: Any = Field(
        description="Each at most once; in MessagePack also a bin of int64.",
        json_schema_extra={"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}},
    )

    @field_validator("ids")
    @classmethod
    def _read(cls, values: Any) -> list[int]:
        ids, faults = read_identifiers(values, "interest.ids")
        if not faults:
            _, first = np.unique(ids, return_index=True)
            again = np.setdiff1d(np.arange(len(ids)), first)
            faults = [Fault(int(item), "interest.ids", f"{ids[item]} is named twice") for item in again]
        if faults:
            raise InvalidRequest(faults)
        found: list[int] = ids.tolist()
        return found


class InterestRectangle(Strict):
    """Agents whose centre is in a rectangle, edges included."""

    kind: Literal["rectangle"]
    min: Vector
    max: Vector

    @field_validator("max")
    @classmethod
    def _ordered(cls, corner: list[float], info: Any) -> list[float]:
        low = info.data.get("min")
        if low is not None and (corner[0] < low[0] or corner[1] < low[1]):
            raise InvalidRequest([Fault(None, "interest.max", "must not be below or left of min")])
        return corner


class InterestCircle(Strict):
    """Agents whose centre is in a circle, the line included."""

    kind: Literal["circle"]
    center: Vector
    radius: Radius


class InterestAround(Strict):
    """Agents whose centre is within `radius` of where agent `id` is now, itself included; nobody once it is removed."""

    kind: Literal["around"]
    id: Identifier
    radius: Radius


Interest = Annotated[
    InterestAll | InterestIds | InterestRectangle | InterestCircle | InterestAround, Field(discriminator="kind")
]
