"""Audience: many subscribers of one world in one process of their own, reading as little as a reader can.

`python -m orca_crowd.bench.audience PLAN`, with the plan as JSON: `address`, `world`, `subscribers`, `subscribe` (the
message). It says `ready` on stdout when everybody has the `full`, reads until a line comes on stdin, and then writes
what has arrived as MessagePack. Beside the moment of each frame nothing is kept; a hundred readers at 30 Hz take a
twentieth of a core, so that the server has its own.
"""

from __future__ import annotations

import json
import selectors
import sys
import time
from typing import Any

import msgspec
import numpy as np

from orca_crowd.bench.lean import LeanSocket

__all__ = ["Head", "Reader", "main"]


class Head(msgspec.Struct):
    """What a reader has to know of a message; the decoder passes over the rest."""

    type: str
    step: int = 0
    kind: str = ""
    given_up: int = 0
    problem: Any = None


_decoder = msgspec.msgpack.Decoder(Head)


class Reader:
    """One subscriber and the moments at which its frames had arrived, in seconds of the monotonic clock."""

    def __init__(self, stream: LeanSocket, subscribe: bytes) -> None:
        """Subscribe, and wait until the state is here."""
        self.stream = stream
        self.steps: list[int] = []
        self.moments: list[float] = []
        # deadlines of the world's clock that passed without a step, and steps that were taken and not seen
        self.given_up = 0
        self.missed = 0
        stream.send(subscribe)
        while (head := _decoder.decode(stream.receive())).type != "full":
            self._refuse(head)
        self._newest = head.step
        self._got(head.step)
        stream.socket.setblocking(False)

    def read(self) -> None:
        """Take what has arrived."""
        self.stream.fill()
        while (message := self.stream.taken()) is not None:
            moment = time.monotonic()
            head = _decoder.decode(message)
            if head.type == "frame":
                self.missed += head.step - self._newest - 1
                self._newest = head.step
                self.steps.append(head.step + self.given_up)
                self.moments.append(moment)
                self._got(head.step)
            elif head.kind == "late":
                self.given_up += head.given_up
            else:
                self._refuse(head)

    def shown(self) -> dict[str, Any]:
        """Steps (as deadlines of the clock) and moments as bins, and how many steps were missed."""
        return {
            "steps": np.asarray(self.steps, "<i8").tobytes(),
            "moments": np.asarray(self.moments, "<f8").tobytes(),
            "missed": self.missed,
        }

    def _got(self, step: int) -> None:
        self.stream.send(msgspec.msgpack.encode({"type": "got", "step": step}))

    @staticmethod
    def _refuse(head: Head) -> None:
        if head.type == "error":
            raise RuntimeError(f"the server refused a message: {head.problem}")


def main() -> None:
    """Be the audience that the command line names."""
    plan = json.loads(sys.argv[1])
    subscribe = msgspec.msgpack.encode(plan["subscribe"])
    readers = [Reader(LeanSocket(plan["address"], plan["world"]), subscribe) for _ in range(plan["subscribers"])]
    print("ready", flush=True)  # noqa: T201
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(reader.stream, selectors.EVENT_READ, reader.read)
        selector.register(sys.stdin, selectors.EVENT_READ, None)
        begin, asked = time.process_time(), False
        while not asked:
            for key, _ in selector.select():
                if key.data is None:
                    asked = True
                else:
                    key.data()
    busy = time.process_time() - begin
    found = {"readers": [reader.shown() for reader in readers], "busy": busy}
    sys.stdout.buffer.write(msgspec.msgpack.encode(found))
    sys.stdout.buffer.flush()
    for reader in readers:
        reader.stream.socket.close()


if __name__ == "__main__":
    main()
