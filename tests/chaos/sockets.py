"""Clients over sockets: controllers of realtime and barrier worlds, and watchers who stop reading."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.chaos.caller import AGAIN, PATIENCE, Broken, Meeting
from tests.chaos.ledger import Ledger
from tests.chaos.orders import batch

__all__ = ["Controller", "Staller"]

Message = dict[str, Any]

JSON = Subprotocol("orca-crowd.v1.json")
GONE = frozenset({"not-found", "gone", "owned"})
# the registration was lost with the connection, or taken over by the one that came after it
UNREGISTERED = frozenset({"not-registered", "replaced"})
LOST = (ConnectionClosed, InvalidHandshake, OSError, EOFError)


class Line:
    """One socket of a world that is connected anew whenever it was lost."""

    def __init__(self, meeting: Meeting, world: str, greeting: Callable[[], list[Message]]) -> None:
        """`greeting` is what is sent after each connection, before anything else."""
        self.meeting = meeting
        self.step = 0
        self._world = world
        self._greeting = greeting
        self._socket: ClientConnection | None = None

    def ask(self, message: Message) -> Message:
        """The answer to a message with a key, however often it takes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                socket = self._connected()
                socket.send(json.dumps(message))
                answer = self._answer(socket, message["key"])
            except TimeoutError:
                self.close()
                continue
            except LOST as lost:
                self._lost(lost)
                continue
            code = answer["problem"]["code"] if answer["type"] == "error" else ""
            if code in UNREGISTERED:
                self.close()
            elif code in AGAIN:
                self.meeting.count(f"refused with {code}")
                time.sleep(0.05)
            elif code == "world-failed" or code == "internal":
                raise Broken(f"{message} was answered with {answer}")
            else:
                return answer
        raise Broken(f"{message} had no answer for {PATIENCE:g} s")

    def _lost(self, lost: Exception) -> None:
        response = getattr(lost, "response", None)
        if response is not None and response.status_code == 404:
            raise Broken(f"world {self._world} is not there: {lost}")
        self.meeting.count("sockets lost")
        self.close()
        time.sleep(0.05)

    def _connected(self) -> ClientConnection:
        if self._socket is None:
            url = f"ws://{self.meeting.address}/v1/worlds/{self._world}/stream"
            self._socket = connect(url, subprotocols=[JSON], open_timeout=10, close_timeout=1, compression=None)
            self.step = json.loads(self._socket.recv(timeout=10))["step"]
            for message in self._greeting():
                self._socket.send(json.dumps(message))
        return self._socket

    def _answer(self, socket: ClientConnection, key: str) -> Message:
        deadline = time.monotonic() + 10.0
        while True:
            message: Message = json.loads(socket.recv(timeout=max(0.0, deadline - time.monotonic())))
            if "step" in message and message["type"] != "event":
                self.step = max(self.step, message["step"])
            if message.get("key") == key:
                return message

    def close(self) -> None:
        """Leave; the next question connects anew."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class Controller:
    """A registered controller that owns some agents, and gives orders for them; in a barrier world for every step."""

    def __init__(self, meeting: Meeting, ledger: Ledger, name: str, seed: int, *, barrier: bool) -> None:
        """Connect to nothing yet."""
        self._ledger, self._name, self._barrier = ledger, name, barrier
        self._random = random.Random(seed)
        self._number = 0
        self._own: list[int] = []
        subscribe = {"type": "subscribe", "every": 5, "delivery": "latest", "precision": "float32"}
        self._line = Line(meeting, ledger.name, lambda: [{"type": "register", "controller": name}, subscribe])

    def run(self) -> None:
        """Until the run is over; the message under way is answered before."""
        meeting, ledger = self._line.meeting, self._ledger
        try:
            while not meeting.over.wait(self._random.uniform(0.0, 0.06)):
                if len(self._own) < 3:
                    self._take()
                elif self._barrier:
                    self._ready()
                else:
                    self._command()
                ledger.seen(self._line.step)
        finally:
            self._line.close()

    def _key(self) -> str:
        self._number += 1
        return f"{self._name}-{self._number}"

    def _take(self) -> None:
        """An agent of its own, which nobody else may order about."""
        with self._ledger.lock:
            free = sorted(self._ledger.alive - set(self._own))
        body = {"ids": [self._random.choice(free)]}
        answer = self._line.ask({"type": "own", **body, "key": self._key()})
        if answer["type"] == "ack":
            self._ledger.change(answer, answer["step"], "own", body, self._name)
            self._own += body["ids"]
            self._line.meeting.count("commands acknowledged")
        elif answer["problem"]["code"] not in GONE:
            raise Broken(f"own was answered with {answer}")

    def _orders(self) -> list[Message]:
        """Mostly for the agents it owns; now and then for any, which may be refused."""
        return batch(self._random, self._ledger, self._own if self._random.random() < 0.8 else None)

    def _command(self) -> None:
        body = {"commands": self._orders(), "key": self._key()}
        answer = self._line.ask({"type": "command", **body})
        if answer["type"] == "ack":
            self._ledger.change(answer, answer["step"], "commands", body, self._name)
            self._line.meeting.count("commands acknowledged", len(body["commands"]))
        else:
            self._refused(answer, body)

    def _ready(self) -> None:
        body = {"commands": self._orders(), "key": self._key(), "for_step": self._line.step + 1, "return": "digest"}
        answer = self._line.ask({"type": "ready", **body})
        if answer["type"] == "stepped":
            self._ledger.change(answer, body["for_step"] - 1, "commands", body, self._name)
            self._ledger.stepped(answer, 0)
            self._line.meeting.count("commands acknowledged", len(body["commands"]))
            self._line.meeting.count("barriers passed")
        elif answer["problem"]["code"] == "wrong-step":
            self._line.step = answer["problem"]["step"]
        else:
            self._refused(answer, body)

    def _refused(self, answer: Message, body: Message) -> None:
        if answer["problem"]["code"] not in GONE:
            raise Broken(f"{body} was answered with {answer}")
        self._line.meeting.count("orders refused")
        with self._ledger.lock:
            self._own = [agent for agent in self._own if agent in self._ledger.alive]


class Staller:
    """Subscribes to everything at once and stops reading for seconds."""

    def __init__(self, meeting: Meeting, world: str, seed: int) -> None:
        """Connect to nothing yet."""
        self._meeting, self._world = meeting, world
        self._random = random.Random(seed)

    def run(self) -> None:
        """Until the run is over."""
        url = f"ws://{self._meeting.address}/v1/worlds/{self._world}/stream"
        while not self._meeting.over.is_set():
            try:
                with connect(url, subprotocols=[JSON], open_timeout=10, close_timeout=1, max_queue=4) as socket:
                    delivery = self._random.choice(("latest", "every"))
                    socket.send(json.dumps({"type": "subscribe", "delivery": delivery, "precision": "float64"}))
                    for _ in range(self._random.randint(1, 20)):
                        socket.recv(timeout=1.0)
                    self._meeting.count("sockets stalled")
                    self._meeting.over.wait(self._random.uniform(1.0, 4.0))
            except (*LOST, TimeoutError):
                self._meeting.over.wait(0.1)
