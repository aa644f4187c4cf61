"""Controllers that are ready for the next step of a barrier world and wait for its answer.

The commands of a `ready` have taken effect when it gets here; what is left is to answer it with the state after the
step, or to say why there will be no such answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orca_crowd.errors import ApiError
from orca_crowd.protocol.steps import StepRequest
from orca_crowd.worlds.session import Accepted

__all__ = ["Readiness", "Waiting"]

Future = asyncio.Future[dict[str, Any]]


@dataclass(eq=False)
class Waiting:
    """One `ready`: what it asks for, what its commands did, and who waits; nobody where its controller has gone."""

    name: str
    request: StepRequest
    accepted: Accepted
    futures: list[Future]


class Readiness:
    """What waits for the next step of one world. At most `limit`; one more is refused with `busy`."""

    def __init__(self, world: str, limit: int) -> None:
        """Nobody waits."""
        self._world = world
        self._limit = limit
        self._waiting: list[Waiting] = []

    def check_room(self) -> None:
        """Refuse one more where as many wait as may."""
        if len(self._waiting) >= self._limit:
            raise ApiError(
                "busy", f"{self._limit} messages wait for the next step of world {self._world!r}, which is the limit"
            )

    def find(self, request: StepRequest) -> Waiting | None:
        """The one that was sent before with the same key and body; 409 where it had another body."""
        for waiting in self._waiting:
            if request.key is not None and waiting.request.key == request.key:
                if waiting.request.digest != request.digest:
                    raise ApiError("key-reused", f"key {request.key!r} was used before in this world with another body")
                return waiting
        return None

    def add(self, name: str, request: StepRequest, accepted: Accepted) -> Waiting:
        """Let one more wait."""
        waiting = Waiting(name, request, accepted, [])
        self._waiting.append(waiting)
        return waiting

    def all(self) -> list[Waiting]:
        """Everything that the next step has to answer, in the order in which it came."""
        return list(self._waiting)

    def answer(self, waiting: Sequence[Waiting], answers: Sequence[dict[str, Any]]) -> None:
        """The step was taken: an answer for each of those that waited."""
        self._waiting = [each for each in self._waiting if each not in waiting]
        for each, answer in zip(waiting, answers, strict=True):
            for future in each.futures:
                if not future.done():
                    future.set_result(answer)

    def refuse(self, error: ApiError, name: str | None = None) -> None:
        """Tell those who wait, or those under one name, that they need not; None is everybody.

        What came with a key is kept until the step, so that it has its effect once when it is sent again.
        """
        for waiting in self._waiting:
            if name is not None and waiting.name != name:
                continue
            told = error
            if waiting.accepted.sequence is not None:
                done = {"step": waiting.accepted.step, "sequence": waiting.accepted.sequence}
                told = ApiError(error.code, f"{error.detail}; its commands have taken effect", more=done)
            for future in waiting.futures:
                if not future.done():
                    future.set_exception(told)
            waiting.futures = []
        self._waiting = [each for each in self._waiting if each.futures or each.request.key is not None]
