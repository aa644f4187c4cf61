"""For whom a world does what it does: the log tells the request, and a trace goes on below it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import Context
from typing import Any

from orca_crowd.logs import request_id, world_id
from orca_crowd.tracing import Tracing

__all__ = ["Doing"]


class Doing:
    """Of one world; called around everything that is done in it."""

    def __init__(self, world: str, tracing: Tracing) -> None:
        """`context` is that of the world's task: not of the request that made it, or all its lines would be of that."""
        self._world = world
        self._tracing = tracing
        self.context = Context()
        self.context.run(world_id.set, world)

    def __call__(self, what: str, asked: Context | None, **attributes: int) -> AbstractContextManager[Any]:
        """A span for the block; `asked` is the context of whoever asked, None for the world's own clock."""
        request_id.set(None if asked is None else asked.get(request_id))
        return self._tracing.span(what, asked, world=self._world, **attributes)
