"""A picture: a world as a helper of its sees it, kept up to date by what it is told, and the moves of some leaves.

Orders, each a header that begins with its name and the number of the world; arrays follow as each says:

- `("world", number, agents, solver, options, dt, seed)`: how its arrays are to be made, name, shape and dtype of each;
- `("statics", number, statics)`, `("walls", number, walls)`: its walls and boundaries; other walls for the same ones;
- `("column", number, name, count, rows)`: rows of a column by index: how many, then which and what stands in them, or
  with -1 all that there are;
- `("places", number, count, side, frame, first, last, names)`: the order in space, the frame, these arrays by place,
  and when each of the leaves [first, last) turns aside;
- `("frame", number, count, side, frame, pieces, own)`: leaves of the frame that others have computed; with `own`, the
  range that is computed here is among them;
- `("step", number, task, first, last, interest)`: move these leaves; answered with `("done",)`, the outcomes, the rows
  of the next frame, turns, overlaps and, where bodies have headings, what each wished; or with `("failed", what)`;
- `("forget", number)`: it is no more.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.frame import box_frame, follow_frame, read_frame, write_leaf_firsts
from orca_core.kernels.step import BIASED, BODIES, OVERLAPPING
from orca_core.kernels.tree import LEAF
from orca_core.options import Options
from orca_core.solver import Solver, StepTask
from orca_core.state import AgentState
from orca_core.statics import Statics
from orca_core.tree import leaf_count
from orca_crowd.engine.ray.link import Link

__all__ = ["Layout", "Pictures", "layout_of"]

# name, shape and dtype of each array
Layout = list[tuple[str, tuple[int, ...], str]]


def layout_of(arrays: dict[str, NDArray[Any]]) -> Layout:
    """How to make arrays like these."""
    return [(name, array.shape, array.dtype.str) for name, array in arrays.items()]


def _made(layout: Layout) -> dict[str, NDArray[Any]]:
    """Zeroed arrays; pages that nobody touches cost nothing, and of most a helper needs its own rows alone."""
    return {name: np.zeros(shape, dtype) for name, shape, dtype in layout}


class Picture:
    """One world: arrays of one's own, of which everything that a move is decided by is as in the world itself."""

    def __init__(self, agents: Layout, solver: Layout, options: Options, time_step: float, seed: int) -> None:
        """Arrays that nobody has told anything of yet."""
        self.agents = AgentState.twin(_made(agents))
        self.agents.arrays.table["neighbor_reach"].fill(-1.0)
        self.solver = Solver.twin(_made(solver))
        self.options = options
        self.time_step = time_step
        self.seed = seed
        self.statics: Statics | None = None
        self._own = (0, 0)

    def take_statics(self, statics: Statics) -> None:
        """Other walls and boundaries; whoever was known to be on the old surface may be off the new one."""
        self.statics = statics
        for side in (0, 1):
            self.agents.arrays.table[f"on_surface.{side}"].fill(0)

    def take_column(self, link: Link, name: str, count: int, rows: int) -> None:
        """Rows of a column, or the whole of it."""
        column = self.agents.arrays.table[name]
        if rows < 0:
            link.fill(column[:count])
            return
        which = np.empty(rows, np.int64)
        values = np.empty((rows, *column.shape[1:]), column.dtype)
        link.fill(which, values)
        column[which] = values

    def take_places(
        self, link: Link, count: int, side: int, frame: int, first: int, last: int, names: Sequence[str]
    ) -> None:
        """Everything by place anew: who stands where in the order, and the whole frame."""
        self.agents.look(count, side)
        self._own = (first, last)
        begin, end = self._range(count)
        leaves = leaf_count(count)
        order = self.solver["order"]
        link.fill(order[:count], self.solver[f"packed.{frame}"][:count], *(self.solver[name] for name in names))
        write_leaf_firsts(leaves, count, order, self.solver["leaf_first"])
        # no list holds any more
        self.solver["list_count"][begin:end] = -1
        turning = np.empty((2, end - begin), np.int64)
        link.fill(turning)
        rows = order[begin:end]
        for name, values in zip(("turning_until", "turning_since"), turning, strict=True):
            self.agents.put(name, rows, values)
        self._look_at(frame, [(0, leaves)], own=True)
        # leaves without agents, which no step writes
        self._look_at(1 - frame, [(-(-count // LEAF), leaves)], own=False)

    def take_frame(
        self, link: Link, count: int, side: int, frame: int, pieces: list[tuple[int, int]], own: bool
    ) -> None:
        """Leaves of the frame; those computed here are there already, unless something has changed them since."""
        self.agents.look(count, side)
        for first, last in pieces:
            link.fill(self.solver[f"packed.{frame}"][first * LEAF : min(last * LEAF, count)])
        self._look_at(frame, pieces, own=own)

    def _look_at(self, frame: int, pieces: list[tuple[int, int]], *, own: bool) -> None:
        """Complete these leaves of a frame; with `own`, the state by index of those who are moved here too."""
        count = self.agents.count
        packed = self.solver[f"packed.{frame}"]
        for first, last in pieces:
            box_frame(
                first, last, count, packed, self.solver[f"leaf_x.{frame}"], self.solver[f"leaf_y.{frame}"],
                self.solver[f"boxes.{frame}"],
            )  # fmt: skip
        if own:
            begin, end = self._range(count)
            order = self.solver["order"]
            read_frame(begin, end, order, packed, self.agents["position"], self.agents["velocity"])
            # nothing is known of where they stand
            self.agents["on_surface"][order[begin:end]] = 0

    def _range(self, count: int) -> tuple[int, int]:
        """The places of the leaves that are moved here."""
        first, last = self._own
        return first * LEAF, min(last * LEAF, count)

    def move(self, task: StepTask, first: int, last: int) -> list[NDArray[Any]]:
        """Move the leaves [first, last); what the world has to know of it."""
        if self.statics is None:
            raise RuntimeError("nobody has told of the walls")
        agents, solver = self.agents, self.solver
        agents.look(task.count, task.side)
        stage = solver.stage(agents, self.statics, self.options, self.time_step, task)
        solver.move(stage, self.time_step, self.seed, task, first, last)
        follow_frame(first, last, task.count, *stage.showing)
        places = slice(first * LEAF, min(last * LEAF, task.count))
        outcome = solver["outcome"][places]
        turned = solver["order"][places][(outcome & BIASED) != 0]
        deep = np.flatnonzero(outcome & OVERLAPPING) + places.start
        found = [
            outcome, solver[f"packed.{1 - task.frame}"][places], agents["turning_until"][turned],
            agents["turning_since"][turned], solver["overlap_depth"][deep], solver["overlap_with"][deep],
        ]  # fmt: skip
        if task.features & BODIES:
            found.append(solver["facing"][places])
        return found


class Pictures:
    """All worlds that a helper has been told of, by number."""

    def __init__(self) -> None:
        """None yet."""
        self._known: dict[int, Picture] = {}

    def take(self, order: tuple[Any, ...], link: Link) -> None:
        """Carry out an order, and answer it where an answer is due."""
        match order:
            case ("step", number, values, first, last, interest):
                self._step(link, number, StepTask(*values), first, last, interest)
            case ("frame", number, *rest):
                self._known[number].take_frame(link, *rest)
            case ("places", number, *rest):
                self._known[number].take_places(link, *rest)
            case ("column", number, *rest):
                self._known[number].take_column(link, *rest)
            case ("world", number, *rest):
                self._known[number] = Picture(*rest)
            case ("statics", number, statics):
                self._known[number].take_statics(statics)
            case ("walls", number, walls):
                picture = self._known[number]
                assert picture.statics is not None
                picture.statics = picture.statics.with_walls(walls)
            case ("forget", number):
                self._known.pop(number, None)
            case _:
                raise RuntimeError(f"there is no order {order[0]!r}")

    def _step(
        self, link: Link, number: int, task: StepTask, first: int, last: int, interest: NDArray[Any] | None
    ) -> None:
        try:
            picture = self._known[number]
            if interest is not None:
                picture.solver["interest"][:] = interest
            found = picture.move(task, first, last)
        except Exception:
            link.send(("failed", traceback.format_exc()))
        else:
            link.send(("done",), *found)
