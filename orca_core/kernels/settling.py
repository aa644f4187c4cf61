"""Settling: who has come as near to a crowded goal as it will, and may rest."""

import math

from orca_core._jit import kernel
from orca_core.kernels.blocking import in_the_way
from orca_core.kernels.cells import bucket_of, cell_of, gather_near
from orca_core.kernels.status import ARRIVED_CROWDED

__all__ = ["settle", "share_room", "sharers"]

# gaps, in sums of radii, within which one agent keeps another from its goal, and keeps it settled
CLOSE = 0.25
LOOSE = 0.5
# how much longer the nearest to a goal waits for a way to it
LONG = 8
# m, so that goals a little apart are in other buckets
GRAIN = 0.01
# part of the plane that discs cover which nobody has arranged
PACKING = 0.7
# how much farther out than so one may be that nobody is on the way to leave
CROWDED = 1.25


@kernel(
    "i8(i8[::1],i8,f8,f8[:,::1],f8[::1],f8[::1],f8[:,::1],u1[::1],u1[::1],i8[::1],f8,i8[::1],i8[::1],i8[::1],u1[::1])"
)
def settle(
    rows, patience, widest, position, radius, room, goal, has_goal, status, waiting, size, head, chain, near, rests
):  # fmt: skip
    """Write to `rests` (n,) which of `rows`, agents with a goal by distance from it, have settled; returns how many.

    An agent settles that has waited and is kept from its goal by one that has the same goal and is nearer to it, where
    that one rests, or where it is itself as near as the crowd lets it come (`room`, n); or by one that stands on the
    goal. The nearest goes on, and settles only where others rest in its way. `rests` holds on entry who rested before,
    and those who have arrived or want nothing.
    """
    settled = 0
    for n in range(rows.size):
        i = rows[n]
        before = status[i] == ARRIVED_CROWDED
        rests[i] = 0
        if not before and waiting[i] < patience:
            continue
        gx = goal[i, 0] - position[i, 0]
        gy = goal[i, 1] - position[i, 1]
        own = math.sqrt(gx * gx + gy * gy)
        slack = LOOSE if before else CLOSE
        found = gather_near(
            position[i, 0], position[i, 1], (1.0 + slack) * (radius[i] + widest), size, position, head, chain, near
        )
        for m in range(found):
            j = near[m]
            if j == i:
                continue
            both = radius[i] + radius[j]
            x = position[j, 0] - position[i, 0]
            y = position[j, 1] - position[i, 1]
            if math.sqrt(x * x + y * y) > (1.0 + slack) * both:
                continue
            x = position[j, 0] - goal[i, 0]
            y = position[j, 1] - goal[i, 1]
            there = math.sqrt(x * x + y * y)
            x = goal[j, 0] - goal[i, 0]
            y = goal[j, 1] - goal[i, 1]
            same = has_goal[j] == 1 and x * x + y * y <= both * both
            # one that is nearer, and rests; or has left as little room as a crowd leaves. One that stands on the goal
            if there < own and (
                (same and (rests[j] == 1 or own <= CROWDED * room[i])) or (rests[j] == 1 and there <= both)
            ):  # fmt: skip
                rests[i] = 1
            # one that is nearest, but others rest round the goal and leave no way to it
            if same and rests[j] == 1 and own <= both and own > 0.0 and (before or waiting[i] >= LONG * patience):
                x = position[j, 0] - position[i, 0]
                y = position[j, 1] - position[i, 1]
                shut, _, _ = in_the_way(x, y, gx / own, gy / own, both)
                if shut:
                    rests[i] = 1
            if rests[i] == 1:
                settled += 1
                break
    return settled


@kernel("i8(i8,f8[:,::1],u1[::1],i8[::1],i8[::1],u1[::1])")
def sharers(count, goal, has_goal, head, chain, shared):
    """Write to `shared` (n,) who has the very same goal as another; returns how many."""
    mask = head.size - 1
    for bucket in range(mask + 1):
        head[bucket] = -1
    total = 0
    for i in range(count):
        shared[i] = 0
        if has_goal[i] == 0:
            continue
        bucket = bucket_of(cell_of(goal[i, 0], GRAIN), cell_of(goal[i, 1], GRAIN), mask)
        j = head[bucket]
        while j >= 0 and (goal[j, 0] != goal[i, 0] or goal[j, 1] != goal[i, 1]):
            j = chain[j]
        if j < 0:
            chain[i] = head[bucket]
            head[bucket] = i
        else:
            total += 1 - shared[j] + 1
            shared[j] = 1
            shared[i] = 1
    return total


@kernel("void(i8[::1],f8[:,::1],f8[::1],f8[::1])")
def share_room(rows, goal, radius, room):
    """Write to `room` (n,) how far from its goal each of `rows` should stop; they are sorted by goal, then by distance.

    As much room as those take who are nearer, packed as discs pack that nobody has arranged.
    """
    before = -1
    squares = 0.0
    first = 0.0
    for n in range(rows.size):
        i = rows[n]
        if before < 0 or goal[i, 0] != goal[before, 0] or goal[i, 1] != goal[before, 1]:
            squares = 0.0
            first = 0.0
        squares += radius[i] * radius[i]
        room[i] = 0.0 if first == 0.0 else max(first + radius[i], math.sqrt(squares / PACKING) - radius[i])
        if first == 0.0:
            first = radius[i]
        before = i
