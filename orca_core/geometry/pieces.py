"""Pieces: the segments of obstacles that act, in order, and the walls that they make together, kept from change to
change.

A change takes out the pieces of what has changed, puts in those it has now, and looks anew at the families that these
belong to (see orca_core.kernels.pieces); all others keep what was found of them. Merging everything anew at each change
was what was done before: with 5,000 segments it took longer than the steps of 2,000 agents.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.geometry.collinear import ROUNDING, TOLERANCE, merge_collinear
from orca_core.kernels.pieces import families, relatives
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree, segment_boxes

__all__ = ["Pieces"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

# boxes reach over their pieces by so many times what merging takes for a touch
REACH = 4.0


@dataclass(frozen=True, eq=False)
class Pieces:
    """m pieces in order of `rank`, the place of their obstacle in the order of creation.

    `rows` float64 (m, 4) of a x, a y, b x, b y; `source` int64 (m,) ids of obstacles; `family` int64 (m,) equal within
    a family; `head` (m,) the pieces that are walls, and `span` float64 (m, 4) the wall that each of these is, together
    with the pieces that it has taken up; `heights` float64 (m, 2) at which each stands. Nothing in it is ever changed
    in place.
    """

    merge: bool
    rank: Integers
    source: Integers
    rows: Floats
    heights: Floats
    family: Integers
    head: Flags
    span: Floats

    @classmethod
    def none(cls, merge: bool) -> Pieces:
        """No piece; `merge` says whether collinear touching ones are to be one wall."""
        whole, flat = np.empty(0, np.int64), np.empty((0, 4))
        return cls(merge, whole, whole, flat, np.empty((0, 2)), whole, np.empty(0, np.bool_), flat)

    @cached_property
    def walls(self) -> tuple[Floats, Integers, int]:
        """Walls (k, 4), the id of the obstacle each belongs to (k,), and how many pieces merging has saved."""
        walls = np.ascontiguousarray(self.span[self.head])
        return walls, self.source[self.head], len(self.rows) - len(walls)

    @cached_property
    def wall_heights(self) -> Floats:
        """The heights (k, 2) at which the walls stand; no rows where all stand at every height."""
        return self.heights[self.head] if np.isfinite(self.heights).any() else np.empty((0, 2))

    @cached_property
    def boxes(self) -> Floats:
        """Boxes (m, 4) of the pieces, grown so that those of pieces which merging would join touch."""
        lengths = np.sqrt(((self.rows[:, 2:] - self.rows[:, :2]) ** 2).sum(axis=1))
        reach = REACH * (TOLERANCE * lengths + ROUNDING * np.abs(self.rows).max(axis=1, initial=0.0))
        boxes = segment_boxes(self.rows)
        boxes[:, :2] -= reach[:, None]
        boxes[:, 2:] += reach[:, None]
        return boxes

    def changed(
        self, gone: Collection[int], *, rank: Integers, source: Integers, rows: Floats, heights: Floats
    ) -> Pieces:
        """Others, without the pieces of the obstacles `gone` and with new rows (k, 4), ascending in rank."""
        dropped = np.isin(self.source, list(gone)) if gone else np.zeros(len(self.rows), np.bool_)
        new = Pieces(self.merge, rank, source, rows, heights, rank, np.ones(len(rows), np.bool_), rows)
        anew = dropped.copy()
        if self.merge and len(rows) and len(self.rows):
            related = np.zeros(len(self.rows), np.uint8)
            relatives(self.rows, self.boxes, self.heights, rows, new.boxes, heights, related)
            anew |= related == 1
        if self.merge:
            anew = np.isin(self.family, np.unique(self.family[anew]))

        # one after the other in the order of their obstacles; pieces of one obstacle keep theirs
        kept = np.flatnonzero(~dropped)
        order = np.argsort(np.concatenate([self.rank[kept], rank]), kind="stable")

        def joined(name: str) -> Any:
            return np.concatenate([getattr(self, name)[kept], getattr(new, name)])[order]

        columns = {name: joined(name) for name in ("rank", "source", "rows", "heights", "family", "head", "span")}
        other = replace(self, **columns)
        # what was never looked at before
        other.__dict__["boxes"] = joined("boxes")
        if self.merge:
            other._look_at(np.flatnonzero(np.concatenate([anew[kept], np.ones(len(rows), np.bool_)])[order]))
        return other

    def _look_at(self, chosen: Integers) -> None:
        """Find the families and walls of the pieces `chosen`, which hold every family that they have a part in.

        Only while this is being made: its arrays are its own.
        """
        rows, boxes = np.ascontiguousarray(self.rows[chosen]), np.ascontiguousarray(self.boxes[chosen])
        count = len(rows)
        if count == 0:
            return
        heights, tree = np.ascontiguousarray(self.heights[chosen]), BoxTree.over(boxes)
        family = np.empty(count, np.int64)
        families(
            rows, boxes, heights, tree.nodes, tree.leaves, tree.order, np.empty(STACK, np.int64),
            np.empty(count, np.int64), family,
        )  # fmt: skip
        # a family is known by a number that no other has
        self.family[chosen] = family + (int(self.family.max(initial=-1)) + 1)
        self.head[chosen] = True
        self.span[chosen] = rows
        several = np.flatnonzero(np.bincount(family, minlength=count)[family] > 1)
        if len(several):
            merged = merge_collinear(np.ascontiguousarray(rows[several]), family[several])
            self.head[chosen[several]] = False
            heads = chosen[several[merged.first]]
            self.head[heads] = True
            self.span[heads] = merged.segments
