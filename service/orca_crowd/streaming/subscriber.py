"""The watching half of a socket: its one subscription, the `full` that it begins with, and its credit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from orca_crowd.clock import Clock
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import encode_message
from orca_crowd.protocol.subscribing import Subscribe
from orca_crowd.settings import Settings
from orca_crowd.streaming.hub import Offload
from orca_crowd.streaming.outbox import Wire
from orca_crowd.streaming.shared import SharedFrame, StreamStatistics, encode_full, is_small
from orca_crowd.streaming.subscription import FrameKey, Subscription
from orca_crowd.streaming.writer import Full, Writer
from orca_crowd.worlds.runner import Runner

__all__ = ["Shared", "Subscriber"]

# bytes of frames that may wait for one socket with delivery `every`; who waits for the same shares them
FRAME_BYTES = 64 * 2**20
# what many client libraries refuse unless told otherwise
COMMON_CLIENT_LIMIT = 2**20


@dataclass
class Shared:
    """What all sockets of a server use; `orders` keeps tasks that outlive the socket they came from."""

    clock: Clock
    settings: Settings
    offload: Offload
    statistics: StreamStatistics = field(default_factory=StreamStatistics)
    orders: set[asyncio.Task[Any]] = field(default_factory=set)


class Subscriber:
    """Puts subscriptions into the writer of one socket and takes them out again."""

    def __init__(
        self,
        writer: Writer,
        *,
        runner: Runner,
        subprotocol: str,
        shared: Shared,
        refuse: Callable[[ApiError], None],
    ) -> None:
        """`refuse` tells the client of a problem."""
        self._writer = writer
        self._runner = runner
        self._subprotocol = subprotocol
        self._shared = shared
        self._refuse = refuse
        self._newest_sent: int | None = None

    def subscribe(self, request: Subscribe, after: asyncio.Task[Any] | None = None) -> None:
        """Begin a subscription: it collects frames from now on and sends them once its `full` has gone out.

        `full` is taken when `after`, the newest command of the same client, is done.
        """
        settings = self._shared.settings
        subscription: Subscription[SharedFrame] = Subscription(
            FrameKey(
                self._subprotocol,
                tuple(name for name in FIELDS if name in request.fields),
                request.precision,
                request.interest.kind,
            ),
            every=request.every,
            delivery=request.delivery,
            window=request.window,
            explicit_credit="window" in request.model_fields_set,
            frame_limit=settings.frame_queue,
            byte_limit=FRAME_BYTES,
            newest_sent=self._newest_sent,
        )
        self.replace(subscription)
        task = asyncio.create_task(self._prepare_full(subscription, after), name="socket full")
        self._shared.orders.add(task)
        task.add_done_callback(self._shared.orders.discard)

    async def _prepare_full(self, subscription: Subscription[SharedFrame], after: asyncio.Task[Any] | None) -> None:
        """Take the snapshot that a subscription begins with, and encode it."""
        if after is not None and not after.done():
            await asyncio.wait([after])
        try:
            publication = await self._runner.snapshot_publication()
            if self._writer.subscription is not subscription:
                return
            key, statistics = subscription.key, self._shared.statistics
            if is_small(publication, key):
                wire = encode_full(publication, key, statistics)
            else:
                wire = await self._shared.offload(lambda: encode_full(publication, key, statistics))
        except Exception as error:
            # without its full it would collect frames for ever
            if self._writer.subscription is subscription:
                self.replace(None)
            self._refuse(problem_of(error))
            return
        messages = [wire]
        if len(wire) > COMMON_CLIENT_LIMIT:
            messages.insert(0, self._large_frame(publication.step, len(wire)))
        self._writer.give_full(Full(subscription, messages, publication.ids, publication.step))

    def _large_frame(self, step: int, size: int) -> Wire:
        """Tell that messages are larger than many clients take, before the first one that is."""
        detail = f"messages of {size} bytes follow; many clients take {COMMON_CLIENT_LIMIT} unless told otherwise"
        event = {"type": "event", "kind": "large-frame", "step": step, "bytes": size, "detail": detail}
        return encode_message(event, self._subprotocol)

    def replace(self, subscription: Subscription[SharedFrame] | None) -> None:
        """Put a subscription, or none, in the place of the one there is."""
        old, statistics = self._writer.subscription, self._shared.statistics
        if old is not None:
            old.close()
            self._newest_sent = old.newest_sent
            statistics.subscribers -= 1
            statistics.frames_replaced += old.replaced
        statistics.subscribers += subscription is not None
        self._writer.subscription = subscription

    def got(self, step: int) -> None:
        """The client has every frame up to `step`; UnsentStep when that was never sent."""
        subscription = self._writer.subscription
        if subscription is not None:
            subscription.got(step)
            self._writer.wake()

    def answered(self, step: int) -> None:
        """The peer has answered the ping behind the frame of `step`."""
        subscription = self._writer.subscription
        if subscription is not None:
            subscription.answered(step)
            self._writer.wake()
