"""One error tree and one shape: every exception becomes a problem document, and no table lacks a line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic
import pytest

from orca_core import errors as core
from orca_crowd.errors import ApiError, Fault, InvalidRequest, document, faults_of, problem_of
from orca_crowd.protocol.codes import CLOSE_CODES, CODES


@pytest.mark.parametrize("code", CODES)
def test_every_code_makes_a_document(code: str) -> None:
    shown = document(ApiError(code, "what happened", [Fault(3, "radius", "must be")], more={"step": 5}))
    assert shown == {
        "type": f"urn:orca-crowd:problem:{code}",
        "title": CODES[code].title,
        "status": CODES[code].status,
        "code": code,
        "detail": "what happened",
        "errors": [{"item": 3, "field": "radius", "message": "must be"}],
        "step": 5,
    }
    assert 400 <= CODES[code].status < 600
    assert CODES[code].meaning.endswith(".")


def test_every_close_code_says_what_it_means() -> None:
    assert set(CLOSE_CODES) >= {1000, 1001, 1008, 1009, 1012, 4001, 4004, 4009}
    assert all(CLOSE_CODES.values())


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (core.InvalidInput([core.Problem(1, "radius", "must be")]), "invalid", 422),
        (core.InvalidInput("nothing in particular"), "invalid", 422),
        (core.AlreadyExists("there"), "exists", 409),
        (core.NotFound("nowhere"), "not-found", 404),
        (core.Gone("was there"), "gone", 410),
        (core.SnapshotError("half"), "bad-snapshot", 422),
    ],
)
def test_errors_of_the_library_have_a_code(error: core.OrcaError, code: str, status: int) -> None:
    problem = problem_of(error)
    assert (problem.code, problem.status) == (code, status)
    assert problem.detail


def test_every_error_of_the_library_is_known() -> None:
    kinds = core.OrcaError.__subclasses__()
    assert kinds
    assert all(kind.code in CODES for kind in kinds)


def test_long_lists_are_cut_and_say_so() -> None:
    shown = document(InvalidRequest([Fault(k, "radius", "must be") for k in range(250)]), 100)
    assert len(shown["errors"]) == 100
    assert "250" in shown["detail"]
    assert len(document(InvalidRequest([Fault(0, "radius", "must be")]))["errors"]) == 1


def test_a_fault_in_a_batch_names_the_command_and_the_path() -> None:
    inner = InvalidRequest(
        [Fault(57, "radius", "must be"), Fault(None, "op", "is missing"), Fault(2, None, "must be a map")]
    )
    assert [(fault.item, fault.field) for fault in inner.inside(4).errors] == [
        (4, "[57].radius"),
        (4, "op"),
        (4, "[2]"),
    ]
    assert [(fault.item, fault.field) for fault in ApiError("gone", "it was").inside(1).errors] == [(1, None)]


class Row(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    radius: float
    position: list[float]


class Body(pydantic.BaseModel):
    rows: list[Row]


def test_faults_of_a_validation_have_item_and_field() -> None:
    body = {"rows": [{"radius": 1, "position": [0, 0]}, {"radius": "1", "position": [0, True], "raduis": 2}]}
    with pytest.raises(pydantic.ValidationError) as refusal:
        Body.model_validate(body)
    assert {(fault.item, fault.field, fault.message) for fault in faults_of(refusal.value, ["rows"], offset=10)} == {
        (11, "radius", "must be a number"),
        (11, "position", "must be a number"),
        (11, "raduis", "unknown field"),
    }


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Annotated[int, pydantic.Field(ge=0, le=2**53 - 1)], -1, "must be at least 0"),
        (Annotated[int, pydantic.Field(ge=0, le=2**53 - 1)], 2**53, "must be at most 9007199254740991"),
        (Annotated[float, pydantic.Field(gt=0.0)], 0.0, "must be greater than 0"),
        (Annotated[float, pydantic.Field(lt=2.5)], 3.0, "must be less than 2.5"),
        (Annotated[list[float], pydantic.Field(max_length=2)], [1, 2, 3], "must have a length of at most 2, not 3"),
        (Annotated[str, pydantic.Field(min_length=1)], "", "must have a length of at least 1"),
        (Literal["none", "digest"], "all", "must be 'none' or 'digest'"),
    ],
)
def test_what_would_be_right_is_said_in_words_of_ours(kind: Any, value: object, message: str) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(kind).validate_python(value)
    assert [fault.message for fault in faults_of(caught.value)] == [message]


def test_a_refusal_of_one_thing_names_no_place_in_a_list() -> None:
    refusal = InvalidRequest([Fault(0, "radius", "must be"), Fault(0, None, "is odd")])
    assert refusal.detail == "item 0, radius: must be (2 faults in all)"
    alone = refusal.alone()
    assert (alone.code, alone.detail) == ("invalid", "radius: must be (2 faults in all)")
    assert alone.errors == [Fault(None, "radius", "must be"), Fault(None, None, "is odd")]
