"""A flow field: for every cell of a grid the way to the nearest goal, and the point that one heads for from it.

The search of Dijkstra over the cells, eight neighbours each, whose ways are not bound to them: who is reached from a
cell heads straight for what that cell heads for, if it sees it, else for the cell's own point. So a way turns at
corners alone, and its length is that of a tight string but for the places of the points (Nash, Daniel, Koenig and
Felner, Theta*: Any-Angle Path Planning on Grids, 2007). Fast marching was rejected: its directions come from
differences of rounded distances, are worst where they matter most, at corners and doors, and lead into walls.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.flow_grid import beside, clearance
from orca_core.kernels.flow_sight import CLEAR, MIXED, column_of, sees

__all__ = [
    "AWAY",
    "LOOKS",
    "RINGS",
    "TINY",
    "direct_cells",
    "nearest_points",
    "seed_goals",
    "seed_points",
    "sift_up",
    "spread",
    "take_first",
]

# how many points are tried for one that a whole cell sees
LOOKS = 4
# and how far it is from the middle of the cell at least, in cells
AWAY = 1.5
# how much longer a way may be, in cells, that everybody in a cell takes
DETOUR = 0.125
# what a way over a neighbour is longer than that of the neighbour, and than a straight one, at least, as a part
TINY = 1e-12
# how many rings of cells round a goal are looked at for those that see it
RINGS = 2


@kernel("void(i8,f8[::1],i4[::1],i4[::1])")
def sift_up(spot, distance, heap, spots):
    """Restore the order of the heap from `spot` upward; equal distances are ordered by cell."""
    cell = heap[spot]
    while spot > 0:
        above = (spot - 1) // 2
        other = heap[above]
        if distance[other] < distance[cell] or (distance[other] == distance[cell] and other < cell):
            break
        heap[spot] = other
        spots[other] = spot
        spot = above
    heap[spot] = cell
    spots[cell] = spot


@kernel("i8(i8,f8[::1],i4[::1],i4[::1])")
def take_first(count, distance, heap, spots):
    """Take the nearest of the `count` cells out of the heap; returns it, and one less is left."""
    first = heap[0]
    count -= 1
    cell = heap[count]
    spot = 0
    while 2 * spot + 1 < count:
        below = 2 * spot + 1
        other = heap[below]
        if below + 1 < count:
            beside = heap[below + 1]
            if distance[beside] < distance[other] or (distance[beside] == distance[other] and beside < other):
                below += 1
                other = beside
        if distance[cell] < distance[other] or (distance[cell] == distance[other] and cell < other):
            break
        heap[spot] = other
        spots[other] = spot
        spot = below
    if count > 0:
        heap[spot] = cell
        spots[cell] = spot
    spots[first] = -2
    return first


@kernel("i8(i8,f8,i8,i8,f8[::1],i4[::1],i4[::1],i4[::1])")
def offer(cell, length, target, count, distance, onward, heap, spots):
    """Let a cell head for `target` if that is shorter than what it has, or as short and its number lower; returns how
    many are in the heap.
    """
    if length < distance[cell] or (length == distance[cell] and target < onward[cell]):
        distance[cell] = length
        onward[cell] = target
        spot = spots[cell]
        if spot < 0:
            spot = count
            heap[spot] = cell
            count += 1
        sift_up(spot, distance, heap, spots)
    return count


@kernel(
    "i8(f8[:,::1],f8,i8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],"
    "i4[::1],f8[::1],i4[::1],i4[::1],i4[::1])"
)
def seed_goals(
    goals, nearer, count, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point,
    usable, narrow, distance, onward, heap, spots,
):  # fmt: skip
    """Put into the heap the points near each of the goals (g, 2) that see it; of one beside the grid, those at the rim.

    Of a goal that is nearer to something than centres may be, by more than `nearer`, there are none. A goal g has the
    number `points + g` among what is headed for. Returns how many are in the heap.
    """
    cells = columns * rows
    points = point.shape[0]
    for g in range(goals.shape[0]):
        gx = goals[g, 0]
        gy = goals[g, 1]
        where = column_of(gy, y, size, rows) * columns + column_of(gx, x, size, columns)
        away = gx < x or gx > x + columns * size or gy < y or gy > y + rows * size
        middle = column_of(gx, x, size, columns)
        level = column_of(gy, y, size, rows)
        near = not away and kind[where] != CLEAR
        if near and (kind[where] != MIXED or clearance(gx, gy, where, start, items, segments, reach) < -nearer):
            continue
        reached = max(columns, rows) if away else RINGS
        for row in range(max(level - reached, 0), min(level + reached, rows - 1) + 1):
            for column in range(max(middle - reached, 0), min(middle + reached, columns - 1) + 1):
                cell = row * columns + column
                rim = row == 0 or row == rows - 1 or column == 0 or column == columns - 1
                if away and not rim:
                    continue
                for k in range(-1, narrow[cell + 1] - narrow[cell] if points > cells else 0):
                    # the cell's own point first
                    number = cell if k < 0 else cells + narrow[cell] + k
                    if k < 0 and usable[cell] == 0:
                        continue
                    dx = point[number, 0] - gx
                    dy = point[number, 1] - gy
                    length = math.sqrt(dx * dx + dy * dy)
                    if length < distance[number] and sees(
                        gx, gy, point[number, 0], point[number, 1], x, y, size, columns, rows, open_plane, kind, start,
                        items, segments, reach, slack,
                    ):  # fmt: skip
                        count = offer(number, length, points + g, count, distance, onward, heap, spots)
    return count


@kernel("void(f8[:,::1],f8[:,::1],i4[::1],f8[::1],i4[::1])")
def nearest_points(goals, point, component, nearest, chosen):
    """Of each component the cell whose point is nearest to any of the goals, the first of equals, and how near squared.

    `nearest` comes filled with infinity, `chosen` with -1.
    """
    for cell in range(component.shape[0]):
        group = component[cell]
        if group < 0:
            continue
        for g in range(goals.shape[0]):
            dx = point[cell, 0] - goals[g, 0]
            dy = point[cell, 1] - goals[g, 1]
            squared = dx * dx + dy * dy
            if squared < nearest[group]:
                nearest[group] = squared
                chosen[group] = cell


@kernel("i8(i4[::1],i8,f8[::1],i4[::1],i4[::1],i4[::1])")
def seed_points(chosen, count, distance, onward, heap, spots):
    """Put cells into the heap that head for nothing but themselves; those below 0 are none. Returns how many are in."""
    for k in range(chosen.shape[0]):
        if chosen[k] >= 0:
            count = offer(chosen[k], 0.0, chosen[k], count, distance, onward, heap, spots)
    return count


@kernel(
    "void(f8[:,::1],i8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],i4[::1],"
    "i4[::1],f8[::1],i4[::1],i4[::1],i4[::1])"
)
def spread(
    goals, count, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point, links,
    joined_start, joined, distance, onward, heap, spots,
):  # fmt: skip
    """From the `count` points in the heap on, write how long the way from each is and what one heads for there.

    What is written does not depend on the order of the search: of all ways that neighbours offer, each longer than the
    neighbour's own, it is the shortest, and of equals the one to the lowest number.
    """
    cells = columns * rows
    points = point.shape[0]
    while count > 0:
        cell = take_first(count, distance, heap, spots)
        count -= 1
        target = onward[cell]
        if target >= points:
            tx = goals[target - points, 0]
            ty = goals[target - points, 1]
            rest = 0.0
        else:
            tx = point[target, 0]
            ty = point[target, 1]
            rest = distance[target]
        first = 0
        last = 0
        if points > cells:
            first = joined_start[cell]
            last = joined_start[cell + 1]
        for k in range(first - (8 if cell < cells else 0), last):
            if k < first:
                bit = first - 1 - k
                if links[cell] & (1 << bit) == 0:
                    continue
                other = beside(cell, bit, columns)
            else:
                other = joined[k]
            if spots[other] == -2:
                continue
            px = point[other, 0]
            py = point[other, 1]
            # no way is shorter than the straight one to where this cell heads: else there is nothing to look for
            length = rest + math.sqrt((px - tx) * (px - tx) + (py - ty) * (py - ty))
            if length > distance[other] or (length == distance[other] and target >= onward[other]):
                continue
            heads = target
            if not (
                length > distance[cell]
                and sees(
                    px, py, tx, ty, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
                )
            ):
                wx = px - point[cell, 0]
                wy = py - point[cell, 1]
                way = math.sqrt(wx * wx + wy * wy)
                least = TINY * (size + distance[cell])
                length = max(distance[cell] + max(way, least), length + least)
                heads = cell
            count = offer(other, length, heads, count, distance, onward, heap, spots)


@kernel("b1(f8,f8,i8,i8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8)")
def cell_sees(
    tx, ty, column, row, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
):  # fmt: skip
    """Whether all four corners of a cell see a point, and with them all that lies between."""
    for corner in range(4):
        px = x + (column + (corner & 1)) * size
        py = y + (row + (corner >> 1)) * size
        if not sees(px, py, tx, ty, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack):
            return False
    return True


@kernel(
    "void(f8[:,::1],f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],f8[::1],i4[::1],i4[::1],"
    "u1[::1],i4[::1])"
)
def direct_cells(
    goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point, distance, onward,
    tried, touched, direct,
):  # fmt: skip
    """Write for each cell that is `touched` what everybody in it may head for without a look, else -1: of what the nine
    cells round it head for the first on the shortest way that the whole cell sees.

    Where nothing stands in any of the nine, and all head for the same, nothing need be looked at. A point of one of the
    nine themselves is for nobody who does not look: some of the cell may have passed it. `tried` has LOOKS entries.
    """
    points = point.shape[0]
    for cell in range(columns * rows):
        if touched[cell] == 0:
            continue
        direct[cell] = -1
        row = cell // columns
        column = cell - row * columns
        if kind[cell] != CLEAR or row == 0 or column == 0 or row == rows - 1 or column == columns - 1:
            continue
        target = onward[cell]
        same = target >= points
        if target >= 0 and not same:
            wx = point[target, 0] - point[cell, 0]
            wy = point[target, 1] - point[cell, 1]
            same = max(abs(wx), abs(wy)) > AWAY * size
        for other in range(9):
            number = cell + (other // 3 - 1) * columns + other % 3 - 1
            same &= kind[number] == CLEAR and onward[number] == target
        if same:
            direct[cell] = target
            continue
        for attempt in range(LOOKS):
            chosen = -1
            best = math.inf
            tx = 0.0
            ty = 0.0
            for other in range(9):
                number = cell + (other // 3 - 1) * columns + other % 3 - 1
                if distance[number] == math.inf:
                    continue
                number = onward[number]
                known = False
                for t in range(attempt):
                    known |= tried[t] == number
                if known:
                    continue
                if number >= points:
                    cx = goals[number - points, 0]
                    cy = goals[number - points, 1]
                    rest = 0.0
                else:
                    cx = point[number, 0]
                    cy = point[number, 1]
                    rest = distance[number]
                wx = cx - point[cell, 0]
                wy = cy - point[cell, 1]
                length = rest + math.sqrt(wx * wx + wy * wy)
                # always nearer to the goal, and next to no detour: else two cells could send one to and fro
                if length < best and rest < distance[cell] and length <= distance[cell] + DETOUR * size:
                    best = length
                    chosen = number
                    tx = cx
                    ty = cy
            tried[attempt] = chosen
            if chosen < 0:
                break
            if chosen < points and max(abs(tx - point[cell, 0]), abs(ty - point[cell, 1])) <= AWAY * size:
                break
            if cell_sees(
                tx, ty, column, row, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
            ):  # fmt: skip
                direct[cell] = chosen
                break
