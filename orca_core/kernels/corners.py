"""Corners: ways of a crowd are spread where they turn, so that not all want to touch the same corner.

A shortest way touches every corner that it goes round, and so do those of all who go round it, either way: they meet
where there is the least room. So each keeps some more or less off it, by its id, where walls and boundaries let it.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.sight import sees

__all__ = ["spread_corners"]

# ways next to each other, and how far one is from the next, in radii
LANES = 4
APART = 0.7
# what is kept from what stands on the other side, in radii: as much as planned ways keep from a corner
KEPT = 0.3
# cosine of a turn that is none
STRAIGHT = 0.999


@kernel(
    "i8(i8[::1],i8[::1],i8[::1],f8[:,::1],f8[::1],i8[::1],f8[:,::1],i8[::1],i8[::1],f8[:,::1],"
    "f8[::1],f8[::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],"
    "f8[:,::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],f8[::1],"
    "f8[:,::1])"
)
def spread_corners(
    which, rows, ids, position, radius, radius_class, goal, first, stop, points,
    elevation, height, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range,
    edges, clearance, following, preceding, class_start, class_clearance, nodes, node_start, leaves, order, boxes,
    stack, work, near,
):  # fmt: skip
    """Move waypoints of the followers `which`, agents at `rows[k]` with ids `ids[k]`, off the corners that they are at.

    A waypoint of `points[first[k]:stop[k]]` is moved by none to three times APART radii, told by id, away from the side
    to which the way turns there; by half of that, or not at all, where the stretches to it and on from it are not free.
    Returns how many were moved.
    """
    moved = 0
    storeys = wall_range.shape[0] > 0
    for w in range(which.size):
        k = which[w]
        i = rows[k]
        lane = ids[k] % LANES
        if lane == 0:
            continue
        low = elevation[i] if storeys else 0.0
        high = low + height[i] if storeys else 0.0
        px = position[i, 0]
        py = position[i, 1]
        # where the way comes from as it was planned: which way it turns is told by that
        fx = px
        fy = py
        for p in range(first[k], stop[k]):
            x = points[p, 0]
            y = points[p, 1]
            nx = points[p + 1, 0] if p + 1 < stop[k] else goal[k, 0]
            ny = points[p + 1, 1] if p + 1 < stop[k] else goal[k, 1]
            planned_x = x
            planned_y = y
            length = math.sqrt((x - fx) * (x - fx) + (y - fy) * (y - fy))
            onward = math.sqrt((nx - x) * (nx - x) + (ny - y) * (ny - y))
            if length > 0.0 and onward > 0.0:
                ux = (x - fx) / length
                uy = (y - fy) / length
                vx = (nx - x) / onward
                vy = (ny - y) / onward
                ox = ux - vx
                oy = uy - vy
                out = math.sqrt(ox * ox + oy * oy)
                if ux * vx + uy * vy < STRAIGHT and out > 0.0:
                    ox = ox / out
                    oy = oy / out
                    aside = APART * lane * radius[i]
                    for _ in range(2):
                        qx = x + aside * ox
                        qy = y + aside * oy
                        free = True
                        # to it and a little beyond, and from it on
                        for leg in range(3):
                            ax = px if leg < 2 else qx
                            ay = py if leg < 2 else qy
                            bx = nx if leg == 2 else (qx + KEPT * radius[i] * ox if leg == 1 else qx)
                            by = ny if leg == 2 else (qy + KEPT * radius[i] * oy if leg == 1 else qy)
                            if free and not sees(
                                ax, ay, bx, by, radius[i], radius_class[i], low, high, walls, wall_nodes, wall_leaves,
                                wall_order, wall_boxes, wall_range, edges, clearance, following, preceding, class_start,
                                class_clearance, nodes, node_start, leaves, order, boxes, stack, work, near,
                            ):  # fmt: skip
                                free = False
                        if free:
                            x = qx
                            y = qy
                            points[p, 0] = x
                            points[p, 1] = y
                            moved += 1
                            break
                        aside = 0.5 * aside
            px = x
            py = y
            fx = planned_x
            fy = planned_y
    return moved
