"""Telling: what helpers lack of a world before a step, and nothing else.

Walls once; columns of agents where they have changed since the last step; the order in space, and what is kept by
place, whenever they were sorted anew; and in every step the rows of the frame that others have computed, 40 bytes an
agent. Who missed a step, or is given other leaves, is told all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.step import BODIES, DETAIL, LOCKING
from orca_core.kernels.tree import LEAF
from orca_core.solver import BONDS, LIMITS, MOVED_BY, Solver, StepTask
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.world import World
from orca_crowd.engine.ray.link import Link
from orca_crowd.engine.ray.picture import layout_of

__all__ = ["Columns", "Told", "tell"]

# what guides write in each step that they have to do with, and bodies with limits in every step
GUIDED = ("steer_velocity", "heads_for_goal")
FACING = ("heading",)
# a column of which more has changed goes whole: a row by itself costs its index too
SHARE = 0.5


@dataclass(frozen=True)
class Change:
    """What is other than before in a column: these rows, or with None all of it."""

    name: str
    rows: NDArray[np.int64] | None


class Columns:
    """The columns that decide moves, as they were told last; `version` counts tellings, `changes` are of the last."""

    def __init__(self) -> None:
        """Nothing was told."""
        self.version = 0
        self.changes: list[Change] = []
        self._told: dict[str, NDArray[Any]] = {}
        self._written: int | None = None

    def follow(self, agents: AgentState, task: StepTask) -> None:
        """Find what has changed since the last step."""
        if agents.written != self._written:
            names: tuple[str, ...] = MOVED_BY
            self._written = agents.written
        else:
            names = (*(GUIDED if task.guided else ()), *(FACING if task.features & BODIES else ()))
        changes = [change for name in names if (change := self._change(name, agents.told(name))) is not None]
        if changes:
            self.changes = changes
            self.version += 1

    def _change(self, name: str, now: NDArray[Any]) -> Change | None:
        told = self._told.get(name)
        if told is None or told.shape != now.shape:
            self._told[name] = now.copy()
            return Change(name, None)
        # to the bit: zeros have signs
        bits = f"u{now.dtype.itemsize}"
        differ = now.view(bits) != told.view(bits)
        rows = np.flatnonzero(differ if differ.ndim == 1 else differ.any(axis=1))
        if not len(rows):
            return None
        if len(rows) > SHARE * len(now):
            np.copyto(told, now)
            return Change(name, None)
        told[rows] = now[rows]
        return Change(name, rows)


@dataclass
class Told:
    """What one helper knows of one world."""

    generation: tuple[int, int] | None = None
    statics: Statics | None = None
    version: int = -1
    laid: int = -1
    own: tuple[int, int] = (0, 0)
    # the step in which it took part last
    step: int = -1
    count: int = -1
    # whether somebody was carried or let out in that step, and is not where its moves have put it
    settled: bool = False


def tell(
    link: Link, told: Told, number: int, world: World, statics: Statics, columns: Columns, task: StepTask,
    own: tuple[int, int],
) -> None:  # fmt: skip
    """Bring a helper up to date and give it the leaves `own` of this step; raises Lost."""
    agents, solver = world.parts()
    generation = (agents.arrays.generation, solver.arrays.generation)
    if told.generation != generation:
        arrays = (layout_of(agents.arrays.table), layout_of(solver.arrays.table))
        link.send(("world", number, *arrays, world.options, world.time_step, world.seed))
        told.generation = generation
        told.statics, told.version, told.laid = None, -1, -1
    if told.statics is not statics:
        if told.statics is not None and told.statics.boundaries is statics.boundaries:
            # a door, or an obstacle that came or went: boundaries may be long, and are there
            link.send(("walls", number, statics.walled))
        else:
            link.send(("statics", number, statics))
        told.statics = statics
    _tell_columns(link, told, number, agents, columns)
    if told.laid != solver.laid or told.own != own or told.step != task.step - 1 or told.count != task.count:
        _tell_places(link, number, agents, solver, task, own)
    else:
        _tell_frame(link, number, solver, task, own, settled=told.settled)
    told.laid, told.own, told.count = solver.laid, own, task.count
    told.settled = task.caught or bool(task.manners & LOCKING)
    interest = solver["interest"] if task.features & DETAIL else None
    link.send(("step", number, task.values(), *own, interest))


def _tell_columns(link: Link, told: Told, number: int, agents: AgentState, columns: Columns) -> None:
    if told.version == columns.version:
        return
    whole = [Change(name, None) for name in MOVED_BY]
    for change in columns.changes if told.version == columns.version - 1 else whole:
        # one row where all agents are alike
        column = agents.told(change.name)
        if change.rows is None:
            link.send(("column", number, change.name, len(column), -1), column)
        else:
            order = ("column", number, change.name, len(column), len(change.rows))
            link.send(order, change.rows, column[change.rows])
    told.version = columns.version


def _tell_places(
    link: Link, number: int, agents: AgentState, solver: Solver, task: StepTask, own: tuple[int, int]
) -> None:
    names = ["parameters"]
    # one row where nobody needs them
    names += [name for name, _, _ in (*BONDS, *LIMITS[:1]) if len(solver[name]) == solver.capacity]
    places = slice(own[0] * LEAF, min(own[1] * LEAF, task.count))
    rows = solver["order"][places]
    turning = np.stack([agents["turning_until"][rows], agents["turning_since"][rows]])
    link.send(
        ("places", number, task.count, task.side, task.frame, *own, names),
        solver["order"][: task.count], solver[f"packed.{task.frame}"][: task.count], *(solver[name] for name in names),
        turning,
    )  # fmt: skip


def _tell_frame(
    link: Link, number: int, solver: Solver, task: StepTask, own: tuple[int, int], *, settled: bool
) -> None:
    leaves = -(-task.count // LEAF)
    pieces = [(0, leaves)] if settled else [(0, own[0]), (own[1], leaves)]
    packed = solver[f"packed.{task.frame}"]
    link.send(
        ("frame", number, task.count, task.side, task.frame, pieces, settled),
        *(packed[first * LEAF : min(last * LEAF, task.count)] for first, last in pieces),
    )
