"""Pulling: which points of a path are left when it is pulled tight for a disc on a grid map."""

from orca_core._jit import kernel
from orca_core.kernels.grid_sight import grid_sees

__all__ = ["pull"]


@kernel("i8(f8[:,::1],u1[::1],f8,u1[:,::1],i8[::1])")
def pull(points, kept, radius, blocked, chosen):
    """Write the places of the points (n, 2) that stay to `chosen` (n,); returns how many.

    From each the next is the last one in sight before one that is out of sight, or the first with `kept`. Neighbours
    are taken as being in sight of each other. Lengths in cells.
    """
    last = points.shape[0] - 1
    chosen[0] = 0
    count = 1
    here = 0
    while here < last:
        there = here + 1
        while (
            there < last
            and kept[there] == 0
            and grid_sees(points[here, 0], points[here, 1], points[there + 1, 0], points[there + 1, 1], radius, blocked)
        ):
            there += 1
        chosen[count] = there
        count += 1
        here = there
    return count
