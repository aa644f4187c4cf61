"""Tiles of a mesh: triangles that were cut tile by tile are joined along the borders of the tiles, and numbered as one.

What lies on a border was computed twice, once from either side, and may differ by rounding. Points of the other side
that lie within an edge of this one cut its triangle in two, so that in the end both sides have the same edges but for
that; those within `touch` of each other are one.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.tree import LEAF

__all__ = [
    "assemble",
    "border_edges",
    "components_at",
    "find_components",
    "locate_on_tiles",
    "nearest_edge",
    "split_at",
]

# rounding makes no squared distance smaller than this part of it
CERTAIN = 1.0 - 1e-14
# sides of a tile
LEFT = 0
RIGHT = 1
BOTTOM = 2
TOP = 3


@kernel("b1(f8,f8,i8,f8,f8,f8,f8)")
def on_side(x, y, side, left, bottom, right, top):
    """Whether a point lies on one side of a tile."""
    if side == LEFT:
        return x == left
    if side == RIGHT:
        return x == right
    if side == BOTTOM:
        return y == bottom
    return y == top


@kernel("i8(f8[:,::1],i8,i8[:,::1],i8[:,::1],i8,i8,f8,f8,f8,f8,f8,f8[::1],f8)")
def split_at(vertices, vertex_count, triangles, across, count, side, left, bottom, right, top, touch, points, line):
    """Cut the triangles along one side of a tile at `points` (p,), ascending, which lie on it.

    `line` is the coordinate of the side, touch what is no length. There must be room for a vertex and a triangle each.
    Returns how many were cut: so many more vertices and triangles there are.
    """
    cuts = 0
    along = 1 if side in (LEFT, RIGHT) else 0
    for p in range(points.size):
        at = points[p]
        done = False
        for t in range(count + cuts):
            for k in range(3):
                if across[t, k] >= 0:
                    continue
                a = triangles[t, k]
                b = triangles[t, (k + 1) % 3]
                if not (
                    on_side(vertices[a, 0], vertices[a, 1], side, left, bottom, right, top)
                    and on_side(vertices[b, 0], vertices[b, 1], side, left, bottom, right, top)
                ):
                    continue
                low = min(vertices[a, along], vertices[b, along])
                high = max(vertices[a, along], vertices[b, along])
                if at <= low + touch or at >= high - touch:
                    continue
                c = triangles[t, (k + 2) % 3]
                v = vertex_count + cuts
                vertices[v, along] = at
                vertices[v, 1 - along] = line
                n = count + cuts
                beyond_b = across[t, (k + 1) % 3]
                beyond_a = across[t, (k + 2) % 3]
                # a, v, c stays in its place; v, b, c is new
                triangles[t, 0] = a
                triangles[t, 1] = v
                triangles[t, 2] = c
                across[t, 0] = -1
                across[t, 1] = n
                across[t, 2] = beyond_a
                triangles[n, 0] = v
                triangles[n, 1] = b
                triangles[n, 2] = c
                across[n, 0] = -1
                across[n, 1] = beyond_b
                across[n, 2] = t
                if beyond_b >= 0:
                    for e in range(3):
                        if across[beyond_b, e] == t and triangles[beyond_b, e] == c:
                            across[beyond_b, e] = n
                cuts += 1
                done = True
                break
            if done:
                break
    return cuts


@kernel("i8(f8[:,::1],i8[:,::1],i8[:,::1],f8,f8,f8,f8,i8[:,::1],f8[:,::1])")
def border_edges(vertices, triangles, across, left, bottom, right, top, place, span):
    """List the edges on the sides of a tile: `place` (e, 3) side, triangle, edge; `span` (e, 2) from and to along the
    side. Returns how many; there is room for three a triangle.
    """
    total = 0
    for t in range(triangles.shape[0]):
        for k in range(3):
            if across[t, k] >= 0:
                continue
            a = triangles[t, k]
            b = triangles[t, (k + 1) % 3]
            for side in range(4):
                if on_side(vertices[a, 0], vertices[a, 1], side, left, bottom, right, top) and on_side(
                    vertices[b, 0], vertices[b, 1], side, left, bottom, right, top
                ):
                    along = 1 if side in (LEFT, RIGHT) else 0
                    place[total, 0] = side
                    place[total, 1] = t
                    place[total, 2] = k
                    span[total, 0] = min(vertices[a, along], vertices[b, along])
                    span[total, 1] = max(vertices[a, along], vertices[b, along])
                    total += 1
                    break
    return total


@kernel("void(i8[::1],i8[::1],i8,i8,i8[:,::1],i8[:,::1],i8[::1],i8[:,::1],f8[:,::1],f8,u1[::1])")
def assemble(
    triangle_start, vertex_start, columns, rows, triangles, across, border_start, place, span, touch, corner
):  # fmt: skip
    """Number the triangles of all tiles as one mesh, and join them over the borders of tiles.

    Tile (column, row) has the number row * columns + column, the triangles from triangle_start[tile] on, the vertices
    from vertex_start[tile] on, and of each side s the border edges from border_start[4 tile + s] on, ascending. Until
    now its numbers are its own. `corner` (v,) says of which vertices something stands that a way may bend round.
    """
    tiles = columns * rows
    for tile in range(tiles):
        first = triangle_start[tile]
        for t in range(first, triangle_start[tile + 1]):
            for k in range(3):
                triangles[t, k] += vertex_start[tile]
                if across[t, k] >= 0:
                    across[t, k] += first
    for tile in range(tiles):
        for way in range(2):
            # over the right side, and over the top
            if way == 0:
                if (tile + 1) % columns == 0:
                    continue
                other = tile + 1
                mine = 4 * tile + RIGHT
                theirs = 4 * other + LEFT
            else:
                if tile + columns >= tiles:
                    continue
                other = tile + columns
                mine = 4 * tile + TOP
                theirs = 4 * other + BOTTOM
            i = border_start[mine]
            j = border_start[theirs]
            while i < border_start[mine + 1] and j < border_start[theirs + 1]:
                if abs(span[i, 0] - span[j, 0]) <= touch and abs(span[i, 1] - span[j, 1]) <= touch:
                    s = triangle_start[tile] + place[i, 1]
                    t = triangle_start[other] + place[j, 1]
                    across[s, place[i, 2]] = t
                    across[t, place[j, 2]] = s
                    i += 1
                    j += 1
                elif span[i, 1] <= span[j, 1]:
                    i += 1
                else:
                    j += 1
    corner[:] = 0
    for t in range(triangles.shape[0]):
        for k in range(3):
            if across[t, k] < 0:
                corner[triangles[t, k]] = 1
                corner[triangles[t, (k + 1) % 3]] = 1


@kernel("void(i8[:,::1],i8[::1],i8[::1])")
def find_components(across, component, pending):
    """Write a number for each triangle, equal for those that hang together by edges, in order of their first
    triangles; `pending` (t,) is scratch.
    """
    component[:] = -1
    number = 0
    for seed in range(across.shape[0]):
        if component[seed] >= 0:
            continue
        component[seed] = number
        pending[0] = seed
        waiting = 1
        while waiting > 0:
            waiting -= 1
            t = pending[waiting]
            for k in range(3):
                other = across[t, k]
                if other >= 0 and component[other] < 0:
                    component[other] = number
                    pending[waiting] = other
                    waiting += 1
        number += 1


@kernel("f8(f8,f8,f8,f8,f8,f8)")
def left_of(ax, ay, bx, by, cx, cy):
    """Above 0 where c lies to the left of a -> b, below 0 to the right."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@kernel("i8(f8,f8,f8[::1],f8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1])")
