"""Sight over the cells of a flow grid: whether a disc can move straight from one point to another.

What stands are segments, each with a reach that centres keep from it; the cells say which of them a straight way can
come near, so that only those are measured. Cells that nothing comes near cost one byte each.

Whoever stands nearer than the reach already, pressed against a wall, sees whatever does not lead nearer still.
"""

import math

from orca_core._jit import kernel

__all__ = ["BLOCKED", "CLEAR", "MIXED", "OUTSIDE", "column_of", "item_blocks", "point_apart", "sees", "sees_known"]

# kinds of cells: nothing is within reach of any point of it; something is within reach of some; one thing is within
# reach of all; not in the walkable area
CLEAR = 0
MIXED = 1
BLOCKED = 2
OUTSIDE = 3


@kernel("f8(f8,f8,f8,f8,f8,f8)", inline=True)
def point_apart(px, py, ax, ay, bx, by):
    """Squared distance of a point from the segment a-b."""
    ex = bx - ax
    ey = by - ay
    dx = px - ax
    dy = py - ay
    squared = ex * ex + ey * ey
    along = dx * ex + dy * ey
    if squared > 0.0 and along > 0.0:
        if along >= squared:
            dx = px - bx
            dy = py - by
        else:
            part = along / squared
            dx = dx - ex * part
            dy = dy - ey * part
    return dx * dx + dy * dy


@kernel("b1(f8,f8,f8,f8,i8,f8[:,::1],f8[::1],f8)")
def item_blocks(px, py, qx, qy, e, segments, reach, slack):
    """Whether the way p -> q comes nearer to the segment e than its reach, or than p and q are, by more than slack."""
    ax = segments[e, 0]
    ay = segments[e, 1]
    bx = segments[e, 2]
    by = segments[e, 3]
    least = reach[e]
    # far apart for certain
    if max(px, qx) < min(ax, bx) - least or min(px, qx) > max(ax, bx) + least:
        return False
    if max(py, qy) < min(ay, by) - least or min(py, qy) > max(ay, by) + least:
        return False
    from_p = point_apart(px, py, ax, ay, bx, by)
    from_q = point_apart(qx, qy, ax, ay, bx, by)
    ends = min(from_p, from_q)
    if ends < least * least:
        least = math.sqrt(ends)
    least -= slack
    if least < 0.0:
        # an end stands on it: on which side the way goes on, others decide
        return False
    # a crossing: each has its ends on both sides of the other
    ex = bx - ax
    ey = by - ay
    wx = qx - px
    wy = qy - py
    if (ex * (py - ay) - ey * (px - ax) > 0.0) != (ex * (qy - ay) - ey * (qx - ax) > 0.0) and (
        wx * (ay - py) - wy * (ax - px) > 0.0
    ) != (wx * (by - py) - wy * (bx - px) > 0.0):
        return True
    nearest = min(point_apart(ax, ay, px, py, qx, qy), point_apart(bx, by, px, py, qx, qy))
    return min(nearest, ends) < least * least


@kernel("i8(f8,f8,f8,i8)", inline=True)
def column_of(x, first, size, columns):
    """The column of cells that x lies in, or the nearest one; with a row's numbers, the row."""
    place = (x - first) / size
    if place >= columns:
        return columns - 1
    return int(place) if place > 0.0 else 0


@kernel("b1(f8,f8,f8,f8,i4[::1],i8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8)")
def sees_known(
    px, py, qx, qy, known, number, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
):  # fmt: skip
    """As `sees`, for who knows of some cells that all of them sees q: those for which `known` is `number`, if that is
    not below 0.
    """
    ax = px
    ay = py
    bx = qx
    by = qy
    wx = qx - px
    wy = qy - py
    end_x = x + columns * size
    end_y = y + rows * size
    if min(px, qx) < x or max(px, qx) > end_x or min(py, qy) < y or max(py, qy) > end_y:
        if not open_plane:
            return False
        # only what lies over the grid can be in the way
        enter = 0.0
        leave = 1.0
        if wx != 0.0:
            enter = max(enter, min((x - px) / wx, (end_x - px) / wx))
            leave = min(leave, max((x - px) / wx, (end_x - px) / wx))
        elif px < x or px > end_x:
            return True
        if wy != 0.0:
            enter = max(enter, min((y - py) / wy, (end_y - py) / wy))
            leave = min(leave, max((y - py) / wy, (end_y - py) / wy))
        elif py < y or py > end_y:
            return True
        if enter > leave:
            return True
        ax = px + wx * enter
        ay = py + wy * enter
        bx = px + wx * leave
        by = py + wy * leave
    column = column_of(ax, x, size, columns)
    row = column_of(ay, y, size, rows)
    last_column = column_of(bx, x, size, columns)
    last_row = column_of(by, y, size, rows)
    # how far along the way the next column and the next row begin
    step_x = 1 if last_column > column else -1
    step_y = 1 if last_row > row else -1
    next_x = math.inf
    next_y = math.inf
    each_x = 0.0
    each_y = 0.0
    if wx != 0.0:
        next_x = (x + (column + (1 if step_x > 0 else 0)) * size - px) / wx
        each_x = abs(size / wx)
    if wy != 0.0:
        next_y = (y + (row + (1 if step_y > 0 else 0)) * size - py) / wy
        each_y = abs(size / wy)
    measured = -1
    before = -1
    while True:
        cell = row * columns + column
        here = kind[cell]
        if here == CLEAR:
            if number >= 0 and known[cell] == number:
                return True
        else:
            if here != MIXED:
                return False
            for k in range(start[cell], start[cell + 1]):
                e = items[k]
                # neighbouring cells share most of what is near them
                if e in (measured, before):
                    continue
                before = measured
                measured = e
                if item_blocks(px, py, qx, qy, e, segments, reach, slack):
                    return False
        if column == last_column and row == last_row:
            return True
        if row == last_row or (column != last_column and next_x < next_y):
            column += step_x
            next_x += each_x
        else:
            row += step_y
            next_y += each_y


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8)")
def sees(px, py, qx, qy, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack):
    """Whether every point from p to q keeps from every segment what it must; outside the grid nothing stands, and
    there is a way only if the plane is open.
    """
    return sees_known(
        px, py, qx, qy, items, -1, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
    )
