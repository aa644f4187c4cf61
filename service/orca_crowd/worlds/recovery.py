"""A world from its journal: the newest whole snapshot, and every record and step since.

What is damaged is left out as far as it must be: a snapshot that cannot be read falls back to the one before it,
records end at the last whole one. Then the file is put aside under another name and a new one begins with what was had,
so that nothing of what is left is lost and nothing false is added to it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orca_core.errors import OrcaError, SnapshotError
from orca_core.world import World
from orca_crowd.errors import ApiError
from orca_crowd.journal.codec import unpack
from orca_crowd.journal.entries import FirstState, SnapshotEntry
from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.fence import ALONE, Fence
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.order import Order
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Session

__all__ = ["Recovered", "Replay", "recover", "start_at"]

Restore = Callable[[bytes], World]


@dataclass
class Recovered:
    """A world that came back, the file that it goes on with, and what had to be left out, None where nothing had."""

    session: Session
    file: JournalFile
    cut: str | None = None


class Replay:
    """Carries out records and steps in a session, as they were carried out before."""

    def __init__(self, session: Session, stepped: Callable[[Session], None] | None = None, stride: int = 2**31) -> None:
        """`stepped` is called after every `stride` steps at most."""
        self.session = session
        self._stepped = stepped
        self._stride = stride

    def to(self, step: int) -> None:
        """Take the steps up to this one."""
        while self.session.world.step_count < step:
            self.session.repeat_steps(step, self._stride)
            if self._stepped is not None:
                self._stepped(self.session)

    def order(self, order: Order) -> None:
        """Carry out an order; one that was refused then, and stayed in the journal, is refused again."""
        with suppress(ApiError, OrcaError):
            self.session.repeat(order)

    def records(self, file: JournalFile, after: int, until: int | None = None, last_step: int | None = None) -> None:
        """Every record behind `after`, each at its step, none of a step after `last_step`."""
        for record in file.records(after, until):
            if last_step is not None and record.step > last_step:
                return
            order = unpack(record.body)
            if not isinstance(order, Order):
                raise BadJournal(f"record {record.sequence} of {file.path.name} is no order")
            # ways are there for the step that they come with
            if order.in_step:
                self.order(order)
            self.to(record.step)
            if not order.in_step:
                self.order(order)


def start_at(file: JournalFile, entry: SnapshotEntry, name: str, restore: Restore, settings: Settings) -> Session:
    """The session of a snapshot; BadJournal where it cannot be read."""
    data, memory = file.snapshot(entry)
    try:
        session = Session(name, restore(data), settings)
        session.plan_with(None)
        session.remember(unpack(memory))
    except (SnapshotError, KeyError, TypeError, ValueError) as error:
        raise BadJournal(f"snapshot {entry.number} of {file.path.name}: {error}") from None
    return session


def recover(
    path: Path,
    name: str,
    restore: Restore,
    settings: Settings,
    fence: Fence = ALONE,
    opened: JournalFile | None = None,
) -> Recovered:
    """The world of a journal, at the bits that were last acknowledged; BadJournal where no whole state is left.

    `opened` is the journal where it is open already.
    """
    file = opened if opened is not None else JournalFile(path, alone=True, fence=fence)
    try:
        session, entry, cut = _newest(file, name, restore, settings)
        replay = Replay(session)
        try:
            replay.records(file, entry.sequence)
        except BadJournal as error:
            # what came after may have rested on what is missing
            cut = str(error)
        else:
            replay.to(file.step)
        session.break_off()
    except BaseException:
        file.close()
        raise
    return Recovered(session, file, cut)


def _newest(
    file: JournalFile, name: str, restore: Restore, settings: Settings
) -> tuple[Session, SnapshotEntry, str | None]:
    """The newest state that can be read."""
    faults: list[str] = []
    for entry in reversed(file.snapshots()):
        try:
            session = start_at(file, entry, name, restore, settings)
        except BadJournal as error:
            faults.append(str(error))
            continue
        # an older one with all records since is as good, if slower
        return session, entry, None
    raise BadJournal("; ".join(faults) or f"{file.path.name} holds no whole snapshot")


def put_aside(recovered: Recovered, facts: dict[str, Any], memory: bytes, fence: Fence = ALONE) -> JournalFile:
    """Begin a new file with the state that was had, and keep the damaged one under another name."""
    old = recovered.file
    old.close()
    number = 1
    while (aside := old.path.with_suffix(f".damaged-{number}")).exists():
        number += 1
    world = recovered.session.world
    # under both names for a moment, so that a death in between leaves the world at least the damaged one
    shutil.copyfile(old.path, aside)
    try:
        return JournalFile.create(
            old.path, facts, facts["durability"], FirstState(world.step_count, world.snapshot(), memory), fence
        )
    except BaseException:
        aside.replace(old.path)
        raise
