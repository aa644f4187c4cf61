"""Streams: sequences of `full` and `frame`, and what a client knows after each."""

from __future__ import annotations

from typing import Any

from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import SUBPROTOCOLS
from orca_crowd.streaming.interest import Circle, Listed
from tests.support.exchanges.exchange import Exchange
from tests.support.exchanges.orders import LARGEST, ids
from tests.support.exchanges.states import Scene, Walk, speak

__all__ = ["frames", "scenes", "streams"]

MOTION = ("position", "velocity")


def everybody(fields: tuple[str, ...], **key: Any) -> Scene:
    """All move; one moves; nobody; one comes and one goes; all move; all move again; all go; one comes."""
    walk, states = Walk(), []
    walk.put(LARGEST, position=(-0.0, 5e-324), velocity=(1.0, 0.0), goal=(9.0, -0.0), status="moving")
    walk.put(7, position=(0.1, 1 / 3), velocity=(0.0, 0.0))
    walk.put(3, position=(-1e9, 1e9), velocity=(-0.0, 1.5), max_neighbors=0, radius=0.0)
    states.append(walk.state())
    for identifier in (LARGEST, 7, 3):
        walk.put(identifier, position=(identifier % 5 + 0.1, -0.0), velocity=(0.4, 0.0))
    states.append(walk.state())
    walk.put(7, position=(2.6, 1e-3), goal=(0.5, 0.25), status="arrived")
    states += [walk.state(), walk.state()]
    walk.put(2**32, position=(5.5, 5.5), radius=0.3)
    walk.remove(7)
    states.append(walk.state())
    for turn in (1, 2):
        for identifier in (LARGEST, 3, 2**32):
            walk.put(identifier, position=(identifier % 5 + 0.1 * turn, 0.7), velocity=(0.0, 0.1 * turn))
        states.append(walk.state())
    for identifier in (LARGEST, 3, 2**32):
        walk.remove(identifier)
    states.append(walk.state())
    walk.put(8, position=(1.0, 2.0), status="stalled")
    states.append(walk.state())
    return Scene(states, {"fields": fields, "precision": "float64", **key})


def crossing(**key: Any) -> Scene:
    """Three walk through a circle of radius two, one of them never gets in, and some steps are left out."""
    walk, states = Walk(), []
    for identifier, y in ((1, 0.0), (2, 1.0), (9, 30.0)):
        walk.put(identifier, velocity=(1.0, 0.0), position=(-4.0 - y, y), radius=0.25)
    for turn in range(9):
        for identifier, y in ((1, 0.0), (2, 1.0), (9, 30.0)):
            walk.put(identifier, position=(-4.0 - y + turn, y))
        # with delivery `latest` frames may be left out: `since` is the step that was sent before
        states.append(walk.state(steps=3 if turn == 4 else 1))
    interest = Circle((0.0, 0.0), 2.0)
    return Scene(states, {"fields": MOTION, "precision": "float64", "interest": interest, **key})


def quantised(precision: str, **options: Any) -> Scene:
    """All walk, one stands; one is added; the keyframe is renewed; one is put elsewhere."""
    walk, states = Walk(), []
    for identifier in (5, LARGEST, 6):
        walk.put(identifier, position=(identifier % 7 + 0.1, 100.3), velocity=(1.25, -0.3), radius=0.1)
    for turn in range(7):
        for identifier in (5, LARGEST):
            walk.put(identifier, position=(identifier % 7 + 0.1 + 0.31 * turn, 100.3 - 0.07 * turn))
        if turn == 2:
            walk.put(11, position=(33.3, 44.4), velocity=(0.1, 0.1))
        if turn == 5:
            walk.remove(6)
        states.append(walk.state())
    return Scene(states, {"fields": (*MOTION, "radius"), "precision": precision}, **options)


def returning() -> Scene:
    """A client comes back twice: once the server is sure what it has, once it may be one of two states of a step."""
    walk, states = Walk(), []
    for identifier in (1, 2, 3):
        walk.put(identifier, position=(float(identifier), 0.0))
    states.append(walk.state())
    walk.put(1, position=(1.5, 0.0))
    states.append(walk.state())
    # here the connection broke after the frame before
    walk.put(2, position=(2.5, 0.0))
    states.append(walk.state())
    # a command between two steps: the same step once more, with one more agent
    walk.put(4, position=(4.0, 0.0))
    states.append(walk.state(steps=0))
    walk.put(3, position=(3.5, 0.0))
    states.append(walk.state())
    return Scene(
        states, {"fields": ("position",), "precision": "float64"}, resumed=frozenset({2}), unsure=frozenset({4})
    )


def scenes() -> dict[str, tuple[str, Scene]]:
    """Name, what it shows, and the states with the subscription."""
    listed = Listed(ids(3, LARGEST).tobytes())
    return {
        "changed-rows": (
            "Every field, changed rows alone; ids are left out where everybody has a row.",
            everybody(FIELDS),
        ),
        "all-rows": ("With `rows: all`, in float32.", everybody(MOTION, precision="float32", rows="all")),
        "two-agents": (
            "Two agents of a list, one of which is removed.",
            everybody(("position", "status"), interest=listed),
        ),
        "circle": ("Agents enter and leave a circle, and steps are left out.", crossing()),
        "circle-all-rows": ("The same with a row for everybody in it.", crossing(rows="all")),
        "int16": ("int16 beside a keyframe.", quantised("int16")),
        "int16-renewed": (
            "int16 with a keyframe that is renewed every third step.",
            quantised("int16", keyframe_steps=3),
        ),
        "int8": ("int8 beside a keyframe.", quantised("int8")),
        "int16-resumed": ("int16; the client comes back at the fourth.", quantised("int16", resumed=frozenset({3}))),
        "coming-back": (
            "A client comes back; in the last frame `entered` names one that it knows and it makes no difference.",
            returning(),
        ),
    }


def streams() -> list[dict[str, Any]]:
    """Each scene in both subprotocols, with the members that stand in its `subscribe`."""
    found = []
    for name, (what, scene) in scenes().items():
        members = {"fields": list(scene.key["fields"]), "precision": scene.key["precision"]}
        for wire in SUBPROTOCOLS:
            messages = [
                {
                    **({"text": said.data} if isinstance(said.data, str) else {"bytes": said.data.hex()}),
                    "after": said.after,
                }
                for said in speak(scene, wire)
            ]
            found.append(
                {"name": name, "subprotocol": wire, "what": what, "subscription": members, "messages": messages}
            )
    return found


def frames() -> list[Exchange]:
    """Single states as exchanges: the first two of some scenes."""
    found = []
    for name in ("changed-rows", "all-rows", "int16", "int8"):
        what, scene = scenes()[name]
        for wire in SUBPROTOCOLS:
            for said in speak(scene, wire)[:2]:
                kind = said.message["type"]
                found.append(Exchange(f"{kind}-{name}", "from-server", wire, what, said.message, said.data))
    return found
