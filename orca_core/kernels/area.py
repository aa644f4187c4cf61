"""What can be asked of a walkable area exactly: is a point inside, does a move leave it, which point of it is nearest.

The area is a set of directed edges, the walkable side to the left of a -> b, closed: its boundary belongs to it. Every
answer rests on the exact sign of `orientation` alone, so "inside, and the move is not blocked" proves that the whole
move stays inside: there is no tolerance that could add up.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.orientation import orientation
from orca_core.kernels.tree import LEAF, query_box

__all__ = ["edge_blocks", "edges_block", "first_block", "inside", "nearest", "points_inside"]


@kernel("b1(f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1])")
def inside(px, py, edges, nodes, leaves, order, boxes, stack, work):
    """Whether p lies in the closed area: on an edge exactly, or left of an odd number of edges on its level."""
    count = edges.shape[0]
    if count == 0:
        return False
    odd = False
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        # only what a ray from p toward +x touches
        if nodes[node, 2] < px or nodes[node, 1] > py or nodes[node, 3] < py:
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            e = order[place]
            if boxes[e, 2] < px or boxes[e, 1] > py or boxes[e, 3] < py:
                continue
            ax = edges[e, 0]
            ay = edges[e, 1]
            bx = edges[e, 2]
            by = edges[e, 3]
            crosses_level = (ay > py) != (by > py)
            if crosses_level or boxes[e, 0] <= px:
                side = orientation(ax, ay, bx, by, px, py, work)
                # in the box of the edge and on its line: on the edge
                if side == 0 and boxes[e, 0] <= px:
                    return True
                if crosses_level and (side > 0) == (by > ay):
                    odd = not odd
    return odd


@kernel("void(f8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1],b1[::1])")
def points_inside(points, edges, nodes, leaves, order, boxes, stack, work, result):
    """Write for each of the points (k, 2) whether it lies in the closed area."""
    for k in range(points.shape[0]):
        result[k] = inside(points[k, 0], points[k, 1], edges, nodes, leaves, order, boxes, stack, work)


@kernel("b1(f8,f8,f8,f8,i8,f8[:,::1],i8[::1],i8[::1],f8[::1])")
def edge_blocks(px, py, qx, qy, e, edges, following, preceding, work):
    """Whether a move p -> q that starts in the area leaves it through edge e; exact.

    It does where it comes from the left or from the edge itself, ends strictly on the right, and passes a point of the
    edge. At a vertex that juts into the area, out is only what lies to the right of both of its edges.
    """
    ax = edges[e, 0]
    ay = edges[e, 1]
    bx = edges[e, 2]
    by = edges[e, 3]
    if orientation(ax, ay, bx, by, qx, qy, work) >= 0 or orientation(ax, ay, bx, by, px, py, work) < 0:
        return False
    side_a = orientation(px, py, qx, qy, ax, ay, work)
    side_b = orientation(px, py, qx, qy, bx, by, work)
    if side_a * side_b > 0:
        return False
    if side_a == 0:
        g = preceding[e]
        zx = edges[g, 0]
        zy = edges[g, 1]
        if orientation(zx, zy, ax, ay, bx, by, work) < 0:
            return orientation(zx, zy, ax, ay, qx, qy, work) < 0
    elif side_b == 0:
        g = following[e]
        zx = edges[g, 2]
        zy = edges[g, 3]
        if orientation(ax, ay, bx, by, zx, zy, work) < 0:
            return orientation(bx, by, zx, zy, qx, qy, work) < 0
    return True


@kernel("b1(f8,f8,f8,f8,f8[:,::1],i8[::1],i8[::1],i8[::1],i8,f8[::1])")
def edges_block(px, py, qx, qy, edges, following, preceding, found, count, work):
    """Whether the move leaves the area through any edge in found[:count]; a negative count stands for all edges."""
    for k in range(count if count >= 0 else edges.shape[0]):
        if edge_blocks(px, py, qx, qy, found[k] if count >= 0 else k, edges, following, preceding, work):
            return True
    return False


@kernel("Tuple((i8,f8))(f8,f8,f8,f8,f8[:,::1],i8[::1],i8[::1],i8[::1],i8,f8[::1])")
def first_block(px, py, qx, qy, edges, following, preceding, found, count, work):
    """The edge in found[:count] through which the move leaves first (-1: none), and about where on it (0 to 1).

    Of edges met at the same fraction the one with the smaller index is returned; a negative count stands for all edges.
    """
    first = -1
    fraction = 1.0
    for k in range(count if count >= 0 else edges.shape[0]):
        e = found[k] if count >= 0 else k
        if not edge_blocks(px, py, qx, qy, e, edges, following, preceding, work):
            continue
        # rounded, unlike the decision: what comes of it is tested again
        ex = edges[e, 2] - edges[e, 0]
        ey = edges[e, 3] - edges[e, 1]
        before = ex * (py - edges[e, 1]) - ey * (px - edges[e, 0])
        after = ex * (qy - edges[e, 1]) - ey * (qx - edges[e, 0])
        here = 0.0
        if before > 0.0:
            here = min(before / (before - after), 1.0) if after < 0.0 else 1.0
        if first < 0 or here < fraction or (here == fraction and e < first):
            first = e
            fraction = here
    return first, fraction


@kernel("Tuple((f8,f8,f8))(f8,f8,f8,f8,f8,f8)")
def nearest_on_edge(px, py, ax, ay, bx, by):
    """Squared distance from p to the edge a-b and the nearest point of it; an end is returned with its bits."""
    ex = bx - ax
    ey = by - ay
    squared = ex * ex + ey * ey
    along = (px - ax) * ex + (py - ay) * ey
    if squared <= 0.0 or along <= 0.0:
        x = ax
        y = ay
    elif along >= squared:
        x = bx
        y = by
    else:
        x = ax + ex * (along / squared)
        y = ay + ey * (along / squared)
    return (px - x) * (px - x) + (py - y) * (py - y), x, y


@kernel("Tuple((i8,f8,f8,f8))(f8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1])")
def nearest(px, py, reach, edges, nodes, leaves, order, boxes, stack, found):
    """The edge nearest to p, its squared distance and nearest point: (edge or -1, squared distance, x, y).

    Equal distances break by index. `reach` is where the search begins; it grows until the nearest is proved.
    """
    edge = -1
    best = math.inf
    best_x = px
    best_y = py
    half = reach if reach > 0.0 else 1.0
    while True:
        # after the largest distances a world can have, or where the scratch is too small, all edges are looked at
        count = -1
        if half < 1e13:
            count = query_box(
                nodes, leaves, order, boxes, edges.shape[0], px - half, py - half, px + half, py + half, stack, found
            )
        for k in range(count if count >= 0 else edges.shape[0]):
            e = found[k] if count >= 0 else k
            squared, x, y = nearest_on_edge(px, py, edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3])
            if squared < best or (squared == best and e < edge):
                edge = e
                best = squared
                best_x = x
                best_y = y
        if count < 0 or best <= half * half:
            return edge, best, best_x, best_y
        half *= 4.0
