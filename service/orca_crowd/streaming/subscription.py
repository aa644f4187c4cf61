"""What one socket has asked to see, and which frame it is sent next. No I/O.

Two deliveries, two policies:

- `latest` holds at most one frame back. A newer one takes its place, and the frame that is sent says in `since` which
  step the client was sent before it, so that what was left out shows. At most `window` frames are on their way.
- `every` holds a bounded queue and leaves nothing out; FrameOverflow, and with it close code 4001, ends a reader that
  does not keep up.

Credit. A frame is on its way from when it is sent until the client has it. A client that names `window` in its
subscribe, or that has sent one `got`, says so itself: `got {step}` acknowledges every frame up to that step. Before
that a frame counts as received when the peer answers the ping that follows it. Two ways, since a client that never
heard of `got` must not starve after `window` frames, while a browser answers pings for a page that is stuck.

Joining. A subscription is registered before the snapshot for its `full` is asked for, and gives nothing away until
`start` has been called with that snapshot; whatever is not newer than the snapshot is then dropped. So between `full`
and the first frame no step is missing and none comes twice, whenever the snapshot is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

__all__ = ["FrameKey", "FrameOverflow", "Pending", "Subscription", "UnsentStep"]

Delivery = Literal["latest", "every"]


@dataclass(frozen=True, slots=True)
class FrameKey:
    """What makes two subscriptions' frames the same bytes; `fields` in the order of the field table."""

    subprotocol: str
    fields: tuple[str, ...]
    precision: str
    interest: str = "all"


class Pending(Protocol):
    """A frame as a subscription sees it: a step, a size once encoded, and a count of those who still want it."""

    @property
    def step(self) -> int:
        """The step whose state the frame holds."""
        ...

    @property
    def size(self) -> int:
        """Encoded bytes; 0 until encoded."""
        ...

    def hold(self) -> None:
        """One more reader wants this frame."""
        ...

    def release(self) -> None:
        """One reader fewer; at none, an encoding that has not begun need not be done."""
        ...


Frame = TypeVar("Frame", bound=Pending)


class FrameOverflow(Exception):
    """A reader with delivery `every` is further behind than its queue is long."""


class UnsentStep(Exception):
    """`got` names a step that was never sent."""


class Subscription(Generic[Frame]):
    """One subscribe of one socket, from its registration to the one that replaces it."""

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
        newest_sent: int | None = None,
    ) -> None:
        """Take frames of steps divisible by `every`; `frame_limit` and `byte_limit` bound the queue of `every`.

        `newest_sent` is the newest step that an earlier subscription of this socket was sent: a late `got` for it is
        no mistake.
        """
        self.key = key
        self.every = every
        self.delivery = delivery
        self.window = window
        self.explicit_credit = explicit_credit
        self.replaced = 0
        self._frame_limit = frame_limit
        self._byte_limit = byte_limit
        self._waiting: deque[Frame] = deque()
        self._on_their_way: deque[int] = deque()
        self._sent_step: int | None = None
        self._newest_sent = newest_sent

    @property
    def newest_sent(self) -> int | None:
        """The newest step that this subscription, or one before it on the socket, was sent."""
        return self._newest_sent

    @property
    def started(self) -> bool:
        """Whether `full` has gone out, so that frames may follow."""
        return self._sent_step is not None

    @property
    def waiting(self) -> int:
        """Frames held back."""
        return len(self._waiting)

    @property
    def on_their_way(self) -> Sequence[int]:
        """Steps that were sent and that the client is not known to have."""
        return tuple(self._on_their_way)

    def due(self, step: int) -> bool:
        """Whether this subscription takes the frame of `step`. Multiples, so that all with one `every` share frames."""
        return step % self.every == 0

    def crowded(self) -> bool:
        """Whether more than half of the queue of delivery `every` is in use."""
        return self.delivery == "every" and 2 * len(self._waiting) > self._frame_limit

    def offer(self, frame: Frame) -> None:
        """Take a newer frame; with `every`, FrameOverflow when the queue is full and then the frame was not taken."""
        if self.delivery == "latest":
            # only the newest is worth sending
            self._drop_waiting()
        elif len(self._waiting) >= self._frame_limit:
            raise FrameOverflow(f"{self._frame_limit} frames wait unread, which is the limit for delivery 'every'")
        elif sum(held.size for held in self._waiting) > self._byte_limit:
            raise FrameOverflow(f"more than {self._byte_limit} bytes of frames wait unread, the limit for 'every'")
        frame.hold()
        self._waiting.append(frame)

    def start(self, step: int) -> None:
        """`full` of `step` goes out now: drop what it already holds."""
        self._sent_step = self._newest_sent = step
        while self._waiting and self._waiting[0].step <= step:
            self._waiting.popleft().release()

    def take(self) -> tuple[Frame, int] | None:
        """The next frame to send and its `since`; None when nothing waits, before `full`, and without credit.

        The caller sends the frame, then calls its `release`.
        """
        if self._sent_step is None or not self._waiting:
            return None
        if self.delivery == "latest" and len(self._on_their_way) >= self.window:
            return None
        frame = self._waiting.popleft()
        since = self._sent_step
        self._sent_step = self._newest_sent = frame.step
        if self.delivery == "latest":
            self._on_their_way.append(frame.step)
        return frame, since

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
        self._drop_waiting()

    def _receive(self, step: int) -> None:
        while self._on_their_way and self._on_their_way[0] <= step:
            self._on_their_way.popleft()

    def _drop_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft().release()
            self.replaced += 1
