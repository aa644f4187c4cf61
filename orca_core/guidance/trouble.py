"""Trouble: what the deadlock layer must know of a crowd in which somebody waits: wishes, and who is near whom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.cells import fill_cells
from orca_core.kernels.orientation import WORK
from orca_core.kernels.right_of_way import wishes_of
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree
from orca_core.yielding import terms_and_bonds

if TYPE_CHECKING:
    from orca_core.state import AgentState
    from orca_core.statics import Statics
    from orca_core.world import World

__all__ = ["LONGEST", "PATIENCE", "Trouble", "deciding_columns", "steps_of"]

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds of waiting after which an agent is in trouble, and of which all are forgotten as soon as it is on its way
PATIENCE = 3.0
LONGEST = 10.0
# cells are this many times as wide as the radius of the usual agent
CELL = 3.0
# buckets to an agent, at the least
BUCKETS = 2


def steps_of(seconds: float, time_step: float) -> int:
    """The least number of steps, from 1 on, that take so many seconds."""
    return max(1, math.ceil(seconds / time_step - 1e-9))


def deciding_columns(agents: AgentState) -> tuple[Bytes, Floats]:
    """Who heads for its goal by itself (n,), and what the others want (n, 2) by what guides have said so far."""
    if not agents.told("guided").any():
        return agents["has_goal"], agents.told("preferred_velocity")
    guided = agents["guided"]
    heads = ((agents["has_goal"] == 1) & (guided == 0)).astype(np.uint8)
    return heads, np.where(guided[:, None] == 1, agents["steer_velocity"], agents.told("preferred_velocity"))


class Trouble:
    """Scratch for as many agents as there are, and what was found in it; good until somebody moves."""

    def __init__(self) -> None:
        """Room for nobody yet."""
        self._room = 0
        self.widest = 0.0
        self.size = 1.0
        self._statics: Statics | None = None
        self._screens: tuple[Any, ...] = ()
        # what the kernels must know to say who heeds whom
        self.around: tuple[Any, ...] = ()
        self._reserve(1)

    def _reserve(self, count: int) -> None:
        """Make room for so many; far too much is given back."""
        if count > self._room or self._room > 64 + 8 * count:
            self._room = max(count, 1)
            buckets = 64
            while buckets < BUCKETS * self._room:
                buckets *= 2
            self.head = np.full(buckets, -1, np.int64)
            self._rows = np.zeros((3, self._room), np.int64)
            self._wish = np.zeros((self._room, 2))
            self._mark, self._whom = np.zeros(0, np.uint8), np.zeros(0, np.int64)
        self.chain, self.near, self.queue = self._rows[:, :count]
        # goals are sorted before anybody is in the queue
        self.goal_head = self._rows[2][: 1 << (self._room.bit_length() - 1)]
        self.wish = self._wish[:count]

    def yielders(self) -> tuple[Bytes, Integers]:
        """Room for how each yields (n,), and to whom (n,): there only where somebody has had or asked for the right."""
        if len(self._mark) < self._room:
            self._mark, self._whom = np.zeros(self._room, np.uint8), np.zeros(self._room, np.int64)
        return self._mark[: len(self.wish)], self._whom[: len(self.wish)]

    def look(self, world: World) -> Floats:
        """Find what every agent wants (n, 2) in m/s, as the guides before this one have it."""
        agents = world.population.state
        self._reserve(agents.count)
        heads, given = deciding_columns(agents)
        wishes_of(
            agents.count, world.time_step, world.options.clamp_preferred_velocity, agents["position"],
            agents["max_speed"], agents["goal"], heads, agents["preferred_speed"], agents["goal_tolerance"], given,
            self.wish,
        )  # fmt: skip
        return self.wish

    def sort(self, world: World) -> None:
        """Sort everybody into cells, and know the walls."""
        agents, statics = world.population.state, world.statics()
        if statics is not self._statics:
            self._statics, self._screens = statics, _screens(statics)
        storeys = bool(len(statics.wall_range))
        self.around = (*terms_and_bonds(agents, always=storeys), *self._screens)
        self._reserve(agents.count)
        radius = agents["radius"]
        self.widest = float(radius.max(initial=0.0))
        usual = float(np.partition(radius, agents.count // 2)[agents.count // 2]) if agents.count else 1.0
        # not so small that a search for the widest looks at thousands of them
        self.size = max(CELL * usual, self.widest, 1e-6)
        fill_cells(agents.count, self.size, agents["position"], len(self.head) - 1, self.head, self.chain)


def _screens(statics: Statics) -> tuple[Any, ...]:
    """What stands between agents, with its tree and scratch: walls, and the boundaries of who can go farthest; with
    two columns more, their heights, where walls have any.
    """
    boundaries = statics.boundaries
    edges = statics.edges[: int(boundaries.class_start[1])] if boundaries.class_count else statics.edges[:0]
    segments = np.ascontiguousarray(np.concatenate([statics.walls, edges]))
    tree = BoxTree.over_segments(segments)
    if len(statics.wall_range):
        # areas are edged at every height
        heights = np.concatenate([statics.wall_range, np.broadcast_to([-np.inf, np.inf], (len(edges), 2))])
        segments = np.ascontiguousarray(np.concatenate([segments, heights], axis=1))
    work = (np.zeros(STACK, np.int64), np.zeros(max(len(segments), 1), np.int64), np.zeros(WORK))
    return (segments, tree.nodes, tree.leaves, tree.order, tree.boxes, *work)
