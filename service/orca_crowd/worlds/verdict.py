"""A journal carried out again and held against what it says: every digest, and every state that was kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from orca_core.world import World
from orca_crowd.journal.codec import unpack
from orca_crowd.journal.entries import SnapshotEntry
from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.order import Order
from orca_crowd.settings import Settings
from orca_crowd.worlds.recovery import Replay, start_at

__all__ = ["Difference", "Verdict", "replay"]

# agents that are named where states differ
NAMED = 5
# steps between two reports of progress
STRIDE = 64


@dataclass(frozen=True)
class Difference:
    """Where a replay left the recording: the first step that is known to differ, and the last known to be equal.

    `agents` are those that differ in the first whole state after that, with what differs; none where no such state was
    kept.
    """

    equal: int
    step: int
    state_step: int | None = None
    agents: tuple[str, ...] = ()


@dataclass
class Verdict:
    """What came of a replay."""

    first: int
    last: int
    changes: int = 0
    digests: int = 0
    snapshots: int = 0
    difference: Difference | None = None
    # where the journal itself is damaged
    damage: str | None = None
    sha256: str = field(default="")


def replay(file: JournalFile, until: int | None, told: Callable[[int, int], None]) -> Verdict:
    """Carry out a journal from its oldest state; `told(step, last)` reports progress. BadJournal where none is."""
    entries = file.snapshots()
    if not entries:
        raise BadJournal(f"{file.path.name} holds no whole snapshot")
    last = file.step if until is None else min(until, file.step)
    session = start_at(file, entries[0], "replay", World.restore, Settings())
    verdict = Verdict(entries[0].step, last)
    digests = file.digests(entries[0].step + 1, last)
    checks = _Checks(file, entries[1:], digests, verdict)
    steps = Replay(session, lambda running: told(running.world.step_count, last), STRIDE)

    def go_on(step: int) -> None:
        for stop in sorted(each for each in digests if session.world.step_count < each <= step):
            steps.to(stop)
            checks.digest(session.world)
        steps.to(step)

    sequence = entries[0].sequence
    try:
        for record in file.records(sequence):
            if record.step > last:
                break
            order = unpack(record.body)
            if not isinstance(order, Order):
                raise BadJournal(f"record {record.sequence} of {file.path.name} is no order")
            if order.in_step:
                steps.order(order)
            go_on(record.step)
            if not order.in_step:
                checks.states(session.world, sequence)
                steps.order(order)
            sequence = record.sequence
            verdict.changes += 1
            if verdict.difference is not None and verdict.difference.agents:
                return verdict
        else:
            go_on(last)
            checks.states(session.world, sequence)
    except BadJournal as error:
        verdict.damage = str(error)
    verdict.sha256 = session.world.digest()
    told(last, last)
    return verdict


class _Checks:
    """Compares a running replay with what the journal holds."""

    def __init__(
        self, file: JournalFile, entries: list[SnapshotEntry], digests: dict[int, str], verdict: Verdict
    ) -> None:
        self._file = file
        self._entries = entries
        self._digests = digests
        self._verdict = verdict
        self._equal = verdict.first

    def digest(self, world: World) -> None:
        """Hold the state right after a step against its digest."""
        self._verdict.digests += 1
        step = world.step_count
        if world.digest() == self._digests[step]:
            self._equal = step if self._verdict.difference is None else self._equal
        elif self._verdict.difference is None:
            self._verdict.difference = Difference(self._equal, step)

    def states(self, world: World, sequence: int) -> None:
        """Hold the state between two records against a snapshot that was taken there."""
        while self._entries and (self._entries[0].step, self._entries[0].sequence) <= (world.step_count, sequence):
            entry = self._entries.pop(0)
            if (entry.step, entry.sequence) != (world.step_count, sequence):
                continue
            self._verdict.snapshots += 1
            data, _ = self._file.snapshot(entry)
            if data == world.snapshot():
                continue
            agents = _differing(World.restore(data), world)
            known = self._verdict.difference or Difference(self._equal, entry.step)
            if not known.agents:
                self._verdict.difference = Difference(known.equal, known.step, entry.step, agents)


def _differing(recorded: World, repeated: World) -> tuple[str, ...]:
    """The first agents that differ, each with the field and both values."""
    if not np.array_equal(recorded.ids, repeated.ids):
        return (f"the agents themselves: {recorded.agent_count} were recorded, {repeated.agent_count} came out",)
    told: list[str] = []
    for name in ("position", "velocity", "goal", "preferred_velocity", "radius", "max_speed"):
        first, second = recorded.column(name), repeated.column(name)
        rows = (first.view(np.uint64) != second.view(np.uint64)).reshape(len(first), -1).any(axis=1)
        for row in np.flatnonzero(rows)[: NAMED - len(told)]:
            told.append(f"agent {recorded.ids[row]}: {name} was {first[row].tolist()} and is {second[row].tolist()}")
        if len(told) == NAMED:
            break
    return tuple(told) or ("no agent; geometry or what is remembered differs",)
