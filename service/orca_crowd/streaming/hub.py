"""The watchers of one world: each publication becomes frames and events for those who asked, each encoded once.

Everything here runs on the event loop's thread and nothing waits, so a publication reaches all watchers before the next
one is looked at. Frames are of steps: what a command changes between two steps is told by its events at once and shows
in the frame of the next step. Events go to every socket of the world, subscribed or not.

Bounds, per socket: replies and events in its outbox, frames in its subscription; both say what happens when full. A
manual world is held for a moment when a reader with delivery `every` falls behind but still reads, so that stepping
slows down to what the reader can take; a reader who has stopped holds nobody, and a realtime world is never held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from orca_crowd.errors import ApiError
from orca_crowd.protocol.frames import encode_message
from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.shared import SharedFrame, StreamStatistics
from orca_crowd.streaming.subscription import FrameKey, Subscription
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.runner import Runner

__all__ = ["ENDINGS", "PATIENCE_SECONDS", "Hub", "Offload", "Watcher"]

Result = TypeVar("Result")


class Offload(Protocol):
    """Runs a call in a helper thread."""

    def __call__(self, call: Callable[[], Result], /) -> Awaitable[Result]:
        """What the call returns."""
        ...


# how a world ends, and the code that its sockets are closed with
ENDINGS: Mapping[str, int] = {"failed": 4009, "gone": 4004, "restarting": 1012}

# How long a reader with delivery `every` may take for one frame while a manual world waits for it. A reader that has
# stopped costs the world this once, and nothing at all if it stopped longer ago when its queue is half full.
PATIENCE_SECONDS = 0.5


class Watcher(Protocol):
    """One socket, as the hub sees it. None of these wait and none raise: a socket that is full closes itself."""

    subprotocol: str

    @property
    def subscription(self) -> Subscription[SharedFrame] | None:
        """What the client has asked to see."""
        ...

    def tell(self, wire: Wire) -> None:
        """Send a message that must not be lost."""
        ...

    def show(self, frame: SharedFrame) -> None:
        """Send a frame by the policy of the subscription."""
        ...

    def end(self, code: int, reason: str, problem: ApiError | None = None) -> None:
        """Close the socket for a reason of the world's or the server's, after an `error` if there is a problem."""
        ...

    def reading(self) -> bool:
        """Whether the client has taken anything in the last moment."""
        ...


class Hub:
    """All sockets of one world; it listens to the runner as long as there is one."""

    def __init__(self, runner: Runner, offload: Offload, statistics: StreamStatistics) -> None:
        """Begin to listen."""
        self.runner = runner
        self.watchers: set[Watcher] = set()
        self._offload = offload
        self._statistics = statistics
        self._frame_step = -1
        self._progress = asyncio.Event()
        runner.listeners.add(self.publish)
        runner.endings.add(self.end)
        runner.gates.add(self.gate)

    def close(self) -> None:
        """Stop listening, when the last socket has gone."""
        self.runner.listeners.discard(self.publish)
        self.runner.endings.discard(self.end)
        self.runner.gates.discard(self.gate)

    def publish(self, publication: Publication) -> None:
        """Hand a publication to every watcher."""
        self._tell_events(publication)
        if publication.step <= self._frame_step:
            return
        self._frame_step = publication.step

        # one frame for all who asked for the same; encoded after everybody holds it
        frames: dict[FrameKey, SharedFrame] = {}
        for watcher in list(self.watchers):
            subscription = watcher.subscription
            if subscription is None or not subscription.due(publication.step):
                continue
            frame = frames.get(subscription.key)
            if frame is None:
                frame = frames[subscription.key] = SharedFrame(publication, subscription.key, self._statistics)
            watcher.show(frame)
        for frame in frames.values():
            frame.encode(self._offload)

    def end(self, kind: str, reason: str) -> None:
        """The world has ended: close every socket with the code of its kind."""
        problem = ApiError("world-failed", f"world {self.runner.name!r}: {reason}") if kind == "failed" else None
        for watcher in list(self.watchers):
            watcher.end(ENDINGS[kind], reason, problem)

    def progressed(self) -> None:
        """A socket has sent a frame, or has gone."""
        self._progress.set()

    async def gate(self) -> None:
        """Return at once, or when the readers who take every frame and still read have room again."""
        while self.runner.timing.rate is None and any(
            watcher.subscription is not None and watcher.subscription.crowded() and watcher.reading()
            for watcher in self.watchers
        ):
            self._progress.clear()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._progress.wait()
            except TimeoutError:
                continue

    def _tell_events(self, publication: Publication) -> None:
        """Each event once in each subprotocol, to everybody."""
        events = publication.events
        if publication.removed:
            events = [{"kind": "removed", "step": publication.step, "ids": publication.removed}, *events]
        for event in events:
            wires: dict[str, Wire] = {}
            for watcher in list(self.watchers):
                if watcher.subprotocol not in wires:
                    message: dict[str, Any] = {"type": "event", **event}
                    wires[watcher.subprotocol] = encode_message(message, watcher.subprotocol)
                watcher.tell(wires[watcher.subprotocol])
