"""BoxTree: the static box tree over walls and boundaries, as the arrays that kernels take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.tree import LEAF, box_leaves, sort_codes, z_order

__all__ = ["BoxTree", "leaf_count", "segment_boxes"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def leaf_count(items: int) -> int:
    """Number of leaves of a tree over `items`: a power of two, at least one."""
    needed = max(1, -(-items // LEAF))
    return 1 << (needed - 1).bit_length()


def segment_boxes(segments: Floats) -> Floats:
    """Bounding boxes (m, 4) of segments (m, 4) given as a x, a y, b x, b y."""
    first, second = segments[:, :2], segments[:, 2:]
    return np.ascontiguousarray(np.hstack([np.minimum(first, second), np.maximum(first, second)]))


@dataclass(frozen=True)
class BoxTree:
    """Box tree over m boxes: `nodes` (2P, 4), `leaves` P, `order` (m,), `boxes` (m, 4), `count` m."""

    nodes: Floats
    leaves: int
    order: Integers
    boxes: Floats
    count: int

    @classmethod
    def over(cls, boxes: Floats) -> BoxTree:
        """Build over boxes (m, 4) of min x, min y, max x, max y; m may be zero."""
        count = len(boxes)
        leaves = leaf_count(count)
        nodes = np.empty((2 * leaves, 4))
        order = np.empty(count, np.int64)
        codes = np.empty(count, np.int64)
        centres = np.ascontiguousarray(boxes[:, :2] * 0.5 + boxes[:, 2:] * 0.5)
        bits = z_order(centres, count, codes)
        sort_codes(codes, count, bits, order, np.empty_like(codes), np.empty_like(order), np.empty(2048, np.int64))
        box_leaves(boxes, order, count, nodes, leaves)
        return cls(nodes, leaves, order, boxes, count)

    @classmethod
    def over_segments(cls, segments: Floats) -> BoxTree:
        """Build over segments (m, 4)."""
        return cls.over(segment_boxes(segments))
