"""Cells of a flow grid: what stands near each, a point in it where a centre may be, and which points see each other.

Cells are numbered row by row. The point of a cell is its centre where a centre may be there, else the place in it that
is farthest from whatever stands: so a passage much narrower than a cell is no less a passage.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import inside
from orca_core.kernels.flow_sight import BLOCKED, CLEAR, MIXED, OUTSIDE, column_of, point_apart, sees

__all__ = ["beside", "clearance", "label_cells", "link_cells", "list_items", "mark_outside", "place_points"]

# places a cell is looked at in each direction for one where a centre may be
PLACES = 7
# and how often the steps of the search for a better one are halved
HALVINGS = 10


@kernel("void(f8[:,::1],f8[::1],f8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1])")
def list_items(segments, reach, slack, x, y, size, columns, rows, fill, kind, count, items):
    """First (`fill` false): mark cells within reach of segments and count what is near each; then, with `count` where
    each list begins, write the lists.

    A cell that lies whole within reach of one segment is blocked and needs no list.
    """
    for e in range(segments.shape[0]):
        ax = segments[e, 0]
        ay = segments[e, 1]
        bx = segments[e, 2]
        by = segments[e, 3]
        wide = reach[e] + slack
        sure = max(reach[e] - slack, 0.0)
        for row in range(
            column_of(min(ay, by) - wide, y, size, rows), column_of(max(ay, by) + wide, y, size, rows) + 1
        ):
            low = y + row * size
            high = low + size
            # the stretch of the segment that is near enough to this row
            first = ax
            last = bx
            if ay != by:
                one = (low - wide - ay) / (by - ay)
                other = (high + wide - ay) / (by - ay)
                first = ax + min(max(min(one, other), 0.0), 1.0) * (bx - ax)
                last = ax + min(max(max(one, other), 0.0), 1.0) * (bx - ax)
            # rounding may have taken a little off it
            for column in range(
                column_of(min(first, last) - wide - slack, x, size, columns),
                column_of(max(first, last) + wide + slack, x, size, columns) + 1,
            ):
                cell = row * columns + column
                if kind[cell] == BLOCKED:
                    continue
                left = x + column * size
                right = left + size
                a = point_apart(left, low, ax, ay, bx, by)
                b = point_apart(right, low, ax, ay, bx, by)
                c = point_apart(left, high, ax, ay, bx, by)
                d = point_apart(right, high, ax, ay, bx, by)
                if max(max(a, b), max(c, d)) < sure * sure:
                    kind[cell] = BLOCKED
                    continue
                near = min(min(a, b), min(c, d)) <= wide * wide
                if not near:
                    # no corner is near: an end beside a side of the square, or a segment through it
                    dx = max(max(left - ax, ax - right), 0.0)
                    dy = max(max(low - ay, ay - high), 0.0)
                    near = dx * dx + dy * dy <= wide * wide
                    dx = max(max(left - bx, bx - right), 0.0)
                    dy = max(max(low - by, by - high), 0.0)
                    near |= dx * dx + dy * dy <= wide * wide
                    near |= (
                        max(min(ax, bx), left) <= min(max(ax, bx), right)
                        and max(min(ay, by), low) <= min(max(ay, by), high)
                        and crosses_square(ax, ay, bx, by, left, low, right, high)
                    )
                if near:
                    if fill:
                        items[count[cell]] = e
                    else:
                        kind[cell] = MIXED
                    count[cell] += 1


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8)")
def crosses_square(ax, ay, bx, by, left, low, right, high):
    """Whether the line through a and b has corners of the square on both sides of it."""
    ex = bx - ax
    ey = by - ay
    a = ex * (low - ay) - ey * (left - ax)
    b = ex * (low - ay) - ey * (right - ax)
    c = ex * (high - ay) - ey * (left - ax)
    d = ex * (high - ay) - ey * (right - ax)
    return min(min(a, b), min(c, d)) <= 0.0 <= max(max(a, b), max(c, d))


@kernel("void(f8[:,::1],f8,f8,f8,i8,i8,u1[::1],u1[::1])")
def mark_outside(edges, x, y, size, columns, rows, toggles, kind):
    """Mark the cells that nothing stands near and that are not within the directed edges (e, 4) of a walkable area.

    `toggles` is scratch, rows times columns + 1 zeros.
    """
    for e in range(edges.shape[0]):
        ax = edges[e, 0]
        ay = edges[e, 1]
        bx = edges[e, 2]
        by = edges[e, 3]
        for row in range(column_of(min(ay, by), y, size, rows), column_of(max(ay, by), y, size, rows) + 1):
            level = y + (row + 0.5) * size
            if (ay > level) != (by > level):
                across = ax + (level - ay) / (by - ay) * (bx - ax)
                # the first column whose centre lies beyond
                place = math.floor((across - x) / size + 0.5)
                column = int(min(max(place, 0.0), columns * 1.0))
                toggles[row * (columns + 1) + column] ^= 1
    for row in range(rows):
        odd = 0
        for column in range(columns):
            odd ^= toggles[row * (columns + 1) + column]
            if odd == 0 and kind[row * columns + column] == CLEAR:
                kind[row * columns + column] = OUTSIDE


@kernel("f8(f8,f8,i8,i8[::1],i4[::1],f8[:,::1],f8[::1])")
def clearance(px, py, cell, start, items, segments, reach):
    """By how much a point of a mixed cell is farther from everything than it must be; negative: too near by so much."""
    least = math.inf
    for k in range(start[cell], start[cell + 1]):
        e = items[k]
        squared = point_apart(px, py, segments[e, 0], segments[e, 1], segments[e, 2], segments[e, 3])
        least = min(least, math.sqrt(squared) - reach[e])
    return least


@kernel(
    "void(f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],f8[::1],u1[::1],f8[:,::1],u1[::1])"
)
def place_points(
    x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
    edges, nodes, leaves, order, boxes, stack, work, touched, point, usable,
):  # fmt: skip
    """Write the point of each cell that is `touched`, (cells, 2), and whether there is one; the area is that of the
    edges, if any.
    """
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            if touched[cell] == 0:
                continue
            px = x + (column + 0.5) * size
            py = y + (row + 0.5) * size
            point[cell, 0] = px
            point[cell, 1] = py
            usable[cell] = 1 if kind[cell] == CLEAR else 0
            if kind[cell] != MIXED:
                continue
            if clearance(px, py, cell, start, items, segments, reach) >= 0.0 and (
                open_plane or inside(px, py, edges, nodes, leaves, order, boxes, stack, work)
            ):
                usable[cell] = 1
                continue
            best = -math.inf
            for k in range(PLACES * PLACES):
                px = x + (column + (k % PLACES + 0.5) / PLACES) * size
                py = y + (row + (k // PLACES + 0.5) / PLACES) * size
                here = clearance(px, py, cell, start, items, segments, reach)
                if here > best and (open_plane or inside(px, py, edges, nodes, leaves, order, boxes, stack, work)):
                    best = here
                    point[cell, 0] = px
                    point[cell, 1] = py
            # a passage may be hardly wider than what is kept from its sides: toward the middle, by ever smaller steps
            step = size / PLACES
            for _ in range(HALVINGS if best < 0.0 and best > -step else 0):
                step *= 0.5
                cx = point[cell, 0]
                cy = point[cell, 1]
                for k in range(9):
                    px = min(max(cx + (k % 3 - 1) * step, x + column * size), x + (column + 1) * size)
                    py = min(max(cy + (k // 3 - 1) * step, y + row * size), y + (row + 1) * size)
                    here = clearance(px, py, cell, start, items, segments, reach)
                    if here > best and (open_plane or inside(px, py, edges, nodes, leaves, order, boxes, stack, work)):
                        best = here
                        point[cell, 0] = px
                        point[cell, 1] = py
            usable[cell] = 1 if best >= 0.0 else 0


@kernel("void(f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],u1[::1],u1[::1])")
def link_cells(
    x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point, usable, touched, links
):  # fmt: skip
    """Write for each cell which of its eight neighbours its point sees, as bits: east, north-east, north, north-west,
    and those across in the same order; only where one of both is `touched`.
    """
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            for side in range(4):
                dx = 1 if side < 2 else (0 if side == 2 else -1)
                dy = 0 if side == 0 else 1
                if not (0 <= column + dx < columns and row + dy < rows):
                    continue
                other = cell + dy * columns + dx
                if touched[cell] == 0 and touched[other] == 0:
                    continue
                links[cell] &= 255 - (1 << side)
                links[other] &= 255 - (16 << side)
                if usable[cell] == 0 or usable[other] == 0:
                    continue
                free = kind[cell] == CLEAR and kind[other] == CLEAR
                if free and dx != 0 and dy != 0:
                    free = kind[cell + dx] == CLEAR and kind[cell + dy * columns] == CLEAR
                if free or sees(
                    point[cell, 0], point[cell, 1], point[other, 0], point[other, 1], x, y, size, columns, rows,
                    open_plane, kind, start, items, segments, reach, slack,
                ):  # fmt: skip
                    links[cell] |= 1 << side
                    links[other] |= 16 << side


@kernel("i8(i8,i8,i8)", inline=True)
def beside(cell, bit, columns):
    """The neighbour of a cell that a bit of its links stands for."""
    side = bit & 3
    dx = 1 if side < 2 else (0 if side == 2 else -1)
    dy = 0 if side == 0 else 1
    return cell + dy * columns + dx if bit < 4 else cell - dy * columns - dx


@kernel("i8(i8,i8,u1[::1],u1[::1],i4[::1],i4[::1],i4[::1],i4[::1])")
def label_cells(columns, rows, usable, links, joined_start, joined, component, pending):
    """Write a number for each usable point, equal for those between which there is a way, -1 for others; returns how
    many numbers there are. `pending` is scratch for all of them.
    """
    number = 0
    cells = columns * rows
    points = component.shape[0]
    for cell in range(points):
        component[cell] = -1
    for seed in range(points):
        if component[seed] >= 0 or (seed < cells and usable[seed] == 0):
            continue
        component[seed] = number
        pending[0] = seed
        depth = 1
        while depth > 0:
            depth -= 1
            cell = pending[depth]
            for bit in range(8 if cell < cells else 0):
                if links[cell] & (1 << bit) == 0:
                    continue
                other = beside(cell, bit, columns)
                if component[other] < 0:
                    component[other] = number
                    pending[depth] = other
                    depth += 1
            if points == cells:
                continue
            for k in range(joined_start[cell], joined_start[cell + 1]):
                other = joined[k]
                if component[other] < 0:
                    component[other] = number
                    pending[depth] = other
                    depth += 1
        number += 1
    return number
