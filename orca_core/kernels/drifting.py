"""Drifting: what an agent wants while it waits in the open before a gate.

It takes the velocity of its fastest neighbour, so that whoever comes out of the corridor takes it along instead of
standing against it; of neighbours that drift themselves, or go where it is not let in, it takes none. With nobody to
take along it keeps away from the mouth, and else stands. What it takes is an objective alone: the linear program of
the step bounds it like any other preferred velocity. Lengths in cells.
"""

import math

from orca_core._jit import kernel

__all__ = ["APPROACH", "DRIFT", "KEEP", "MAPF", "MOVING", "NEAR", "ORCA", "STATE", "YIELD", "aside", "drift", "queued"]

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
# whoever may not enter comes no nearer to the mouth than this, nor to one that waits already than `BEHIND_OTHERS`
APPROACH = 2.5
BEHIND_OTHERS = 1.5
RETREAT = 0.5
# and so far from the middle of every narrow cell
OFF = 1.5

# in the way of another is who is so far ahead of it, and to its side by less than this
LEAST_AHEAD = -0.3
MOST_AHEAD = 2.5
CLEAR = 1.0
# a side on which something stands within this is none
ROOM = 0.7
# column of `seen` in which stands what each wants
WANTED = 2


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8,f8,u1[:,::1],i4[::1])", inline=True)
def aside(x, y, dx, dy, wx, wy, blocked, place):
    """What an agent at (x, y) does to be out of the way of another, from 0 to 1 in both directions.

    It stands at (dx, dy) from the other, which wants to go by (wx, wy).
    """
    length = math.sqrt(wx * wx + wy * wy)
    if not length > 0.0:
        return 0.0, 0.0
    wx = wx / length
    wy = wy / length
    along = dx * wx + dy * wy
    across = wx * dy - wy * dx
    if not (LEAST_AHEAD < along < MOST_AHEAD and abs(across) < CLEAR):
        return 0.0, 0.0
    # whoever is exactly in the way goes to its right, and where there is no room to the other side
    side = 1.0 if across >= 0.0 else -1.0
    width = blocked.shape[1] - 2
    u = math.floor(x - wy * side * ROOM)
    v = math.floor(y + wx * side * ROOM)
    if blocked[v + 1, u + 1] != 0 or place[v * width + u] >= 0:
        u = math.floor(x + wy * side * ROOM)
        v = math.floor(y - wx * side * ROOM)
        if blocked[v + 1, u + 1] == 0 and place[v * width + u] < 0:
            push = -side * (CLEAR + abs(across)) / CLEAR
            return -wy * push, wx * push
    push = side * (CLEAR - abs(across)) / CLEAR
    return -wy * push, wx * push


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
    aside_x = 0.0
    aside_y = 0.0
    off_x = 0.0
    off_y = 0.0
    for v in range(max(0, row - 2), min(height, row + 3)):
        for u in range(max(0, column - 2), min(width, column + 3)):
            if place[v * width + u] >= 0:
                # off every gate that is near, so that others get through
                dx = x - (u + 0.5)
                dy = y - (v + 0.5)
                away = math.sqrt(dx * dx + dy * dy)
                if 0.0 < away < OFF:
                    off_x += dx / away * (OFF - away)
                    off_y += dy / away * (OFF - away)
            j = head[v * width + u]
            while j >= 0:
                if j != i and walk[j, STATE] != DRIFT:
                    dx = x - position[j, 0] / size
                    dy = y - position[j, 1] / size
                    wx = velocity[j, 0] / size
                    wy = velocity[j, 1] / size
                    speed = math.sqrt(wx * wx + wy * wy)
                    # it comes nearer, and does not go to the gate itself
                    to_x = gx - x + dx
                    to_y = gy - y + dy
                    to_gate = to_x * wx + to_y * wy > 0.7 * speed * math.sqrt(to_x * to_x + to_y * to_y)
                    if dx * dx + dy * dy <= NEAR * NEAR and speed > fastest and dx * wx + dy * wy > 0.0 and not to_gate:
                        fastest = speed
                        vx = wx
                        vy = wy
                        taken = True
                    # out of the way of what it wants, moving or not
                    px, py = aside(x, y, dx, dy, seen[j, WANTED], seen[j, WANTED + 1], blocked, place)
                    aside_x += px
                    aside_y += py
                j = chain[j]
    if place[here] >= 0:
        # pushed into the gate before its turn: out again
        dx = mx - x + (mx - gx)
        dy = my - y + (my - gy)
        away = math.sqrt(dx * dx + dy * dy)
        return (dx / away * limit, dy / away * limit) if away > 0.0 else (0.0, 0.0)
    vx += off_x * limit
    vy += off_y * limit
    vx += aside_x * limit
    vy += aside_y * limit
    if not taken and aside_x == 0.0 and aside_y == 0.0:
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
    speed = math.sqrt(vx * vx + vy * vy)
    if speed > limit:
        vx = vx / speed * limit
        vy = vy / speed * limit
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


@kernel("b1(i8,f8,f8,f8,f8,f8[:,::1],f8,i8,i8,i8[::1],i8[::1],i8[:,::1])", inline=True)
def queued(i, x, y, mx, my, position, size, width, height, head, chain, walk):
    """Whether somebody who waits is just ahead of agent i at (x, y) on its way to a mouth (mx, my): it waits behind."""
    dx = mx - x
    dy = my - y
    distance = math.sqrt(dx * dx + dy * dy)
    column = math.floor(x)
    row = math.floor(y)
    for v in range(max(0, row - 2), min(height, row + 3)):
        for u in range(max(0, column - 2), min(width, column + 3)):
            j = head[v * width + u]
            while j >= 0:
                if j != i and walk[j, STATE] == DRIFT:
                    ox = position[j, 0] / size - x
                    oy = position[j, 1] / size - y
                    squared = ox * ox + oy * oy
                    along = ox * dx + oy * dy
                    if squared < BEHIND_OTHERS * BEHIND_OTHERS and along > 0.5 * distance * math.sqrt(squared):
                        return True
                j = chain[j]
    return False
