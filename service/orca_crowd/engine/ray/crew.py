"""The crew of a big world: helpers that Ray keeps alive, and a link to each that is there.

A place is filled by a thread of its own, which waits for as long as it takes Ray to find a processor, to start a lost
helper again, or to see that a node is gone; no step waits for it. Until then the others move what would be its share.
"""

from __future__ import annotations

import logging
import secrets
import threading
from contextlib import suppress
from typing import Any

import ray
from ray.exceptions import ActorDiedError, GetTimeoutError, RayError

from orca_crowd.engine.ray.helper import hire
from orca_crowd.engine.ray.link import Link, connect
from orca_crowd.engine.ray.telling import Told
from orca_crowd.engine.workmate import Lost

__all__ = ["HelperCrew", "Place"]

log = logging.getLogger("orca_crowd")

# between two tries to reach a helper that is not there; seconds
PAUSE_SECONDS = 0.25
# how long a helper that lives may take to say where it listens: it may have to compile every kernel first
START_SECONDS = 600.0
# and how long one that was there before, which has no such excuse
ANSWER_SECONDS = 20.0


class Place:
    """One helper, and the link to it while it is there."""

    def __init__(self, number: int) -> None:
        """Nobody yet."""
        self.number = number
        self.link: Link | None = None
        # what it knows, by number of the world; with a new link nothing
        self.told: dict[int, Told] = {}
        # leaves a second, as they came out lately; None before the first step
        self.pace: float | None = None
        self.wanted = threading.Event()


class HelperCrew:
    """So many helpers, hired with the first need of them. A link is used by one thread at a time."""

    def __init__(self, count: int, deadline: float) -> None:
        """Nobody is asked for yet. `deadline`: seconds after which an answer does not come."""
        self.places = [Place(number) for number in range(count)]
        self.replaced = 0
        self.hung = 0
        self._deadline = deadline
        self._key = secrets.token_bytes(32)
        self._threads: list[threading.Thread] = []
        self._actors: dict[int, Any] = {}
        self._closing = threading.Event()
        self._change = threading.Lock()

    def wake(self) -> None:
        """Ask for the helpers, if nobody has; returns at once."""
        with self._change:
            if self._threads or self._closing.is_set():
                return
            for place in self.places:
                place.wanted.set()
                thread = threading.Thread(target=self._fill, args=(place,), name="orca-hire", daemon=True)
                self._threads.append(thread)
                thread.start()

    def ready(self) -> list[Place]:
        """The places in which somebody stands now."""
        return [place for place in self.places if place.link is not None]

    def actor(self, number: int) -> Any:
        """The actor of a place, None where none was asked for yet."""
        return self._actors.get(number)

    def dismiss(self, place: Place, reason: str) -> None:
        """Let go of a helper that was lost or hangs, and have its place filled again."""
        link, place.link = place.link, None
        if link is not None:
            level = logging.DEBUG if self._closing.is_set() else logging.WARNING
            log.log(level, "helper %d of a big world: %s", place.number, reason)
            link.close()
            place.wanted.set()

    def _fill(self, place: Place) -> None:
        """Fill a place whenever it is empty, until the end; in a thread."""
        before = False
        while True:
            place.wanted.wait()
            place.wanted.clear()
            if self._closing.is_set():
                return
            link = self._reach(place.number, ANSWER_SECONDS if before else START_SECONDS)
            if link is None:
                return
            place.told = {}
            place.link = link
            if self._closing.is_set():
                self.dismiss(place, "the engine is closed")
                return
            if before:
                self.replaced += 1
                log.warning("helper %d of a big world is back", place.number)
            before = True

    def _reach(self, number: int, patience: float) -> Link | None:
        """A link to the helper of a place, once Ray has it; None at the end."""
        while not self._closing.is_set():
            try:
                return self._linked(number, patience)
            except GetTimeoutError:
                # it hangs, or waits for a processor; the second is no reason to end it, and ending it no harm
                log.warning("helper %d of a big world does not answer; another is asked for", number)
                self._end(number, restart=True)
            except ActorDiedError as error:
                # it could not even begin, or somebody has ended it for good
                log.warning("helper %d of a big world has ended, another is asked for: %s", number, error)
                self._actors.pop(number, None)
            except (RayError, Lost, OSError) as error:
                log.debug("helper %d of a big world cannot be reached: %s", number, error)
            self._closing.wait(PAUSE_SECONDS)
        return None

    def _linked(self, number: int, patience: float) -> Link:
        actor = self._actors.get(number)
        if actor is None:
            actor = self._actors[number] = hire(self._key)
        host, port = ray.get(actor.address.remote(), timeout=patience)
        return connect(host, port, self._key, self._deadline)

    def _end(self, number: int, *, restart: bool) -> None:
        actor = self._actors.get(number)
        if actor is not None:
            with suppress(RayError, ValueError):
                ray.kill(actor, no_restart=not restart)

    def close(self) -> None:
        """Ask for nobody more, and end those who are there; nothing is left behind."""
        self._closing.set()
        for place in self.places:
            place.wanted.set()
            self.dismiss(place, "the engine is closed")
        for number in list(self._actors):
            self._end(number, restart=False)
        for thread in self._threads:
            thread.join()
        for place in self.places:
            self.dismiss(place, "the engine is closed")
