"""The half-planes of one agent for its neighbours where responsibilities differ, and what neighbours then want.

One by one, unlike `half_planes`, whose lanes know no share but one half; a share of exactly one half gives the bits of
the lanes.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.responsibility import LOCKED, responsibility
from orca_core.kernels.symmetry import coincident_half_plane
from orca_core.kernels.velocity_obstacle import agent_half_plane, overlap_normal_is_degenerate

__all__ = ["shared_rows", "unyielding_wish"]


@kernel(
    "Tuple((i8,b1,f8,i8))(i8,f8[:,::1],f8[:,::1],i8[:,::1],f8,f8,b1,i8,i8[::1],i8[::1],f8[::1],i8[::1],i8,f8[::1],"
    "f8[:,::1],i8)"
)
def shared_rows(
    own, packed, terms, bonds, horizon, dt, part_coincident, seed, order, identifier, near_distance, near_place, kept,
    shares, planes, row,
):  # fmt: skip
    """Append a half-plane for each of the `kept` neighbours that the agent at place `own` heeds, in their order.

    `shares` gets the responsibility of each. Returns (how many rows there are now, whether a coincident pair was
    parted, the deepest overlap, the place of the agent it is with or -1). Whom it does not heed it cannot overlap.
    """
    parted = False
    deepest = 0.0
    partner = -1
    px = packed[own, 0]
    py = packed[own, 1]
    vx = packed[own, 2]
    vy = packed[own, 3]
    for n in range(kept):
        j = near_place[n]
        share, _ = responsibility(terms, bonds, own, j)
        shares[n] = share
        if not share > 0.0:
            continue
        ax = packed[j, 0] - px
        ay = packed[j, 1] - py
        bx = packed[j, 2]
        by = packed[j, 3]
        r = packed[own, 4] + packed[j, 4]
        if near_distance[n] <= r * r:
            depth = r - math.sqrt(near_distance[n])
            if depth > deepest:
                deepest = depth
                partner = j
        if (
            part_coincident
            and near_distance[n] <= r * r
            and overlap_normal_is_degenerate(ax, ay, vx, vy, bx, by, dt)
        ):  # fmt: skip
            me = identifier[order[own]]
            other = identifier[order[j]]
            x, y, nx, ny = coincident_half_plane(seed, me, other, ax, ay, r, vx, vy, bx, by, dt, share)
            parted = True
        else:
            x, y, nx, ny = agent_half_plane(ax, ay, r, vx, vy, bx, by, horizon, dt, share)
        planes[row, 0] = x
        planes[row, 1] = y
        planes[row, 2] = nx
        planes[row, 3] = ny
        row += 1
    return row, parted, deepest, partner


@kernel("UniTuple(f8,2)(f8[:,::1],i8[:,::1],i8,f8,f8,f8,f8,f8)")
def unyielding_wish(packed, bonds, other, share, wish_x, wish_y, preferred_x, preferred_y):
    """What counts as the wish of a neighbour in the search for an exact symmetry, where shares differ.

    A locked one wants to go as it goes. One that leaves the whole to the agent and wants nowhere stands in its way like
    one that comes straight back: it will never make room, so who meets it head-on would stand before it for ever.
    """
    x = wish_x
    y = wish_y
    if (bonds[other, 4] & LOCKED) != 0:
        x = packed[other, 2]
        y = packed[other, 3]
    if share >= 1.0 and x == 0.0 and y == 0.0:
        return -preferred_x, -preferred_y
    return x, y
