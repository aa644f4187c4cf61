"""A client that does not give up: whatever was not answered is sent again, with its key, until it is."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import Any

import httpx

__all__ = ["Broken", "Caller", "Meeting"]

# an answer that is still missing after this time is a fault of its own
PATIENCE = 120.0
# refusals that ask to try again: nothing was changed by them, or the key says that it is the same request
AGAIN = frozenset({"not-ready", "draining", "no-room", "busy", "interrupted"})


class Broken(Exception):
    """Something happened that may not happen under any failure."""


class Meeting:
    """What all clients of a run share: where the server is, when to end, what was counted, what went wrong."""

    def __init__(self, address: str) -> None:
        """`address` is `host:port`, the same for every server that comes."""
        self.address = address
        self.over = threading.Event()
        self.faults: list[str] = []
        self.counted: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, what: str, number: int = 1) -> None:
        """One more of something."""
        with self._lock:
            self.counted[what] += number

    def fault(self, text: str) -> None:
        """End the run with this."""
        with self._lock:
            self.faults.append(text)
        self.over.set()


class Caller:
    """One connection over REST that comes back, and numbers for keys that are never used twice."""

    def __init__(self, meeting: Meeting, name: str, seed: int, controller: str | None = None) -> None:
        """Send nothing yet; `name` is part of every key."""
        self.meeting = meeting
        self.random = random.Random(seed)
        headers = {} if controller is None else {"Orca-Crowd-Controller": controller}
        self._name = name
        self._number = 0
        self._client = httpx.Client(base_url=f"http://{meeting.address}", timeout=20.0, headers=headers)

    def key(self) -> str:
        """A key for a new request."""
        self._number += 1
        return f"{self._name}-{self._number}"

    def send(self, method: str, path: str, body: Any = None, *, hasty: bool = False) -> httpx.Response:
        """The answer, however often it takes to ask. `hasty`: the first try is given up after a moment."""
        deadline = time.monotonic() + PATIENCE
        said = "nothing at all"
        while time.monotonic() < deadline:
            try:
                timeout = 0.003 if hasty else 20.0
                hasty = False
                answer = self._client.request(method, path, json=body, timeout=timeout)
            except httpx.TransportError as lost:
                said = repr(lost)
                self.meeting.count("requests without an answer")
                time.sleep(0.02 + 0.05 * self.random.random())
                continue
            if answer.status_code < 400:
                return answer
            code = answer.json()["code"]
            if answer.status_code >= 500 and code not in AGAIN:
                raise Broken(f"{method} {path}: {answer.text}")
            if code not in AGAIN:
                return answer
            said = answer.text
            self.meeting.count(f"refused with {code}")
            time.sleep(0.05)
        raise Broken(f"{method} {path} had no answer for {PATIENCE:g} s, the last was {said}")

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
