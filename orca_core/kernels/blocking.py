"""Blocking: who stands in whose way, and who is held up for good and does not merely queue."""

import math

from orca_core._jit import kernel
from orca_core.kernels.cells import gather_near
from orca_core.kernels.heed import heeds

__all__ = ["count_around", "find_blocked", "in_the_way", "reach_of"]

# who is nearer than this share of both radii, and the way of this share of the horizon, is near enough to hold one up
CLOSE = 0.5
CLOSE_TIME = 0.1
# how many of those in its way are remembered of one agent
MOST = 8
# who is nearer than so many times both radii is around
AROUND = 3.0


@kernel("f8(f8,f8,f8)", inline=True)
def reach_of(radius, max_speed, time_horizon):
    """How far from the edge of an agent others hold it up: constraints slow it long before they touch (m)."""
    return CLOSE * radius + CLOSE_TIME * time_horizon * max_speed


@kernel("Tuple((b1,f8,f8))(f8,f8,f8,f8,f8)", inline=True)
def in_the_way(x, y, axis_x, axis_y, width):
    """Whether something at (x, y) from here is ahead along a unit axis and less than `width` aside of it.

    Returns (whether, along, aside); aside is positive on the left.
    """
    along = axis_x * x + axis_y * y
    aside = axis_x * y - axis_y * x
    return along > 0.0 and abs(aside) < width, along, aside


@kernel(
    "i8(i8[::1],i8,f8,f8[:,::1],f8[::1],f8[::1],f8[::1],f8[:,::1],i8[::1],f8,"
    "i8[::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1],"
    "i8[:,::1],i8[::1],u1[::1],i8[::1])"
)
def find_blocked(
    rows, patience, widest, position, radius, max_speed, time_horizon, wish, waiting, size,
    head, chain, near, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work,
    ahead, ahead_count, free, blocker,
):  # fmt: skip
    """Say of each of `rows`, agents that have waited, who stands in its way, and whether it is blocked.

    An agent is blocked that others stand in the way of, none of whom is on the way itself, or waits for one that is: a
    queue of which the first walks on is not blocked. Written by place in `rows`: `free` 0 for the blocked, 1 for the
    others, `blocker` the row of the nearest in its way, or -1. `wish` (n, 2) holds what everybody wants. Returns how
    many are blocked.
    """
    for n in range(rows.size):
        i = rows[n]
        ahead_count[n] = 0
        blocker[n] = -1
        free[n] = 1
        length = math.sqrt(wish[i, 0] * wish[i, 0] + wish[i, 1] * wish[i, 1])
        if length == 0.0:
            continue
        axis_x = wish[i, 0] / length
        axis_y = wish[i, 1] / length
        reach = reach_of(radius[i], max_speed[i], time_horizon[i])
        found = gather_near(
            position[i, 0], position[i, 1], 1.5 * radius[i] + 2.0 * widest + reach, size, position, head, chain, near
        )
        nearest = math.inf
        for m in range(found):
            j = near[m]
            if j == i:
                continue
            x = position[j, 0] - position[i, 0]
            y = position[j, 1] - position[i, 1]
            both = radius[i] + radius[j]
            gap = math.sqrt(x * x + y * y) - both
            there, _, _ = in_the_way(x, y, axis_x, axis_y, both)
            if not there or gap > reach + CLOSE * radius[j]:
                continue
            if not heeds(i, j, position, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work):
                continue
            if gap < nearest or (gap == nearest and j < blocker[n]):
                nearest = gap
                blocker[n] = j
            if ahead_count[n] < MOST:
                ahead[n, ahead_count[n]] = j
                ahead_count[n] += 1
        # who has somebody in its way is free only because of one who is
        if ahead_count[n] > 0:
            free[n] = 0
    # places in `rows` by row: the scratch of the search is at hand
    for n in range(rows.size):
        near[rows[n]] = n
    changed = True
    while changed:
        changed = False
        for n in range(rows.size):
            if free[n] == 1:
                continue
            for m in range(ahead_count[n]):
                j = ahead[n, m]
                wants = wish[j, 0] != 0.0 or wish[j, 1] != 0.0
                if not wants:
                    continue
                if waiting[j] < patience:
                    free[n] = 1
                else:
                    k = near[j]
                    if 0 <= k < rows.size and rows[k] == j and free[k] == 1 and ahead_count[k] > 0:
                        free[n] = 1
                if free[n] == 1:
                    changed = True
                    break
    blocked = 0
    for n in range(rows.size):
        if free[n] == 0:
            blocked += 1
    return blocked


@kernel("void(i8[::1],f8,f8[:,::1],f8[::1],f8,i8[::1],i8[::1],i8[::1],i8[::1])")
def count_around(rows, widest, position, radius, size, head, chain, near, around):
    """Write how many others are within three times both radii of each of `rows`, by place in `rows`."""
    for n in range(rows.size):
        i = rows[n]
        found = gather_near(
            position[i, 0], position[i, 1], AROUND * (radius[i] + widest), size, position, head, chain, near
        )  # fmt: skip
        around[n] = 0
        for k in range(found):
            j = near[k]
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            reach = AROUND * (radius[i] + radius[j])
            if j != i and dx * dx + dy * dy < reach * reach:
                around[n] += 1
