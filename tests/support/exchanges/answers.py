"""Messages from the server: every type but the states, as a world and its sockets make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from orca_crowd.errors import ApiError, Fault, InvalidRequest, document
from orca_crowd.protocol.controllers import Own, parse_own
from orca_crowd.settings import LIMITS, Settings
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.publication import Publication
from tests.orca_crowd.worlds.support import record, running
from tests.support.exchanges.exchange import Exchange, in_both
from tests.support.exchanges.orders import LARGEST, SQUARE

__all__ = ["answers"]

PAIR = {
    "op": "add_agents",
    "columns": {
        "id": np.array([LARGEST, 0], np.int64).tobytes(),
        "position": np.array([[-5.0, 0.0], [5.0, -0.0]]).tobytes(),
        "goal": [[5.0, 0.0], None],
        "radius": np.array([0.5, 0.5]).tobytes(),
    },
}
# two that overlap, one of which has arrived
CROWDED = {
    "op": "add_agents",
    "agents": [{"id": 1, "position": [0.0, 50.0], "goal": [0.0, 50.0]}, {"id": 2, "position": [0.25, 50.0]}],
}


class Told:
    """Collects messages in both subprotocols."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.exchanges: list[Exchange] = []

    def add(self, name: str, what: str, kind: str, values: Mapping[str, Any], key: str | None = None) -> None:
        """One message as a socket puts it together."""
        head = {"type": kind} if key is None else {"type": kind, "key": key}
        self.exchanges += in_both(name, "from-server", what, {**head, **values})

    def refusal(self, name: str, what: str, error: ApiError, key: str | None = None) -> None:
        """A refused message."""
        tail = {} if key is None else {"key": key}
        self.exchanges += in_both(name, "from-server", what, {"type": "error", "problem": document(error)} | tail)


async def answers() -> list[Exchange]:
    """What a world of two agents answers, and what its sockets say by themselves."""
    told = Told()
    limits = {name: Settings.model_fields[name].default for name in LIMITS[:3]}
    greeting = {"world": "hall", "step": 40, "time": 10.0, "time_step": 0.25, "profile": "text", "limits": limits}
    told.add("hello", "The first message; `limits` has more members than are shown here.", "hello", greeting)
    async with running() as worlds:
        runner = await worlds.make("hall", options={"profile": "text"})
        heard = record(runner)
        told.add("ack", "Agents were added; the world gives one answer for each command.", "ack",
                 await runner.command({"commands": [PAIR]}, "a1"), "a1")  # fmt: skip
        told.add("ack-without-a-key", "The message had no key.", "ack", await runner.command({"commands": [CROWDED]}))
        geometry = [
            {"op": "add_obstacles", "obstacles": [{"points": [[-2.0, 9.0], [2.0, 9.0]]}]},
            {"op": "add_walkable", "areas": [{"id": 3, "geometry": SQUARE}]},
            {"op": "remove_walkable", "id": 3},
            {"op": "set_agents", "agents": [{"id": 0, "time_horizon": 0.1}]},
        ]
        told.add("ack-geometry", "Walls and areas, with warnings.", "ack",
                 await runner.command({"commands": geometry}, "a2"), "a2")  # fmt: skip
        told.add("stepped", "Nothing asked for but the steps; their events are told.", "stepped",
                 await runner.step({"count": 1}))  # fmt: skip
        told.add("stepped-digest", "With the digest.", "stepped", await runner.step({"return": "digest"}), "s2")
        choice = {"return": "agents", "fields": ["position", "goal", "status", "max_neighbors"], "ids": [LARGEST, 0]}
        remove = {"op": "remove_agents", "ids": [2]}
        told.add("stepped-agents", "The answer to a game's loop: agents in columns, and a result for each command.",
                 "stepped", await runner.step({"count": 2, "commands": [remove], **choice}), "s3")  # fmt: skip
        await _controllers(told, runner)
        _events(told, heard)
    told.add("heartbeat", "Nothing else was sent for a while.", "heartbeat", {"step": 41})
    told.add("pong", "The answer to a ping without data.", "pong", {})
    told.add("pong-with-data", "Whatever the ping brought.", "pong", {"data": "“ü” \u2028 \U0001f600"})
    told.add("closing", "The server closes the socket after this.", "closing", {"reason": "the world was deleted"})
    _refusals(told)
    return told.exchanges


async def _controllers(told: Told, runner: Any) -> None:
    controller = Controller()
    told.add("ack-register", "The name, and the agents that it owns already.", "ack",
             await runner.control.register("team-a", controller), "c1")  # fmt: skip
    request = parse_own(Own(type="own", ids=[0, LARGEST], key="c2"))
    told.add("ack-own", "All that the controller owns now.", "ack", await runner.control.own(request, controller), "c2")


def _events(told: Told, heard: list[Publication]) -> None:
    """One of each kind that happened, as the hub tells it, and those that only time brings."""
    seen: dict[str, dict[str, Any]] = {}
    for publication in heard:
        if publication.removed:
            seen.setdefault("removed", {"kind": "removed", "step": publication.step, "ids": publication.removed})
        for event in publication.events:
            seen.setdefault(event["kind"], event)
    for kind in ("arrived", "overlap", "removed"):
        told.add(f"event-{kind}", f"Of kind `{kind}`.", "event", seen[kind])
    late = {"kind": "late", "step": 90, "given_up": 0.125, "made_up": 5}
    told.add("event-late", "A realtime world has given up part of its delay.", "event", late)
    timeout = {"kind": "barrier-timeout", "step": 41, "controllers": ["team-b"]}
    told.add("event-barrier-timeout", "A step was taken without some of the controllers.", "event", timeout)


def _refusals(told: Told) -> None:
    faults = [Fault(0, "[1].radius", "must be at least 0, not -1.0"), Fault(2, None, "must be a map")]
    told.refusal("error-invalid", "Which command, which field, what would be right.", InvalidRequest(faults), "a1")
    told.refusal("error-without-a-key", "It answers a message that had none, or none at all.",
                 InvalidRequest([Fault(None, "every", "must be a whole number")]))  # fmt: skip
    wrong = ApiError("wrong-step", "world 'hall' has taken 40 steps, not 41", more={"step": 40})
    told.refusal("error-wrong-step", "Some codes have members of their own.", wrong, "s1")
    told.refusal("error-owned", "Somebody else owns one of the agents.", ApiError("owned", "agent 0 is owned"), "a2")
    replaced = ApiError("replaced", "'team-a' was registered on another socket; this one is no controller any more")
    told.refusal("error-replaced", "Another socket has taken the name of this controller.", replaced)
