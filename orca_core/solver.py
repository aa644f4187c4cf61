"""Solver: what a step needs beside the state, and the phases of a step over a range of leaves.

The order of work in a step:

- `prepare`, by one: sort the agents in space now and then, gather what is kept by place, see that the frame is true;
- `advance`, by anybody, for disjoint ranges of leaves: solve, integrate, keep off walls and on the surface,
conclude, and write the
  next frame. It reads the frame and the state and writes beside them, so a range can be computed again;
- `finish`, by one: what was written beside is the state now.

Frozen state goes in and rows come out; which ranges are computed by whom, and in which order, decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.arrays import Allocate, Arrays, Wanted, own_memory
from orca_core.kernels.caught import let_out, tell_caught
from orca_core.kernels.detail import limit_quality
from orca_core.kernels.frame import follow_frame, write_frame, write_leaf_firsts
from orca_core.kernels.locked import carry_locked
from orca_core.kernels.neighbours import LISTED
from orca_core.kernels.preferred import gather_parameters
from orca_core.kernels.status import conclude
from orca_core.kernels.step import BODIES, DETAIL, LOCKING, solve_leaves
from orca_core.kernels.tree import LEAF, sort_codes, z_order
from orca_core.kernels.turning import face, gather_bodies, take_headings
from orca_core.level_of_detail import MOST_INTEREST, LevelOfDetail
from orca_core.options import Options
from orca_core.scratch import Scratch
from orca_core.stage import Stage
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import leaf_count
from orca_core.yielding import bonds_of, manners_of

__all__ = ["MOVED_BY", "Solver", "StepTask"]

# what of the agents decides their moves beside what is kept by place: of everybody what they want, since an exact
# symmetry is looked for in it, and of whoever moves the rest
MOVED_BY = (
    "id", "goal", "has_goal", "preferred_speed", "goal_tolerance", "preferred_velocity", "steer_velocity",
    "heads_for_goal", "max_speed", "radius_class", "elevation", "height", "heading",
)  # fmt: skip
# steps for which an order in space is kept: candidate lists name places, and sorting costs more than slightly larger
# boxes
SORT_STEPS = 16
# from so many agents on memory counts for more than speed, and lists are shorter
CROWDED = 500_000
FEW = 18


# name, width and dtype of arrays by place that only some worlds need
Extra = tuple[tuple[str, int, str], ...]
# what the responsibility kernel reads, and what those of bodies with limits read and write
BONDS: Extra = (("terms", 3, "<f8"), ("bonds", 5, "<i8"))
LIMITS: Extra = (("bodies", 4, "<f8"), ("facing", 2, "<f8"))


@dataclass(slots=True)
class StepTask:
    """What everybody who computes a range of one step must know beside the arrays.

    `side` and `frame` say which of the two sets of arrays are the state and the frame; `drift` how far anybody may have
    gone since the agents were sorted, `slack` by how much two may have come closer in the last step; `guided` says that
    guides decide the preferred velocities of some, `manners` what the agents have among them of `orca_core.yielding`,
    `features` what else is asked for, both as bits of `kernels.step`, `caught` that somebody is where nobody can be.
    """

    step: int
    count: int
    leaves: int
    neighbours: int
    side: int
    frame: int
    drift: float
    slack: float
    guided: bool
    manners: int
    features: int
    caught: bool

    def values(self) -> tuple[int, int, int, int, int, int, float, float, bool, int, int, bool]:
        """The same as a plain tuple, for travelling."""
        return (
            self.step, self.count, self.leaves, self.neighbours, self.side, self.frame, self.drift, self.slack,
            self.guided, self.manners, self.features, self.caught,
        )  # fmt: skip


class Solver:
    """The arrays by place, and the phases. Compiles the kernels when the first one is made."""

    def __init__(self, allocate: Allocate = own_memory) -> None:
        """Room for a few agents; `allocate` lends the memory of what workers share."""
        compile_all()
        self.arrays = Arrays(allocate)
        self.frame = 0
        self.drift = 0.0
        self.slack = 0.0
        self.age = 0
        self.capacity = 0
        # changes whenever somebody other than a step writes what is kept by place: the order, the parameters, a frame
        self.laid = 0
        self._sorted: tuple[int, int] | None = None
        self._tuned: int | None = None
        self._scratch: Scratch | None = None
        self._stages: dict[tuple[int, int], tuple[tuple[int, ...], Stage]] = {}
        self._neighbours = 0
        self._manners = 0
        self._features = self._limits = 0
        self._detail: LevelOfDetail | None = None
        self._side = 0.0
        self._allocate(1)

    @classmethod
    def twin(cls, table: Mapping[str, NDArray[Any]]) -> Solver:
        """The same solver in another process, on the same arrays, for `advance` alone."""
        other = cls.__new__(cls)
        other.arrays = Arrays()
        other.arrays.attach(table)
        other._scratch = None
        other._stages = {}
        return other

    @property
    def limited(self) -> bool:
        """Whether some body had limits in the last step."""
        return (self._features & BODIES) != 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array by its name."""
        return self.arrays.table[name]

    def reserve(self, count: int) -> None:
        """Make room for `count` agents before a step needs it; where memory cannot be had nothing has changed.

        Half as much again where the agents that are there were not all: whoever adds them one by one moves each array
        now and then, and not each time.
        """
        if count > self.capacity:
            self._allocate(max(count, self.capacity + self.capacity // 2))

    def reserve_extras(self, agents: AgentState) -> None:
        """Make room for who yields to whom and for limits of bodies, where somebody has any, before a step needs it;
        see `reserve`.
        """
        self._make_room(BONDS, needed=manners_of(agents) != 0)
        self._make_room(LIMITS, needed=_limited(agents))
        self._keep_headings(agents)

    def _make_room(self, extra: Extra, *, needed: bool) -> None:
        """Make arrays that only some worlds need, if this is one of them."""
        if needed and not self._holds(extra):
            self.arrays.make(_rows_of(extra, self.capacity))
            self._sorted = None

    def _keep_headings(self, agents: AgentState) -> None:
        """Where there are bodies with limits, steps keep headings."""
        if self._holds(LIMITS):
            agents.own("heading")

    def _holds(self, extra: Extra) -> bool:
        """Whether there is room for what only some worlds need."""
        return self.capacity > 0 and len(self[extra[0][0]]) == self.capacity

    def _allocate(self, count: int) -> None:
        """Make the arrays for `count` agents; all of them, or none."""
        leaves, rows = leaf_count(count), -(-max(count, 1) // LEAF) * LEAF
        wanted: list[Wanted] = [
            ("order", (rows,), "<i8", 0),
            ("leaf_first", (leaves,), "<i8", 0),
            ("parameters", (rows, 5), "<f8", 0.0),
            ("listed", (rows, LISTED if rows < CROWDED else FEW), "<u4", 0),
            ("list_count", (rows,), "<i2", -1),
            ("list_radius", (rows,), "<f8", 0.0),
            ("outcome", (rows,), "<u1", 0),
            ("events", (rows,), "<u1", 0),
            ("moved", (rows,), "<u1", 0),
            ("overlap_depth", (rows,), "<f8", 0.0),
            ("overlap_with", (rows,), "<i8", -1),
            ("interest", (MOST_INTEREST + 1, 4), "<f8", 0.0),
        ]
        # one row where nobody needs them
        for extra in (BONDS, LIMITS):
            wanted += _rows_of(extra, rows if self._holds(extra) else 1)
        for frame in (0, 1):
            wanted += [
                (f"packed.{frame}", (rows, 5), "<f8", 0.0),
                # leaves are a power of two, and of those in which nobody stands only this is read
                (f"leaf_x.{frame}", (leaves * LEAF,), "<f8", math.inf),
                (f"leaf_y.{frame}", (leaves * LEAF,), "<f8", math.inf),
                (f"boxes.{frame}", (leaves, 4), "<f8", 0.0),
            ]
        self.arrays.make(wanted)
        self.capacity = rows
        self._sorted = self._detail = None
        # each holds on to the arrays that were there before
        self._stages.clear()

    def prepare(
        self, agents: AgentState, step: int, dt: float, *, guided: bool = False, detail: LevelOfDetail | None = None
    ) -> StepTask:
        """Phase, by one: bring the order in space, the parameters and the frame up to date; returns the task of the
        step.
        """
        count = agents.count
        if count > self.capacity or self.capacity > 64 * LEAF + 8 * count:
            self._allocate(count)
        self.age += 1
        placed = (agents.placed, count)
        if self._sorted != placed or self.age >= SORT_STEPS or self.drift > self._side:
            self.laid += 1
            self._sort(agents)
            self._gather(agents, dt)
            if self._sorted != placed:
                # nobody has moved yet that could tell how far to look; where no agent stands both frames say so
                self.slack = 2.0 * dt * float(agents["max_speed"].max(initial=0.0))
                self._show(agents, 1 - self.frame)
            self._show(agents, self.frame)
            self._sorted, self._tuned = placed, agents.tuned
            self.drift, self.age = 0.0, 0
            self._side = self._leaf_side(count)
        elif self._tuned != agents.tuned:
            self.laid += 1
            self._gather(agents, dt)
            self._show(agents, self.frame)
            self._tuned = agents.tuned
        self._features = self._limits
        if detail is not None:
            self._features |= DETAIL
            if detail is not self._detail:
                table = detail.table()
                self["interest"][: len(table)] = table
        self._detail = detail
        leaves = leaf_count(count)
        return StepTask(
            step, count, leaves, self._neighbours, agents.side, self.frame, self.drift, self.slack, guided,
            self._manners, self._features, bool(agents.told("caught").any()),
        )  # fmt: skip

    def _sort(self, agents: AgentState) -> None:
        """Sort the agents in space; no list holds any more."""
        count = agents.count
        codes, spare = np.empty(count, np.int64), np.empty(count, np.int64)
        order, spare_order = self["order"], np.empty(count, np.int64)
        bits = z_order(agents["position"], count, codes)
        sort_codes(codes, count, bits, order, spare, spare_order, np.empty(2048, np.int64))
        write_leaf_firsts(leaf_count(count), count, order, self["leaf_first"])
        self["list_count"][:count] = -1

    def _leaf_side(self, count: int) -> float:
        """The usual side of a leaf (m): once agents have gone farther than this, the leaves are all over each other."""
        boxes = self[f"boxes.{self.frame}"][: -(-count // LEAF)]
        return float(np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]).mean()) if len(boxes) else 0.0

    def _gather(self, agents: AgentState, dt: float) -> None:
        """Gather what the steered agent itself needs, by place."""
        gather_parameters(
            0, agents.count, self["order"], agents["max_speed"],
            agents.dense("time_horizon"), agents.dense("obstacle_horizon"), agents.dense("neighbor_distance"),
            agents.dense("max_neighbors"), self["parameters"],
        )  # fmt: skip
        self._neighbours = min(int(agents.told("max_neighbors").max(initial=0)), agents.count)
        self._manners = manners_of(agents)
        self._make_room(BONDS, needed=self._manners != 0)
        if self._manners:
            bonds_of(agents, self["order"], self["terms"], self["bonds"])
        if agents.told("quality").any():
            limit_quality(0, agents.count, self["order"], agents.dense("quality"), self["parameters"])
        self._limits = BODIES if _limited(agents) else 0
        self._make_room(LIMITS, needed=self._limits != 0)
        self._keep_headings(agents)
        if self._limits:
            gather_bodies(
                0, agents.count, self["order"], dt, agents.dense("max_acceleration"), agents.dense("max_turning_rate"),
                agents.dense("forward_preference"), self["bodies"],
            )  # fmt: skip

    def _show(self, agents: AgentState, frame: int) -> None:
        """Write a whole frame from the state."""
        write_frame(
            leaf_count(agents.count), agents.count, self["order"], agents["position"], agents["velocity"],
            agents["radius"], self[f"packed.{frame}"], self[f"leaf_x.{frame}"], self[f"leaf_y.{frame}"],
            self[f"boxes.{frame}"],
        )  # fmt: skip

    def scratch(self, task: StepTask, statics: Statics) -> Scratch:
        """Scratch large enough for any range of this step; kept for the next."""
        size = (task.leaves, task.neighbours, len(statics.walls), len(statics.edges))
        if self._scratch is None or not self._scratch.fits(*size):
            self._scratch = Scratch.sized(*size)
        return self._scratch

    def stage(self, agents: AgentState, statics: Statics, options: Options, dt: float, task: StepTask) -> Stage:
        """What the kernels take in this step; kept for the steps that take the same."""
        key = (agents.arrays.generation, self.arrays.generation, task.count, task.neighbours, task.guided)
        kept = self._stages.get((task.side, task.frame))
        if kept is not None and kept[0] == key and kept[1].statics is statics:
            return kept[1]
        scratch = self.scratch(task, statics)
        stage = Stage.gather(self.arrays, agents, statics, options, dt, task.frame, scratch, guided=task.guided)
        self._stages[task.side, task.frame] = (key, stage)
        return stage

    def solve(self, stage: Stage, dt: float, seed: int, task: StepTask, first: int, last: int) -> None:
        """Neighbours, constraints, program and relaxation for the leaves [first, last): new velocities."""
        stage.scratch.planted[0] = 0
        solve_leaves(
            first, last, task.count, dt, stage.floor, stage.flags | task.manners | task.features, seed, task.step,
            stage.turn_steps,
            task.drift, task.slack, task.leaves, *stage.solving,
        )  # fmt: skip

    def advance(
        self,
        agents: AgentState,
        statics: Statics,
        options: Options,
        dt: float,
        seed: int,
        task: StepTask,
        first: int,
        last: int,
    ) -> float:
        """Phase, by anybody: a whole step for the leaves [first, last); returns the longest move in it, rounded up."""
        stage = self.stage(agents, statics, options, dt, task)
        self.move(stage, dt, seed, task, first, last)
        return self.settle(stage, dt, task, first, last)

    def move(self, stage: Stage, dt: float, seed: int, task: StepTask, first: int, last: int) -> None:
        """The first and longer part of it: where everybody in these leaves would go, kept off walls and on the surface.

        It reads what is kept by place, and by index the columns of MOVED_BY; nothing else of the agents.
        """
        self.solve(stage, dt, seed, task, first, last)
        if stage.keep_on_side is not None:
            stage.keep_on_side(first * LEAF, min(last * LEAF, task.count))

    def settle(self, stage: Stage, dt: float, task: StepTask, first: int, last: int) -> float:
        """The rest of it, for whoever has the moves: who is caught or locked, headings, statuses, the next frame."""
        begin, end = first * LEAF, min(last * LEAF, task.count)
        if task.caught:
            let_out(begin, end, stage.order, dt, *stage.letting_out)
        if task.manners & LOCKING:
            carry_locked(begin, end, stage.order, task.step + 1, dt, *stage.carrying)
        if task.features & BODIES:
            face(begin, end, stage.order, *stage.facing)
        conclude(begin, end, stage.order, task.step + 1, *stage.concluding)
        if task.caught:
            tell_caught(begin, end, stage.order, *stage.telling)
        return float(follow_frame(first, last, task.count, *stage.showing))

    def finish(self, agents: AgentState, longest: float) -> None:
        """Phase, by one: what was written beside is the state; `longest` is the longest move of anybody."""
        agents.turn()
        agents.release()
        if self._features & BODIES:
            take_headings(agents.count, self["order"], self["facing"], agents["heading"])
        self.frame = 1 - self.frame
        self.drift += longest
        self.slack = 2.0 * longest


def _rows_of(extra: Extra, rows: int) -> list[Wanted]:
    """So many rows of what only some worlds need."""
    return [(name, (rows, width), dtype, 0.0) for name, width, dtype in extra]


def _limited(agents: AgentState) -> bool:
    """Whether somebody has limits of acceleration or turning, or a preference for forward motion."""
    limits = any((agents.told(name) >= 0.0).any() for name in ("max_acceleration", "max_turning_rate"))
    return limits or bool((agents.told("forward_preference") > 0.0).any())
