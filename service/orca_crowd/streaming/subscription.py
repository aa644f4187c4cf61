"""What one socket has asked to see, and which update it is sent next. No I/O.

Two deliveries, two policies:

- `latest` holds at most one frame back. A newer one takes its place, and the frame that is sent says in `since` which
  step the client was sent before it, so that what was left out shows. At most `window` frames are on their way.
- `every` holds a bounded queue and leaves nothing out; FrameOverflow, and with it close code 4001, ends a reader that
  does not keep up.

What an update holds depends on what the client knows then. With `every` that is the update before it, so it is bound to
that, and encoded, as soon as it is offered; with `latest` it is bound when it is its turn.

Credit. A frame is on its way from when it is sent until the client has it. A client that names `window` in its
subscribe, or that has sent one `got`, says so itself: `got {step}` acknowledges every frame up to that step. Before
that a frame counts as received when the peer answers the ping that follows it. Two ways, since a client that never
heard of `got` must not starve after `window` frames, while a browser answers pings for a page that is stuck.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from orca_crowd.protocol.subscribing import Delivery, Rows
from orca_crowd.streaming.interest import EVERYBODY, Interest

__all__ = ["FrameKey", "FrameOverflow", "Pending", "Sharable", "Subscription", "UnsentStep"]


@dataclass(frozen=True, slots=True)
class FrameKey:
    """What makes two subscriptions' frames the same bytes; `fields` in the order of the field table."""

    subprotocol: str
    fields: tuple[str, ...]
    precision: str
    interest: Interest = field(default=EVERYBODY)
    rows: Rows = "changed"


class Pending(Protocol):
    """An update as a subscription sees it: a step, a size once encoded, and a count of those who still want it."""

    @property
    def step(self) -> int:
        """The step whose state it brings."""
        ...

    @property
    def size(self) -> int:
        """Encoded bytes; 0 until encoded."""
        ...

    @property
    def outcome(self) -> Any:
        """What the client knows when it has it, as soon as that is known; the update itself before."""
        ...

    def release(self) -> None:
        """One reader fewer; at none, an encoding that has not begun need not be done."""
        ...


Sent = TypeVar("Sent", bound=Pending)
Past = TypeVar("Past", contravariant=True)
Made = TypeVar("Made", bound=Pending, covariant=True)


class Sharable(Protocol[Past, Made]):
    """A frame as a subscription sees it: a step, and the update for a client that knows what was sent before."""

    @property
    def step(self) -> int:
        """The step whose state the frame holds."""
        ...

    def bind(self, previous: Past, /) -> Made:
        """The update, held for the caller."""
        ...


Before = TypeVar("Before")


class FrameOverflow(Exception):
    """A reader with delivery `every` is further behind than its queue is long."""


class UnsentStep(Exception):
    """`got` names a step that was never sent."""


class Subscription(Generic[Before, Sent]):
    """One subscribe or resume of one socket, from its registration to the one that replaces it."""

    def __init__(
        self,
        key: FrameKey,
        *,
        every: int,
        delivery: Delivery,
        window: int,
        explicit_credit: bool,
        frame_limit: int,
        byte_limit: int,
        known: Before | Sent,
        first: Sent | None = None,
        newest_sent: int | None = None,
    ) -> None:
        """Take frames of steps divisible by `every`; `frame_limit` and `byte_limit` bound the queue of `every`.

        `known` is what the client knows before the first frame: after a `full`, which then is `first` and sent before
        all frames, or from before. `newest_sent` is the newest step that an earlier subscription of this socket was
        sent: a late `got` for it is no mistake.
        """
        self.key = key
        self.every = every
        self.delivery = delivery
        self.window = window
        self.explicit_credit = explicit_credit
        self.replaced = 0
        self._frame_limit = frame_limit
        self._byte_limit = byte_limit
        self._first = first
        self._known: Before | Sent = known
        # an empty deque takes 700 bytes, and only `every` needs one
        self._queue: deque[Sent] | None = deque() if delivery == "every" else None
        self._newest: Sharable[Before | Sent, Sent] | None = None
        # few, so that a list does; the oldest first
        self._on_their_way: list[int] = []
        self._newest_sent = newest_sent

    @property
    def newest_sent(self) -> int | None:
        """The newest step that this subscription, or one before it on the socket, was sent."""
        return self._newest_sent

    @property
    def waiting(self) -> int:
        """Frames held back."""
        return len(self._queue or ()) + (self._newest is not None)

    @property
    def on_their_way(self) -> Sequence[int]:
        """Steps that were sent and that the client is not known to have."""
        return tuple(self._on_their_way)

    def due(self, step: int) -> bool:
        """Whether this subscription takes the frame of `step`. Multiples, so that all with one `every` share frames."""
        return step % self.every == 0

    def crowded(self) -> bool:
        """Whether more than half of the queue of delivery `every` is in use."""
        return 2 * len(self._queue or ()) > self._frame_limit

    def offer(self, frame: Sharable[Before | Sent, Sent]) -> None:
        """Take a newer frame; with `every`, FrameOverflow when the queue is full and then the frame was not taken."""
        if self._queue is None:
            # only the newest is worth sending
            self.replaced += self._newest is not None
            self._newest = frame
            return
        if len(self._queue) >= self._frame_limit:
            raise FrameOverflow(f"{self._frame_limit} frames wait unread, which is the limit for delivery 'every'")
        if sum(held.size for held in self._queue) > self._byte_limit:
            raise FrameOverflow(f"more than {self._byte_limit} bytes of frames wait unread, the limit for 'every'")
        update = frame.bind(self._known)
        self._known = update
        self._queue.append(update)

    def take(self) -> Sent | None:
        """The next update to send, after which `sent` is called; None when nothing waits and without credit."""
        if self._first is not None:
            update, self._first = self._first, None
        elif self._queue:
            update = self._queue.popleft()
        elif self._newest is not None and len(self._on_their_way) < self.window:
            frame, self._newest = self._newest, None
            update = frame.bind(self._known)
            self._known = update
            self._on_their_way.append(update.step)
        else:
            return None
        self._newest_sent = update.step
        return update

    def sent(self, update: Sent) -> None:
        """An update that was taken has been sent: let go of its bytes."""
        if self._known is update:
            self._known = update.outcome
        update.release()

    def wants_ping(self) -> bool:
        """Whether the frame just sent is to be followed by a ping: half of the window, or more, is on its way.

        Not every frame is, since a ping and its answer cost as much as a small frame.
        """
        if self.delivery != "latest" or self.explicit_credit:
            return False
        return 2 * len(self._on_their_way) >= self.window

    def got(self, step: int) -> None:
        """The client has every frame up to `step`; from now on it gives all credit itself."""
        if self._newest_sent is None or step > self._newest_sent:
            newest = "no frame has been sent yet" if self._newest_sent is None else f"the newest is {self._newest_sent}"
            raise UnsentStep(f"step {step} has not been sent; {newest}")
        self.explicit_credit = True
        self._receive(step)

    def answered(self, step: int) -> None:
        """The peer has answered the ping behind the frame of `step`."""
        if not self.explicit_credit:
            self._receive(step)

    def close(self) -> None:
        """Drop what waits, when the socket ends or another subscription takes this one's place."""
        self.replaced += self._newest is not None
        self._newest = None
        for update in [*([] if self._first is None else [self._first]), *(self._queue or ())]:
            update.release()
        self._first = None
        if self._queue is not None:
            self._queue.clear()

    def _receive(self, step: int) -> None:
        self._on_their_way = [each for each in self._on_their_way if each > step]
