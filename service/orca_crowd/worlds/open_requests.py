"""Step requests that have begun and not ended. Pure.

Their commands have taken effect, and their answer is still to come. Where the server ends in between, the request is
not acknowledged, but its commands are in the journal: sent again with the same key, it goes on where it was and its
commands have no second effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orca_crowd.errors import ApiError
from orca_crowd.protocol.steps import StepRequest

__all__ = ["OpenRequest", "OpenRequests"]


@dataclass(eq=False)
class OpenRequest:
    """One request: what its commands did, and the step at which it ends; None once it was broken off with `left`."""

    request: StepRequest
    accepted: Any
    due: int | None
    left: int = 0
    # of its steps so far, where it has a key
    events: list[dict[str, Any]] = field(default_factory=list)


class OpenRequests:
    """Those of one world; few at a time, since a step request has the world for itself."""

    def __init__(self) -> None:
        """None."""
        self._open: list[OpenRequest] = []

    def add(self, request: StepRequest, accepted: Any, due: int) -> None:
        """One more has begun."""
        # those whose controller has gone before the step are never ended by anybody
        self._open = [each for each in self._open if each.due is None or each.due >= due - request.count]
        self._open.append(OpenRequest(request, accepted, due))

    def find(self, request: StepRequest) -> OpenRequest | None:
        """The same request, broken off before; `go_on` lets it. 409 where its key came with another body."""
        for each in self._open:
            if each.due is None and request.key is not None and each.request.key == request.key:
                if each.request.digest != request.digest:
                    raise ApiError("key-reused", f"key {request.key!r} was used before in this world with another body")
                return each
        return None

    def go_on(self, opened: OpenRequest, request: StepRequest, step: int) -> None:
        """One that was broken off takes the steps that are left from this one on, as the request that came again."""
        opened.request, opened.due = request, step + opened.left

    def interrupt(self, request: StepRequest, left: int) -> bool:
        """A request was refused in the midst of its steps; whether it waits for being sent again."""
        for each in self._open:
            if each.request is request:
                each.left, each.due = left, None
        self._open = [each for each in self._open if each.request is not request or each.request.key is not None]
        return any(each.request is request for each in self._open)

    def end(self, request: StepRequest) -> None:
        """This one has its answer."""
        self._open = [each for each in self._open if each.request is not request]

    def due(self, step: int) -> list[OpenRequest]:
        """Those that end at this step, in the order in which they began."""
        return [each for each in self._open if each.due == step]

    def next_due(self, step: int) -> int | None:
        """The next step after `step` at which one ends."""
        return min((each.due for each in self._open if each.due is not None and each.due > step), default=None)

    def kept(self, step: int) -> list[tuple[OpenRequest, int]]:
        """What a snapshot keeps: those with a key, and how many steps are left of each.

        None is left of one that is about to be answered.
        """
        lefts = [(each, each.left if each.due is None else each.due - step) for each in self._open]
        return [(each, left) for each, left in lefts if left >= 0 and each.request.key is not None]

    def put_back(self, kept: list[tuple[StepRequest, Any, int, list[dict[str, Any]], bool]], step: int) -> None:
        """Be what a snapshot of this step kept; what was broken off before it goes on where the records say so."""
        self._open = [
            OpenRequest(request, accepted, None if broken else step + left, left, events)
            for request, accepted, left, events, broken in kept
        ]

    def happened(self, events: list[dict[str, Any]], limit: int) -> None:
        """Steps brought these events; at most `limit` are kept for each request that may be answered again."""
        for each in self._open:
            if each.due is not None and each.request.key is not None:
                each.events += events[: max(0, limit - len(each.events))]

    def break_off(self, step: int) -> bool:
        """The server has ended at this step: those that were under way wait for being sent again. Whether any do."""
        for each in self._open:
            each.left, each.due = each.left if each.due is None else each.due - step, None
        self._open = [each for each in self._open if each.left >= 0 and each.request.key is not None]
        return bool(self._open)
