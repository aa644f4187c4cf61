"""One-sided boundary of a walkable area whose boundary a centre may touch.

Source: spec "One-sided boundary constraint (`ForBoundary`)".
"""

import math

from orca_core._jit import kernel

__all__ = ["boundary_half_plane"]

# how near an end, and how far behind a stretch, the agent may be before the stretch no longer concerns it
END_MARGIN = 1e-6
BEHIND = -1e-6


@kernel("Tuple((b1,f8,f8,f8,f8))(f8,f8,f8,f8,f8,f8)")
def boundary_half_plane(ax, ay, bx, by, clearance, tau):
    """Half-plane for the boundary stretch a-b relative to the agent, walkable side to the left of a -> b.

    Returns (exists, point x, point y, normal x, normal y); `exists` is false beside the stretch and on its far side.
    """
    ex = bx - ax
    ey = by - ay
    squared = ex * ex + ey * ey
    if squared == 0.0:
        return False, 0.0, 0.0, 0.0, 0.0
    length = math.sqrt(squared)
    s = -(ax * ex + ay * ey) / squared
    margin = (clearance + END_MARGIN) / length
    if s <= margin or s >= 1.0 - margin:
        return False, 0.0, 0.0, 0.0, 0.0
    nx = -ey / length
    ny = ex / length
    d = -(ax * nx + ay * ny)
    if d < BEHIND:
        return False, 0.0, 0.0, 0.0, 0.0
    offset = d - clearance
    return True, -nx * offset / tau, -ny * offset / tau, nx, ny
