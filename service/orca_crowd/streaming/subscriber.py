"""The watching half of a socket: its one subscription, the `full` or the step that it begins with, and its credit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from orca_crowd.errors import ApiError, problem_of
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import encode_message
from orca_crowd.protocol.subscribing import Resume, Subscribe, Wanted
from orca_crowd.streaming.encoding import SMALL_ALIGNMENT
from orca_crowd.streaming.frame import Update
from orca_crowd.streaming.hub import Hub, Watching
from orca_crowd.streaming.interest import Interest, interest_of
from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.shared import Shared
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.subscription import FrameKey, Subscription
from orca_crowd.streaming.writer import Writer

__all__ = ["Subscriber"]

Result = TypeVar("Result")

# bytes of frames that may wait for one socket with delivery `every`; who waits for the same shares them
FRAME_BYTES = 64 * 2**20
# what many client libraries refuse unless told otherwise
COMMON_CLIENT_LIMIT = 2**20


class Subscriber:
    """Puts subscriptions into the writer of one socket and takes them out again."""

    def __init__(
        self, writer: Writer, *, hub: Hub, subprotocol: str, shared: Shared, refuse: Callable[[ApiError], None]
    ) -> None:
        """`refuse` tells the client of a problem."""
        self._writer = writer
        self._hub = hub
        self._subprotocol = subprotocol
        self._shared = shared
        self._refuse = refuse
        self._sent_before: int | None = None
        self._wanted: Wanted | None = None
        # the newest request; an older one that is still being prepared is given up
        self._request: Wanted | None = None

    def begin(self, request: Subscribe | Resume, after: asyncio.Task[Any] | None = None) -> None:
        """Begin a subscription from the state now, or from a step that the client has seen.

        The state is taken when `after`, the newest command of the same client, is done.
        """
        if isinstance(request, Resume) and self._wanted is not None:
            left_out = {
                name: getattr(self._wanted, name)
                for name in self._wanted.model_fields_set & set(Wanted.model_fields) - request.model_fields_set
            }
            request = request.model_copy(update=left_out)
        self._request = request
        task = asyncio.create_task(self._prepare(request, after), name="socket subscription")
        self._shared.orders.add(task)
        task.add_done_callback(self._shared.orders.discard)

    def stop(self) -> None:
        """Send no more frames."""
        self._request = self._wanted = None
        self._replace(None)

    def got(self, step: int) -> None:
        """The client has every frame up to `step`; UnsentStep when that was never sent."""
        subscription = self._writer.subscription
        if subscription is not None:
            subscription.got(step)
            self._writer.push()

    def answered(self, step: int) -> None:
        """The peer has answered the ping behind the frame of `step`."""
        subscription = self._writer.subscription
        if subscription is not None:
            subscription.answered(step)
            self._writer.push()

    def announcement(self, update: Update) -> Wire | None:
        """What to tell before a `full` that is larger than many clients take, since frames of that size follow."""
        if not update.full or update.size <= COMMON_CLIENT_LIMIT:
            return None
        detail = (
            f"messages of {update.size} bytes follow; many clients take {COMMON_CLIENT_LIMIT} unless told otherwise"
        )
        event = {"type": "event", "kind": "large-frame", "step": update.step, "bytes": update.size, "detail": detail}
        return encode_message(event, self._subprotocol)

    async def _prepare(self, request: Subscribe | Resume, after: asyncio.Task[Any] | None) -> None:
        """Find out what the subscription begins with; a request that is refused changes nothing."""
        key = FrameKey(
            self._subprotocol,
            tuple(name for name in FIELDS if name in request.fields),
            request.precision,
            interest_of(request.interest),
            request.rows,
        )
        try:
            if after is not None and not after.done():
                await asyncio.wait([after])
            known = await self._known_at(request.after_step, key) if isinstance(request, Resume) else None
            await self._check(key.interest)
            state = await self._hub.state()
        except Exception as error:
            if self._request is request:
                self._request = None
            self._refuse(problem_of(error))
            return
        # from here on nothing waits: no publication comes between the state and the frames that follow it
        if self._request is not request:
            return
        self._request = None
        self._wanted = request
        if known is None or not self._resume(request, key, known):
            full = self._hub.full_of(state, key)
            self._replace(self._subscription(request, key, full, full))
        self._writer.push()

    async def _check(self, interest: Interest) -> None:
        """Raise what REST answers where an agent that the interest names is not here."""
        named = interest.named()
        if len(named):
            state = await self._hub.state()
            if not await self._compute(state, lambda: bool(np.isin(named, state.ids).all())):
                await self._hub.runner.read(lambda session: session.world.index_of(named))

    async def _known_at(self, step: int, key: FrameKey) -> Known | None:
        """What a client knows that has seen a step; None where the step is not kept."""
        earlier = self._hub.seen_at(step)
        if not earlier:
            return None
        members = await self._compute(earlier[0], lambda: tuple(each.members(key.interest) for each in earlier))
        return Known(members, listed=False)

    async def _compute(self, state: State, call: Callable[[], Result]) -> Result:
        """Call something that goes over all agents of a state: here where they are few, else in a helper thread."""
        return await self._shared.offload(call) if len(state.ids) > SMALL_ALIGNMENT else call()

    def _resume(self, request: Wanted, key: FrameKey, known: Known) -> bool:
        """Go on from what is known; False where its step is kept no more, or more was missed than the queue holds."""
        kept, every = self._hub.kept, request.delivery == "every"
        missed = [each for each in kept.frames_after(known.step) if each.step % request.every == 0]
        if not self._hub.seen_at(known.step) or (every and len(missed) > self._shared.settings.frame_queue):
            return False
        subscription = self._subscription(request, key, known, None)
        self._replace(subscription)
        for each in missed if every else missed[-1:]:
            subscription.offer(self._hub.frame_of(each, key))
        self._shared.statistics.resumed += 1
        return True

    @property
    def _newest_sent(self) -> int | None:
        """The newest step that this socket was sent."""
        subscription = self._writer.subscription
        return self._sent_before if subscription is None else subscription.newest_sent

    def _subscription(self, request: Wanted, key: FrameKey, known: Known | Update, first: Update | None) -> Watching:
        return Subscription(
            key,
            every=request.every,
            delivery=request.delivery,
            window=request.window,
            explicit_credit="window" in request.model_fields_set,
            frame_limit=self._shared.settings.frame_queue,
            byte_limit=FRAME_BYTES,
            known=known,
            first=first,
            newest_sent=self._newest_sent if first is not None else max(known.step, self._newest_sent or 0),
        )

    def _replace(self, subscription: Watching | None) -> None:
        """Put a subscription, or none, in the place of the one there is."""
        old, statistics = self._writer.subscription, self._shared.statistics
        self._writer.drop()
        if old is not None:
            old.close()
            self._sent_before = old.newest_sent
            statistics.subscribers -= 1
            statistics.frames_replaced += old.replaced
        statistics.subscribers += subscription is not None
        self._writer.subscription = subscription
