"""Narrow places of a flow grid: points in gaps that are passages and yet much narrower than a cell.

A passage is narrowest between two of the segments that stand, where an end of one is nearest to the other. There, along
the gap between two such places, and before and behind it along its middle, points are put beside those of the cells;
they are joined with whatever of both kinds they see near them. So what is a passage does not depend on where the cells
happen to lie.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import inside
from orca_core.kernels.flow_grid import clearance
from orca_core.kernels.flow_sight import CLEAR, MIXED, column_of, point_apart, sees

__all__ = ["join_narrow", "list_gaps", "place_narrow"]

# pairs of segments that are looked at for one cell and a neighbour: where cells are far larger than what stands there
# is no end to them
PAIRS = 4096
# rings of cells within which points are joined
RINGS = 2
# points along the middle of a gap on either side, at most
ALONG = 64
# what the point in a bend keeps beyond its reach, of that: less than half of what the narrowest passage leaves
BEND = 0.0005
# two segments in one line have no bend: half of what two unit vectors add up to
STRAIGHT = 0.025


@kernel("i8(f8,i8,i8,i8[::1],i4[::1],f8[:,::1],f8[::1],i8[:,::1])")
def list_gaps(wide, columns, rows, start, items, segments, reach, pairs):
    """Write the pairs of segments, lower number first, that are near one cell or two neighbours and leave at most
    `wide` between what is kept from them, or have an end in common; some more than once. Returns how many there are,
    of which as many are written as there is room for.
    """
    total = 0
    for cell in range(columns * rows):
        if start[cell] == start[cell + 1]:
            continue
        row = cell // columns
        column = cell - row * columns
        for side in range(5):
            across = column + (1 if side in (1, 2) else (-1 if side == 4 else 0))
            other = (row + (1 if side >= 2 else 0)) * columns + across
            if not (0 <= across < columns and other < columns * rows):
                continue
            if (start[cell + 1] - start[cell]) * (start[other + 1] - start[other]) > PAIRS:
                continue
            for k in range(start[cell], start[cell + 1]):
                i = items[k]
                for m in range(k + 1 if side == 0 else start[other], start[other + 1]):
                    j = items[m]
                    if i == j:
                        continue
                    ax = segments[i, 0]
                    ay = segments[i, 1]
                    bx = segments[i, 2]
                    by = segments[i, 3]
                    cx = segments[j, 0]
                    cy = segments[j, 1]
                    dx = segments[j, 2]
                    dy = segments[j, 3]
                    least = reach[i] + reach[j]
                    most = least + wide
                    if max(ax, bx) + most < min(cx, dx) or max(cx, dx) + most < min(ax, bx):
                        continue
                    if max(ay, by) + most < min(cy, dy) or max(cy, dy) + most < min(ay, by):
                        continue
                    squared = min(
                        min(point_apart(ax, ay, cx, cy, dx, dy), point_apart(bx, by, cx, cy, dx, dy)),
                        min(point_apart(cx, cy, ax, ay, bx, by), point_apart(dx, dy, ax, ay, bx, by)),
                    )
                    if squared > most * most or 0.0 < squared < least * least:
                        continue
                    if total < pairs.shape[0]:
                        pairs[total, 0] = min(i, j)
                        pairs[total, 1] = max(i, j)
                    total += 1
    return total


@kernel(
    "b1(f8,f8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1])"
)
def may_be(
    px, py, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
    edges, nodes, leaves, order, boxes, stack, work,
):  # fmt: skip
    """Whether a centre may be at a point of the grid."""
    if px < x or py < y or px > x + columns * size or py > y + rows * size:
        return False
    cell = column_of(py, y, size, rows) * columns + column_of(px, x, size, columns)
    if kind[cell] == CLEAR:
        return True
    return (
        kind[cell] == MIXED
        and clearance(px, py, cell, start, items, segments, reach) >= 0.0
        and (open_plane or inside(px, py, edges, nodes, leaves, order, boxes, stack, work))
    )


@kernel(
    "i8(i8[:,::1],f8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1],f8[:,::1],f8[:,::1])"
)
def place_narrow(
    pairs, wide, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
    edges, nodes, leaves, order, boxes, stack, work, middle, points,
):  # fmt: skip
    """Write the points for pairs of segments: in bends, where ends are nearest, between these, and before and behind
    them. Returns how many there are, of which as many are written as there is room for; `middle` (4, 2) is scratch.
    """
    total = 0
    for k in range(pairs.shape[0]):
        found = 0
        for end in range(4):
            # an end of one of both, and what it is near to
            own = pairs[k, 0 if end < 2 else 1]
            other = pairs[k, 1 if end < 2 else 0]
            ex = segments[own, 2 * (end & 1)]
            ey = segments[own, 2 * (end & 1) + 1]
            ax = segments[other, 0]
            ay = segments[other, 1]
            wx = segments[other, 2] - ax
            wy = segments[other, 3] - ay
            squared = wx * wx + wy * wy
            part = 0.0
            if squared > 0.0:
                part = min(max(((ex - ax) * wx + (ey - ay) * wy) / squared, 0.0), 1.0)
            tx = ax + part * wx - ex
            ty = ay + part * wy - ey
            width = math.sqrt(tx * tx + ty * ty)
            at_first = ex == ax and ey == ay
            if at_first or (ex == segments[other, 2] and ey == segments[other, 3]):
                # an end of both: the place in the bend between them
                ux = segments[own, 2 - 2 * (end & 1)] - ex
                uy = segments[own, 3 - 2 * (end & 1)] - ey
                vx = wx if at_first else -wx
                vy = wy if at_first else -wy
                long_u = math.sqrt(ux * ux + uy * uy)
                long_v = math.sqrt(vx * vx + vy * vy)
                if long_u == 0.0 or long_v == 0.0:
                    continue
                hx = (ux / long_u + vx / long_v) * 0.5
                hy = (uy / long_u + vy / long_v) * 0.5
                half = hx * hx + hy * hy
                # squared cosine of half the angle between them
                if half < STRAIGHT * STRAIGHT or half >= 1.0:
                    continue
                away = max(reach[own], reach[other]) * (1.0 + BEND) / math.sqrt(1.0 - half) / math.sqrt(half)
                px = ex + hx * away
                py = ey + hy * away
                if may_be(
                    px, py, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
                    edges, nodes, leaves, order, boxes, stack, work,
                ):  # fmt: skip
                    if total < points.shape[0]:
                        points[total, 0] = px
                        points[total, 1] = py
                    total += 1
                continue
            free = width - reach[own] - reach[other]
            if free < 0.0 or free > wide:
                continue
            part = (reach[own] + 0.5 * free) / width
            mx = ex + part * tx
            my = ey + part * ty
            middle[found, 0] = mx
            middle[found, 1] = my
            found += 1
            # along the middle of the passage, to where it is wide on either side
            far = max(max(reach[own], reach[other]), size)
            count = min(math.ceil(far / min(size, 0.5 * far)), ALONG)
            for step in range(-count, count + 1):
                px = mx - ty / width * far * (step / count)
                py = my + tx / width * far * (step / count)
                if may_be(
                    px, py, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
                    edges, nodes, leaves, order, boxes, stack, work,
                ):  # fmt: skip
                    if total < points.shape[0]:
                        points[total, 0] = px
                        points[total, 1] = py
                    total += 1
        # between the two places that are farthest from each other, from the left one on
        first = 0
        last = 0
        farthest = 0.0
        for one in range(found):
            for two in range(found):
                sx = middle[two, 0] - middle[one, 0]
                sy = middle[two, 1] - middle[one, 1]
                if (sx > 0.0 or (sx == 0.0 and sy > 0.0)) and sx * sx + sy * sy > farthest:
                    farthest = sx * sx + sy * sy
                    first = one
                    last = two
        between = math.ceil(math.sqrt(farthest) / size)
        for step in range(1, between):
            px = middle[first, 0] + (middle[last, 0] - middle[first, 0]) * (step / between)
            py = middle[first, 1] + (middle[last, 1] - middle[first, 1]) * (step / between)
            if may_be(
                px, py, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
                edges, nodes, leaves, order, boxes, stack, work,
            ):  # fmt: skip
                if total < points.shape[0]:
                    points[total, 0] = px
                    points[total, 1] = py
                total += 1
    return total


@kernel(
    "i8(f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],i4[::1],i4[::1],i4[:,::1])"
)
def join_narrow(
    x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point, usable, narrow, cell_of,
    joins,
):  # fmt: skip
    """Write pairs of points that see each other and of which one at least, the first, is in a narrow place; those of
    cell c are numbers cells + narrow[c] up to narrow[c + 1], `cell_of` says the same the other way round. Returns how
    many there are, of which as many are written as there is room for.
    """
    cells = columns * rows
    total = 0
    for k in range(cell_of.shape[0]):
        row = cell_of[k] // columns
        column = cell_of[k] - row * columns
        for other_row in range(max(row - RINGS, 0), min(row + RINGS, rows - 1) + 1):
            for other_column in range(max(column - RINGS, 0), min(column + RINGS, columns - 1) + 1):
                cell = other_row * columns + other_column
                for m in range(narrow[cell] - 1, narrow[cell + 1]):
                    # the cell's own point first
                    other = cell if m < narrow[cell] else cells + m
                    if (other == cell and usable[cell] == 0) or (other != cell and m >= k):
                        continue
                    if sees(
                        point[cells + k, 0], point[cells + k, 1], point[other, 0], point[other, 1], x, y, size, columns,
                        rows, open_plane, kind, start, items, segments, reach, slack,
                    ):  # fmt: skip
                        if total < joins.shape[0]:
                            joins[total, 0] = cells + k
                            joins[total, 1] = other
                        total += 1
    return total
