"""Grid sight: whether a disc can go straight from one point of a grid map to another without touching a blocked cell.

Lengths are in cells, (0, 0) is the corner of the map that cell (0, 0) has. `blocked` is uint8 (height + 2, width + 2),
the map with a rim of blocked cells around it, so that whatever goes farther than the map meets the rim first. A radius
of exactly half a gap passes through its middle: what a stretch may miss of the radius by rounding is allowed.
"""

import math

from orca_core._jit import kernel

__all__ = ["MISSING", "grid_sees"]

# what may be missing of the radius by rounding, in cells
MISSING = 1e-9


@kernel("b1(f8,f8,f8,f8,f8,f8,f8)", inline=True)
def _touches(px, py, qx, qy, left, low, least):
    """Whether the stretch p-q comes nearer than `least` to the unit square with its first corner at (left, low)."""
    right = left + 1.0
    high = low + 1.0
    if max(px, qx) <= left - least or min(px, qx) >= right + least:
        return False
    if max(py, qy) <= low - least or min(py, qy) >= high + least:
        return False
    # an end in the square, or across it: one of its diagonals is crossed or near
    limit = least * least
    cx = min(max(px, left), right)
    cy = min(max(py, low), high)
    if (px - cx) * (px - cx) + (py - cy) * (py - cy) < limit:
        return True
    cx = min(max(qx, left), right)
    cy = min(max(qy, low), high)
    if (qx - cx) * (qx - cx) + (qy - cy) * (qy - cy) < limit:
        return True
    dx = qx - px
    dy = qy - py
    length = dx * dx + dy * dy
    if not length > 0.0:
        return False
    # corners beside the stretch, and whether they lie on both sides of it
    some_left = False
    some_right = False
    for corner in range(4):
        ax = left if corner % 2 == 0 else right
        ay = low if corner < 2 else high
        across = dx * (ay - py) - dy * (ax - px)
        along = dx * (ax - px) + dy * (ay - py)
        if across > 0.0:
            some_left = True
        else:
            some_right = True
        if 0.0 < along < length and across * across < limit * length:
            return True
    if not (some_left and some_right):
        return False
    # the line goes through the square; the stretch does where the square is between its ends
    mx = left + 0.5 - px
    my = low + 0.5 - py
    along = dx * mx + dy * my
    return 0.0 < along < length


@kernel("b1(f8,f8,f8,f8,f8,u1[:,::1])")
def grid_sees(px, py, qx, qy, radius, blocked):
    """Whether every point of the stretch p-q keeps the radius from all blocked cells."""
    least = radius - MISSING
    width = blocked.shape[1] - 2
    height = blocked.shape[0] - 2
    if not (min(px, qx) >= 0.0 and max(px, qx) <= width and min(py, qy) >= 0.0 and max(py, qy) <= height):
        return False
    first = max(0, math.floor(min(py, qy) - least) + 1)
    last = min(height + 1, math.floor(max(py, qy) + least) + 1)
    for row in range(first, last + 1):
        # the part of the stretch that is near enough to this row to touch something in it
        low = row - 1.0 - least
        high = row + least
        enter = 0.0
        leave = 1.0
        if py == qy:
            if not low <= py <= high:
                continue
        else:
            one = (low - py) / (qy - py)
            other = (high - py) / (qy - py)
            enter = max(0.0, min(one, other))
            leave = min(1.0, max(one, other))
            if enter > leave:
                continue
        x0 = px + enter * (qx - px)
        x1 = px + leave * (qx - px)
        begin = max(0, math.floor(min(x0, x1) - least) + 1)
        end = min(width + 1, math.floor(max(x0, x1) + least) + 1)
        for column in range(begin, end + 1):
            if blocked[row, column] != 0 and _touches(px, py, qx, qy, column - 1.0, row - 1.0, least):
                return False
    return True
