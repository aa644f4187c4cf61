"""One error tree and one JSON shape (RFC 9457), the same over REST and over the socket.

    ApiError            code, detail, errors; status and title come from the table in protocol/codes.py
    └── InvalidRequest  422 `invalid`, with a list of faults that may be longer than an answer shows

`problem_of` turns any exception into an ApiError, `document` an ApiError into the map that travels. What nobody
foresaw becomes `internal` without a word of what happened inside; the log has it under the id that the answer names.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic
from pydantic_core import ErrorDetails

from orca_core import errors as core
from orca_crowd.protocol.codes import CODES

__all__ = ["ApiError", "Fault", "InvalidRequest", "document", "faults_of", "in_order", "moved", "problem_of"]

log = logging.getLogger("orca_crowd")


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a request: which item of its list, which field of the item, what would be right."""

    item: int | None
    field: str | None
    message: str

    def map(self) -> dict[str, Any]:
        """As it travels."""
        return {"item": self.item, "field": self.field, "message": self.message}


class ApiError(Exception):
    """A refusal with a stable code; whatever raises one has changed nothing."""

    def __init__(
        self,
        code: str,
        detail: str,
        errors: Sequence[Fault] = (),
        *,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Take the code, a sentence, the faults, members beyond the standard ones, and headers for REST."""
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.more = dict(more or {})
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """HTTP status of the code."""
        return CODES[self.code].status

    @property
    def title(self) -> str:
        """Short name of the code."""
        return CODES[self.code].title

    def inside(self, index: int) -> ApiError:
        """The same refusal in a batch: the item is the command's place, the field the path inside the command."""
        errors = [Fault(index, _path(fault), fault.message) for fault in self.errors] or [
            Fault(index, None, self.detail)
        ]
        return ApiError(self.code, f"command {index}: {self.detail}", errors, more=self.more, headers=self.headers)

    def alone(self) -> ApiError:
        """The same refusal of a call about one thing: its place in a list says nothing, for there is none."""
        faults = [Fault(None, fault.field, fault.message) for fault in self.errors]
        detail = _summary(faults) if faults and self.code == "invalid" else self.detail
        return ApiError(self.code, detail, faults, more=self.more, headers=self.headers)


class InvalidRequest(ApiError):
    """A request of the wrong shape: 422, each fault with its place."""

    def __init__(self, errors: Sequence[Fault] | str) -> None:
        """Take the faults, or one sentence when there is no place to name."""
        if isinstance(errors, str):
            super().__init__("invalid", errors)
        else:
            super().__init__("invalid", _summary(errors), errors)


def _path(fault: Fault) -> str | None:
    """Where in a command the fault is: `[57].radius`, `radius`, or nothing."""
    place = "" if fault.item is None else f"[{fault.item}]"
    if fault.field is None:
        return place or None
    return f"{place}.{fault.field}" if place else fault.field


def _summary(errors: Sequence[Fault]) -> str:
    """One sentence for a list of faults: the first one in full, and how many there are."""
    first = errors[0]
    where = ", ".join(
        part for part in (f"item {first.item}" if first.item is not None else "", first.field or "") if part
    )
    more = f" ({len(errors)} faults in all)" if len(errors) > 1 else ""
    return f"{where}: {first.message}{more}" if where else f"{first.message}{more}"


# how pydantic's own words read where ours say more
_MESSAGES = {
    "extra_forbidden": "unknown field",
    "missing": "is missing",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a map",
    "model_type": "must be a map",
    "model_attributes_type": "must be a map",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "too_short": "must have a length of at least {min_length}, not {actual_length}",
    "too_long": "must have a length of at most {max_length}, not {actual_length}",
    "string_too_short": "must have a length of at least {min_length}",
    "string_too_long": "must have a length of at most {max_length}",
    "string_pattern_mismatch": "must be letters, digits, dots, underscores and hyphens, not dots alone",
    "literal_error": "must be {expected}",
}


def faults_of(error: pydantic.ValidationError, lists: Iterable[str] = (), offset: int = 0) -> list[Fault]:
    """Faults of a failed validation.

    `lists` are the fields that hold the items of the request: what follows them is the item's index, to which `offset`
    is added. An index without a list before it counts as the item too, so that a bare list can be checked in pieces.
    """
    faults = []
    for entry in error.errors(include_url=False, include_input=False):
        place = list(entry["loc"])
        item: int | None = None
        if len(place) >= 2 and place[0] in set(lists) and isinstance(place[1], int):
            item, place = place[1] + offset, place[2:]
        elif place and isinstance(place[0], int):
            item, place = place[0] + offset, place[1:]
        # inside a vector the field is named without the axis: position, not position[0]
        names = [part for part in place if isinstance(part, str)]
        faults.append(Fault(item, ".".join(names) or None, _message(entry)))
    return faults


def _message(entry: ErrorDetails) -> str:
    """What would be right, in our words where there are any."""
    ours = _MESSAGES.get(entry["type"])
    if ours is None:
        return entry["msg"][:1].lower() + entry["msg"][1:]
    bounds = entry.get("ctx", {})
    # a bound of 0.0 reads as 0
    return ours.format(
        **{
            name: int(bound) if isinstance(bound, float) and bound.is_integer() else bound
            for name, bound in bounds.items()
        }
    )


def moved(faults: Iterable[Fault], items: Sequence[int]) -> list[Fault]:
    """The faults of a part of a request, where `items` are the places of its items in the whole."""
    return [Fault(None if fault.item is None else items[fault.item], fault.field, fault.message) for fault in faults]


def in_order(faults: Iterable[Fault]) -> list[Fault]:
    """By their items, those of the whole request first."""
    return sorted(faults, key=lambda fault: -1 if fault.item is None else fault.item)


def problem_of(error: BaseException) -> ApiError:
    """Turn any exception into the refusal that a client may see."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, core.InvalidInput):
        faults = [Fault(problem.item, problem.field, problem.message) for problem in error.problems]
        return InvalidRequest(faults) if faults else InvalidRequest(str(error))
    if isinstance(error, core.OrcaError) and error.code in CODES:
        faults = [Fault(problem.item, problem.field, problem.message) for problem in error.problems]
        return ApiError(error.code, str(error), faults)
    if isinstance(error, pydantic.ValidationError):
        return InvalidRequest(faults_of(error))
    if isinstance(error, MemoryError):
        return ApiError("no-room", f"memory that is needed cannot be had: {str(error) or 'the machine has no more'}")
    incident = secrets.token_hex(6)
    log.error("unexpected failure %s", incident, exc_info=error)
    return ApiError("internal", f"the server failed to answer; see {incident} in its log")


def document(error: ApiError, shown: int = 100) -> dict[str, Any]:
    """The problem document of a refusal: plain Python values, at most `shown` faults, the total told where some are
    left out.
    """
    left_out = len(error.errors) - shown
    detail = f"{error.detail}; the first {shown} of {len(error.errors)} are listed" if left_out > 0 else error.detail
    return {
        "type": f"urn:orca-crowd:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "code": error.code,
        "detail": detail,
        "errors": [fault.map() for fault in error.errors[:shown]],
        **error.more,
    }
