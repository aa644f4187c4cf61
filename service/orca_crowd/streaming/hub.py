"""The watchers of one world: each publication becomes frames and events for those who asked, each encoded once.

Everything here runs on the event loop's thread and nothing waits, so a publication reaches all watchers before the next
one is looked at. Frames are of steps: what a command changes between two steps is told by its events at once and shows
in the frame of the next step. Events go to every socket of the world, subscribed or not.

A hub keeps the last steps (kept.py) as long as it listens, which is somewhat longer than the last socket is open: a
client who comes back soon goes on where it was.

Bounds, per socket: replies and events in its outbox, frames in its subscription; both say what happens when full. A
manual world is held for a moment when a reader with delivery `every` falls behind but still reads, so that stepping
slows down to what the reader can take; a reader who has stopped holds nobody, and a realtime world is never held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from orca_crowd.errors import ApiError
from orca_crowd.protocol.frames import encode_message
from orca_crowd.streaming.encoder import Encoder
from orca_crowd.streaming.frame import SharedFrame, Update
from orca_crowd.streaming.kept import Kept
from orca_crowd.streaming.keyframe import Keyframes
from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.shared import Shared
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.subscription import FrameKey, Subscription
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.runner import Runner

__all__ = ["ENDINGS", "PATIENCE_SECONDS", "Hub", "Watcher", "Watching"]

# what a socket has subscribed to
Watching = Subscription[Known, Update]

# how a world ends, and the code that its sockets are closed with
ENDINGS: Mapping[str, int] = {"failed": 4009, "gone": 4004, "restarting": 1012}

# How long a reader with delivery `every` may take for one frame while a manual world waits for it. A reader that has
# stopped costs the world this once, and nothing at all if it stopped longer ago when its queue is half full.
PATIENCE_SECONDS = 0.5


class Watcher(Protocol):
    """One socket, as the hub sees it. None of these wait and none raise: a socket that is full closes itself."""

    subprotocol: str

    @property
    def subscription(self) -> Watching | None:
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
    """All sockets of one world; it listens to the runner as long as there is one, and for a while after the last."""

    def __init__(self, runner: Runner, shared: Shared, *, shown_before: int = -1) -> None:
        """Begin to listen. `shown_before` is the step at which the hub before this one, if any, ceased to listen."""
        settings = shared.settings
        self.runner = runner
        self.watchers: set[Watcher] = set()
        self.ended = False
        # set when somebody comes, or the world ends: whoever waits to close the hub looks again
        self.stirred = asyncio.Event()
        self.kept = Kept(steps=settings.kept_steps, size=settings.kept_bytes, statistics=shared.statistics)
        keyframes = Keyframes(steps=settings.keyframe_steps, time_step=runner.description.time_step)
        self._encoder = Encoder(keyframes, shared.offload, shared.statistics)
        # the state now; None until the first one is seen
        self._now: State | None = None
        self._shown_before = shown_before
        self._frame_step = runner.facts.step
        self._progress = asyncio.Event()
        self._resting = False
        runner.listeners.add(self.publish)
        runner.endings.add(self.end)
        runner.gates.add(self.gate)
        runner.tellers.add(self._tell)

    def close(self) -> None:
        """Stop listening, and let go of what was kept."""
        self.rest(False)
        self.runner.listeners.discard(self.publish)
        self.runner.endings.discard(self.end)
        self.runner.gates.discard(self.gate)
        self.runner.tellers.discard(self._tell)
        self.kept.clear()
        self._now = None

    def rest(self, resting: bool) -> None:
        """Say whether nobody watches: then what listens here does not keep the world from being given up."""
        if resting is not self._resting:
            self._resting = resting
            self.runner.attendants += 1 if resting else -1
        if not resting:
            self.stirred.set()

    # states

    async def state(self) -> State:
        """The state now, kept from here on so that its step can be resumed from; waits only for the very first."""
        if self._now is None:
            publication = await self.runner.snapshot_publication()
            # whatever was published in the meantime is newer
            if self._now is None:
                self._now = State(publication)
                self._frame_step = max(self._frame_step, publication.step)
        self.kept.add(self._now)
        return self._now

    def seen_at(self, step: int) -> list[State]:
        """The states of a step that clients may have been sent, all of them; none where that is not known any more."""
        # what the hub before this one sent of a step may be another state than what is kept here: a command has come
        return self.kept.at(step) if step > self._shown_before else []

    def frame_of(self, state: State, key: FrameKey) -> SharedFrame:
        """The frame of a state for all who asked for the same."""
        frame = state.frames.get(key)
        if frame is None:
            frame = state.frames[key] = SharedFrame(state, key, self._encoder, patient=state is not self._now)
        return frame

    def full_of(self, state: State, key: FrameKey) -> Update:
        """The full of a state for all who ask for the same, held for the caller."""
        full = state.fulls.get(key)
        if full is not None and not full.given_up:
            full.hold()
            return full
        self._encoder.turn()
        full = state.fulls[key] = Update(state, key, None, self._encoder)
        full.hold()
        full.begin()
        return full

    # publications

    def publish(self, publication: Publication) -> None:
        """Hand a publication to every watcher."""
        self._tell_events(publication)
        if self._now is not None:
            self._now.forget()
        self._now = State(publication)
        if publication.step <= self._frame_step:
            return
        self._frame_step = publication.step
        self.kept.add(self._now)

        # one frame for all who asked for the same
        self._encoder.turn()
        frames: dict[FrameKey, SharedFrame] = {}
        for watcher in list(self.watchers):
            subscription = watcher.subscription
            if subscription is None or not subscription.due(publication.step):
                continue
            frame = frames.get(subscription.key)
            if frame is None:
                frame = frames[subscription.key] = self.frame_of(self._now, subscription.key)
            watcher.show(frame)

    def end(self, kind: str, reason: str) -> None:
        """The world has ended: close every socket with the code of its kind."""
        problem = ApiError("world-failed", f"world {self.runner.name!r}: {reason}") if kind == "failed" else None
        for watcher in list(self.watchers):
            watcher.end(ENDINGS[kind], reason, problem)
        self.ended = True
        self.stirred.set()

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
        self._tell(events)

    def _tell(self, events: list[dict[str, Any]]) -> None:
        """Each of them, which have happened or are to come."""
        for event in events:
            wires: dict[str, Wire] = {}
            for watcher in list(self.watchers):
                if watcher.subprotocol not in wires:
                    message: dict[str, Any] = {"type": "event", **event}
                    wires[watcher.subprotocol] = encode_message(message, watcher.subprotocol)
                watcher.tell(wires[watcher.subprotocol])
