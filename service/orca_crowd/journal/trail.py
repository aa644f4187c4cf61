"""The journal of one world in a store of objects: a row of numbered objects, each written once and never changed.

An object is written only where there is none of its number, as one act of the store. So whoever brings the world to
life writes the next number, and from then on the process that had it before finds its next number taken, forever: it
writes nothing, and so acknowledges nothing. Such first objects stay as long as the world; the names of others become
free when they are put together, so a new life looks whether what it has written is behind all of them.

    made/<world>                       where the row begins: written last, removed first
    asleep/<world>                     while the world is put away
    worlds/<world>/log/<number>        some operations, one object for what is acknowledged together
    worlds/<world>/past/<first>-<last> what was in many of them, as one
    worlds/<world>/states/<begin>-<number>-<life>  a whole state; whoever starts with it reads on from `begin`

A write that may have been carried out and was not answered is repeated, with the same bytes, before anything else is
written; until then `flush` fails, and whatever would change the world is refused.
"""

from __future__ import annotations

import secrets
import threading
import zlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Final

from orca_crowd.journal.entries import FirstState
from orca_crowd.journal.errors import StoreAway, Superseded
from orca_crowd.journal.making import fact_rows
from orca_crowd.journal.packing import PACK_OBJECTS, Packing
from orca_crowd.journal.row import Mark, Row, is_behind, last_number, log_name, marks, read_row
from orca_crowd.journal.segments import Operation, seal
from orca_crowd.journal.store import Store

__all__ = ["Trail"]

# how long a write is waited for; it goes on, and is asked after before the next one
ANSWER_SECONDS: Final = 3.0
# that a life begins with at the most, where another one goes on writing
FIRST_OBJECTS: Final = 64
# numbers of a world begin here times the milliseconds of its first epoch, so that none is used by two worlds of one id
NUMBERS: Final = 1_000_000


