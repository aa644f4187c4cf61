"""Which ways a change of walls has a part in: those that lead where a wall stands now, and those that may be shorter
now that one is gone.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.follow import NEAREST, STOPPED, WAY

__all__ = ["find_touched"]

# ways are planned for discs up to so much wider than the agents
AROUND = 1.5
# lengths that differ by less than this part are one
SAME = 1e-9


@kernel("f8(f8,f8,f8[:,::1],i8)")
def from_box(x, y, boxes, b):
    """How far a point is from box b."""
    dx = max(boxes[b, 0] - x, 0.0, x - boxes[b, 2])
    dy = max(boxes[b, 1] - y, 0.0, y - boxes[b, 3])
    return math.sqrt(dx * dx + dy * dy)


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8)")
def meets(ax, ay, bx, by, left, bottom, right, top):
    """Whether a stretch a-b has a point in a box."""
    enter = 0.0
    leave = 1.0
    dx = bx - ax
    dy = by - ay
    if dx == 0.0:
        if ax < left or ax > right:
            return False
    else:
        s = (left - ax) / dx
        t = (right - ax) / dx
        enter = max(enter, min(s, t))
        leave = min(leave, max(s, t))
    if dy == 0.0:
        if ay < bottom or ay > top:
            return False
    else:
        s = (bottom - ay) / dy
        t = (top - ay) / dy
        enter = max(enter, min(s, t))
        leave = min(leave, max(s, t))
    return enter <= leave


@kernel(
    "void(i8[::1],f8[:,::1],f8[::1],f8[:,::1],u1[::1],i8[::1],i8[::1],f8[:,::1],f8[:,::1],u1[::1],f8[:,::1],f8[:,::1],"
    "u1[::1])"
)
def find_touched(
    rows, position, radius, goal, standing, first, stop, points, boxes, gone, box_range, heights, touched
):  # fmt: skip
    """Mark the followers, the agent at `rows[k]` each, whose ways the `boxes` (b, 4) have a part in.

    `gone` (b,) says where something stood and does not any more; in the others something stands now. Where a way is
    cut off by what stands now it leads through the box, wider by the disc. Where something is gone a way may be shorter
    only if the straight way past the box is; and who had none may have one. Where `box_range` (b, 2) has rows it is the
    heights of the boxes, and those that a follower, at `heights` (m, 2), does not touch have no part in its way.
    """
    storeys = box_range.shape[0] > 0
    for k in range(rows.size):
        if standing[k] != WAY and standing[k] != NEAREST and standing[k] != STOPPED:
            continue
        i = rows[k]
        px = position[i, 0]
        py = position[i, 1]
        length = 0.0
        ax = px
        ay = py
        # a way to the nearest point ends with its last waypoint
        last = stop[k] if standing[k] == WAY else stop[k] - 1
        for j in range(first[k], last + 1):
            bx = points[j, 0] if j < stop[k] else goal[k, 0]
            by = points[j, 1] if j < stop[k] else goal[k, 1]
            length += math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
            for b in range(boxes.shape[0]):
                if gone[b] or (storeys and not (box_range[b, 0] <= heights[k, 1] and heights[k, 0] <= box_range[b, 1])):
                    continue
                wide = AROUND * radius[k]
                if meets(
                    ax, ay, bx, by, boxes[b, 0] - wide, boxes[b, 1] - wide, boxes[b, 2] + wide, boxes[b, 3] + wide
                ):
                    touched[k] = 1
            ax = bx
            ay = by
        for b in range(boxes.shape[0]):
            if gone[b] == 0 or touched[k] == 1:
                continue
            if storeys and not (box_range[b, 0] <= heights[k, 1] and heights[k, 0] <= box_range[b, 1]):
                continue
            past = from_box(px, py, boxes, b) + from_box(goal[k, 0], goal[k, 1], boxes, b)
            if standing[k] != WAY or past < length - SAME * length:
                touched[k] = 1
