"""Detour: where to go next for whoever has lost sight of its waypoint, by a search over the cells around it.

Breadth first from the waypoint over free cells, until the cell of the agent is met: then the cells in between lead to
it, and the last of them in sight is where to go. Cells in which it may not be at the moment are left out, unless there
is no other way. The budget is in cells.
"""

from orca_core._jit import kernel
from orca_core.kernels.grid_sight import grid_sees

__all__ = ["BUDGET", "detour"]

# cells that a search may look at; who is farther off goes on toward its waypoint as it is
BUDGET = 4096


@kernel("Tuple((b1,f8,f8))(f8,f8,f8,f8,f8,b1,u1[:,::1],i4[::1],i8[::1],i8[::1])")
def detour(x, y, wx, wy, radius, open_only, blocked, place, parent, queue):
    """A point in sight on a way from (x, y) to (wx, wy); False where none is found. Lengths in cells.

    With `open_only` no narrow cell is gone through but those of both ends. `parent` (cells,) must hold -1 everywhere
    and does so again afterwards; `queue` is scratch (cells,).
    """
    width = blocked.shape[1] - 2
    start = int(wy) * width + int(wx)
    goal = int(y) * width + int(x)
    if start == goal:
        return True, goal % width + 0.5, goal // width + 0.5
    parent[start] = start
    queue[0] = start
    head = 0
    tail = 1
    found = False
    while head < tail and not found and tail < min(BUDGET, queue.size - 4):
        c = queue[head]
        head += 1
        column = c % width
        row = c // width
        for side in range(4):
            u = column + (1 if side == 0 else -1 if side == 2 else 0)
            v = row + (1 if side == 1 else -1 if side == 3 else 0)
            if blocked[v + 1, u + 1] != 0:
                continue
            other = v * width + u
            if parent[other] >= 0 or (open_only and place[other] >= 0 and other != goal):
                continue
            parent[other] = c
            queue[tail] = other
            tail += 1
            if other == goal:
                found = True
                break
    tx = goal % width + 0.5
    ty = goal // width + 0.5
    if found:
        # along the way for as long as it is in sight; the centre of the own cell always is
        c = goal
        while c != start:
            c = parent[c]
            cx = c % width + 0.5
            cy = c // width + 0.5
            if not grid_sees(x, y, cx, cy, radius, blocked):
                break
            tx = cx
            ty = cy
    for k in range(tail):
        parent[queue[k]] = -1
    return found, tx, ty
