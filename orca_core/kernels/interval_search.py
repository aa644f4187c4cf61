"""Interval search: the shortest path over a triangulation, for a point, by A* over what can be seen.

Source: M. Cui, D. Harabor, A. Grastien, Compromise-free Pathfinding on a Navigation Mesh, IJCAI 2017 (Polyanya).

A node is a root, the last turning point so far, and an interval on an edge that the root sees. Expanding it looks
through the interval into the triangle behind: what is seen keeps the root; what is hidden behind an end of the interval
that is a corner, a vertex at which something stands, has that corner as its root. Its estimate is the shortest way from
the root over the interval to the goal, never more than there is to go, so that the first path that comes out is a
shortest one; what there is to go may count `greed` times, and a path is then longer by no more than that factor.

A* from triangle to triangle with a funnel pulled through was rejected: it is only as short as the chain of triangles
that it happened to choose, and no factor bounds how much longer that is.

Arrays of a search of up to N nodes:

- `real` (N, 6): estimate, way to the root, left x, left y, right x, right y of the interval;
- `whole` (N, 6): place of the root in the chain, its vertex, the triangle behind (-1: a whole path), the edge through
  which that is entered, and the vertices of both ends (-1 within the edge);
- `chain_point` (3 N + 4, 2): turning points, each with the place of the one before it in `chain_before`;
- `heap` (N,), and `counts` (4,) of nodes, chain, heap and expansions.
"""

import math

from orca_core._jit import kernel

__all__ = ["BEYOND", "NO_ROOM", "OUT_OF_BUDGET", "run", "see_around"]

OUT_OF_BUDGET = -1
NO_ROOM = -2
BEYOND = -3

# places in `counts`
NODES = 0
CHAIN = 1
HEAP = 2
SPENT = 3

# a root that was reached before on a way shorter by more than this part is not tried again
ROOT_SLACK = 1e-12
# points nearer than this part of their coordinates are one
SAME_POINT = 1e-12


