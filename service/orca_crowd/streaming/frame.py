"""The state of one step for everybody who asked for the same, and the few different messages that bring it to them.

A SharedFrame is a state and a FrameKey. What is sent depends on what the client knows, so a frame is bound to that:
`bind` gives an Update, which is one encoding, and the same one to all who know the same. Readers who keep up know the
same, so there is one encoding a step for them, however many they are.

Small updates are encoded at once, as long as it is not too many; others in a thread (encoder.py), and whoever sends one
waits until it is ready. An update that nobody wants any more before a thread has begun with it is not encoded at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from orca_crowd.streaming.encoder import Encoder
from orca_crowd.streaming.encoding import effort, encode
from orca_crowd.streaming.packed import Packed
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.subscription import FrameKey

__all__ = ["SharedFrame", "Update"]


class Update:
    """One message that brings a client from what it knows to a state."""

    __slots__ = (
        *("__weakref__", "_encoder", "_error", "_key", "_previous", "_ready", "_state", "_wanted"),
        *("after", "full", "given_up", "packed", "step"),
    )

    def __init__(self, state: State, key: FrameKey, previous: Known | Update | None, encoder: Encoder) -> None:
        """For a client that knows `previous`, or what it will know after that update; None: nothing, it gets a full."""
        self.step = state.step
        self.full = previous is None
        # nobody wanted it when it was its turn; who wants it later makes another
        self.given_up = False
        self.packed: Packed | None = None
        # what the client knows then
        self.after: Known | None = None
        self._state: State | None = state
        self._key = key
        self._previous = previous
        self._encoder = encoder
        self._ready: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        self._wanted = 0

    @property
    def size(self) -> int:
        """Encoded bytes; 0 until encoded."""
        return self.packed.size if self.packed is not None else 0

    @property
    def outcome(self) -> Known | Update:
        """What the client knows then, or this update while that is not known."""
        return self if self.after is None else self.after

    def hold(self) -> None:
        """One more reader wants this update."""
        self._wanted += 1

    def release(self) -> None:
        """One reader fewer."""
        self._wanted -= 1

    def begin(self, *, patient: bool = False) -> None:
        """Encode now if it may be and not `patient`, else in a thread. Called once, on the event loop, when held."""
        previous, state = self._previous, self._state
        if state is None or isinstance(previous, Update):
            self._ready = asyncio.ensure_future(self._follow())
            # whoever waits sees the exception; an update that nobody waits for must not be a "never retrieved"
            self._ready.add_done_callback(lambda done: done.cancelled() or done.exception())
            return
        cost = effort(state, self._key, previous)
        if not patient and self._encoder.grant(cost):
            # a fault of ours ends the sockets that wait for this, and not the world's turn
            self._encode(previous)
            if self._error is not None:
                self._ready = asyncio.get_running_loop().create_future()
                self._ready.set_result(None)
        else:
            self._ready = self._encoder.later(lambda: self._encode(previous), cost, self._still_wanted)

    def when_ready(self, call: Callable[[], None]) -> None:
        """Call when it is encoded, or has failed to be; never at once."""
        if self._ready is None:
            raise RuntimeError("an update that is ready is not waited for")
        self._ready.add_done_callback(lambda _: call())

    def failure(self) -> BaseException | None:
        """Why it will never be there; None while it may be."""
        if self._ready is None or not self._ready.done() or self.packed is not None:
            return None
        error = None if self._ready.cancelled() else self._ready.exception()
        return self._error or error or RuntimeError("the update was given up before it was encoded")

    async def wait(self) -> None:
        """Return when it is encoded; raises what kept it from being so."""
        if self._ready is not None:
            # one reader who goes away must not cancel what all others wait for
            await asyncio.shield(self._ready)
        error = self.failure()
        if error is not None:
            raise error

    async def _follow(self) -> None:
        """Encode when that which comes before it is encoded, since then it is known what the client will know."""
        previous, state = self._previous, self._state
        if not isinstance(previous, Update) or state is None:
            raise RuntimeError("an update is begun once")
        await previous.wait()
        known = previous.after
        await self._encoder.later(lambda: self._encode(known), effort(state, self._key, known), self._still_wanted)

    def _still_wanted(self) -> bool:
        """Asked on the event loop just before a thread is given it, so that nobody can come in between."""
        self.given_up = self._wanted <= 0
        return not self.given_up

    def _encode(self, known: Known | None) -> None:
        """Encode; what goes wrong is kept for who waits. In any thread."""
        state = self._state
        if state is None:
            return
        try:
            self.packed, self.after = encode(state, self._key, known, self._encoder.keyframes)
        except Exception as error:
            self._error = error
            return
        if self.full:
            self._encoder.statistics.fulls_encoded += 1
        else:
            self._encoder.statistics.frames_encoded += 1
        # what it was made from is needed no more
        self._state = self._previous = None


class SharedFrame:
    """A state for one FrameKey."""

    __slots__ = ("__weakref__", "_encoder", "_key", "_patient", "_state", "_updates", "step")

    def __init__(self, state: State, key: FrameKey, encoder: Encoder, *, patient: bool) -> None:
        """Keep the state until nobody wants the frame; `patient`: one of many, none of which is to hold the loop."""
        self.step = state.step
        self._state = state
        self._key = key
        self._encoder = encoder
        self._patient = patient
        self._updates: dict[Known | Update | None, Update] = {}

    def bind(self, previous: Known | Update | None) -> Update:
        """The update for a client that knows `previous`, held for the caller; its encoding has begun."""
        if isinstance(previous, Update):
            previous = previous.outcome
        update = self._updates.get(previous)
        if update is None or update.given_up:
            update = self._updates[previous] = Update(self._state, self._key, previous, self._encoder)
            update.hold()
            update.begin(patient=self._patient)
        else:
            update.hold()
        return update