def locate_on_tiles(x, y, column_lines, row_lines, triangle_start, vertices, triangles, found):
    """Write the triangles in which a point lies, boundaries included, to `found`; returns how many there are.

    Tiles lie between `column_lines` (columns + 1,) and `row_lines` (rows + 1,), ascending.
    """
    total = 0
    columns = column_lines.size - 1
    rows = row_lines.size - 1
    if not (column_lines[0] <= x <= column_lines[columns] and row_lines[0] <= y <= row_lines[rows]):
        return 0
    # the first tile whose far line is not before the point; the next one has it too where it lies on that line
    low = 0
    high = columns - 1
    while low < high:
        middle = (low + high) // 2
        if column_lines[middle + 1] < x:
            low = middle + 1
        else:
            high = middle
    column = low
    low = 0
    high = rows - 1
    while low < high:
        middle = (low + high) // 2
        if row_lines[middle + 1] < y:
            low = middle + 1
        else:
            high = middle
    row = low
    for r in range(row, min(row + 2, rows)):
        if row_lines[r] > y:
            continue
        for c in range(column, min(column + 2, columns)):
            if column_lines[c] > x:
                continue
            tile = r * columns + c
            for t in range(triangle_start[tile], triangle_start[tile + 1]):
                i = triangles[t, 0]
                j = triangles[t, 1]
                k = triangles[t, 2]
                if (
                    left_of(vertices[i, 0], vertices[i, 1], vertices[j, 0], vertices[j, 1], x, y) >= 0.0
                    and left_of(vertices[j, 0], vertices[j, 1], vertices[k, 0], vertices[k, 1], x, y) >= 0.0
                    and left_of(vertices[k, 0], vertices[k, 1], vertices[i, 0], vertices[i, 1], x, y) >= 0.0
                ):
                    if total < found.size:
                        found[total] = t
                    total += 1
    return total


