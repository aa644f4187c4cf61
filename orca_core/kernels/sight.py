"""Sight: whether a disc can go straight from one point to another past walls and boundaries.

The same geometry as the solver's: walls as segments, the boundaries of the disc's own radius class as edges for its
centre. Nothing is built for it, so what is in sight changes in the very step in which a wall does.

Who stands nearer to a wall than its radius already, pushed there by others, sees along it and away from it: a stretch
is blocked where it comes nearer than both the radius and where it begins.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import edge_blocks, nearest_on_edge
from orca_core.kernels.tree import LEAF
from orca_core.kernels.walls import wall_blocks

__all__ = ["SLACK", "box_apart", "edges_hide", "sees", "square_apart", "walls_hide"]

# what a stretch may miss of the radius by the rounding of planned corners (m), and by that of large coordinates
SLACK = 1e-6
ROUNDING = 1e-12


@kernel("f8(f8,f8,f8,f8,f8,f8,f8,f8)")
def square_apart(px, py, qx, qy, ax, ay, bx, by):
    """Squared distance of two segments p-q and a-b that do not cross."""
    best, _, _ = nearest_on_edge(px, py, ax, ay, bx, by)
    other, _, _ = nearest_on_edge(qx, qy, ax, ay, bx, by)
    best = min(best, other)
    other, _, _ = nearest_on_edge(ax, ay, px, py, qx, qy)
    best = min(best, other)
    other, _, _ = nearest_on_edge(bx, by, px, py, qx, qy)
    return min(best, other)


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


@kernel("b1(f8,f8,f8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1])")
def walls_hide(px, py, qx, qy, radius, walls, nodes, leaves, order, boxes, stack, work):
    """Whether a wall keeps a disc from going straight from p to q."""
    count = walls.shape[0]
    if count == 0:
        return False
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
        if box_apart(px, py, dx, dy, radius, length, nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3]):
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            w = order[place]
            if box_apart(px, py, dx, dy, radius, length, boxes[w, 0], boxes[w, 1], boxes[w, 2], boxes[w, 3]):
                continue
            ax = walls[w, 0]
            ay = walls[w, 1]
            bx = walls[w, 2]
            by = walls[w, 3]
            if wall_blocks(px, py, qx, qy, ax, ay, bx, by, work):
                return True
            here, _, _ = nearest_on_edge(px, py, ax, ay, bx, by)
            need = min(radius, math.sqrt(here)) - slack
            if need > 0.0 and square_apart(px, py, qx, qy, ax, ay, bx, by) < need * need:
                return True
    return False


@kernel("b1(f8,f8,f8,f8,f8,f8[:,::1],f8[::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1])")
def edges_hide(
    px, py, qx, qy, widest, edges, clearance, following, preceding, nodes, leaves, order, boxes, stack, work
):  # fmt: skip
    """Whether the move p -> q leaves the area of these edges, or comes nearer to one than its clearance.

    `widest` is the largest of the clearances.
    """
    count = edges.shape[0]
    if count == 0:
        return False
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
        if box_apart(px, py, dx, dy, widest, length, nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3]):
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            e = order[place]
            if box_apart(px, py, dx, dy, widest, length, boxes[e, 0], boxes[e, 1], boxes[e, 2], boxes[e, 3]):
                continue
            if edge_blocks(px, py, qx, qy, e, edges, following, preceding, work):
                return True
            if clearance[e] > 0.0:
                ax = edges[e, 0]
                ay = edges[e, 1]
                bx = edges[e, 2]
                by = edges[e, 3]
                here, _, _ = nearest_on_edge(px, py, ax, ay, bx, by)
                need = min(clearance[e], math.sqrt(here)) - slack
                if need > 0.0 and square_apart(px, py, qx, qy, ax, ay, bx, by) < need * need:
                    return True
    return False


@kernel(
    "b1(f8,f8,f8,f8,f8,i8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],"
    "f8[:,::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],f8[::1])"
)
def sees(
    px, py, qx, qy, radius, radius_class, walls, wall_nodes, wall_leaves, wall_order, wall_boxes,
    edges, clearance, following, preceding, class_start, class_clearance, nodes, node_start, leaves, order, boxes,
    stack, work,
):  # fmt: skip
    """Whether a disc of a radius and its class of boundaries can go straight from p to q."""
    if walls_hide(px, py, qx, qy, radius, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, stack, work):
        return False
    if class_start.size < 2:
        return True
    first = class_start[radius_class]
    last = class_start[radius_class + 1]
    begin = node_start[radius_class]
    end = node_start[radius_class + 1]
    return not edges_hide(
        px, py, qx, qy, class_clearance[radius_class], edges[first:last], clearance[first:last],
        following[first:last], preceding[first:last], nodes[begin:end], leaves[radius_class], order[first:last],
        boxes[first:last], stack, work,
    )  # fmt: skip