@kernel("f8(f8,f8,f8,f8,f8,f8)")
def turn(ax, ay, bx, by, cx, cy):
    """Above 0 where c lies to the left of a -> b, below 0 to the right."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel("f8(f8,f8,f8,f8)")
def apart(ax, ay, bx, by):
    """Distance of two points."""
    return math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


@kernel("Tuple((f8,f8,i8))(f8,f8,f8,f8,f8,f8,i8,f8,f8,i8)")
def meeting(ox, oy, tx, ty, ax, ay, a, bx, by, b):
    """Where the ray from o through t meets the edge between corners a and b, kept on the edge, and the vertex it is.

    An end that is met is that vertex, whatever rounding says: what lies round a corner that is in line with two others
    would else be seen from neither.
    """
    before = turn(ox, oy, tx, ty, ax, ay)
    after = turn(ox, oy, tx, ty, bx, by)
    part = before / (before - after) if before != after else 0.0
    if part <= 0.0:
        return ax, ay, a
    if part >= 1.0:
        return bx, by, b
    x = ax + part * (bx - ax)
    y = ay + part * (by - ay)
    touch = SAME_POINT * (1.0 + abs(x) + abs(y))
    if abs(x - ax) <= touch and abs(y - ay) <= touch:
        return ax, ay, a
    if abs(x - bx) <= touch and abs(y - by) <= touch:
        return bx, by, b
    return x, y, -1


@kernel("Tuple((f8,i8))(f8,f8,f8,f8,f8,f8,f8,f8)")
def over(ox, oy, lx, ly, rx, ry, gx, gy):
    """Length of the shortest way from o over the interval to a goal behind it, and the end where it bends: 1 left, 2
    right, 0 neither.
    """
    if turn(ox, oy, lx, ly, gx, gy) > 0.0:
        return apart(ox, oy, lx, ly) + apart(lx, ly, gx, gy), 1
    if turn(ox, oy, rx, ry, gx, gy) < 0.0:
        return apart(ox, oy, rx, ry) + apart(rx, ry, gx, gy), 2
    return apart(ox, oy, gx, gy), 0


@kernel("b1(i8,i8,f8[:,::1])")
def sooner(a, b, real):
    """Whether node a comes before node b: the smaller estimate, and of equal ones the older."""
    return real[a, 0] < real[b, 0] or (real[a, 0] == real[b, 0] and a < b)


@kernel("void(i8,f8[:,::1],i8[::1],i8[::1])")
def queue(node, real, heap, counts):
    """Put a node into the heap."""
    k = counts[HEAP]
    counts[HEAP] = k + 1
    while k > 0:
        parent = (k - 1) // 2
        if sooner(heap[parent], node, real):
            break
        heap[k] = heap[parent]
        k = parent
    heap[k] = node


@kernel("i8(f8[:,::1],i8[::1],i8[::1])")
def unqueue(real, heap, counts):
    """Take the first node out of the heap, which holds at least one."""
    first = heap[0]
    size = counts[HEAP] - 1
    counts[HEAP] = size
    if size == 0:
        return first
    last = heap[size]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        if child + 1 < size and sooner(heap[child + 1], heap[child], real):
            child += 1
        if sooner(last, heap[child], real):
            break
        heap[k] = heap[child]
        k = child
    heap[k] = last
    return first


@kernel("i8(f8,f8,i8,f8[:,::1],i8[::1],i8[::1])")
def link(x, y, before, chain_point, chain_before, counts):
    """One more turning point; its place in the chain."""
    place = counts[CHAIN]
    counts[CHAIN] = place + 1
    chain_point[place, 0] = x
    chain_point[place, 1] = y
    chain_before[place] = before
    return place


@kernel("b1(i8,i8,f8,i8,i8,f8,f8,i8,f8,f8,i8,f8,f8,f8,i8[:,::1],f8[::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],i8[::1])")
def push(
    root, root_vertex, walked, triangle, edge, lx, ly, left, rx, ry, right, gx, gy, greed, across, walked_to, real,
    whole, chain_point, heap, counts,
):  # fmt: skip
    """Queue the interval of an edge of `triangle`, to be looked through from it; not at the boundary.

    Returns whether there was room.
    """
    behind = across[triangle, edge]
    if behind < 0 or (lx == rx and ly == ry):
        return True
    if root_vertex >= 0:
        best = walked_to[root_vertex]
        if walked > best + ROOT_SLACK * best:
            return True
        if walked < best:
            walked_to[root_vertex] = walked
    node = counts[NODES]
    if node >= real.shape[0]:
        return False
    counts[NODES] = node + 1
    # the same edge as the triangle behind counts it
    entered = 0
    while across[behind, entered] != triangle:
        entered += 1
    # a goal on this side of the edge is as far as its mirror image behind
    mx = gx
    my = gy
    side = turn(gx, gy, rx, ry, lx, ly)
    if side > 0.0:
        dx = rx - lx
        dy = ry - ly
        squared = dx * dx + dy * dy
        twice = 2.0 * turn(lx, ly, rx, ry, gx, gy) / squared if squared > 0.0 else 0.0
        mx = gx + twice * dy
        my = gy - twice * dx
    length, _ = over(chain_point[root, 0], chain_point[root, 1], lx, ly, rx, ry, mx, my)
    real[node, 0] = walked + greed * length
    real[node, 1] = walked
    real[node, 2] = lx
    real[node, 3] = ly
    real[node, 4] = rx
    real[node, 5] = ry
    whole[node, 0] = root
    whole[node, 1] = root_vertex
    whole[node, 2] = behind
    whole[node, 3] = entered
    whole[node, 4] = left
    whole[node, 5] = right
    queue(node, real, heap, counts)
    return True


@kernel(
    "b1(i8,f8,f8,f8,f8[:,::1],u1[::1],i8[:,::1],i8[:,::1],f8[::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],i8[::1],"
    "i8[::1])"
)
def expand(
    node, gx, gy, greed, vertices, corner, triangles, across, walked_to, real, whole, chain_point, chain_before, heap,
    counts,
):  # fmt: skip
    """See the two other edges of the triangle that a node enters; whether there was room."""
    root = whole[node, 0]
    root_vertex = whole[node, 1]
    triangle = whole[node, 2]
    edge = whole[node, 3]
    left = whole[node, 4]
    right = whole[node, 5]
    walked = real[node, 1]
    lx = real[node, 2]
    ly = real[node, 3]
    rx = real[node, 4]
    ry = real[node, 5]
    a = triangles[triangle, edge]
    b = triangles[triangle, (edge + 1) % 3]
    top = triangles[triangle, (edge + 2) % 3]
    ax = vertices[a, 0]
    ay = vertices[a, 1]
    bx = vertices[b, 0]
    by = vertices[b, 1]
    tx = vertices[top, 0]
    ty = vertices[top, 1]
    to_b = (edge + 1) % 3
    to_a = (edge + 2) % 3
    ox = chain_point[root, 0]
    oy = chain_point[root, 1]

    # seen edge on: from the edge itself all behind it is in sight, from beside it what lies round its end
    if turn(ox, oy, rx, ry, lx, ly) <= 0.0:
        if (lx - ox) * (rx - ox) + (ly - oy) * (ry - oy) > 0.0:
            left_nearer = apart(ox, oy, lx, ly) <= apart(ox, oy, rx, ry)
            root_vertex = left if left_nearer else right
            if root_vertex < 0 or corner[root_vertex] == 0:
                return True
            ex, ey = (lx, ly) if left_nearer else (rx, ry)
            root = link(ex, ey, root, chain_point, chain_before, counts)
            walked += apart(ox, oy, ex, ey)
        return push(
            root, root_vertex, walked, triangle, to_a, ax, ay, a, tx, ty, top, gx, gy, greed, across, walked_to, real,
            whole, chain_point, heap, counts,
        ) and push(
            root, root_vertex, walked, triangle, to_b, tx, ty, top, bx, by, b, gx, gy, greed, across, walked_to, real,
            whole, chain_point, heap, counts,
        )  # fmt: skip

    # the apex hides behind the left end, behind the right one, or behind neither
    if turn(ox, oy, lx, ly, tx, ty) >= 0.0:
        sx, sy, s = meeting(ox, oy, lx, ly, tx, ty, top, bx, by, b)
        if right >= 0:
            ex = bx
            ey = by
            e = b
        else:
            ex, ey, e = meeting(ox, oy, rx, ry, tx, ty, top, bx, by, b)
        if not push(
            root, root_vertex, walked, triangle, to_b, sx, sy, s, ex, ey, e, gx, gy, greed, across, walked_to, real,
            whole, chain_point, heap, counts,
        ):  # fmt: skip
            return False
        if left >= 0 and corner[left]:
            turned = link(lx, ly, root, chain_point, chain_before, counts)
            gone = walked + apart(ox, oy, lx, ly)
            return push(
                turned, left, gone, triangle, to_a, ax, ay, a, tx, ty, top, gx, gy, greed, across, walked_to, real,
                whole, chain_point, heap, counts,
            ) and push(
                turned, left, gone, triangle, to_b, tx, ty, top, sx, sy, s, gx, gy, greed, across, walked_to, real,
                whole, chain_point, heap, counts,
            )  # fmt: skip
        return True
    if left >= 0:
        sx = ax
        sy = ay
        s = a
    else:
        sx, sy, s = meeting(ox, oy, lx, ly, ax, ay, a, tx, ty, top)
    if turn(ox, oy, rx, ry, tx, ty) <= 0.0:
        ex, ey, e = meeting(ox, oy, rx, ry, ax, ay, a, tx, ty, top)
        if not push(
            root, root_vertex, walked, triangle, to_a, sx, sy, s, ex, ey, e, gx, gy, greed, across, walked_to, real,
            whole, chain_point, heap, counts,
        ):  # fmt: skip
            return False
        if right >= 0 and corner[right]:
            turned = link(rx, ry, root, chain_point, chain_before, counts)
            gone = walked + apart(ox, oy, rx, ry)
            return push(
                turned, right, gone, triangle, to_b, tx, ty, top, bx, by, b, gx, gy, greed, across, walked_to, real,
                whole, chain_point, heap, counts,
            ) and push(
                turned, right, gone, triangle, to_a, ex, ey, e, tx, ty, top, gx, gy, greed, across, walked_to, real,
                whole, chain_point, heap, counts,
            )  # fmt: skip
        return True
    if right >= 0:
        ex = bx
        ey = by
        e = b
    else:
        ex, ey, e = meeting(ox, oy, rx, ry, tx, ty, top, bx, by, b)
    return push(
        root, root_vertex, walked, triangle, to_a, sx, sy, s, tx, ty, top, gx, gy, greed, across, walked_to, real,
        whole, chain_point, heap, counts,
    ) and push(
        root, root_vertex, walked, triangle, to_b, tx, ty, top, ex, ey, e, gx, gy, greed, across, walked_to, real,
        whole, chain_point, heap, counts,
    )  # fmt: skip


@kernel(
    "b1(f8,f8,i8[::1],f8,f8,f8,f8[:,::1],i8[:,::1],i8[:,::1],f8[::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],i8[::1],"
    "i8[::1])"
)
def see_around(
    sx, sy, begin, gx, gy, greed, vertices, triangles, across, walked_to, real, whole, chain_point, chain_before, heap,
    counts,
):  # fmt: skip
    """Begin a search: see all edges of the triangles `begin` in which the start lies; whether there was room."""
    for v in range(walked_to.size):
        walked_to[v] = math.inf
    for k in range(counts.size):
        counts[k] = 0
    root = link(sx, sy, -1, chain_point, chain_before, counts)
    for j in range(begin.size):
        triangle = begin[j]
        for k in range(3):
            right = triangles[triangle, k]
            left = triangles[triangle, (k + 1) % 3]
            if not push(
                root, -1, 0.0, triangle, k, vertices[left, 0], vertices[left, 1], left, vertices[right, 0],
                vertices[right, 1], right, gx, gy, greed, across, walked_to, real, whole, chain_point, heap, counts,
            ):  # fmt: skip
                return False
    return True


@kernel(
    "i8(i8,f8,f8,f8,f8,i8[::1],f8[:,::1],u1[::1],i8[:,::1],i8[:,::1],f8[::1],f8[:,::1],i8[:,::1],f8[:,::1],i8[::1],"
    "i8[::1],i8[::1])"
)
def run(
    expansions, largest, gx, gy, greed, end, vertices, corner, triangles, across, walked_to, real, whole, chain_point,
    chain_before, heap, counts,
):  # fmt: skip
    """Go on with a search toward a goal in the triangles `end`: the place in the chain of the goal at the end of a
    shortest path, OUT_OF_BUDGET, NO_ROOM, or BEYOND where no estimate is up to `largest`.

    Start and goal must hang together.
    """
    while counts[HEAP] > 0:
        node = unqueue(real, heap, counts)
        root = whole[node, 0]
        triangle = whole[node, 2]
        if triangle < 0 or real[node, 0] > largest:
            return root if real[node, 0] <= largest else BEYOND
        root_vertex = whole[node, 1]
        if root_vertex >= 0:
            best = walked_to[root_vertex]
            if real[node, 1] > best + ROOT_SLACK * best:
                continue
        if counts[SPENT] >= expansions:
            return OUT_OF_BUDGET
        counts[SPENT] += 1
        at_goal = False
        for k in range(end.size):
            at_goal = at_goal or end[k] == triangle
        if at_goal:
            # the path is straight from here, or bends at an end of the interval
            ended = counts[NODES]
            if ended >= real.shape[0]:
                return NO_ROOM
            counts[NODES] = ended + 1
            length, bend = over(
                chain_point[root, 0], chain_point[root, 1], real[node, 2], real[node, 3], real[node, 4], real[node, 5],
                gx, gy,
            )  # fmt: skip
            last = root
            if bend == 1:
                last = link(real[node, 2], real[node, 3], last, chain_point, chain_before, counts)
            elif bend == 2:
                last = link(real[node, 4], real[node, 5], last, chain_point, chain_before, counts)
            last = link(gx, gy, last, chain_point, chain_before, counts)
            real[ended, 0] = real[node, 1] + length
            whole[ended, 0] = last
            whole[ended, 2] = -1
            queue(ended, real, heap, counts)
        if not expand(
            node, gx, gy, greed, vertices, corner, triangles, across, walked_to, real, whole, chain_point, chain_before,
            heap, counts,
        ):  # fmt: skip
            return NO_ROOM
    return OUT_OF_BUDGET
