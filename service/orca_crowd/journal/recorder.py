"""What a session writes of itself while it runs, and when a whole state is due. Synchronous; no clock.

A change is recorded before it takes effect and withdrawn where it is refused, so that a change which could not be
recorded never happened. Steps are recorded after they were taken, and before anybody is told of them.

A replay takes about as long as the steps took that were computed since the last snapshot. When those come to
`snapshot_seconds`, the next one is due; also when the records since are a good part of what a journal may hold. It is
also due when the walkable boundaries have been shrunk anew: another version of the library that shrinks them may round
otherwise, so what it made is kept and not made again.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from orca_core.errors import OrcaError
from orca_core.snapshot import Captured
from orca_core.world import World
from orca_crowd.errors import ApiError
from orca_crowd.journal.codec import pack
from orca_crowd.journal.errors import JournalFull, StoreAway
from orca_crowd.journal.file import JournalFile
from orca_crowd.journal.log import CHECKPOINT_BYTES
from orca_crowd.journal.making import PAGE_BYTES
from orca_crowd.journal.order import Order
from orca_crowd.journal.watch import Writing

__all__ = ["Policy", "Recorder", "Snapshot"]


# what a change may come to in a replay, since nobody measures it; most take less
CHANGE_SECONDS = 0.0003
# a new snapshot is due when records since the last one are so much of what a journal may hold: with fewer snapshots
# there would be nothing to forget
SHARE = 0.25


@dataclass(frozen=True)
class Policy:
    """How often a digest is taken, in steps; how long a replay may come to, in seconds; how long a file, in bytes."""

    digest_steps: int
    snapshot_seconds: float
    journal_bytes: int


@dataclass(frozen=True)
class Snapshot:
    """A state that is captured and not yet written."""

    step: int
    sequence: int
    captured: Captured
    memory: bytes


class Recording:
    """A record that stands, unless what follows is refused."""

    __slots__ = ("_file",)

    def __init__(self, file: JournalFile) -> None:
        """The newest record of this file."""
        self._file = file

    def __enter__(self) -> None:
        """What the record tells of happens now."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the record back where it was refused; anything else is the end of the world, and its journal tells."""
        if isinstance(error, ApiError | OrcaError | MemoryError):
            self._file.withdraw()


