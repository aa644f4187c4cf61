"""What a client says about what it wants to see: subscribe, resume, unsubscribe, and that it has got a frame."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.interest import Interest, InterestAll
from orca_crowd.protocol.models import IDENTIFIER_LIMIT, Strict
from orca_crowd.protocol.steps import DEFAULT_FIELDS, check_fields

__all__ = ["Delivery", "Got", "Resume", "Rows", "StepNumber", "StreamPrecision", "Subscribe", "Unsubscribe", "Wanted"]

StepNumber = Annotated[int, Field(ge=0, le=IDENTIFIER_LIMIT)]
FieldName = Annotated[str, Field(json_schema_extra={"enum": list(FIELDS)})]
StreamPrecision = Literal["float64", "float32", "int16", "int8"]
Delivery = Literal["latest", "every"]
Rows = Literal["changed", "all"]


class Wanted(Strict):
    """What is seen, how exactly, how often and how it is delivered; the same members for subscribe and resume."""

    fields: list[FieldName] = Field(list(DEFAULT_FIELDS), description="Columns beside the ids, each at most once.")
    precision: StreamPrecision = Field(
        "float64",
        description="Of the number columns, not of the ids. `int16` and `int8`: position and velocity as whole numbers "
        "times a scale beside the values of a keyframe, all others as float32.",
    )
    every: int = Field(1, ge=1, le=1_000_000, description="Take the frames of steps divisible by this.")
    delivery: Delivery = Field(
        "latest",
        description="`latest`: a frame that was not sent yet is replaced by a newer one, and `since` shows the gap. "
        "`every`: nothing is left out, and a reader that falls too far behind is closed with 4001.",
    )
    interest: Interest = Field(InterestAll(kind="all"), description="Which agents.")
    rows: Rows = Field(
        "changed",
        description="`changed`: a frame has a row for those whose values differ from those at `since`. `all`: for "
        "every agent of the interest.",
    )
    window: int = Field(
        3,
        ge=1,
        le=1024,
        description="With `latest`, how many frames may be on their way. Naming it, or sending one `got`, means that "
        "the client acknowledges with `got`; until then a frame has arrived when the ping behind it is answered.",
    )

    @field_validator("fields")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        return list(check_fields(names))


class Subscribe(Wanted):
    """Send `full` now, then a frame for every step divisible by `every`; takes the place of an earlier subscribe."""

    type: Literal["subscribe"]


class Resume(Wanted):
    """Go on after a step that was seen before: frames from there where it is still kept, else a `full`.

    Members that are left out are those of this socket's subscription, or else their defaults.
    """

    type: Literal["resume"]
    after_step: StepNumber = Field(description="Step of the last full or frame that the client has used.")


class Unsubscribe(Strict):
    """Send no more frames."""

    type: Literal["unsubscribe"]


class Got(Strict):
    """Every frame up to `step` has arrived and been used."""

    type: Literal["got"]
    step: StepNumber
