"""Bodies and answers of REST: one world, from its making to its end, as a real server answers in both encodings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import numpy as np

from orca_crowd.protocol.frames import encode_message
from tests.orca_crowd.streaming.harness import serving
from tests.support.exchanges.exchange import MEDIA, Exchange, meaning_of
from tests.support.exchanges.orders import ADD_COLUMNS, ADD_ROWS, GEOMETRY, LARGEST, SET_COLUMNS, SET_ROWS, SQUARE, WALL

__all__ = ["calls"]

WORLD = "/v1/worlds/hall"


@dataclass(frozen=True)
class Call:
    """One request; `body` with arrays as columns."""

    name: str
    what: str
    method: str
    path: str
    body: dict[str, Any] | None = None
    refused: bool = False


def without_op(command: dict[str, Any]) -> dict[str, Any]:
    """The body of the REST call of a command."""
    return {name: value for name, value in command.items() if name != "op"}


NEW_WORLD = {"id": "hall", "name": "Hall", "time_step": 0.25, "options": {"profile": "text"}, "seed": LARGEST}
STEP = {"count": 2, "expected_step": 0, "return": "agents", "fields": ["position", "goal", "status"], "key": "s1"}

CALLS = [
    Call("create-world", "What is left out takes the server's default.", "POST", "/v1/worlds", NEW_WORLD),
    Call("create-world-again", "The id is in use.", "POST", "/v1/worlds", NEW_WORLD, refused=True),
    Call("update-world", "Another name.", "PATCH", WORLD, {"name": "Plaza"}),
    Call("describe-world", "The world as it is.", "GET", WORLD),
    Call(
        "add-agents-in-columns", "Columns are bins in MessagePack.", "POST", f"{WORLD}/agents", without_op(ADD_COLUMNS)
    ),
    Call("add-agents-in-rows", "A map for each agent.", "POST", f"{WORLD}/agents", without_op(ADD_ROWS)),
    Call(
        "add-agents-refused",
        "All or nothing: each fault is named by item and field.",
        "POST",
        f"{WORLD}/agents",
        {"agents": [{"position": [0.0, 0.0]}, {"position": [1.0, 1.0], "radius": -1.0}, {"radius": 1.0}]},
        refused=True,
    ),
    Call("set-agents-in-columns", "The ids beside the columns.", "PATCH", f"{WORLD}/agents", without_op(SET_COLUMNS)),
    Call("set-agents-in-rows", "Null clears.", "PATCH", f"{WORLD}/agents", without_op(SET_ROWS)),
    Call("set-agent", "One agent; the answer is the agent.", "PATCH", f"{WORLD}/agents/7", {"goal": [9.0, -0.0]}),
    Call("agents", "Position and velocity of all.", "GET", f"{WORLD}/agents"),
    Call(
        "agents-chosen",
        "Chosen fields of chosen agents, in float32.",
        "GET",
        f"{WORLD}/agents?fields=position,goal,status,max_neighbors&ids={LARGEST},7&precision=float32",
    ),
    Call("agent", "One agent with its effective values.", "GET", f"{WORLD}/agents/{LARGEST}"),
    Call("agent-not-found", "It never was.", "GET", f"{WORLD}/agents/12345", refused=True),
    Call("explain", "Why an agent moves as it does.", "GET", f"{WORLD}/agents/7/explain"),
    Call("add-obstacles", "Walls.", "POST", f"{WORLD}/obstacles", without_op(GEOMETRY[0])),
    Call("set-obstacle", "Another in its place.", "PUT", f"{WORLD}/obstacles/4", WALL),
    Call("obstacles", "All of them.", "GET", f"{WORLD}/obstacles"),
    Call("add-walkable", "A walkable area.", "POST", f"{WORLD}/walkable", {"areas": [{"id": 3, "geometry": SQUARE}]}),
    Call("walkable", "All of them.", "GET", f"{WORLD}/walkable"),
    Call("remove-walkable", "Nothing is answered.", "DELETE", f"{WORLD}/walkable/3"),
    Call("steps", "Two steps, and the agents after them.", "POST", f"{WORLD}/steps", STEP),
    Call("steps-again", "The same key and body: the same answer, and no step.", "POST", f"{WORLD}/steps", STEP),
    Call(
        "steps-refused",
        "Not the expected step; `step` says what is.",
        "POST",
        f"{WORLD}/steps",
        {"expected_step": 7},
        refused=True,
    ),
    Call(
        "commands",
        "A batch, in one step.",
        "POST",
        f"{WORLD}/commands",
        {"commands": [SET_COLUMNS, {"op": "remove_agents", "ids": np.array([7], np.int64)}], "key": "a1"},
    ),
    Call("agent-gone", "It was removed.", "GET", f"{WORLD}/agents/7", refused=True),
    Call("digest", "The hash over all bits.", "GET", f"{WORLD}/digest"),
    Call("remove-agents", "Ids in the query.", "DELETE", f"{WORLD}/agents?ids=0,{2**32}"),
    Call(
        "steer",
        "One step for a world that the client keeps.",
        "POST",
        "/v1/steer",
        {"time_step": 0.25, "agents": [{"position": [0.0, 0.0], "preferred_velocity": [-0.0, 1.0]}]},
    ),
    Call("delete-world", "Nothing is answered.", "DELETE", WORLD),
]


async def calls() -> list[Exchange]:
    """Every call with its answer, in both encodings."""
    plain = await _recorded("application/json")
    packed = await _recorded("application/msgpack")
    found: list[Exchange] = []
    for call, text, data in zip(CALLS, plain, packed, strict=True):
        meaning = None if not text.content else msgspec.json.decode(text.content)
        for media, answer in (("application/json", text), ("application/msgpack", data)):
            told: dict[str, Any] = {"call": f"{call.method} {call.path}"}
            if call.body is not None:
                sent = encode_message(call.body, MEDIA[media])
                found.append(Exchange(call.name, "to-server", media, call.what, meaning_of(call.body), sent, told))
            # a refusal is a problem document, whatever the encoding of the answer would be
            kind = answer.headers.get("content-type", media).partition(";")[0]
            content = answer.content if media in kind else answer.text
            told |= {"status": answer.status_code, "content_type": kind}
            found.append(Exchange(call.name, "from-server", media, call.what, meaning, content or "", told))
    return [_as_text(exchange) for exchange in found]


def _as_text(exchange: Exchange) -> Exchange:
    """JSON is written as text, also where the client spoke MessagePack and was answered with a problem document."""
    if exchange.wire == "application/json" and isinstance(exchange.data, bytes):
        return Exchange(**{**exchange.__dict__, "data": exchange.data.decode()})
    return exchange


async def _recorded(media: str) -> list[httpx.Response]:
    async with serving() as served, httpx.AsyncClient(base_url=f"http://127.0.0.1:{served.port}") as client:
        answers = []
        for call in CALLS:
            sent = None if call.body is None else encode_message(call.body, MEDIA[media])
            headers = {"accept": media} | ({} if sent is None else {"content-type": media})
            answer = await client.request(call.method, call.path, content=sent, headers=headers)
            assert answer.is_error == call.refused, (call.name, answer.text)
            answers.append(answer)
        return answers