@kernel("void(f8[:,::1],f8[::1],f8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1],i8[::1],i8[::1])")
def components_at(
    points, column_lines, row_lines, triangle_start, vertices, triangles, component, scratch, found
):  # fmt: skip
    """Write the component of a triangle in which each of the points (m, 2) lies, -1 where there is none.

    `scratch` (1,) is overwritten.
    """
    for p in range(points.shape[0]):
        count = locate_on_tiles(
            points[p, 0], points[p, 1], column_lines, row_lines, triangle_start, vertices, triangles, scratch
        )
        found[p] = component[scratch[0]] if count > 0 and triangles.shape[0] > 0 else -1


@kernel("f8(f8,f8,f8[:,::1],i8)")
def square_from_box(x, y, boxes, b):
    """Squared distance of a point from box b, 0 inside it; a little too small rather than too large."""
    dx = max(boxes[b, 0] - x, 0.0, x - boxes[b, 2])
    dy = max(boxes[b, 1] - y, 0.0, y - boxes[b, 3])
    return (dx * dx + dy * dy) * CERTAIN


@kernel("Tuple((i8,f8,f8))(f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1])")
def nearest_edge(x, y, edges, nodes, leaves, order, boxes, stack):
    """Which of the edges (m, 4), with their box tree, is nearest to a point, and the point of it that is.

    Equal distances break by number; the number is -1 where there is none.
    """
    best = -1
    squared = math.inf
    px = x
    py = y
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if nodes[node, 0] > nodes[node, 2] or square_from_box(x, y, nodes, node) > squared:
            continue
        if node < leaves:
            # the nearer one is looked at first, so that most of the farther one need not be
            near = 2 * node
            far = near + 1
            if square_from_box(x, y, nodes, far) < square_from_box(x, y, nodes, near):
                near, far = far, near
            stack[depth] = far
            stack[depth + 1] = near
            depth += 2
            continue
        first = (node - leaves) * LEAF
        for place in range(first, min(first + LEAF, edges.shape[0])):
            e = order[place]
            if square_from_box(x, y, boxes, e) > squared:
                continue
            ax = edges[e, 0]
            ay = edges[e, 1]
            bx = edges[e, 2]
            by = edges[e, 3]
            dx = bx - ax
            dy = by - ay
            length = dx * dx + dy * dy
            part = ((x - ax) * dx + (y - ay) * dy) / length if length > 0.0 else 0.0
            part = min(1.0, max(0.0, part))
            # from the nearer end, so that an end is met exactly
            if part <= 0.5:
                fx = ax + part * dx
                fy = ay + part * dy
            else:
                fx = bx - (1.0 - part) * dx
                fy = by - (1.0 - part) * dy
            away = (fx - x) * (fx - x) + (fy - y) * (fy - y)
            if away < squared or (away == squared and e < best):
                best = e
                squared = away
                px = fx
                py = fy
    return best, px, py
