"""Worlds that come to a process of a cluster and leave it: at its beginning, when asked for, and at their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from orca_crowd.api.guard import TRUSTED_SECONDS, Guard
from orca_crowd.clock import Clock
from orca_crowd.hosting.lives import Lives
from orca_crowd.journal.errors import JournalFull
from orca_crowd.settings import Settings
from orca_crowd.worlds.registry import Registry

__all__ = ["EMPTY_SECONDS", "Residents"]

log = logging.getLogger("orca_crowd")

# one that was to be made and was not is let go of after so long
EMPTY_SECONDS: Final = 10.0
# what an older life answers in this time, not knowing that it is one, is still true; a new one says nothing in it
QUIET_SECONDS: Final = 2 * TRUSTED_SECONDS


class Residents:
    """Of one process; on its event loop."""

    def __init__(self, lives: Lives, settings: Settings, clock: Clock) -> None:
        """Nobody is taken over before `claim`; nobody is served before `settle` has what serves."""
        self.lives = lives
        self._settings = settings
        self._clock = clock
        # whether worlds are being taken over, and whether those that were may speak
        self.claimed = False
        self.turn = asyncio.Event()
        self._registry: Registry | None = None
        self._guard: Guard | None = None
        # which world's journal was looked at last
        self._looked = 0

    async def claim(self, *, let_go: bool = False) -> None:
        """Take worlds over: from here on nobody else writes their journals. `let_go`: nobody else answers for them."""
        self.claimed = True
        await self.lives.take_all(await asyncio.to_thread(self.lives.expected))
        asyncio.get_running_loop().call_later(0.0 if let_go else QUIET_SECONDS, self.turn.set)

    def settle(self, registry: Registry, guard: Guard) -> None:
        """From here on worlds can live here."""
        self._registry, self._guard = registry, guard

    async def bring_back(self, warm: Callable[[], Awaitable[object]]) -> None:
        """The worlds that were taken over, a few at a time, once nobody else answers for them and `warm` returns."""
        await self.turn.wait()
        await warm()
        room = asyncio.Semaphore(self._settings.helpers)

        async def one(world: str) -> None:
            async with room:
                await self._return(world)

        await asyncio.gather(*(one(world) for world in self.lives.all()))

    async def hold(self, world: str, *, new: bool) -> bool:
        """Have a world that was not here; False where a new one is none, or one of old is nowhere.

        One that is here and was not made stays free for whoever makes it first: a front end may have died in between.
        """
        if world in self.lives:
            return not new or not (await asyncio.to_thread(self.lives.has, world) or self._knows(world))
        life = await self.lives.take(world)
        if new == await asyncio.to_thread(self.lives.has, world):
            await self.drop(world)
            return False
        if not new:
            await asyncio.sleep(QUIET_SECONDS)
        await self._return(world)
        return life.ready

    async def drop(self, world: str) -> None:
        """Have a world no longer that has not come to be."""
        if not self._knows(world):
            await self.left(world)

    def left(self, world: str) -> asyncio.Future[None]:
        """A world is here no longer from now on; whoever asks for it again does so as for one that is nowhere."""
        if self._guard is not None:
            self._guard.forget(world)
        return self.lives.drop(world)

    def epoch(self, world: str) -> int | None:
        """The life of a world that is served here."""
        life = self.lives.get(world)
        return life.epoch if life is not None and life.ready else None

    async def look(self) -> bool:
        """Whether anybody is here, or to be made. One that nobody asks anything finds out here that it is elsewhere."""
        registry, guard, worlds = self._registry, self._guard, self.lives.all()
        if registry is None or guard is None or not worlds:
            return False
        self._looked = (self._looked + 1) % len(worlds)
        await guard.current(worlds[self._looked])
        now = self._clock.now()
        for world in worlds:
            life = self.lives.get(world)
            if life is not None and life.ready and not registry.knows(world) and now - life.since > EMPTY_SECONDS:
                await self.drop(world)
        return bool(self.lives.all())

    def _knows(self, world: str) -> bool:
        return self._registry is not None and self._registry.knows(world)

    async def _return(self, world: str) -> None:
        """Let a world be served, brought back first where it has a journal."""
        life = self.lives.get(world)
        if life is None or life.ready or self._registry is None:
            return
        try:
            if await asyncio.to_thread(self.lives.has, world):
                await self._registry.bring_back(world)
        except JournalFull as error:
            # whoever asks for it has it taken over anew
            log.warning("world %s cannot be brought back now: %s", world, error)
            await self.left(world)
        else:
            life.ready = True