class Trail:
    """What one life of a world writes; calls may come from any thread."""

    def __init__(self, store: Store, world: str) -> None:
        """Nothing is asked before `claim`."""
        self.store = store
        self.world = world
        self.folder = f"worlds/{world}"
        self.life = secrets.token_bytes(16)
        self.next = 0
        self.epoch = 0
        # of what was read: why it had to end before its end
        self.damage: str | None = None
        self._lock = threading.RLock()
        self._owed: list[Operation] = []
        self._sealed: bytes | None = None
        self._writing: Future[bool] | None = None
        self._lost = False
        self._made = False
        # one writes, and one puts together and removes, which takes longer
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="orca-store")
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="orca-question")
        self._asked: tuple[int, Future[bool]] | None = None
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="orca-packing")
        self._packing = Packing(store, self.folder)
        self._packed: Future[None] | None = None
        # records and steps since the last state, and the object that each is in
        self._marks: list[Mark] = []

    def claim(self, now: int) -> Row | None:
        """Take the world over from whoever had it; what there is of it, None where it is none yet.

        `now` is in milliseconds. StoreAway where that cannot be done now.
        """
        self.epoch = now
        count = 1
        while True:
            told = self.store.get(f"made/{self.world}")
            if told is None:
                return None
            made = int(told)
            # nobody writes behind these any more: whoever read first could find more behind what was read for ever
            self.next = last_number(self.store, self.folder, made) + 1
            lives = self._begin_life(now, count)
            count = min(4 * count, FIRST_OBJECTS)
            if not lives or not is_behind(self.store, self.folder, lives[0][0]):
                continue
            row = read_row(self.store, self.folder, made, lives[0][0])
            self.epoch = max(now, row.epoch + 1)
            if self.epoch == now:
                break
            # the clock of a life before was ahead of ours: our number is told once more
            again = self._begin_life(self.epoch, 1)
            if again:
                lives += again
                break
        self._made, self.damage = True, row.damage
        self._packing.begin(row, lives)
        self._marks = [mark for segment in row.segments for mark in marks(segment.number, segment.operations)]
        return row

    def _begin_life(self, epoch: int, count: int) -> list[tuple[int, bytes]]:
        """Write the next objects, so many at the same time since who has the world may be writing them one by one.

        Those that were written behind all of others', with their numbers; none where the last is another's.
        """
        numbers = range(self.next, self.next + count)
        objects = [(number, seal(number, self.life, [("life", [epoch])])) for number in numbers]
        pool = ThreadPoolExecutor(count, thread_name_prefix="orca-claim")
        try:
            writing = [pool.submit(self._put_or_find, log_name(self.folder, number), data) for number, data in objects]
            if wait(writing, ANSWER_SECONDS).not_done:
                raise StoreAway(f"{self.store.url} has not answered for {ANSWER_SECONDS:g} seconds")
        finally:
            pool.shutdown(wait=False)
        others = [place for place, each in enumerate(writing) if not each.result()]
        self.next += count
        return objects[others[-1] + 1 :] if others else objects

    # writing

    def make(self, facts: Mapping[str, Any], first: FirstState | None) -> None:
        """Begin a row with a state; StoreAway where that cannot be, and then there is none."""
        with self._lock:
            if not self._made:
                self.next = self.epoch * NUMBERS
            self._packing.restart()
            self._marks = []
            begin = self.next
            operations: list[Operation] = [("life", [self.epoch]), ("facts", [fact_rows(facts)])]
            if first is not None:
                crc = zlib.crc32(first.memory)
                name = self._put_state(begin, 1, first.data)
                values = [1, first.step, 0, len(first.data), name, first.memory, crc, fact_rows(facts)]
                operations.append(("state", values))
            self.write(*operations)
            self.store.put(f"made/{self.world}", str(begin).encode())
            self._made = True

    def state(
        self, number: int, step: int, sequence: int, data: bytes | memoryview, memory: bytes, facts: Mapping[str, Any]
    ) -> None:
        """Keep a whole state; StoreAway where that cannot be."""
        with self._lock:
            # what came after it was taken, and may be in the store already
            later = [mark for mark in self._marks if mark.value > (sequence if mark.record else step)]
            begin = min((mark.number for mark in later), default=self.next)
        name = self._put_state(begin, number, data)
        with self._lock:
            values = [number, step, sequence, len(data), name, memory, zlib.crc32(memory), fact_rows(facts)]
            self.write(("state", values))
            self._marks = later + [mark for mark in self._marks if mark.number >= self.next]
            self._packing.state(name)

    def _put_state(self, begin: int, number: int, data: bytes | memoryview) -> str:
        name = f"{begin:020d}-{number}-{self.life.hex()}"
        self.store.put(f"{self.folder}/states/{name}", bytes(data))
        return name

    def write(self, *operations: Operation) -> None:
        """Have operations in the store, with what is owed; StoreAway where it is not known whether they are.

        They are owed then. Superseded where another process has the world.
        """
        with self._lock:
            self._owed += operations
            self.flush()

    def owe(self, *operations: Operation) -> None:
        """Write these before anything else."""
        with self._lock:
            self._owed += operations

    def flush(self) -> None:
        """Have everything in the store that is owed; StoreAway and Superseded as in `write`."""
        with self._lock:
            while self._sealed is not None or self._owed:
                if self._sealed is None:
                    self._sealed = seal(self.next, self.life, self._owed)
                    self._marks += marks(self.next, self._owed)
                    self._owed = []
                if self._lost or not self._put(self._sealed):
                    self._lost = True
                    raise Superseded("another process has taken this world over")
                if self._packing.add(self.next, self._sealed) >= PACK_OBJECTS and (
                    self._packed is None or self._packed.done()
                ):
                    self._packed = self._beside.submit(self._pack)
                self._sealed = None
                self.next += 1

    def _put(self, data: bytes) -> bool:
        """Write the next object; False where another's is there. StoreAway where it does not answer in time."""
        if self._writing is None:
            self._writing = self._pool.submit(self._put_or_find, log_name(self.folder, self.next), data)
        try:
            done = self._writing.result(ANSWER_SECONDS)
        except TimeoutError:
            raise StoreAway(f"{self.store.url} has not answered for {ANSWER_SECONDS:g} seconds") from None
        except StoreAway:
            self._writing = None
            raise
        self._writing = None
        return done

    def _put_or_find(self, name: str, data: bytes) -> bool:
        # an earlier try may have got there though it was said to have failed
        return self.store.put_new(name, data) or self.store.get(name) == data

    def _pack(self) -> None:
        # what could not be packed is packed the next time
        with suppress(StoreAway):
            self._packing.pack()

    def forget(self, number: int) -> None:
        """Drop the states before that one, and what only they needed."""
        self.write(("forget", [number]))
        with suppress(StoreAway):
            self._packing.forget(number)

    def asleep(self, away: bool) -> None:
        """Tell front ends whether the world is put away; they find out by themselves where that cannot be told."""
        with suppress(StoreAway):
            if away:
                self.store.put(f"asleep/{self.world}", b"")
            else:
                self.store.remove([f"asleep/{self.world}"])

    # the end

    def superseded(self) -> bool:
        """Whether another process has taken the world over, or it was deleted; a store that is away says nothing."""
        try:
            with self._lock:
                if self._lost or not self._made:
                    return self._lost
                self.flush()
                return self._is_taken()
        except Superseded:
            return True
        except StoreAway:
            return False

    def _is_taken(self) -> bool:
        """Whether the next number is taken; False where that is not known in time."""
        if self._asked is None or self._asked[1].done():
            self._asked = (self.next, self._questions.submit(self._find_out, self.next))
        number, answer = self._asked
        if number != self.next:
            # an answer that is late: the object of that number may be ours by now
            return False
        try:
            return answer.result(ANSWER_SECONDS)
        except TimeoutError:
            return False

    def _find_out(self, number: int) -> bool:
        return self.store.has(log_name(self.folder, number)) or not self.store.has(f"made/{self.world}")

    def delete(self) -> None:
        """Remove the world from the store; there is none of this name from the first moment on."""
        with self._lock:
            # that it is not there is no sign of somebody else from here on
            self._made = False
        self.store.remove([f"made/{self.world}", f"asleep/{self.world}"])
        self.store.remove([f"{self.folder}/{name}" for name in self.store.names(self.folder)])

    def close(self) -> None:
        """Nothing more is written."""
        for pool in (self._pool, self._questions, self._beside):
            pool.shutdown(wait=False)
