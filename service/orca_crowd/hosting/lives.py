"""The worlds of a process of a cluster: each with its life, which is a number that grows, and its own journal.

A world is taken over before anything of it is read: from then on nobody else writes its journal, see journal/fence.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

from orca_crowd.clock import Clock
from orca_crowd.engine.ray.names import home_of, is_shared
from orca_crowd.errors import ApiError
from orca_crowd.journal.errors import BadJournal, JournalFull
from orca_crowd.journal.watch import Writing
from orca_crowd.settings import Settings
from orca_crowd.worlds.kept import kept_of
from orca_crowd.worlds.recovery import Restore
from orca_crowd.worlds.session import Session
from orca_crowd.worlds.shared import SharedArchive
from orca_crowd.worlds.stored import StoredArchive

__all__ = ["Life", "Lives"]

log = logging.getLogger("orca_crowd")

# journals that are taken over at once
AT_ONCE: Final = 8

OwnArchive = SharedArchive | StoredArchive


@dataclass
class Life:
    """One world: its journal, None where nothing is kept, the number of its life, and the first one that it had."""

    archive: OwnArchive | None
    since: float
    epoch: int = 0
    created: int = 0
    # whether requests may come
    ready: bool = False


class Lives:
    """Changed on the event loop; also the journals of the process, whose calls come from helper threads."""

    def __init__(self, settings: Settings, home: str, clock: Clock) -> None:
        """No world yet."""
        self._settings = settings
        self._home = home
        self._clock = clock
        self._writing: Writing = nullcontext
        self._lives: dict[str, Life] = {}

    def __contains__(self, world: str) -> bool:
        """Whether this world is here."""
        return world in self._lives

    def get(self, world: str) -> Life | None:
        """A world, if it is here."""
        return self._lives.get(world)

    def shown(self, world: str) -> dict[str, Any] | None:
        """What front ends are told of a world that is here."""
        life = self._lives.get(world)
        return None if life is None else {"epoch": life.epoch, "created": life.created, "ready": life.ready}

    def all(self) -> list[str]:
        """The worlds that are here."""
        return list(self._lives)

    @property
    def keeps(self) -> bool:
        """Whether there are journals at all."""
        return self._settings.store is not None or self._settings.folder is not None

    def expected(self) -> list[str]:
        """The worlds to begin with: its own, or those of a shared process that have a journal and were not put away.

        Blocks; StoreAway where a store gives no answer.
        """
        if not is_shared(self._home):
            return [self._home]
        kept = kept_of(self._settings)
        if kept is None:
            return []
        processes = self._settings.world_processes
        return kept.awake(frozenset(), lambda name: home_of(name, processes) == self._home)

    async def take(self, world: str) -> Life:
        """Take a world over that is not here; where it cannot be had now, it is still not here: JournalFull.

        A journal that nothing can be read of is there all the same: its world has failed, which its registry finds out.
        """
        life = self._lives[world] = Life(self._archive(world), self._clock.now())
        life.epoch = life.created = int(self._clock.wall() * 1000)
        if life.archive is not None:
            try:
                life.epoch, life.created = await asyncio.to_thread(life.archive.claim)
            except BadJournal as error:
                log.error("%s", error)
            except BaseException:
                await self.drop(world)
                raise
        return life

    async def take_all(self, worlds: Iterable[str]) -> None:
        """Take worlds over, some at a time. One that cannot be had now is left to whoever asks for it."""
        room = asyncio.Semaphore(AT_ONCE)

        async def one(world: str) -> None:
            async with room:
                try:
                    await self.take(world)
                except JournalFull as error:
                    log.warning("world %s cannot be taken over now: %s", world, error)

        await asyncio.gather(*(one(world) for world in worlds))

    def superseded(self, world: str) -> bool:
        """Whether somebody else has taken a world over that is here. Blocks."""
        life = self._lives.get(world)
        return life is not None and life.archive is not None and life.archive.superseded()

    def drop(self, world: str) -> asyncio.Future[None]:
        """A world is here no longer; what is returned is done when its files are closed."""
        loop = asyncio.get_running_loop()
        life = self._lives.pop(world, None)
        if life is not None and life.archive is not None:
            return loop.run_in_executor(None, life.archive.close)
        done: asyncio.Future[None] = loop.create_future()
        done.set_result(None)
        return done

    # the journals, as the registry of this process sees them

    def watch(self, writing: Writing) -> None:
        """`writing` goes around writes that somebody waits for."""
        self._writing = writing
        for life in self._lives.values():
            if life.archive is not None:
                life.archive.watch(writing)

    def open(self) -> None:
        """Each is opened when its world is taken over."""

    def close(self) -> None:
        """Leave nothing on this machine that is kept elsewhere."""
        for life in list(self._lives.values()):
            if life.archive is not None:
                life.archive.close()

    def names(self) -> list[str]:
        """None: whoever runs this process says when each of them comes back."""
        return []

    def has(self, name: str) -> bool:
        """Whether a world that is here has a journal."""
        life = self._lives.get(name)
        return life is not None and life.archive is not None and life.archive.has(name)

    def delete(self, name: str) -> None:
        """Remove the journal of a world that has ended."""
        self._own(name).delete(name)

    def begin(self, session: Session, facts: Mapping[str, Any]) -> None:
        """Let a session keep a journal from here on."""
        self._own(session.name).begin(session, facts)

    def past(self, name: str, step: int) -> bytes:
        """The snapshot of a world as it was when it left a step."""
        return self._own(name).past(name, step)

    def bring_back(self, name: str, restore: Restore) -> tuple[Session, dict[str, Any], str | None]:
        """A world as it was acknowledged last."""
        return self._own(name).bring_back(name, restore)

    # inside

    def _own(self, world: str) -> OwnArchive:
        """The journal of a world; whoever has asked is to ask again elsewhere where it is not here any more."""
        life = self._lives.get(world)
        if life is None or life.archive is None:
            raise ApiError("draining", f"world {world!r} is not in this process")
        return life.archive

    def _archive(self, world: str) -> OwnArchive | None:
        settings = self._settings
        found: OwnArchive | None = None
        if settings.store is not None:
            found = StoredArchive(settings.store, settings, world, self._clock)
        elif settings.folder is not None:
            found = SharedArchive(settings.folder, settings, world, self._clock)
        if found is not None:
            found.watch(self._writing)
        return found
