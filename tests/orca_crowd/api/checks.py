"""What tests of the routes say again and again."""

from __future__ import annotations

from typing import Any

import httpx

__all__ = ["digest", "faults", "problem", "strict_json"]


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem document of a refusal, checked for its shape."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = strict_json(answer.content)
    assert document["code"] == code, document
    assert document["status"] == status
    assert set(document) >= {"type", "title", "status", "code", "detail", "errors"}
    assert all(set(entry) == {"item", "field", "message"} for entry in document["errors"])
    return document


def faults(answer: httpx.Response) -> set[tuple[int | None, str | None]]:
    """Item and field of each fault of a 422."""
    return {(entry["item"], entry["field"]) for entry in problem(answer, 422, "invalid")["errors"]}


def digest(client: httpx.Client, world: str) -> str:
    """Digest of a world."""
    answer = client.get(f"{world}/digest")
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["sha256"]
    return found


def strict_json(data: bytes) -> Any:
    """The value of JSON as the standard has it: NaN and infinities are none."""
    import json

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(data, parse_constant=refuse)
