"""Repair of a flow field where something stands elsewhere than before: the labels that it concerns, and no others.

A label, the length of the way from a point and what one heads for there, is the best that neighbours offer, each offer
longer than the neighbour's own way; so there is one right label for every point, in whatever order they are found. What
is wrong is put right in the order of length, as in LPA* (Koenig, Likhachev and Furcy, 2004): the field is to the bit
that which is made from nothing.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.flow_field import TINY, sift_up, take_first
from orca_core.kernels.flow_grid import beside
from orca_core.kernels.flow_sight import sees

__all__ = ["crossed_boxes", "repair"]


@kernel("void(f8[:,::1],f8[:,::1],f8[:,::1],i4[::1],u1[::1])")
def crossed_boxes(boxes, goals, point, onward, crossed):
    """Mark the points whose way to what they head for passes through one of the boxes (b, 4)."""
    points = point.shape[0]
    for number in range(points):
        target = onward[number]
        if target < 0:
            continue
        px = point[number, 0]
        py = point[number, 1]
        tx = goals[target - points, 0] if target >= points else point[target, 0]
        ty = goals[target - points, 1] if target >= points else point[target, 1]
        for b in range(boxes.shape[0]):
            if max(px, tx) < boxes[b, 0] or min(px, tx) > boxes[b, 2]:
                continue
            if max(py, ty) < boxes[b, 1] or min(py, ty) > boxes[b, 3]:
                continue
            # the box lies on both sides of the line
            wx = tx - px
            wy = ty - py
            low = wx * ((boxes[b, 1] if wx > 0.0 else boxes[b, 3]) - py) - wy * (
                (boxes[b, 2] if wy > 0.0 else boxes[b, 0]) - px
            )
            high = wx * ((boxes[b, 3] if wx > 0.0 else boxes[b, 1]) - py) - wy * (
                (boxes[b, 0] if wy > 0.0 else boxes[b, 2]) - px
            )
            if low <= 0.0 <= high:
                crossed[number] = 1
                break


@kernel(
    "Tuple((f8,i8,f8))(i8,i8,f8,i8,f8[:,::1],f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],"
    "f8[::1],i4[::1],f8[::1])"
)
def offered(
    cell, other, best, best_target, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
    slack, point, distance, onward, rest,
):  # fmt: skip
    """What `cell` offers to `other`, a length, what to head for and the rest of the way from there; infinite where it
    is no better than `best`. As in `spread`, to the bit.
    """
    points = point.shape[0]
    target = onward[cell]
    if target < 0:
        return math.inf, -1, 0.0
    tx = goals[target - points, 0] if target >= points else point[target, 0]
    ty = goals[target - points, 1] if target >= points else point[target, 1]
    px = point[other, 0]
    py = point[other, 1]
    length = rest[cell] + math.sqrt((px - tx) * (px - tx) + (py - ty) * (py - ty))
    if length > best or (length == best and target >= best_target):
        return math.inf, -1, 0.0
    if length > distance[cell] and sees(
        px, py, tx, ty, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack
    ):
        return length, int(target), rest[cell]
    wx = px - point[cell, 0]
    wy = py - point[cell, 1]
    way = math.sqrt(wx * wx + wy * wy)
    least = TINY * (size + distance[cell])
    length = max(distance[cell] + max(way, least), length + least)
    if length > best or (length == best and cell >= best_target):
        return math.inf, -1, 0.0
    return length, cell, distance[cell]


@kernel("i8(i8,i8,i8,i8,u1[::1],i4[::1],i4[::1])", inline=True)
def neighbour(cell, k, cells, columns, links, joined_start, joined):
    """The k-th neighbour of a point, those of its links first; -1 where there is none in this place, -2 at the end."""
    if k < 8:
        return beside(cell, k, columns) if cell < cells and links[cell] & (1 << k) != 0 else -1
    if joined_start.shape[0] == 1 or joined_start[cell] + k - 8 >= joined_start[cell + 1]:
        return -2
    return int(joined[joined_start[cell] + k - 8])


@kernel("i8(i8,i8,f8[::1],i4[::1],f8[::1],f8[::1],i4[::1],f8[::1],f8[::1],i4[::1],i4[::1])", inline=True)
def wait_if_wrong(cell, count, distance, onward, rest, best, target, beyond, key, heap, spots):
    """Put a point whose label is not what is offered into the heap; returns how many are in it."""
    if distance[cell] == best[cell] and onward[cell] == target[cell] and rest[cell] == beyond[cell]:
        return count
    wanted = min(distance[cell], best[cell])
    if spots[cell] < 0:
        key[cell] = wanted
        heap[count] = cell
        spots[cell] = count
        sift_up(count, key, heap, spots)
        return count + 1
    if wanted < key[cell]:
        key[cell] = wanted
        sift_up(spots[cell], key, heap, spots)
    return count


@kernel(
    "void(i8,f8[:,::1],f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],i4[::1],"
    "i4[::1],f8[::1],i4[::1],f8[::1],i4[::1],f8[::1],f8[::1],i4[::1],f8[::1])"
)
def look_round(
    cell, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point, links,
    joined_start, joined, seeds, seed_onward, distance, onward, rest, best, target, beyond,
):  # fmt: skip
    """Write `best`, `target` and `beyond` of a point: the best of its own seed and of all that is offered to it."""
    chosen = seeds[cell]
    heads = int(seed_onward[cell])
    left = 0.0
    k = 0
    while True:
        other = neighbour(cell, k, columns * rows, columns, links, joined_start, joined)
        k += 1
        if other == -2:
            break
        if other == -1:
            continue
        length, number, remaining = offered(
            other, cell, chosen, heads, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments,
            reach, slack, point, distance, onward, rest,
        )  # fmt: skip
        if number >= 0:
            chosen = length
            heads = number
            left = remaining
    best[cell] = chosen
    target[cell] = heads
    beyond[cell] = left


@kernel(
    "i8(u1[::1],u1[::1],f8[:,::1],f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,f8[:,::1],u1[::1],"
    "i4[::1],i4[::1],f8[::1],i4[::1],f8[::1],i4[::1],f8[::1],f8[::1],i4[::1],f8[::1],f8[::1],i4[::1],i4[::1],u1[::1])"
)
def repair(
    gone, doubtful, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack, point,
    links, joined_start, joined, seeds, seed_onward, distance, onward, rest, best, target, beyond, key, heap, spots,
    changed,
):  # fmt: skip
    """Make labels right: `distance`, `onward` and `rest`, the length of the way from what is headed for.

    `gone` are points that are others than before or see other neighbours, `doubtful` those whose own label or what they
    offer may be wrong besides. `seeds` and `seed_onward` are the labels that points have without any neighbour,
    infinite and -1 where there are none. `best`, `target`, `beyond` and `key` are scratch; `spots` comes filled with
    -1, `changed` with 0. Returns how often a label was put right.
    """
    cells = columns * rows
    points = point.shape[0]
    count = 0
    taken = 0
    for cell in range(points):
        best[cell] = distance[cell]
        target[cell] = onward[cell]
        beyond[cell] = rest[cell]
    for cell in range(points):
        if gone[cell] != 0:
            distance[cell] = math.inf
            onward[cell] = -1
            rest[cell] = 0.0
            changed[cell] = 1
    for cell in range(points):
        if gone[cell] == 0 and doubtful[cell] == 0:
            continue
        k = -1
        while True:
            # itself, and everybody to whom it offers something
            other = cell
            if k >= 0:
                other = neighbour(cell, k, cells, columns, links, joined_start, joined)
            k += 1
            if other == -2:
                break
            if other == -1:
                continue
            if other == cell or gone[cell] != 0:
                look_round(
                    other, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack,
                    point, links, joined_start, joined, seeds, seed_onward, distance, onward, rest, best, target,
                    beyond,
                )  # fmt: skip
            else:
                length, number, remaining = offered(
                    cell, other, best[other], int(target[other]), goals, x, y, size, columns, rows, open_plane, kind,
                    start, items, segments, reach, slack, point, distance, onward, rest,
                )  # fmt: skip
                if number < 0:
                    continue
                best[other] = length
                target[other] = number
                beyond[other] = remaining
            count = wait_if_wrong(other, count, distance, onward, rest, best, target, beyond, key, heap, spots)
    while count > 0:
        cell = take_first(count, key, heap, spots)
        spots[cell] = -1
        count -= 1
        if distance[cell] == best[cell] and onward[cell] == target[cell] and rest[cell] == beyond[cell]:
            continue
        if key[cell] < min(distance[cell], best[cell]):
            # what it waited for is no more
            count = wait_if_wrong(cell, count, distance, onward, rest, best, target, beyond, key, heap, spots)
            continue
        taken += 1
        changed[cell] = 1
        before = onward[cell]
        shorter = best[cell] < distance[cell]
        if shorter:
            distance[cell] = best[cell]
            onward[cell] = target[cell]
            rest[cell] = beyond[cell]
        else:
            distance[cell] = math.inf
            onward[cell] = -1
            rest[cell] = 0.0
            count = wait_if_wrong(cell, count, distance, onward, rest, best, target, beyond, key, heap, spots)
        k = 0
        while True:
            other = neighbour(cell, k, cells, columns, links, joined_start, joined)
            k += 1
            if other == -2:
                break
            if other == -1:
                continue
            if before >= 0 and (target[other] == before or target[other] == cell):
                # what it has may have been offered from here
                look_round(
                    other, goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack,
                    point, links, joined_start, joined, seeds, seed_onward, distance, onward, rest, best, target,
                    beyond,
                )  # fmt: skip
            elif shorter:
                length, number, remaining = offered(
                    cell, other, best[other], int(target[other]), goals, x, y, size, columns, rows, open_plane, kind,
                    start, items, segments, reach, slack, point, distance, onward, rest,
                )  # fmt: skip
                if number < 0:
                    continue
                best[other] = length
                target[other] = number
                beyond[other] = remaining
            else:
                continue
            count = wait_if_wrong(other, count, distance, onward, rest, best, target, beyond, key, heap, spots)
    return taken
