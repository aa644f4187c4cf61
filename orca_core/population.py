"""Population: the agents of a world as commands see them: added, changed, removed and read, by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core.agent_columns import COLUMNS, check_columns, check_masks, check_value, code_of, identifier_column
from orca_core.arrays import Allocate, own_memory
from orca_core.cooperation import COOPERATION_STATES
from orca_core.errors import InvalidInput, Problem
from orca_core.heading import headings, unit_vectors
from orca_core.identifiers import Identifiers, rows_of
from orca_core.kernels.status import ARRIVED, INSIDE_OBSTACLE, MOVING, NO_GOAL
from orca_core.state import AGENT_DEFAULTS, BY_NAME, PREFERRED, STATUS_NAMES, AgentState
from orca_core.yielding import MANNERS

__all__ = ["Population"]

# what is remembered of an agent on its way, and forgotten with it
ANEW = (
    "waiting", "blocked_by", "right_since", "resting_until", "attempts", "yields_to", "yielding", "swapping",
    "swaps_with",
)  # fmt: skip

Integers = NDArray[np.int64]
Masks = Mapping[str, NDArray[np.bool_]]

# new agents whose columns are worth no copies
MANY = 1000

# what the solver keeps by place between steps, in its frame or as parameters
TUNED = (
    "velocity", "radius", "max_speed", "time_horizon", "obstacle_horizon", "neighbor_distance", "max_neighbors",
    "quality", "max_acceleration", "max_turning_rate", "forward_preference", *MANNERS,
)  # fmt: skip
# what guides who look after many at once keep
AIMED = ("goal", "preferred_velocity", "guidance")
# what null may clear, and the value that clearing leaves
CLEARABLE = (
    *("goal", "preferred_velocity", "velocity", "heading"),
    *(name for name, rule in COLUMNS.items() if rule.unset is not None),
)


# what may have a default in a world, and has none of its own
WITHOUT_DEFAULT = ("neighbor_distance", "preferred_speed", "max_acceleration", "max_turning_rate", *MANNERS)


class Population:
    """Agents with their ids and the defaults for values left out. Every method either does all it was asked or
    raises.
    """

    def __init__(self, time_step: float, allocate: Allocate = own_memory) -> None:
        """No agents; `time_step` enters the default neighbour distance, `allocate` lends the memory of their arrays."""
        self.time_step = time_step
        self.state = AgentState(allocate)
        self.identifiers = Identifiers()
        self.defaults: dict[str, float | int | str] = {}

    def mark(self) -> tuple[int, Identifiers]:
        """What `undo_add` needs to take additions back."""
        return self.state.count, self.identifiers.copy()

    def undo_add(self, mark: tuple[int, Identifiers]) -> None:
        """Take back every addition since `mark`; nothing else may have changed meanwhile."""
        self.state.count, self.identifiers = mark
        self.state.place_anew()

    def keep(self) -> tuple[Any, ...]:
        """Everything, for `put_back`."""
        return self.state.keep(), self.identifiers.copy(), dict(self.defaults)

    def put_back(self, kept: tuple[Any, ...]) -> None:
        """Be again what `keep` saw, in the arrays that are there."""
        columns, self.identifiers, self.defaults = kept
        self.state.put_back(columns)
        self.state.place_anew()
        self.state.tune_anew()
        self.state.write_anew()

    def set_defaults(self, defaults: Mapping[str, float | int | str]) -> None:
        """Replace the defaults for fields left out of later additions; raises InvalidInput naming each wrong one."""
        problems = []
        allowed = [*AGENT_DEFAULTS, *WITHOUT_DEFAULT]
        for name, value in defaults.items():
            if name not in allowed:
                problems.append(
                    Problem(None, f"defaults.{name}", f"has no default; those that may have are {', '.join(allowed)}")
                )
            elif fault := check_value(name, value):
                problems.append(Problem(None, f"defaults.{name}", fault))
        if problems:
            raise InvalidInput(problems)
        self.defaults = dict(defaults)

    def add(self, columns: Mapping[str, ArrayLike], given: Masks | None, count: int | None, step: int) -> slice:
        """Append agents; returns their rows. Raises InvalidInput or AlreadyExists and then has changed nothing."""
        columns = dict(columns)
        given = dict(given or {})
        asked = columns.pop("id", None)
        has_id = given.pop("id", None)
        if count is None:
            lengths = [
                len(np.asarray(values)) for values in [*columns.values(), *([asked] if asked is not None else [])]
            ]
            count = lengths[0] if lengths else 0
        check_masks({**given, **({} if has_id is None else {"id": has_id})}, count)
        if "position" not in columns or not given.get("position", np.ones(count, bool)).all():
            missing = np.flatnonzero(~given["position"]) if "position" in columns else [None] * bool(count)
            if len(missing):
                raise InvalidInput(
                    [Problem(None if i is None else int(i), "position", "is required: [x, y]") for i in missing]
                )
        values = check_columns(columns, count, given)
        # ids: as asked, the rest given by the world
        if asked is None:
            ids = self.identifiers.allocate(count)
            allocated = True
        else:
            ids = identifier_column(asked).copy()
            if len(ids) != count:
                raise InvalidInput([Problem(None, "id", f"must hold {count} ids, not {len(ids)}")])
            chosen = np.ones(count, bool) if has_id is None else has_id
            self.identifiers.check_new(ids[chosen])
            ids[~chosen] = self.identifiers.allocate(int((~chosen).sum()), ids[chosen])
            allocated = False
        self._fill_defaults(values, given, count)
        led = "goal" in values and ("goal" not in given or bool(given["goal"].all()))
        # nothing can be refused from here on: there is room for all that is written, or this raises
        rows = self.state.append(count, _coming(values, given), all_have_goals=led)
        self.identifiers.claim(ids, allocated)
        self.state["id"][rows] = ids
        # the goal last, so that it holds over a preferred velocity of the same row
        for name in sorted(values, key=lambda name: name == "goal"):
            mask = given.get(name)
            self._write(name, rows if mask is None else np.arange(rows.start, rows.stop), values[name], mask)
        self.watch_anew(rows, step)
        return rows

    def _fill_defaults(self, values: dict[str, NDArray[Any]], given: dict[str, NDArray[np.bool_]], count: int) -> None:
        """Complete the columns with defaults where nothing was given; a complete column has no mask any more."""
        for name, standard in {**AGENT_DEFAULTS, **self.defaults}.items():
            rule = COLUMNS[name]
            kept = code_of(name, standard) if rule.coded else standard
            dtype = np.uint8 if rule.coded else np.int64 if rule.whole else np.float64
            if name not in values:
                # of many one value, repeated without memory for it; for few that takes longer
                one = np.array(kept, dtype)
                values[name] = np.full(count, one) if count < MANY else np.broadcast_to(one, count)
            elif name in given:
                values[name] = np.where(given.pop(name), values[name], kept).astype(dtype)
        if "neighbor_distance" not in self.defaults:
            # far enough to see whoever can be met within the horizon
            standard = 2.0 * values["radius"] + 2.0 * values["max_speed"] * np.maximum(
                values["time_horizon"], self.time_step
            )
            if "neighbor_distance" not in values:
                values["neighbor_distance"] = standard
            elif "neighbor_distance" in given:
                held = given.pop("neighbor_distance")
                values["neighbor_distance"] = np.where(held, values["neighbor_distance"], standard)

    def set(
        self, ids: ArrayLike, columns: Mapping[str, ArrayLike], given: Masks | None, cleared: Masks | None, step: int
    ) -> Integers:
        """Change agents; returns their indices. Raises InvalidInput, NotFound or Gone and then has changed nothing.

        Clearing comes first; where a goal and a preferred velocity are given in one row, the goal holds.
        """
        given = dict(given or {})
        cleared = dict(cleared or {})
        identifiers = identifier_column(ids)
        check_masks(given, len(identifiers))
        check_masks(cleared, len(identifiers))
        values = check_columns(columns, len(identifiers), given)
        unknown = [name for name in cleared if name not in CLEARABLE]
        if unknown:
            raise InvalidInput(
                [Problem(None, name, f"cannot be null; only {', '.join(CLEARABLE)} can") for name in unknown]
            )
        indices = self.identifiers.lookup(self.state["id"], identifiers)
        rows = rows_of(indices)
        sent = bool({"goal", "preferred_velocity", "position"} & (set(values) | set(cleared)))
        before = self._targets(rows) if sent else ()
        # what is written needs no memory any more
        self.state.own(*self._lacking(indices, rows, values, given, cleared))
        self.state.write_anew()
        for name, mask in cleared.items():
            empty = indices[mask]
            self.state.put(name, empty, _unset(name))
            if name == "goal":
                # clearing a goal leaves zero; a preferred velocity that was set after it is not the goal's to clear
                self.state["has_goal"][empty] = 0
                self.state.aim_anew()
        # the goal last, so that it holds over a preferred velocity of the same row
        for name in sorted(values, key=lambda name: name == "goal"):
            held = given.get(name)
            if held is None or held.all():
                self._write(name, rows, values[name], None)
            else:
                self._write(name, indices, values[name], held)
        if sent:
            # the same order again does not restart the watch: many clients repeat theirs every step
            anew = np.zeros(len(indices), bool)
            for old, new in zip(before, self._targets(rows), strict=True):
                anew |= old != new
            if "position" in values:
                anew |= given.get("position", np.ones(len(indices), bool))
            if anew.any():
                self.watch_anew(indices[anew], step)
        return indices

    def _lacking(
        self,
        indices: Integers,
        rows: slice | Integers,
        values: Mapping[str, NDArray[Any]],
        given: Masks,
        cleared: Masks,
    ) -> list[str]:
        """The columns that must get rows before these changes can be written."""
        state = self.state
        lacking = [name for name, mask in cleared.items() if mask.any() and state.lacks(name, indices, _unset(name))]
        if PREFERRED in values or ("goal" in cleared and cleared["goal"].any()):
            # somebody is to be without a goal
            lacking.append(PREFERRED)
        for name, array in values.items():
            held = given.get(name)
            whole = held is None or held.all()
            if state.lacks(name, rows, array) if whole else state.lacks(name, indices, array[held]):
                lacking.append(name)
        return lacking

    def _targets(self, rows: slice | Integers) -> tuple[NDArray[Any], ...]:
        """Where each is sent, copies: whether to a goal, x and y of it, and whether it has a preferred velocity."""
        goal, preferred = self.state["goal"][rows], self.state["preferred_velocity"][rows]
        moves = (preferred[:, 0] != 0.0) | (preferred[:, 1] != 0.0)
        return self.state["has_goal"][rows].copy(), goal[:, 0].copy(), goal[:, 1].copy(), moves

    def _write(self, name: str, indices: slice | Integers, array: NDArray[Any], mask: NDArray[np.bool_] | None) -> None:
        """Write one checked column, and what follows from it."""
        if mask is not None and not isinstance(indices, slice):
            indices, array = indices[mask], array[mask]
        state = self.state
        state.write_anew()
        if name == PREFERRED:
            state["has_goal"][indices] = 0
            state["goal"][indices] = 0.0
        elif name == "goal":
            state["has_goal"][indices] = 1
            _forget(state, (PREFERRED,), indices)
        elif name in ("position", "radius"):
            state["on_surface"][indices] = 0
            state["neighbor_reach"][indices] = -1.0
            state.place_anew()
        elif name == "heading":
            array = unit_vectors(array)
        # who is put somewhere is there by order, and what somebody else drives goes where it is driven
        if name == "position":
            _forget(state, ("caught",), indices)
        elif name == "locked" and state.owns("caught"):
            state.put("caught", indices, state["caught"][indices] * (array == 0))
        if name in TUNED:
            state.tune_anew()
        if name in AIMED:
            state.aim_anew()
        state.put(name, indices, array)

    def watch_anew(self, indices: slice | Integers, step: int) -> None:
        """Begin to watch progress anew from here; who is caught stays so, whatever it is told to want."""
        state = self.state
        moves = (state["has_goal"][indices] == 1) | (state["preferred_velocity"][indices] != 0.0).any(axis=1)
        # one that has arrived and is not sent elsewhere stays so
        offset = state["goal"][indices] - state["position"][indices]
        there = (state["status"][indices] == ARRIVED) & (state["has_goal"][indices] == 1)
        there &= np.sqrt(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1]) <= state["goal_tolerance"][indices]
        status = np.where(there, ARRIVED, np.where(moves, MOVING, NO_GOAL))
        state["status"][indices] = np.where(state["caught"][indices] != 0, INSIDE_OBSTACLE, status)
        state["anchor"][indices] = state["position"][indices]
        state["anchor_step"][indices] = step
        _forget(state, ANEW, indices)

    def remove(self, ids: ArrayLike) -> None:
        """Drop agents; raises InvalidInput, NotFound or Gone and then has changed nothing."""
        indices = self.identifiers.lookup(self.state["id"], identifier_column(ids))
        self.state.remove(indices)
        self.identifiers.forget_order()

    def index_of(self, ids: ArrayLike) -> Integers:
        """Indices of the ids; raises InvalidInput, NotFound or Gone."""
        return self.identifiers.lookup(self.state["id"], identifier_column(ids))

    def agent(self, identifier: int) -> dict[str, Any]:
        """One agent as plain Python values, effective ones: `goal` is None where there is none, `status` a name.

        `waiting` (s), `blocked_by` and `yields_to` (ids, None: nobody) are what guidance knows of its jam.
        """
        row = int(self.index_of([identifier])[0])
        state = self.state
        agent: dict[str, Any] = {"id": int(state["id"][row])}
        for name, rule in COLUMNS.items():
            value = state[name][row].tolist()
            if rule.coded:
                value = rule.shown(value)
            agent[name] = None if rule.unset is not None and value == rule.unset else value
        if not state["has_goal"][row]:
            agent["goal"] = None
        if agent["preferred_speed"] is None:
            agent["preferred_speed"] = agent["max_speed"]
        facing = headings(state["velocity"][row], state["heading"][row])
        agent["heading"] = facing.tolist() if facing.any() else None
        agent["status"] = STATUS_NAMES[state["status"][row]]
        agent["waiting"] = int(state["waiting"][row]) * self.time_step
        agent["cooperation"] = COOPERATION_STATES[state["cooperation"][row]]
        for name in ("blocked_by", "yields_to", "waits_for"):
            other = int(state[name][row])
            agent[name] = other if other >= 0 else None
        return agent


def _coming(values: Mapping[str, NDArray[Any]], given: Masks) -> dict[str, NDArray[Any]]:
    """What new agents will have in the columns that may be alike: where nothing is given, the empty value."""
    coming = {name: array for name, array in values.items() if BY_NAME[name].alike}
    for name in coming.keys() & given.keys():
        held = given[name] if coming[name].ndim == 1 else given[name][:, None]
        coming[name] = np.where(held, coming[name], BY_NAME[name].empty)
    return coming


def _forget(state: AgentState, names: tuple[str, ...], indices: slice | Integers) -> None:
    """Write the empty value where there is another."""
    for name in names:
        if state.owns(name):
            state[name][indices] = BY_NAME[name].empty


def _unset(name: str) -> float:
    """What clearing leaves."""
    return 0.0 if name not in COLUMNS else COLUMNS[name].unset or 0.0
