"""Drifting: what an agent wants while it waits in the open before a gate.

It takes the velocity of its fastest neighbour, so that whoever comes out of the corridor takes it along instead of
standing against it; of neighbours that drift themselves, or go where it is not let in, it takes none. With nobody to
take along it keeps away from the mouth, and else stands. What it takes is an objective alone: the linear program of
the step bounds it like any other preferred velocity. Lengths in cells.
"""

import math

from orca_core._jit import kernel

__all__ = ["DRIFT", "KEEP", "MAPF", "NEAR", "ORCA", "STATE", "YIELD", "drift"]

# column of an agent's row in `walk`, and what stands there
STATE = 2
ORCA = 0
DRIFT = 1
MAPF = 2
YIELD = 3

# neighbours are looked for within so much, and count from this part of the maximum speed on
NEAR = 1.5
MOVING = 0.2
# whoever waits keeps so far from the mouth, and goes away from it at this part of the maximum speed
KEEP = 1.6
RETREAT = 0.5


@kernel(
    "UniTuple(f8,2)(i8,f8,f8,f8,f8,f8,f8,f8,i8,f8[:,::1],f8[:,::1],f8,u1[:,::1],i4[::1],i8[::1],i8[::1],i8[:,::1],"
    "f8[:,::1])"
)
def drift(
    i, x, y, mx, my, gx, gy, limit, here, position, velocity, size, blocked, place, head, chain, walk, seen
):  # fmt: skip
    """The velocity (cells/s) that agent i wants, at (x, y) in cell `here`, before a gate at (gx, gy) whose mouth is
    (mx, my); `limit` is its maximum speed. `head` and `chain` list the agents of each cell.
    """
    width = blocked.shape[1] - 2
    height = blocked.shape[0] - 2
    column = here % width
    row = here // width
    fastest = MOVING * limit
    vx = 0.0
    vy = 0.0
    taken = False
    for v in range(max(0, row - 2), min(height, row + 3)):
        for u in range(max(0, column - 2), min(width, column + 3)):
            j = head[v * width + u]
            while j >= 0:
                if j != i and walk[j, STATE] != DRIFT:
                    dx = position[j, 0] / size - x
                    dy = position[j, 1] / size - y
                    wx = velocity[j, 0] / size
                    wy = velocity[j, 1] / size
                    speed = math.sqrt(wx * wx + wy * wy)
                    # it comes nearer, and does not go to the gate itself
                    nearing = dx * wx + dy * wy < 0.0
                    to_gate = (gx - x - dx) * wx + (gy - y - dy) * wy > 0.7 * speed * math.sqrt(
                        (gx - x - dx) * (gx - x - dx) + (gy - y - dy) * (gy - y - dy)
                    )
                    if dx * dx + dy * dy <= NEAR * NEAR and speed > fastest and nearing and not to_gate:
                        fastest = speed
                        vx = wx
                        vy = wy
                        taken = True
                j = chain[j]
    if taken:
        if fastest > limit:
            vx = vx / fastest * limit
            vy = vy / fastest * limit
    else:
        dx = x - mx
        dy = y - my
        away = math.sqrt(dx * dx + dy * dy)
        if away < KEEP:
            if away < 0.05:
                # from the very middle of the mouth straight away from the gate
                dx = mx - gx
                dy = my - gy
                away = math.sqrt(dx * dx + dy * dy)
            if away > 0.0:
                vx = dx / away * RETREAT * limit
                vy = dy / away * RETREAT * limit
    # not into a narrow place: nobody waits there
    for _ in range(2):
        u = math.floor(x + 0.6 * vx)
        v = math.floor(y + 0.6 * vy)
        if 0 <= u < width and 0 <= v < height and place[v * width + u] >= 0 and v * width + u != here:
            if u != column:
                vx = 0.0
            else:
                vy = 0.0
    return vx, vy
