"""Passages: gaps that are wider than a disc and yet none, for whoever looks for a way; each is closed by a cut across.

Which gap is a passage is the rule of orca_core.kernels.clearance. Keeping more from every wall would say the same of
gaps, and more than the rule: a point right at the distance that agents keep would be off the surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from orca_core.kernels.clearance import narrowest_passage

__all__ = ["narrow_gaps"]

Floats = NDArray[np.float64]
Shapes = NDArray[np.object_]

# a gap of exactly what is kept on both sides counts, however it was rounded
SLACK = 1e-6


def narrow_gaps(segments: Floats, kept: Floats, taken: Floats, noise: float) -> Floats:
    """Where to cut: segments (k, 4) across each gap between two of `segments` (m, 4) that a disc fits and may not pass.

    `kept` (m,) is what a centre keeps from each, `taken` (m,) the part of it that the segments already lie nearer than
    what stands: the radius for the boundaries of a shrunk area, 0 for walls. `noise` is what rounding may be.
    """
    if len(segments) < 2 or not (kept > 0.0).any():
        return np.empty((0, 4))
    lines: Shapes = shapely.linestrings(segments.reshape(-1, 2, 2))
    own = kept - taken
    tree = shapely.STRtree(lines)
    reach = own + float(own.max()) + (narrowest_passage(float(kept.max()), float(kept.max())) - 2.0 * float(kept.max()))
    left, right = tree.query(lines, predicate="dwithin", distance=reach)
    left, right = left[left < right], right[left < right]
    width: Floats = shapely.distance(lines[left], lines[right])
    # wide enough for the disc, or just so, and narrower than a passage
    both = own[left] + own[right]
    least = np.array([narrowest_passage(a, b) for a, b in zip(kept[left].tolist(), kept[right].tolist(), strict=True)])
    narrow = (width >= both * (1.0 - SLACK)) & (width > noise) & (width < least - taken[left] - taken[right])
    across: Any = shapely.shortest_line(lines[left[narrow]], lines[right[narrow]])
    cuts: Floats = shapely.get_coordinates(across).reshape(-1, 4)
    return cuts
