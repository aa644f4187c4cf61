"""The processes that worlds live in: actors found by name, asked, made where there is none, given up when silent.

A process is one world's own or shared by several, see engine/ray/names.py; what is said here holds for both.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from orca_crowd.clock import Clock
from orca_crowd.cluster.asking import Asking
from orca_crowd.engine.ray.actor import ActorOrder
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, NameTaken, Needs, NoSuchActor
from orca_crowd.engine.ray.names import PLACES, actor_name, home_of, is_shared, other_place
from orca_crowd.errors import ApiError
from orca_crowd.settings import Settings

__all__ = ["Homes", "Told"]

log = logging.getLogger("orca_crowd")
Result = TypeVar("Result")

# what runs in a process of worlds; above this layer, so it is named
HOST: Final = "orca_crowd.hosting.host:start"
# how long one question to a process that is being made may take, and the time before the next one
QUESTION_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = 0.05
# questions to one process at once: it answers all that wait as soon as it is there
AT_ONCE: Final = 4
# to take a world over from its journal
HOLD_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Told:
    """What one actor says of itself: `state` is starting, waiting, serving or released; `life` is that of the world
    that it was asked for, with epoch, created and ready, None where it has it not.
    """

    actor: str
    state: str
    life: dict[str, Any] | None
    facts: dict[str, Any]


# what is to be tried with what the actors of a process say; None where it has to be tried again
Attempt = Callable[[list[Told]], Awaitable[Result | None]]


class Homes:
    """Of one front end; lives on its event loop."""

    def __init__(self, settings: Settings, clock: Clock, asking: Asking, environment: dict[str, str]) -> None:
        """`environment` is that of the processes."""
        self._settings = settings
        self._clock = clock
        self._asking = asking
        self._environment = environment
        self._needs = Needs(settings.world_processors, settings.world_memory, settings.placement)
        # processes that have fallen silent, by what they are called, until they are found again
        self._fallen: dict[str, int] = {}
        self._rooms: dict[str, asyncio.Semaphore] = {}

    def of(self, world: str) -> str:
        """The process that a world is in."""
        return home_of(world, self._settings.world_processes)

    async def names(self, home: str) -> list[str]:
        """The actors that a process has now: one, or two while its worlds move."""
        found: list[str] = await self._asking.ask("existing", [actor_name(home, place) for place in PLACES])
        return found

    async def make(self, home: str, *, lasting: bool, place: str = PLACES[0]) -> None:
        """Ask for an actor; NameTaken where there is one. `lasting`: it is made anew when it dies."""
        order = ActorOrder(
            home=home, place=place, run=HOST, settings=self._world_settings(), environment=self._environment
        )
        await self._asking.ask("make", actor_name(home, place), order, self._needs, lasting)

    async def hold(self, actor: str, world: str, *, new: bool) -> bool:
        """Have a process take a world in, `new` or from its journal; whether it has."""
        return bool(await self._asking.actor(actor, "hold", world, new, seconds=HOLD_SECONDS))

    async def drop(self, world: str) -> None:
        """Have a process forget a world that was not made; nothing happens where it is not there, or was."""
        for name in await self.names(self.of(world)):
            with suppress(NoSuchActor, ActorAway):
                await self._asking.actor(name, "drop", world, seconds=QUESTION_SECONDS)

    def fell_silent(self, world: str, process: int) -> None:
        """A process was given up by somebody who waited for it."""
        self._fallen[self.of(world)] = process

    async def patiently(self, world: str, attempt: Attempt[Result]) -> Result:
        """Try something with what the actors of a world's process say, until there is a result or no time is left: 503.

        Who waits for a world that moves is told to take it, and who says nothing is given up.
        """
        settings, home = self._settings, self.of(world)
        until = self._clock.now() + settings.return_seconds
        # since when a process says nothing at all
        silent: dict[str, float] = {}
        said = "it is not there"
        while True:
            try:
                told = await self._told(home, world, silent)
                if not silent or any(each.state == "serving" for each in told):
                    result = await attempt(told)
                    if result is not None:
                        self._fallen.pop(home, None)
                        return result
                if told and not silent and all(each.state == "waiting" for each in told):
                    # whoever wanted to move its worlds has gone, and so has the process that had them
                    await self._asking.actor(told[0].actor, "take", False, seconds=QUESTION_SECONDS)
                await self._give_up_the_silent(home, silent)
                said = ", ".join(f"{each.actor} is {each.state}" for each in told) or "its process is being made"
            except ClusterError as error:
                said = str(error)
            if self._clock.now() >= until:
                raise ApiError(
                    "not-ready",
                    f"world {world!r} did not come back within {settings.return_seconds:g} seconds: {said}",
                    headers={"Retry-After": "1"},
                )
            await asyncio.sleep(PAUSE_SECONDS)

    # inside

    def _world_settings(self) -> dict[str, Any]:
        """Those of the front end, with the folder by its whole name: the process of a world is somewhere else."""
        folder, store = self._settings.folder, self._settings.store
        kept = store or ("none" if folder is None else str(folder.absolute()))
        return self._settings.model_copy(update={"data": kept}).model_dump(mode="json")

    async def _told(self, home: str, world: str, silent: dict[str, float]) -> list[Told]:
        """What the actors of a process say; one that says nothing is noted with the moment of its first silence."""
        told = []
        names = await self.names(home)
        for name in list(silent):
            if name not in names:
                del silent[name]
        for name in names:
            async with self._room(home, name):
                asked = self._clock.now()
                try:
                    facts = await self._asking.actor(
                        name, "describe", QUESTION_SECONDS, world, seconds=2 * QUESTION_SECONDS
                    )
                except NoSuchActor:
                    silent.pop(name, None)
                except ActorAway:
                    silent.setdefault(name, asked)
                else:
                    silent.pop(name, None)
                    told.append(Told(name, facts["state"], facts["life"], facts))
        return told

    def _room(self, home: str, name: str) -> AbstractAsyncContextManager[None]:
        """For questions to a process: whoever looks for a world of its own is the only one."""
        return self._rooms.setdefault(name, asyncio.Semaphore(AT_ONCE)) if is_shared(home) else nullcontext()

    async def _give_up_the_silent(self, home: str, silent: dict[str, float]) -> None:
        """Let another process take worlds over from one that the cluster believes to live and that says nothing.

        Not the same anew: a process that is frozen does not die of being told to, and Ray would wait for that.
        """
        patience = self._settings.unreachable_seconds + QUESTION_SECONDS
        for name, since in list(silent.items()):
            now = self._clock.now()
            if now - since <= patience:
                continue
            process = await self._asking.ask("process_of", name)
            if process is None:
                # it is being made, which takes as long as it takes
                silent[name] = now
                continue
            # the very process that has fallen silent, or one that may just have begun to live
            fallen = self._fallen.get(home)
            if process != fallen:
                self._fallen[home] = process
                silent[name] = now
                continue
            log.warning("actor %s says nothing, and another takes its worlds over", name)
            with suppress(NameTaken):
                await self.make(home, lasting=True, place=other_place(name.rpartition("/")[2]))
            await self._asking.ask("end", name, True)
            del silent[name]
            self._fallen.pop(home, None)
