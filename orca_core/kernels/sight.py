"""Sight: whether a disc can go straight from one point to another past walls and boundaries.

The same geometry as the solver's: walls as segments, the boundaries of the disc's own radius class as edges for its
centre. Nothing is built for it, so what is in sight changes in the very step in which a wall does.

A gap that is no passage (orca_core.kernels.clearance) is seen as closed, even where the stretch goes right through its
middle: steering would not take it.

Who stands nearer to a wall than its radius already, pushed there by others, sees along it and away from it: a stretch
is blocked where it comes nearer than both the radius and where it begins.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import edge_blocks, nearest_on_edge
from orca_core.kernels.clearance import kept_clear, narrowest_passage
from orca_core.kernels.tree import LEAF
from orca_core.kernels.walls import wall_blocks

__all__ = ["NEAR", "SLACK", "box_apart", "edges_hide", "gap_between", "nearest_of", "sees", "walls_hide"]

# what a stretch may miss of the radius by the rounding of planned corners (m), and by that of large coordinates
SLACK = 1e-6
ROUNDING = 1e-12
# things beside a stretch that are held against each other; of more the first are
NEAR = 32

# where along a stretch it is nearest to something
AT_START = 0.0
AT_END = 1.0
BETWEEN = 2.0


@kernel("Tuple((f8,f8,f8,f8))(f8,f8,f8,f8,f8,f8,f8,f8)")
def nearest_of(px, py, qx, qy, ax, ay, bx, by):
    """Squared distance of two segments p-q and a-b that do not cross, the point of a-b nearest to p-q, and where along
    p-q that is.
    """
    best, x, y = nearest_on_edge(px, py, ax, ay, bx, by)
    where = AT_START
    other, ox, oy = nearest_on_edge(qx, qy, ax, ay, bx, by)
    if other < best:
        best = other
        x = ox
        y = oy
        where = AT_END
    other, ox, oy = nearest_on_edge(ax, ay, px, py, qx, qy)
    if other < best:
        best = other
        x = ax
        y = ay
        where = BETWEEN
    other, ox, oy = nearest_on_edge(bx, by, px, py, qx, qy)
    if other < best:
        best = other
        x = bx
        y = by
        where = BETWEEN
    return best, x, y, where


@kernel("b1(f8,f8[:,::1],i8)")
def gap_between(least, near, count):
    """Whether two of `near[:count]`, each x, y, side and where along the stretch, leave a gap narrower than `least`.

    What is nearest to the very beginning, or to the very end, leaves no gap that is gone through.
    """
    for j in range(count):
        for k in range(j):
            if near[j, 2] * near[k, 2] >= 0.0 or (near[j, 3] == near[k, 3] and near[j, 3] != BETWEEN):
                continue
            dx = near[j, 0] - near[k, 0]
            dy = near[j, 1] - near[k, 1]
            if dx * dx + dy * dy < least * least:
                return True
    return False


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8,f8,f8)")
def box_apart(px, py, dx, dy, reach, length, min_x, min_y, max_x, max_y):
    """Whether a box is surely farther than `reach` from the segment from p by d, whose length is given."""
    if min_x > max(px, px + dx) + reach or max_x < min(px, px + dx) - reach:
        return True
    if min_y > max(py, py + dy) + reach or max_y < min(py, py + dy) - reach:
        return True
    # across the segment: the middle of the box against half its width in that direction
    across = dx * (0.5 * (min_y + max_y) - py) - dy * (0.5 * (min_x + max_x) - px)
    half = 0.5 * (abs(dx) * (max_y - min_y) + abs(dy) * (max_x - min_x))
    return abs(across) > (half + reach * length) * 1.000001


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],i8[::1],f8[::1],f8[:,::1])")
def walls_hide(px, py, qx, qy, radius, low, high, walls, nodes, leaves, order, boxes, ranges, stack, work, near):
    """Whether a wall keeps a disc from going straight from p to q, or two do between which there is no passage.

    `ranges` (m, 2) are the heights of the walls: those that [low, high] does not touch hide nothing. Without rows all
    stand at every height.
    """
    count = walls.shape[0]
    if count == 0:
        return False
    storeys = ranges.shape[0] > 0
    kept = kept_clear(radius)
    # half of the narrowest passage: what is farther away makes none too narrow
    passage = narrowest_passage(kept, kept)
    reach = 0.5 * passage
    found = 0
    dx = qx - px
    dy = qy - py
    length = math.sqrt(dx * dx + dy * dy)
    slack = SLACK + ROUNDING * max(max(abs(px), abs(py)), max(abs(qx), abs(qy)))
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if nodes[node, 0] > nodes[node, 2]:
            continue
        if box_apart(px, py, dx, dy, reach, length, nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3]):
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            w = order[place]
            if storeys and not (ranges[w, 0] <= high and low <= ranges[w, 1]):
                continue
            if box_apart(px, py, dx, dy, reach, length, boxes[w, 0], boxes[w, 1], boxes[w, 2], boxes[w, 3]):
                continue
            ax = walls[w, 0]
            ay = walls[w, 1]
            bx = walls[w, 2]
            by = walls[w, 3]
            if wall_blocks(px, py, qx, qy, ax, ay, bx, by, work):
                return True
            squared, x, y, where = nearest_of(px, py, qx, qy, ax, ay, bx, by)
            here, _, _ = nearest_on_edge(px, py, ax, ay, bx, by)
            need = min(kept, math.sqrt(here)) - slack
            if need > 0.0 and squared < need * need:
                return True
            if found < near.shape[0] and squared < reach * reach:
                near[found, 0] = x
                near[found, 1] = y
                near[found, 2] = dx * (y - py) - dy * (x - px)
                near[found, 3] = where
                found += 1
    return gap_between(passage - slack, near, found)


@kernel(
    "b1(f8,f8,f8,f8,f8,f8,f8[:,::1],f8[::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1],f8[:,::1])"
)
def edges_hide(
    px, py, qx, qy, radius, widest, edges, clearance, following, preceding, nodes, leaves, order, boxes, stack, work,
    near,
):  # fmt: skip
    """Whether the move p -> q leaves the area of these edges, which is shrunk by the radius, comes nearer to one than
    its clearance, or goes where there is no passage.

    `widest` is the largest of the clearances.
    """
    count = edges.shape[0]
    if count == 0:
        return False
    kept = kept_clear(radius)
    # by how much the narrowest passage is wider than what has been taken off, half of it
    spare = 0.5 * narrowest_passage(kept, kept) - kept
    reach = max(widest, spare)
    found = 0
    dx = qx - px
    dy = qy - py
    length = math.sqrt(dx * dx + dy * dy)
    slack = SLACK + ROUNDING * max(max(abs(px), abs(py)), max(abs(qx), abs(qy)))
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if nodes[node, 0] > nodes[node, 2]:
            continue
        if box_apart(px, py, dx, dy, reach, length, nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3]):
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            e = order[place]
            if box_apart(px, py, dx, dy, reach, length, boxes[e, 0], boxes[e, 1], boxes[e, 2], boxes[e, 3]):
                continue
            if edge_blocks(px, py, qx, qy, e, edges, following, preceding, work):
                return True
            ax = edges[e, 0]
            ay = edges[e, 1]
            bx = edges[e, 2]
            by = edges[e, 3]
            squared, x, y, where = nearest_of(px, py, qx, qy, ax, ay, bx, by)
            if clearance[e] > 0.0:
                here, _, _ = nearest_on_edge(px, py, ax, ay, bx, by)
                need = min(clearance[e], math.sqrt(here)) - slack
                if need > 0.0 and squared < need * need:
                    return True
            if found < near.shape[0] and squared < spare * spare:
                near[found, 0] = x
                near[found, 1] = y
                # the area lies to the left of an edge, so one that goes along with the move is on its right
                near[found, 2] = -((bx - ax) * dx + (by - ay) * dy)
                near[found, 3] = where
                found += 1
    return gap_between(2.0 * spare - slack, near, found)


@kernel(
    "b1(f8,f8,f8,f8,f8,i8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],"
    "f8[:,::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],f8[::1],"
    "f8[:,::1])"
)
def sees(
    px, py, qx, qy, radius, radius_class, low, high, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range,
    edges, clearance, following, preceding, class_start, class_clearance, nodes, node_start, leaves, order, boxes,
    stack, work, near,
):  # fmt: skip
    """Whether a disc of a radius and its class of boundaries, from `low` to `high`, can go straight from p to q."""
    if walls_hide(
        px, py, qx, qy, radius, low, high, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range, stack,
        work, near,
    ):  # fmt: skip
        return False
    if class_start.size < 2:
        return True
    first = class_start[radius_class]
    last = class_start[radius_class + 1]
    begin = node_start[radius_class]
    end = node_start[radius_class + 1]
    return not edges_hide(
        px, py, qx, qy, radius, class_clearance[radius_class], edges[first:last], clearance[first:last],
        following[first:last], preceding[first:last], nodes[begin:end], leaves[radius_class], order[first:last],
        boxes[first:last], stack, work, near,
    )  # fmt: skip
