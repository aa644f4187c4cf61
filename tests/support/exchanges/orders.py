"""Messages to the server: every type, with everything that it may hold, and some that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_crowd.protocol.columns import FIELDS
from tests.support.exchanges.exchange import Exchange, in_both

__all__ = ["LARGEST", "SQUARE", "orders", "refused_orders"]

LARGEST = 2**53 - 1
SQUARE = {"type": "Polygon", "coordinates": [[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0], [0.0, 0.0]]]}


def numbers(*values: ArrayLike) -> NDArray[np.float64]:
    """A column of numbers or of pairs."""
    return np.array(values, np.float64)


def ids(*values: int) -> NDArray[np.int64]:
    """A column of ids."""
    return np.array(values, np.int64)


ADD_COLUMNS = {
    "op": "add_agents",
    "columns": {
        "id": ids(LARGEST, 0, 2**32),
        "position": numbers((-0.0, 5e-324), (1e9, -1e9), (0.1, 1 / 3)),
        "velocity": numbers((0, 0), (-0.0, -0.0), (1, 0)),
        "radius": numbers(0.0, 0.5, 0.25),
        # whole numbers, which in MessagePack stand in a bin of float64 like all others
        "max_neighbors": ids(0, 10, 3),
        # a column in which a row has no value is an array in MessagePack too: NaN would be refused as not finite
        "goal": [None, [5.0, -0.0], None],
    },
}
ADD_ROWS = {
    "op": "add_agents",
    "agents": [
        {"position": [-0.0, 2.5], "goal": [3.0, 4.0], "preferred_speed": 1.25, "goal_tolerance": 0.01},
        {"id": 7, "position": [9.0, 9.0], "preferred_velocity": [1.0, -0.0], "max_speed": 2.0, "time_horizon": 3.0},
        {"position": [20.0, 0.5], "obstacle_horizon": 1.0, "neighbor_distance": 12.5, "max_neighbors": 5},
    ],
}
SET_COLUMNS = {
    "op": "set_agents",
    "ids": ids(0, LARGEST),
    "columns": {"preferred_velocity": numbers((1.5, 0.0), (-0.0, -1.5))},
}
SET_ROWS = {"op": "set_agents", "agents": [{"id": 7, "goal": None}, {"id": 0, "radius": 0.4, "preferred_speed": None}]}
WALL: dict[str, Any] = {"points": [[-2.0, 2.0], [2.0, 2.0]], "closed": False}
GEOMETRY: list[dict[str, Any]] = [
    {
        "op": "add_obstacles",
        "obstacles": [WALL, {"id": 4, "points": [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], "closed": True}],
    },
    {"op": "set_obstacle", "id": 4, **WALL},
    {"op": "open_door", "ids": ids(0)},
    {"op": "close_door", "ids": ids(0, 4)},
    {"op": "remove_obstacle", "id": 4},
    {"op": "add_walkable", "areas": [{"geometry": SQUARE}]},
    {"op": "set_walkable", "id": 0, "geometry": SQUARE, "clearance": 0.5, "horizon": 3.0, "shrunk": True},
    {"op": "remove_walkable", "id": 0},
    {
        "op": "set_level_of_detail",
        "level_of_detail": {"distance": 30.0, "every": 4, "neighbors": 4, "points": [[12.0, 8.0]], "boxes": []},
    },
    {"op": "set_level_of_detail", "level_of_detail": None},
    {"op": "set_grid_map", "grid_map": {"rows": ["..@", "..."], "cell_size": 2.0, "origin": [-4.0, 0.5]}},
    {"op": "set_grid_map", "grid_map": None},
]
CHOSEN: dict[str, Any] = {"return": "agents", "fields": ["position", "velocity", "status"], "ids": ids(0, LARGEST)}

# name, what it is, the message
MESSAGES: list[tuple[str, str, dict[str, Any]]] = [
    ("subscribe", "Everything left out: position and velocity of all agents.", {"type": "subscribe"}),
    (
        "subscribe-all-members",
        "Every member named.",
        {
            "type": "subscribe",
            "fields": list(FIELDS),
            "precision": "float32",
            "every": 5,
            "delivery": "every",
            "interest": {"kind": "all"},
            "rows": "all",
            "window": 3,
        },
    ),
    (
        "subscribe-ids",
        "The agents of a list.",
        {"type": "subscribe", "interest": {"kind": "ids", "ids": ids(0, LARGEST)}},
    ),
    (
        "subscribe-rectangle",
        "Agents whose centre is in a rectangle.",
        {"type": "subscribe", "interest": {"kind": "rectangle", "min": [-10.0, -0.0], "max": [10.0, 20.5]}},
    ),
    (
        "subscribe-circle",
        "Agents whose centre is in a circle.",
        {
            "type": "subscribe",
            "fields": ["position"],
            "interest": {"kind": "circle", "center": [1.5, 2.0], "radius": 30.0},
        },
    ),
    (
        "subscribe-around",
        "Agents around one of them.",
        {"type": "subscribe", "interest": {"kind": "around", "id": LARGEST, "radius": 12.5}},
    ),
    (
        "subscribe-int16",
        "Positions and velocities as whole numbers beside a keyframe.",
        {"type": "subscribe", "fields": ["position", "velocity", "radius"], "precision": "int16"},
    ),
    ("subscribe-int8", "The same in one byte a number.", {"type": "subscribe", "precision": "int8", "rows": "changed"}),
    ("resume", "Go on after step 12 with the subscription of this socket.", {"type": "resume", "after_step": 12}),
    (
        "resume-on-a-new-socket",
        "Go on after step 12; the members are those of subscribe.",
        {"type": "resume", "after_step": 12, "fields": ["position"], "delivery": "every", "window": 3},
    ),
    ("unsubscribe", "No more frames.", {"type": "unsubscribe"}),
    ("got", "Every frame up to step 12 has been used.", {"type": "got", "step": 12}),
    (
        "command-add-agents-in-columns",
        "Agents in columns; ids to 2^53 - 1, -0.0, a subnormal, rows without a goal.",
        {"type": "command", "commands": [ADD_COLUMNS], "key": "a1"},
    ),
    ("command-add-agents-in-rows", "Agents as a list of maps.", {"type": "command", "commands": [ADD_ROWS]}),
    (
        "command-set-and-remove-agents",
        "Several commands are one batch; null clears.",
        {"type": "command", "commands": [SET_COLUMNS, SET_ROWS, {"op": "remove_agents", "ids": ids(7)}], "key": "a2"},
    ),
    (
        "command-geometry",
        "Every command about walls and areas.",
        {"type": "command", "commands": GEOMETRY, "key": "a3"},
    ),
    ("step", "One step.", {"type": "step"}),
    (
        "step-tight-loop",
        "A game's loop: orders in, steps, the state of some agents out.",
        {"type": "step", "count": 2, "expected_step": 40, "commands": [SET_COLUMNS], "key": "s1", **CHOSEN},
    ),
    ("step-digest", "Ask for the digest.", {"type": "step", "return": "digest", "key": "s2"}),
    ("register", "Be a controller.", {"type": "register", "controller": "team-a", "key": "c1"}),
    ("unregister", "Be a controller no longer.", {"type": "unregister"}),
    ("own", "Let nobody else order these agents.", {"type": "own", "ids": ids(0, LARGEST), "key": "c2"}),
    ("disown", "Give them back.", {"type": "disown", "ids": ids(0), "key": "c3"}),
    ("ready", "Nothing to order for the next step.", {"type": "ready"}),
    (
        "ready-with-orders",
        "Orders for the step of number 41, and what to show after it.",
        {"type": "ready", "for_step": 41, "commands": [SET_COLUMNS], "key": "r1", **CHOSEN},
    ),
    ("ping", "Ask for a pong.", {"type": "ping"}),
    ("ping-with-text", "Any text comes back.", {"type": "ping", "data": "“ü” \u2028 \U0001f600"}),
    ("ping-with-number", "So does a number.", {"type": "ping", "data": 0.1}),
]

# name, what is wrong, the message, the code of the refusal and the field that it names
REFUSED: list[tuple[str, str, dict[str, Any], str, str | None]] = [
    ("refused-type", "No such message.", {"type": "subscrib"}, "invalid", "type"),
    ("refused-member", "An unknown member.", {"type": "got", "step": 1, "steps": 1}, "invalid", "steps"),
    ("refused-boolean", "A boolean for a number.", {"type": "subscribe", "every": True}, "invalid", "every"),
    ("refused-text", "A number in a string.", {"type": "got", "step": "12"}, "invalid", "step"),
    ("refused-fraction", "A fraction for a whole number.", {"type": "step", "count": 1.5}, "invalid", "count"),
    (
        "refused-field",
        "A field that agents do not have.",
        {"type": "subscribe", "fields": ["colour"]},
        "invalid",
        "fields",
    ),
    (
        "refused-interest",
        "A circle without its center.",
        {"type": "subscribe", "interest": {"kind": "circle", "radius": 1.0}},
        "invalid",
        "interest.center",
    ),
    ("refused-id", "An id beyond 2^53 - 1.", {"type": "resume", "after_step": 2**53}, "invalid", "after_step"),
]


def orders() -> list[Exchange]:
    """Every message that is taken, in both subprotocols."""
    return [exchange for name, what, values in MESSAGES for exchange in in_both(name, "to-server", what, values)]


def refused_orders() -> list[Exchange]:
    """Messages that are answered with an `error` and change nothing; `refused` says with which."""
    return [
        exchange
        for name, what, values, code, where in REFUSED
        for exchange in in_both(name, "to-server", what, values, {"refused": {"code": code, "field": where}})
    ]