class Recorder:
    """Writes the journal of one world. All but `write` and `tidy` are called by whoever is inside the world."""

    def __init__(self, file: JournalFile, world: World, policy: Policy, writing: Writing = nullcontext) -> None:
        """Go on with a file that has everything of the world up to now; `writing` goes around writes waited for."""
        self.file = file
        self._around = writing
        self._policy = policy
        self._digest_step = world.step_count
        self._boundaries = world.statics().boundaries
        self._since_snapshot = 0.0
        self._recorded = 0
        self._writing = False
        # what steps brought about and there was no room for: kind, step and body
        self._owed: list[tuple[str, int, bytes]] = []
        # about how long the log has become, which is counted here since a file system that is asked takes its time
        self._logged = file.log_bytes
        # of the last snapshot, written since; its memory is used again
        self._spare: Captured | None = None

    def ready(self) -> None:
        """Refuse with 507 while there is no room; called before steps, which cannot be refused once they are taken."""
        try:
            self.file.ready()
            self._pay()
        except JournalFull as full:
            raise self._no_room(full) from None

    def brought_about(self, step: int, order: Order) -> None:
        """Record what a step has brought about by itself, which cannot be refused: where there is no room for it, it is
        recorded before anything else, and no further step is taken before that.
        """
        self._owed.append((order.kind, step, pack(order)))
        with suppress(JournalFull), self._around():
            self._pay()

    def _pay(self) -> None:
        """Record what is owed, in its order."""
        while self._owed:
            kind, step, body = self._owed[0]
            self.file.append(kind, step, body)
            self._logged += PAGE_BYTES + len(body)
            self._recorded += len(body)
            del self._owed[0]

    def recording(self, step: int, order: Order) -> Recording:
        """Record an order, and take it back where what happens inside the context refuses it."""
        body = pack(order)
        try:
            with self._around():
                self.file.ready()
                self._pay()
                self.file.append(order.kind, step, body)
        except JournalFull as full:
            raise self._no_room(full) from None
        size = len(body)
        self._logged += PAGE_BYTES + size
        self._recorded += size
        self._since_snapshot += CHANGE_SECONDS
        return Recording(self.file)

    def stepped(self, world: World, seconds: float) -> None:
        """Record that the world is as far as it is; 507 where that could not be done, and the steps were taken."""
        self._since_snapshot += seconds
        self._logged += PAGE_BYTES
        step, digest = world.step_count, None
        if step - self._digest_step >= self._policy.digest_steps:
            self._digest_step = step
            digest = world.digest()
        try:
            with self._around():
                self.file.advance(step, digest)
        except JournalFull as full:
            raise self._no_room(
                full, "the steps were taken, and are lost if the server ends before there is room"
            ) from None

    def set_facts(self, **facts: Any) -> None:
        """Record what the world is besides its state; 507 where there is no room."""
        try:
            with self._around():
                self.file.set_facts(facts)
        except JournalFull as full:
            raise self._no_room(full) from None

    @property
    def writing(self) -> bool:
        """Whether a snapshot is captured and not yet written."""
        return self._writing

    @property
    def replay_seconds(self) -> float:
        """About how long a replay would compute now."""
        return self._since_snapshot

    def due(self, world: World, *, stepped: bool) -> bool:
        """Whether a snapshot should be taken now; never while one is being written.

        Boundaries are looked at after a step alone, which has shrunk them where that was to be done: asked for after
        each of many changes, they would be shrunk each time.
        """
        if self._writing:
            return False
        shrunk = stepped and world.statics().boundaries is not self._boundaries
        long = self._since_snapshot > self._policy.snapshot_seconds
        return shrunk or long or self._recorded > SHARE * self._policy.journal_bytes

    def capture(self, world: World, memory: Any) -> Snapshot:
        """Take the state as it is; `write` keeps it."""
        self._writing = True
        self._since_snapshot, self._recorded = 0.0, 0
        self._boundaries = world.statics().boundaries
        captured, self._spare = world.capture(self._spare), None
        return Snapshot(world.step_count, self.file.sequence, captured, pack(memory))

    def write(self, snapshot: Snapshot) -> None:
        """Keep a state; for a helper thread, while the world goes on. JournalFull where there is no room for it."""
        try:
            data = snapshot.captured.encode()
            self._logged += len(data) + len(snapshot.memory)
            try:
                self.file.write_snapshot(snapshot.step, snapshot.sequence, data.data, snapshot.memory)
            finally:
                # also where there was no room for it: to forget makes some
                self._forget_the_oldest()
        finally:
            self._spare = snapshot.captured
            self._writing = False
        if self.untidy:
            self.tidy()

    @property
    def untidy(self) -> bool:
        """Whether the log is long, or takes room that was looked for in vain."""
        return self._logged >= CHECKPOINT_BYTES

    def tidy(self) -> None:
        """Copy the log to where it belongs; for a helper thread. Nothing happens where there is no room for that."""
        self._logged = 0
        with suppress(JournalFull):
            self.file.checkpoint()

    def _forget_the_oldest(self) -> None:
        """Half of the past, where it is longer than it may be; the last two snapshots always stay."""
        if self.file.used > self._policy.journal_bytes:
            entries = self.file.snapshots()
            if len(entries) > 2:
                self.file.forget_before(entries[min(len(entries) // 2, len(entries) - 2)].number)

    def _no_room(self, full: JournalFull, more: str = "nothing was changed") -> ApiError:
        """507, or 503 where a store is away; the log is looked at next, which may hold the same pages many times."""
        self._logged = CHECKPOINT_BYTES
        if isinstance(full, StoreAway):
            return ApiError("not-ready", f"it cannot be kept now: {full}; {more}", headers={"Retry-After": "1"})
        return ApiError("no-room", f"there is no room to keep it: {full}; {more}")
