"""What a journal needs beside its records: snapshots written and its log copied, in helper threads, one at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from orca_crowd.engine.interface import Engine
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import JournalError
from orca_crowd.journal.recorder import Recorder
from orca_crowd.worlds.jobs import Outcome

__all__ = ["Upkeep"]

log = logging.getLogger("orca_crowd")


class Upkeep:
    """The background of one world's journal; nothing where it has none."""

    def __init__(self, world: str, recorder: Recorder | None, engine: Engine) -> None:
        """Nothing to do yet."""
        self._world = world
        self._recorder = recorder
        self._engine = engine
        self._task: asyncio.Task[None] | None = None
        # whether steps of the world's own clock wait for room
        self._held = False

    def held(self, refusal: ApiError) -> ApiError:
        """A step of the world's own clock could not be recorded: the log is told once."""
        if not self._held:
            self._held = True
            log.error("world %s stands still: %s", self._world, refusal.detail)
        return refusal

    def after(self, out: Outcome) -> None:
        """A call into the world has ended; begin what it left to do."""
        recorder = self._recorder
        if recorder is None:
            return
        # a read is answered while the disk is full, and says nothing of it
        self._held = self._held and not (out.steps and out.refusal is None)
        if out.snapshot is not None:
            snapshot = out.snapshot
            self._begin(lambda: recorder.write(snapshot))
        elif recorder.untidy and (self._task is None or self._task.done()):
            self._begin(recorder.tidy)

    async def close(self) -> None:
        """Let what is under way end, and close the file."""
        if self._task is not None:
            await asyncio.wait([self._task])
        if self._recorder is not None:
            await self._engine.serve(self._recorder.file.close)

    def _begin(self, work: Callable[[], None]) -> None:
        before = self._task

        async def do() -> None:
            if before is not None and not before.done():
                await asyncio.wait([before])
            try:
                await self._engine.serve(work)
            except JournalError as error:
                # the records before it are all there, so a snapshot that found no room costs time at a recovery alone
                log.warning("the journal of world %s has no new snapshot: %s", self._world, error)
            except Exception:
                log.exception("the upkeep of the journal of world %s failed", self._world)

        self._task = asyncio.create_task(do(), name=f"journal of {self._world}")
