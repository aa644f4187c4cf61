"""Refusals become errors that say what was wrong and where."""

from __future__ import annotations

import json
import pickle

import msgpack
import pytest

from orca_crowd_client import errors
from orca_crowd_client.errors import ApiError, InvalidRequest, Problem, StreamClosed, WorldGone
from orca_crowd_client.protocol.call import problem_error

STATUSES = {
    400: errors.BadRequest,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    410: errors.Gone,
    413: errors.TooLarge,
    415: errors.WrongKind,
    422: errors.InvalidRequest,
    429: errors.RateLimited,
    503: errors.Unavailable,
    507: errors.NoRoom,
}


def document(status: int, faults: int) -> dict[str, object]:
    """A problem document as the protocol has it."""
    return {
        "type": "urn:orca-crowd:problem:invalid",
        "title": "Invalid",
        "status": status,
        "code": "invalid",
        "detail": "the input is refused",
        "errors": [{"item": item, "field": "radius", "message": "must be zero or more"} for item in range(faults)],
    }


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_has_its_class(status: int) -> None:
    error = problem_error(status, "application/problem+json", json.dumps(document(status, 0)).encode())
    assert type(error) is STATUSES[status]
    assert (error.status, error.code, error.title, error.detail) == (
        status,
        "invalid",
        "Invalid",
        "the input is refused",
    )


def test_a_status_without_a_class_is_an_api_error() -> None:
    assert type(problem_error(418, "application/problem+json", json.dumps(document(418, 0)).encode())) is ApiError


def test_the_message_shows_the_first_errors_with_item_and_field() -> None:
    error = problem_error(422, "application/problem+json", json.dumps(document(422, 5)).encode())
    assert error.errors == tuple(Problem(item, "radius", "must be zero or more") for item in range(5))
    assert str(error) == (
        "422 invalid: the input is refused [item 0, radius: must be zero or more; "
        "item 1, radius: must be zero or more; item 2, radius: must be zero or more; and 2 more]"
    )


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("item 0, radius: must be zero or more", "422 invalid: item 0, radius: must be zero or more"),
        ("command 0: must be zero or more", "422 invalid: command 0: must be zero or more"),
        ("refused", "422 invalid: refused [item 0, radius: must be zero or more]"),
    ],
)
def test_nothing_is_said_twice(detail: str, text: str) -> None:
    body = json.dumps({**document(422, 1), "detail": detail}).encode()
    assert str(problem_error(422, "application/problem+json", body)) == text


def test_a_document_in_message_pack_is_read_as_well() -> None:
    error = problem_error(422, "application/msgpack", msgpack.packb(document(422, 1)))
    assert isinstance(error, InvalidRequest)
    assert error.errors[0].item == 0


@pytest.mark.parametrize(
    ("media_type", "content"),
    [
        ("text/html", b"<h1>502 Bad Gateway</h1>"),
        ("application/json", b"<h1>"),
        ("application/json", b"[]"),
        ("application/msgpack", b"\xc1"),
        ("", b""),
        ("application/json", b'{"errors": 3, "status": "x", "code": null}'),
        ("text/plain", b"\xff\xfe"),
    ],
)
def test_a_page_that_is_no_document_is_still_an_error_of_its_status(media_type: str, content: bytes) -> None:
    error = problem_error(503, media_type, content)
    assert type(error) is errors.Unavailable
    assert error.code == "unknown"
    assert str(error)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (1008, errors.StreamRefused),
        (1009, errors.MessageTooLarge),
        (4004, errors.WorldGone),
        (4009, errors.WorldFailed),
        (4321, StreamClosed),
    ],
)
def test_each_close_code_has_its_class(code: int, kind: type[StreamClosed]) -> None:
    error = errors.stream_closed(code, "because")
    assert type(error) is kind
    assert error.code == code
    assert str(code) in str(error)
    assert "because" in str(error)


def test_errors_cross_a_process_boundary() -> None:
    refused = pickle.loads(pickle.dumps(InvalidRequest(422, "invalid", "Invalid", "no", [Problem(1, "radius", "bad")])))
    assert (type(refused), refused.errors) == (InvalidRequest, (Problem(1, "radius", "bad"),))
    gone = pickle.loads(pickle.dumps(WorldGone(4004, "deleted")))
    assert (type(gone), gone.code, gone.reason) == (WorldGone, 4004, "deleted")


def test_everything_is_of_one_tree_and_in_its_drawing() -> None:
    public = [getattr(errors, name) for name in errors.__all__]
    classes = [kind for kind in public if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(classes) > 20
    for kind in classes:
        assert issubclass(kind, errors.OrcaCrowdError)
        assert kind.__name__ in (errors.__doc__ or "")
