"""Sequences of states, and the messages that bring a client from each to the next, by the server's own encoder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.state import BY_NAME
from orca_crowd.protocol.columns import CODED, FIELDS, INPUTS, INTEGERS, SAID, VECTORS, words_of
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL
from orca_crowd.streaming.encoding import encode
from orca_crowd.streaming.keyframe import Keyframes
from orca_crowd.streaming.state import Known, State
from orca_crowd.streaming.subscription import FrameKey
from orca_crowd.worlds.publication import Publication
from tests.support.exchanges.merging import Reader

__all__ = ["Scene", "Spoken", "Walk", "speak", "truth"]

# of every column what holds where nothing was given, as publications have it
NEUTRAL = {name: BY_NAME[name].empty if COLUMNS[name].unset is None else np.nan for name in INPUTS}


@dataclass(frozen=True)
class Spoken:
    """One message and what the client knows after it: everybody, by id."""

    message: dict[str, Any]
    data: str | bytes
    after: list[dict[str, Any]]


class Walk:
    """Agents as columns by id; each `state` is one moment, whose arrays are those before where nothing changed."""

    def __init__(self, step: int = 4) -> None:
        """Nobody, after so many steps of a quarter of a second."""
        self.step = step
        self._agents: dict[int, dict[str, Any]] = {}

    def put(self, identifier: int, **values: Any) -> None:
        """Add an agent, or change some of its values."""
        default = {
            **NEUTRAL,
            "position": (0.0, 0.0),
            "velocity": (0.0, 0.0),
            "preferred_velocity": (0.0, 0.0),
            "goal": (np.nan, np.nan),
            "heading": (np.nan, np.nan),
            "preferred_speed": 1.5,
            "goal_tolerance": 1e-9,
            "radius": 0.5,
            "max_speed": 1.5,
            "time_horizon": 2.0,
            "obstacle_horizon": 2.0,
            "neighbor_distance": 7.0,
            "max_neighbors": 10,
            "status": "no-goal",
            "cooperation": "none",
            "waits_for": np.nan,
        }
        self._agents[identifier] = {**self._agents.get(identifier, default), **values}

    def remove(self, identifier: int) -> None:
        """Take an agent away."""
        del self._agents[identifier]

    def state(self, steps: int = 1) -> State:
        """The moment after so many more steps."""
        self.step += steps
        columns = {name: self._column(name) for name in FIELDS}
        ids = np.array(list(self._agents), np.int64)
        return State(Publication("hall", self.step, self.step * 0.25, ids, columns, [], []))

    def _column(self, name: str) -> NDArray[Any]:
        values = [agent[name] for agent in self._agents.values()]
        if name in SAID:
            return np.array([SAID[name].index(value) for value in values], np.uint8)
        if name in CODED:
            return np.array(values, np.uint8)
        if name in INTEGERS:
            return np.array(values, np.int64)
        shape = (len(values), 2) if name in VECTORS else (len(values),)
        return np.array(values, np.float64).reshape(shape)


@dataclass(frozen=True)
class Scene:
    """States that one subscription is sent; in `forgotten` the places of those that the server keeps no more then.

    `resumed` are places from which the client comes back over a new connection: it is known to have the state before.
    `unsure` are places before which the client may have the state before or the one before that.
    """

    states: Sequence[State]
    key: Mapping[str, Any]
    keyframe_steps: int = 100
    resumed: frozenset[int] = frozenset()
    unsure: frozenset[int] = frozenset()


def speak(scene: Scene, subprotocol: str) -> list[Spoken]:
    """The messages in one subprotocol, merged by the rule, which must come to the state itself."""
    key = FrameKey(subprotocol=subprotocol, **scene.key)
    keyframes = Keyframes(steps=scene.keyframe_steps, time_step=0.25)
    same = Keyframes(steps=scene.keyframe_steps, time_step=0.25)
    reader, known, meant = Reader(), None, None
    told = []
    for place, state in enumerate(scene.states):
        if place in scene.resumed or place in scene.unsure:
            known, meant = _remembered(scene, place, key), _remembered(scene, place, key)
        packed, known = encode(state, key, known, keyframes)
        state.keyframe = None
        # what it means is the same message in JSON, where float32 stands as the exact value that it has
        plain, meant = encode(state, FrameKey(subprotocol=JSON_SUBPROTOCOL, **scene.key), meant, same)
        state.keyframe = None
        message = json.loads(plain.wire)
        reader.take(message)
        after = reader.rows()
        check(after, truth(state, key), message.get("scale", {}))
        data = packed.wire
        told.append(Spoken(message, data, after))
    return told


def _remembered(scene: Scene, place: int, key: FrameKey) -> Known:
    """What a server knows of a client that says which step it has seen."""
    before = [scene.states[place - 1]] if place in scene.resumed else list(scene.states[place - 2 : place])
    return Known(tuple(state.members(key.interest) for state in before), False)


def truth(state: State, key: FrameKey) -> list[dict[str, Any]]:
    """Everybody of the interest with the values of the state, by id; float32 where that is asked for."""
    members = state.members(key.interest)
    rows = np.arange(len(state.ids)) if members.rows is None else members.rows
    exact = key.precision == "float64"
    found = []
    for row in rows[np.argsort(state.ids[rows], kind="stable")].tolist():
        agent: dict[str, Any] = {"id": int(state.ids[row])}
        for name in key.fields:
            value = state.columns[name][row]
            words = words_of(name, state.columns[name][row : row + 1])
            if words is not None:
                agent[name] = words[0]
            elif name in INTEGERS:
                agent[name] = int(value)
            else:
                agent[name] = _plain(value if exact else np.float32(value))
        found.append(agent)
    return found


def _plain(value: Any) -> Any:
    """A number or a pair as JSON has it."""
    return None if np.isnan(value).all() else np.asarray(value).tolist()


def check(after: list[dict[str, Any]], wanted: list[dict[str, Any]], scales: Mapping[str, float]) -> None:
    """What was merged is what is there: to the bit, or within half of the scale where whole numbers travelled."""
    assert [agent["id"] for agent in after] == [agent["id"] for agent in wanted], (after, wanted)
    for agent, right in zip(after, wanted, strict=True):
        for name, value in right.items():
            if name in scales:
                # an agent that did not change was told with an earlier scale
                assert np.abs(np.subtract(agent[name], value)).max() <= 0.02, (agent, right)
            else:
                assert repr(agent[name]) == repr(value), (name, agent, right)
