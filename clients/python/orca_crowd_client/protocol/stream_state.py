"""The client's side of a stream as a state machine: messages in, frames, events, answers and messages out. No I/O.

An adapter sends what `opening` gives after every connection, feeds each message to `receive`, takes from `take` and
`answer`, sends the credit that `take` gives, and asks `closed` what the end of a connection means. Over a connection
that broke, the controller is registered again, the subscription goes on after the last frame that came, and requests,
which carry a key, are sent again and still have one effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from orca_crowd_client.columns import read_identifiers
from orca_crowd_client.encoding import Encoding
from orca_crowd_client.errors import ApiError, BufferFull, ProtocolError, StreamClosed, stream_closed
from orca_crowd_client.protocol.call import problem_document
from orca_crowd_client.protocol.keyframe import Keyframe
from orca_crowd_client.protocol.known_agents import KnownAgents
from orca_crowd_client.protocol.reading import read_acknowledged, read_columns, read_event, read_stepped
from orca_crowd_client.protocol.subscription import Subscription
from orca_crowd_client.results import Acknowledged, Event, Frame, Stepped

__all__ = ["Answer", "Message", "RequestKey", "StreamItem", "StreamState"]

Message: TypeAlias = bytes | str
# to a ping its data
Answer: TypeAlias = Acknowledged | Stepped | str
# that of the wire, and for a ping, which has none, its data
RequestKey: TypeAlias = str | tuple[Literal["ping"], str]
StreamItem: TypeAlias = Frame | Event

# after these close codes the same subscription is worth another try; 4001 comes back with a full frame and a gap
CODES_TO_RECONNECT = frozenset({1001, 1006, 1011, 1012, 1013, 4001})
# unread frames and events that are kept while a caller only sends commands and steps
UNREAD_LIMIT = 10_000


class StreamState:
    """One stream over all its connections."""

    def __init__(self, encoding: Encoding, subscription: Subscription | None) -> None:
        """Watch with `subscription`; None only sends commands and steps, and then events are not kept."""
        self.encoding = encoding
        self.subscription = subscription
        self.hello: dict[str, Any] | None = None
        self.heartbeat: int | None = None
        # whether this connection has given more than a greeting, so that trying again is worth while
        self.progress = False
        # frames and events not yet taken, each with the number of the connection that it came over
        self._items: deque[tuple[int, StreamItem]] = deque()
        self._failures: deque[ApiError] = deque()
        self._connection = 0
        self._requests: dict[RequestKey, dict[str, Any]] = {}
        self._answers: dict[RequestKey, Answer | ApiError] = {}
        # the name of the controller that this stream is; a registration ends with its connection
        self._controller: str | None = None
        self._paused = False
        # subscriptions that no `full` has answered yet: while there are any, another connection cannot go on
        self._fulls_due = 0
        self._known = KnownAgents()
        self._keyframe = Keyframe()
        self._last_step: int | None = None
        self._reconnected = False
        self._closing: str | None = None

    # ---- to the server

    def opening(self) -> list[Message]:
        """Give what a new connection begins with: who this is, what it sees, and every request without an answer."""
        self._connection += 1
        self.progress = False
        self._reconnected = self._last_step is not None
        self._closing = None
        messages: list[dict[str, Any]] = []
        if self._controller is not None:
            messages.append({"type": "register", "controller": self._controller})
        if self.subscription is not None and not self._paused:
            messages.append(self._watching(self.subscription))
            self._fulls_due = 0 if messages[-1]["type"] == "resume" else 1
        return [self.encoding.message(message) for message in [*messages, *self._requests.values()]]

    def subscribe(self, subscription: Subscription) -> Message:
        """Change the subscription; the first frame of the new one is full."""
        message = self.encoding.message(subscription.message())
        self.subscription, self._paused = subscription, False
        self._fulls_due += 1
        return message

    def unsubscribe(self) -> Message:
        """See no more frames until `resume` or another subscription."""
        self._paused = True
        return self.encoding.message({"type": "unsubscribe"})

    def resume(self) -> Message:
        """Go on with the subscription after the last frame that came; raises ValueError where there is none."""
        if self.subscription is None:
            raise ValueError("a stream with watch=False has no subscription to resume: subscribe first")
        self._paused = False
        return self.encoding.message(self._watching(self.subscription))

    def got(self, step: int) -> Message:
        """Say that every frame up to `step` has been used."""
        return self.encoding.message({"type": "got", "step": step})

    def _watching(self, subscription: Subscription) -> dict[str, Any]:
        """Write `resume` where this stream knows a state that frames can build on, else `subscribe`."""
        return subscription.message(None if self._fulls_due else self._known.step)

    def request(self, kind: str, body: Mapping[str, Any]) -> Message:
        """Send a request with its key; `answer` gives what comes back. Raises `CannotEncode`."""
        message = {"type": kind, **body}
        encoded = self.encoding.message(message)
        self._requests[body["key"]] = message
        if kind == "unregister":
            self._controller = None
        return encoded

    def ping(self, data: str) -> Message:
        """Ask for a pong; `answer` gives its data under `("ping", data)`."""
        message = {"type": "ping", "data": data}
        self._requests["ping", data] = message
        return self.encoding.message(message)

    def forget(self, key: RequestKey) -> None:
        """Wait for this answer no longer, nor send its request again."""
        self._requests.pop(key, None)
        self._answers.pop(key, None)

    # ---- from the server

    def receive(self, data: Message) -> None:
        """Take one message; raises `ProtocolError` for what is none, `BufferFull` when nobody reads."""
        message = self.encoding.decode(data)
        if not isinstance(message, dict) or "type" not in message:
            raise ProtocolError(f"a message without a type came: {data[:80]!r}")
        try:
            self._dispatch(str(message["type"]), message)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProtocolError(f"a {message['type']} message is not as documented: {error!r}") from error

    def _dispatch(self, kind: str, message: dict[str, Any]) -> None:
        """Act on one message; a type that is not known is passed over, so that a newer server can say more."""
        self.progress = self.progress or kind != "hello"
        if kind in ("full", "frame"):
            frame = self._frame(message, full=kind == "full")
            self._keep(frame)
            # only now: a frame that found no room is a gap before the next
            self._last_step, self._reconnected = frame.step, False
        elif kind == "event":
            self._keep(read_event(message))
        elif kind == "ack":
            self._answered(message.get("key"), read_acknowledged(message))
        elif kind == "stepped":
            self._answered(message.get("key"), read_stepped(message))
        elif kind == "pong":
            self._answered(("ping", str(message.get("data"))), str(message.get("data")))
        elif kind == "error":
            self._refused(message.get("key"), problem_document(message["problem"]))
        elif kind == "hello":
            self.hello = message
        elif kind == "heartbeat":
            self.heartbeat = message["step"]
        elif kind == "closing":
            self._closing = str(message["reason"])

    def _frame(self, message: dict[str, Any], *, full: bool) -> Frame:
        """Read a frame and merge it into what is known, so that what the caller gets is complete."""
        step, since = message["step"], None if full else message["since"]
        entered, left = read_identifiers(message.get("entered", [])), read_identifiers(message.get("left", []))
        # who left is forgotten first, so that a frame without ids is of those who stay
        if not full:
            self._known.remove(left)
        ids = read_identifiers(message["ids"]) if "ids" in message else self._known.listed()
        item_size = 8 if self.subscription is None else self.subscription.item_size
        columns = {**self._keyframe.read(message, ids), **read_columns(message, len(ids), item_size)}
        if since is None:
            self._known.replace(step, ids, columns)
            self._fulls_due = max(0, self._fulls_due - 1)
        else:
            self._known.merge(step, since, ids, columns)
        return Frame(
            step,
            message["time"],
            self._known.ids,
            self._known.columns,
            full=full,
            since=since,
            gap=self._is_gap(step, since),
            changed=ids,
            entered=entered,
            left=left,
        )

    def _is_gap(self, step: int, since: int | None) -> bool:
        """Whether steps that the subscription covers lie between the frame before and this one.

        Frames come for the steps divisible by `every`, so the count of such steps in between says it. A full frame
        tells no `since`; it follows the last frame that came. Over a reconnect it is always a gap: what the world did
        in between is not known, not even whether it is the same world.
        """
        if self._last_step is None:
            return False
        if self._reconnected and since is None:
            return True
        every = 1 if self.subscription is None else self.subscription.every
        before = self._last_step if since is None else since
        return before != self._last_step or step // every - before // every > 1

    def _keep(self, item: StreamItem) -> None:
        """Keep an item until it is taken."""
        if self.subscription is None:
            return
        if len(self._items) >= UNREAD_LIMIT:
            raise BufferFull(
                f"{UNREAD_LIMIT} frames and events wait unread: iterate over the stream beside its commands and steps, "
                "or open it with watch=False"
            )
        self._items.append((self._connection, item))

    def _answered(self, key: RequestKey | None, answer: Answer) -> None:
        """Keep the answer to a request that is still waited for."""
        request = None if key is None else self._requests.pop(key, None)
        if key is None or request is None:
            return
        self._answers[key] = answer
        if request["type"] == "register":
            self._controller = request["controller"]

    def _refused(self, key: str | None, error: ApiError) -> None:
        """Keep a refusal for whoever asked; without a key whoever reads next is told."""
        if error.code == "replaced":
            # another socket has taken the name over, and taking it back would go on for ever
            self._controller = None
        if key is None:
            self._failures.append(error)
        elif self._requests.pop(key, None) is not None:
            self._answers[key] = error

    # ---- to the caller

    def take(self) -> tuple[StreamItem, Message | None] | None:
        """Give the next frame or event and the credit to send for it; None when nothing waits.

        Credit is given when a frame is taken and not when it came, so that a caller who stalls is not sent more than
        the window. A frame of an earlier connection gives none: the new one never sent it. Raises an `ApiError` that
        the server sent without a key, such as a refused subscription.
        """
        self._raise_failure()
        if not self._items:
            return None
        connection, item = self._items.popleft()
        if not isinstance(item, Frame) or connection != self._connection:
            return item, None
        if self.subscription is None or not self.subscription.gives_credit:
            return item, None
        return item, self.got(item.step)

    def answer(self, key: RequestKey) -> Answer | None:
        """Give the answer to a request, once; None while there is none. Raises the refusal as `ApiError`."""
        answer = self._answers.pop(key, None)
        if isinstance(answer, ApiError):
            raise answer
        if answer is None:
            self._raise_failure()
        return answer

    def _raise_failure(self) -> None:
        """Raise the oldest refusal that has no key."""
        if self._failures:
            raise self._failures.popleft()

    def closed(self, code: int, reason: str) -> StreamClosed | None:
        """Say what the end of a connection means: None to connect again, else the error that ends the stream.

        `closing` comes before every close that the server intends and names the reason; whether to come back is for
        the code to say, since a server that restarts announces its closing as well.
        """
        if code in CODES_TO_RECONNECT:
            return None
        return stream_closed(code, self._closing or reason)
