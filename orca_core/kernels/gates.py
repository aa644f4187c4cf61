"""Gates: how far along its path an agent may go, and whom it waits for where it may not.

An agent goes toward its waypoint through those narrow cells that are free for it, as `visits` says. Where the next one
is not free it stays where it does not stand in the way: at the centre of the narrow cell in which it is, or in the open
before the gate, away from its mouth. Lengths in cells.
"""

from orca_core._jit import kernel
from orca_core.kernels.visits import NEXT, is_free

__all__ = ["AHEAD", "BEHIND", "FREE", "INSIDE", "OUTSIDE", "granted"]

# so many narrow cells are looked ahead
AHEAD = 4

# how an agent stands to the next gate on its way: none or open; open and shut behind that, so that it may go as far as
# a narrow cell; shut and it is in a narrow cell; shut and it is in the open
FREE = 0
BEHIND = 1
INSIDE = 2
OUTSIDE = 3


@kernel("Tuple((i8,i8))(i8,i8,i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],u1[::1],i8[:,::1])", inline=True)
def granted(i, until, first, cell, step, rank, turn, admitted, walk):
    """How agent i stands to the gates of its path up to the one behind its waypoint, and the visit that says so.

    `until` is the place in the path after that of the waypoint: whoever goes to a mouth is to know of the gate there.
    That visit is the last that it may enter (BEHIND) or the first that it may not (INSIDE, OUTSIDE).
    """
    following = walk[i, NEXT]
    stop = first[i + 1]
    g = following
    while g < stop and step[g] <= until and g - following < AHEAD and is_free(g, cell, rank, turn, admitted):
        g += 1
    if g == stop or step[g] > until:
        return FREE, -1
    if g > following and step[g - 1] >= until - 1:
        return FREE, -1
    if g > following:
        return BEHIND, g - 1
    if following > first[i] and step[following] == step[following - 1] + 1:
        return INSIDE, following
    return OUTSIDE, following
