"""Who watches one world: called on the event loop, and none of them can stop it by a fault of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from orca_crowd.worlds.publication import Publication

__all__ = ["Ending", "Gate", "Listener", "Teller", "Watchers"]

log = logging.getLogger("orca_crowd")
Listener = Callable[[Publication], None]
Teller = Callable[[list[dict[str, Any]]], None]
Ending = Callable[[str, str], None]
Gate = Callable[[], Awaitable[None]]


class Watchers:
    """`listeners` hear every publication, `tellers` events before they happen, `endings` the end of the world, and
    `gates` are awaited before each step.
    """

    def __init__(self, world: str) -> None:
        """Nobody watches."""
        self.listeners: set[Listener] = set()
        self.endings: set[Ending] = set()
        self.gates: set[Gate] = set()
        self.tellers: set[Teller] = set()
        self._world = world

    async def pass_gates(self) -> None:
        """Wait for those who must not miss a step."""
        for gate in list(self.gates):
            await gate()

    def publish(self, publications: Sequence[Publication]) -> None:
        """Tell every listener."""
        for publication in publications:
            for listener in list(self.listeners):
                self._call(lambda listener=listener, publication=publication: listener(publication))  # type: ignore[misc]

    def foretelling(self, loop: asyncio.AbstractEventLoop) -> Teller:
        """What tells of events that are to come, from any thread; nobody any more when the loop has ended."""

        def foretell(events: list[dict[str, Any]]) -> None:
            for teller in list(self.tellers) if events else ():
                self._call(lambda teller=teller: teller(events))  # type: ignore[misc]

        def tell(events: list[dict[str, Any]]) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(foretell, events)

        return tell

    def end(self, kind: str, reason: str) -> None:
        """Tell that the world has ended, `failed`, `gone` or `restarting`, and why; nobody listens any more."""
        for ending in list(self.endings):
            self._call(lambda ending=ending: ending(kind, reason))  # type: ignore[misc]
        self.listeners.clear()

    def _call(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            log.exception("a watcher of world %s failed", self._world)
