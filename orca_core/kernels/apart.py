"""Apart: no two discs meet in a step, whatever the program of the step has left them.

Whoever stands between walls cannot do its half of an avoidance, and the other has done no more than its own. Where two
would meet both are held: their velocity is made shorter, in its direction, until each goes no farther toward anybody
near than half of the gap between them. So two that are held do not meet, however they go; velocities up to that are a
convex body that holds the velocity zero, and walls that are kept by a velocity are kept by a shorter one. Who is held
may be in the way of one who is not, and then that one is held as well: whoever is far from all this is left as it is.
"""

import math

from orca_core._jit import kernel

__all__ = ["hold_apart"]

# of the sum of two radii: kept beyond it, so that rounding is on the right side
SURE = 1e-9


@kernel("b1(f8,f8,f8,f8,f8)", inline=True)
def meet(dx, dy, vx, vy, least):
    """Whether something that is at (dx, dy) and moves by (vx, vy) is nearer than `least` at any time of that move."""
    squared = vx * vx + vy * vy
    t = 0.0
    if squared > 0.0:
        t = min(max(-(dx * vx + dy * vy) / squared, 0.0), 1.0)
    x = dx + t * vx
    y = dy + t * vy
    return x * x + y * y < least * least


@kernel("f8(i8,i8,f8,f8[::1],f8[:,::1],f8[:,::1],i8,i8,i8,i8[::1],i8[::1])")
def held_share(i, span, dt, radius, before, velocity, column, row, width, head, chain):
    """The part of its velocity that agent i, in the cell (column, row), keeps so that it goes half of every gap."""
    height = head.size // width
    share = 1.0
    for v in range(max(0, row - span), min(height, row + span + 1)):
        for u in range(max(0, column - span), min(width, column + span + 1)):
            j = head[v * width + u]
            while j >= 0:
                dx = before[j, 0] - before[i, 0]
                dy = before[j, 1] - before[i, 1]
                distance = math.sqrt(dx * dx + dy * dy)
                if j != i and distance > 0.0:
                    toward = (dx * velocity[i, 0] + dy * velocity[i, 1]) / distance * dt
                    half = max(0.5 * (distance - (radius[i] + radius[j]) * (1.0 + SURE)), 0.0)
                    if toward > half:
                        share = min(share, half / toward)
                j = chain[j]
    return share


@kernel("i8(i8,f8,f8,i8,f8[::1],f8[:,::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],u1[::1])")
def hold_apart(count, dt, size, width, radius, before, velocity, position, head, chain, held):
    """Make velocities and positions (n, 2) after a step of `dt` so that no two discs of `radius` (n,) have met in it.

    `before` (n, 2) are the positions at its start. A negative radius is nobody's, who is left as it is and meets
    nobody. `held` (n,) says whose were changed, and so many are returned. Cells of the side `size` are `width` in a
    row; `head` (cells,) and `chain` (n,) are scratch.
    """
    height = head.size // width
    for c in range(head.size):
        head[c] = -1
    longest = 0.0
    widest = 0.0
    for i in range(count):
        held[i] = 0
        if radius[i] < 0.0:
            continue
        widest = max(widest, radius[i])
        longest = max(longest, velocity[i, 0] * velocity[i, 0] + velocity[i, 1] * velocity[i, 1])
        u = min(max(math.floor(before[i, 0] / size), 0), width - 1)
        v = min(max(math.floor(before[i, 1] / size), 0), height - 1)
        chain[i] = head[v * width + u]
        head[v * width + u] = i
    # who may meet anybody, both moving toward each other
    reach = 2.0 * (widest + math.sqrt(longest) * dt)
    span = min(math.floor(reach / size) + 1, width + height)
    total = 0
    changed = True
    while changed:
        changed = False
        for i in range(count):
            if radius[i] < 0.0:
                continue
            column = min(max(math.floor(before[i, 0] / size), 0), width - 1)
            row = min(max(math.floor(before[i, 1] / size), 0), height - 1)
            for v in range(max(0, row - span), min(height, row + span + 1)):
                for u in range(max(0, column - span), min(width, column + span + 1)):
                    # each pair once: those of a cell are listed from the last to the first
                    j = head[v * width + u]
                    while j > i:
                        dx = before[j, 0] - before[i, 0]
                        dy = before[j, 1] - before[i, 1]
                        if dx * dx + dy * dy < reach * reach and (held[i] == 0 or held[j] == 0):
                            wx = (velocity[j, 0] - velocity[i, 0]) * dt
                            wy = (velocity[j, 1] - velocity[i, 1]) * dt
                            if meet(dx, dy, wx, wy, radius[i] + radius[j]):
                                for k in (i, j):
                                    if held[k] != 0:
                                        continue
                                    held[k] = 1
                                    total += 1
                                    changed = True
                                    cu = min(max(math.floor(before[k, 0] / size), 0), width - 1)
                                    cv = min(max(math.floor(before[k, 1] / size), 0), height - 1)
                                    share = held_share(
                                        k, span, dt, radius, before, velocity, cu, cv, width, head, chain
                                    )
                                    velocity[k, 0] *= share
                                    velocity[k, 1] *= share
                                    position[k, 0] = before[k, 0] + velocity[k, 0] * dt
                                    position[k, 1] = before[k, 1] + velocity[k, 1] * dt
                        j = chain[j]
    return total
