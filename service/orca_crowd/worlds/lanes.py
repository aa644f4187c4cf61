"""What waits for a world: reads in one lane, commands and step requests in the other, both under one bound."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from orca_crowd.errors import ApiError
from orca_crowd.worlds.jobs import CallJob, StepJob

__all__ = ["Lanes"]


class Lanes:
    """Two queues, together at most `limit` long; one more is refused with `busy`, and nothing that waits is dropped."""

    def __init__(self, world: str, limit: int) -> None:
        """Start empty."""
        self._world = world
        self._limit = limit
        self._reads: deque[CallJob] = deque()
        self._orders: deque[CallJob | StepJob] = deque()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._reads) + len(self._orders)

    def put(self, job: CallJob | StepJob) -> None:
        """Let a job wait, or refuse it."""
        if len(self) >= self._limit:
            raise ApiError(
                "busy",
                f"{len(self)} requests wait for world {self._world!r} already, which is the limit; try again",
                headers={"Retry-After": "1"},
            )
        if isinstance(job, CallJob) and job.overtakes and not job.changes:
            self._reads.append(job)
        else:
            self._orders.append(job)

    def reads(self) -> Iterator[CallJob]:
        """Take the reads that wait now, one by one; those that come meanwhile wait for the next time."""
        for _ in range(len(self._reads)):
            yield self._reads.popleft()

    def next_call(self, *, stepping: bool) -> CallJob | None:
        """Take the command at the head of the orders; while steps are under way only one that may overtake them."""
        first = self._orders[0] if self._orders else None
        if not isinstance(first, CallJob) or (stepping and not first.overtakes):
            return None
        self._orders.popleft()
        return first

    def next_steps(self) -> StepJob | None:
        """Take the step request at the head of the orders."""
        first = self._orders[0] if self._orders else None
        if not isinstance(first, StepJob):
            return None
        self._orders.popleft()
        return first

    def clear(self) -> list[CallJob | StepJob]:
        """Take everything."""
        left = [*self._reads, *self._orders]
        self._reads.clear()
        self._orders.clear()
        return left
