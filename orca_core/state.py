"""FIELDS: every per-agent array once. Allocation, growth, snapshot, digest and frames are driven by this table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.arrays import Allocate, Arrays, own_memory
from orca_core.columns import NOTHING, Columns
from orca_core.kernels.caught import NO_PLACE, TOLD

__all__ = ["AGENT_DEFAULTS", "FIELDS", "PREFERRED", "STATUS_NAMES", "AgentState", "Field", "preferred_columns"]

# numbers every placing of agents, over all worlds, so that none is taken for another
_PLACINGS = count()

STATUS_NAMES = (
    *("no-goal", "moving", "arrived", "stalled", "arrived-crowded", "blocked", "unreachable", "inside-obstacle"),
)


# what must not be read any more once it is written in the same step. What a step makes of an anchor, of the step it was
# set in, and of the steps between which an agent turns aside comes out the same made of the result: these stand once
TWICE = ("position", "velocity", "status", "overlapping", "on_surface")

PREFERRED = "preferred_velocity"
# columns that are one row for all while nobody differs in them, see orca_core.columns; those of a line get rows
# together, since a kernel that looks at one of them looks at all
ALIKE = (
    (PREFERRED,),
    *(("time_horizon",), ("obstacle_horizon",), ("neighbor_distance",), ("max_neighbors",)),
    *(("weight",), ("priority",), ("locked",), ("avoidance",), ("layer",), ("mask",), ("group",), ("group_mode",)),
    *(("elevation",), ("height",), ("quality",), ("guidance",), ("radius_class",)),
    *(("max_acceleration",), ("max_turning_rate",), ("forward_preference",), ("heading",)),
    *(("turning_since",), ("waiting",), ("blocked_by",)),
    ("right_since", "resting_until", "attempts", "yields_to", "yielding"),
    ("swapping", "swaps_with", "swap_since", "swap_to"),
    ("caught", "escape"),
    ("guided", "steer_velocity", "heads_for_goal"),
    ("cooperation", "waits_for"),
)
GROUPS = {name: group for group in ALIKE for name in group}


@dataclass(frozen=True)
class Field:
    """One per-agent array: shape (n,) for width 1, else (n, width).

    `role` says who writes it: `input` commands, `state` the step, `hint` the solver for itself (never in a snapshot,
    decides no bit), `derived` whoever changes what it follows from.
    """

    name: str
    dtype: str
    width: int
    role: str
    unit: str
    empty: float
    meaning: str

    @property
    def twice(self) -> bool:
        """Whether a step writes it beside the old values, so that a range of agents can be computed again."""
        return self.name in TWICE

    @property
    def alike(self) -> bool:
        """Whether one row may stand for all."""
        return self.name in GROUPS

    @property
    def group(self) -> tuple[str, ...]:
        """The fields that get rows together with this one, itself among them."""
        return GROUPS.get(self.name, (self.name,))


FIELDS: tuple[Field, ...] = (
    Field("id", "<i8", 1, "input", "", 0, "the client's or the world's, never given twice"),
    Field("position", "<f8", 2, "state", "m", 0.0, "centre"),
    Field("velocity", "<f8", 2, "state", "m/s", 0.0, "of the last step, the optimization velocity of the next"),
    Field("preferred_velocity", "<f8", 2, "input", "m/s", 0.0, "as given, used while there is no goal"),
    Field("goal", "<f8", 2, "input", "m", 0.0, "where to, if has_goal"),
    Field("has_goal", "<u1", 1, "input", "", 0, "whether the goal decides the preferred velocity"),
    Field("preferred_speed", "<f8", 1, "input", "m/s", -1.0, "toward the goal; negative stands for max_speed"),
    Field("goal_tolerance", "<f8", 1, "input", "m", 1e-9, "distance at which the goal is reached"),
    Field("radius", "<f8", 1, "input", "m", 0.5, "of the disc"),
    Field("max_speed", "<f8", 1, "input", "m/s", 1.5, "radius of the disc of velocities"),
    Field("time_horizon", "<f8", 1, "input", "s", 2.0, "for which other agents are avoided"),
    Field("obstacle_horizon", "<f8", 1, "input", "s", 2.0, "for which walls and boundaries are avoided"),
    Field("neighbor_distance", "<f8", 1, "input", "m", 0.0, "within which agents are seen (strictly)"),
    Field("max_neighbors", "<i8", 1, "input", "", 10, "how many of them count"),
    Field("weight", "<f8", 1, "input", "", 1.0, "its part of the avoidance against that of another's weight"),
    Field("priority", "<i8", 1, "input", "", 0, "the higher does not yield to the lower"),
    Field("locked", "<u1", 1, "input", "", 0, "whether it moves at its velocity whatever comes"),
    Field("avoidance", "<u1", 1, "input", "", 1, "whether it avoids agents and is avoided"),
    Field("layer", "<u4", 1, "input", "", 1, "bits by which it is seen"),
    Field("mask", "<u4", 1, "input", "", 2**32 - 1, "bits of the layers that it sees"),
    Field("elevation", "<f8", 1, "input", "m", 0.0, "height above zero at which it begins"),
    Field("height", "<f8", 1, "input", "m", 0.0, "from there up"),
    Field("group", "<i8", 1, "input", "", 0, "whom it belongs to; 0: nobody"),
    Field("group_mode", "<u1", 1, "input", "", 0, "place in the words of its column"),
    Field("quality", "<u1", 1, "input", "", 0, "how many neighbours count; place in the words of its column"),
    Field("max_acceleration", "<f8", 1, "input", "m/s²", -1.0, "of the velocity's change; negative: no limit"),
    Field("max_turning_rate", "<f8", 1, "input", "rad/s", -1.0, "of the heading's change; negative: no limit"),
    Field("forward_preference", "<f8", 1, "input", "", 0.0, "what moving aside of its aim costs, from 0 to 1"),
    Field("heading", "<f8", 2, "state", "", 0.0, "unit vector, where it faces while it stands; zero: nowhere yet"),
    Field("guidance", "<u1", 1, "input", "", 0, "how it finds the way to its goal; place in the words of its column"),
    Field("status", "<u1", 1, "state", "", 0, "index into STATUS_NAMES"),
    Field("anchor", "<f8", 2, "state", "m", 0.0, "where progress was last seen"),
    Field("anchor_step", "<i8", 1, "state", "", 0, "when progress was last seen"),
    Field("overlapping", "<u1", 1, "state", "", 0, "whether it overlapped another at the start of the last step"),
    Field("caught", "<u1", 1, "state", "", 0, "whether it is where nobody can be; bits of orca_core.kernels.caught"),
    Field("escape", "<f8", 2, "state", "m", 0.0, "the free place to which it goes while it is caught"),
    Field("turning_until", "<i8", 1, "state", "", 0, "step until which it turns aside after an exact symmetry"),
    Field("turning_since", "<i8", 1, "state", "", 0, "step at which the last such turn began"),
    Field("waiting", "<i8", 1, "state", "", 0, "steps for which it has got next to nothing of what it wants"),
    Field("blocked_by", "<i8", 1, "state", "", -1, "id of the agent that it waits for in vain; negative: nobody"),
    Field("right_since", "<i8", 1, "state", "", -1, "step in which it was given the right of way; negative: never"),
    Field("resting_until", "<i8", 1, "state", "", 0, "step until which it asks for no right of way"),
    Field("attempts", "<i8", 1, "state", "", 0, "how often it has had the right of way since it was sent there"),
    Field("yields_to", "<i8", 1, "state", "", -1, "id of the agent that it lets pass; negative: nobody"),
    Field("cooperation", "<u1", 1, "state", "", 0, "what it does where it takes turns; place in COOPERATION_STATES"),
    Field("waits_for", "<i8", 1, "state", "", -1, "id of the agent that it waits for there; negative: nobody"),
    Field("yielding", "<u1", 1, "state", "", 0, "how it lets that one pass; see orca_core.kernels.right_of_way"),
    Field("swapping", "<u1", 1, "state", "", 0, "what it does in a swap of places; see orca_core.guidance.swapping"),
    Field("swaps_with", "<i8", 1, "state", "", -1, "id of the agent with which it changes places; negative: nobody"),
    Field("swap_since", "<i8", 1, "state", "", 0, "step in which what it does in a swap began"),
    Field("swap_to", "<f8", 2, "state", "m", 0.0, "where it goes in a swap"),
    Field(
        "neighbor_reach",
        "<f8",
        1,
        "hint",
        "m",
        -1.0,
        "distance of the farthest neighbour of the last step; negative: unknown",
    ),
    Field("guided", "<u1", 1, "derived", "", 0, "whether steer_velocity is its preferred velocity in this step"),
    Field("steer_velocity", "<f8", 2, "derived", "m/s", 0.0, "what a guide wants of it, if guided"),
    Field("heads_for_goal", "<u1", 1, "derived", "", 0, "in a guided step: whether its goal itself decides"),
    Field("on_surface", "<u1", 1, "hint", "", 0, "whether the centre is known to be on the walkable surface"),
    Field("radius_class", "<i8", 1, "derived", "", 0, "class of walkable boundaries that its radius belongs to"),
)

BY_NAME = {field.name: field for field in FIELDS}

# what a client may give, and what holds when it does not; neighbor_distance follows from the others
AGENT_DEFAULTS: dict[str, float | int | str] = {
    "radius": 0.5,
    "max_speed": 1.5,
    "time_horizon": 2.0,
    "obstacle_horizon": 2.0,
    "max_neighbors": 10,
    "goal_tolerance": 1e-9,
    "quality": "all",
    "forward_preference": 0.0,
    "guidance": "straight",
}


class AgentState(Columns):
    """The columns of FIELDS, and what changed in them last.

    Index order is creation order and survives removals, so ties by index break the same way on every machine. What a
    step writes stands twice: `self[name]` is the state, `following(name)` what becomes it at the end of the step, by
    `turn`. What few worlds use is one row for all until somebody differs; see orca_core.columns for how it is read and
    written.
    """

    def __init__(self, allocate: Allocate = own_memory) -> None:
        """Start empty; `allocate` lends the memory."""
        super().__init__(BY_NAME, allocate)
        # changes whenever somebody other than a step puts agents somewhere; places that were sorted before no longer
        # hold
        self.placed = next(_PLACINGS)
        # changes whenever somebody gives an agent another radius, speed, horizon or reach
        self.tuned = self.placed
        # changes whenever somebody is given another goal, or another way to find it
        self.aimed = self.placed
        # changes whenever somebody other than a step or a guide writes any row
        self.written = self.placed

    @classmethod
    def twin(cls, table: Mapping[str, NDArray[Any]]) -> AgentState:
        """The same agents in another process, on the same arrays; `look` tells what the other side has made of them."""
        other = cls.__new__(cls)
        other.fields = BY_NAME
        other._look_at_rows({name for name in GROUPS if len(table[name]) == 1})
        other.arrays = Arrays()
        other.arrays.attach(table)
        other.count = other.side = other.placed = other.tuned = other.aimed = other.written = 0
        other._capacity = len(table["id"])
        return other

    def look(self, count: int, side: int) -> None:
        """How many agents there are now, and which of the two sets of arrays is the state."""
        self.count, self.side = count, side

    def place_anew(self) -> None:
        """Somebody other than a step has put agents somewhere: nothing that was sorted before holds."""
        self.placed = self.written = next(_PLACINGS)

    def tune_anew(self) -> None:
        """Somebody has given an agent another radius, speed, horizon or reach."""
        self.tuned = next(_PLACINGS)

    def aim_anew(self) -> None:
        """Somebody has given an agent another goal, or another way to find it."""
        self.aimed = next(_PLACINGS)

    def write_anew(self) -> None:
        """Somebody other than a step or a guide has written rows."""
        self.written = next(_PLACINGS)

    def turn(self) -> None:
        """What followed is the state now."""
        self.side = 1 - self.side

    def release(self) -> None:
        """After a step: who was caught and has come to its place of escape is free; of the others an event has told."""
        caught = self.told("caught")
        rows = np.flatnonzero(caught)
        if len(rows):
            out = (self["position"][rows] == self["escape"][rows]).all(axis=1) & (caught[rows] & NO_PLACE == 0)
            caught[rows] = np.where(out, 0, caught[rows] | TOLD)

    def __iter__(self) -> Iterator[tuple[Field, NDArray[Any]]]:
        """Every field with its live rows."""
        return ((field, self[field.name]) for field in FIELDS)

    def append(
        self, count: int, coming: Mapping[str, NDArray[Any]] = NOTHING, *, all_have_goals: bool = False
    ) -> slice:
        """Add `count` rows of empty values, with room for what will be put there; returns where they stand.

        What those prefer who have no goal is looked at, so it has rows unless all that come are about to be given one.
        """
        rows = self.extend(count, coming, () if all_have_goals or not count else (PREFERRED,))
        self.place_anew()
        return rows

    def remove(self, indices: NDArray[np.int64]) -> None:
        """Drop rows; the others keep their order."""
        keep = np.ones(self.count, bool)
        keep[indices] = False
        self.shrink(keep)
        self.place_anew()


def preferred_columns(*, guided: bool) -> tuple[str, str]:
    """The columns that tell who heads for its goal and what the others want, in a step that is `guided` or not."""
    return ("heads_for_goal", "steer_velocity") if guided else ("has_goal", "preferred_velocity")
