"""The half-planes of the agents of a leaf for all their neighbours at once.

The same numbers as `velocity_obstacle.agent_half_plane` gives one by one, bit for bit: both cases of the truncated cone
are computed for every neighbour and one is chosen, without a branch, so that a compiler makes vector code of the square
roots and divisions. Branching mispredicts at every third neighbour and costs more than computing twice. Overlaps are
rare and go one by one.

Neighbours of all agents of a leaf lie in one row of lanes, one after the other: divisions and roots are what it takes,
and lanes left empty behind each agent's ten would be a third of them. What is gathered number by number is also at rest
by the time it is read as vectors, which a processor otherwise waits for.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.symmetry import coincident_half_plane
from orca_core.kernels.velocity_obstacle import agent_half_plane, overlap_normal_is_degenerate

__all__ = ["LANES", "LANE_ROWS", "cone_lanes", "gather_lanes", "take_rows"]

# neighbours taken together (sixteen each for a leaf), how many of them at once, and how many numbers there are of each
LANES = 128
WIDTH = 8
LANE_ROWS = 8
# what a lane without a neighbour holds: one that is far away
EMPTY = (1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0)


@kernel("void(f8[::1],i8)")
def cone_lanes(lanes, count):
    """Half-planes of agents for the first `count` neighbours, none of which they overlap.

    `lanes` is float64 (LANE_ROWS * LANES,): blocks of relative x, y, neighbour's velocity x, y, sum of radii, agent's
    velocity x, y and time horizon come in; point x, y and normal x, y are written over both velocities. Blocks lie in
    one array at fixed distances, which is what lets a compiler see that they do not overlap.
    """
    for c in range(count, (count + WIDTH - 1) // WIDTH * WIDTH):
        for row in range(LANE_ROWS):
            lanes[row * LANES + c] = EMPTY[row]
    for start in range(0, count, WIDTH):
        part = lanes[start:]
        for c in range(WIDTH):
            ax = part[c]
            ay = part[LANES + c]
            r = part[4 * LANES + c]
            vx = part[5 * LANES + c]
            vy = part[6 * LANES + c]
            tau = part[7 * LANES + c]
            x = vx - part[2 * LANES + c]
            y = vy - part[3 * LANES + c]
            wx = x - ax / tau
            wy = y - ay / tau
            dot1 = wx * ax + wy * ay
            w_squared = wx * wx + wy * wy
            cutoff = (dot1 < 0.0) & (w_squared > 0.0) & (dot1 * dot1 > r * r * w_squared)
            # cutoff: the relative velocity projects onto the arc
            length = math.sqrt(w_squared)
            divisor = length if length > 0.0 else 1.0
            arc_x = wx / divisor
            arc_y = wy / divisor
            depth = r / tau - length
            # leg: onto one of the two tangents; for the right one the radius changes its sign
            a_squared = ax * ax + ay * ay
            inside = a_squared - r * r
            leg = math.sqrt(inside if inside > 0.0 else 0.0)
            divisor = a_squared if a_squared > 0.0 else 1.0
            left = ax * wy - ay * wx > 0.0
            side = r if left else -r
            along_x = (ax * leg - ay * side) / divisor
            along_y = (ax * side + ay * leg) / divisor
            along = x * along_x + y * along_y
            ux = arc_x * depth if cutoff else along_x * along - x
            uy = arc_y * depth if cutoff else along_y * along - y
            part[2 * LANES + c] = vx + 0.5 * ux
            part[3 * LANES + c] = vy + 0.5 * uy
            part[5 * LANES + c] = arc_x if cutoff else (-along_y if left else along_y)
            part[6 * LANES + c] = arc_y if cutoff else (along_x if left else -along_x)


@kernel("void(i8,f8[:,::1],f8,i8[::1],i8,i8,f8[::1],i8)", inline=True)
def gather_lanes(own, packed, horizon, near_place, start, width, lanes, at):
    """Write `width` neighbours of the agent at place `own`, from number `start` on, to the lanes from `at` on."""
    px = packed[own, 0]
    py = packed[own, 1]
    vx = packed[own, 2]
    vy = packed[own, 3]
    radius = packed[own, 4]
    near = near_place[start:]
    mine = lanes[at:]
    for c in range(width):
        j = near[c]
        mine[c] = packed[j, 0] - px
        mine[LANES + c] = packed[j, 1] - py
        mine[2 * LANES + c] = packed[j, 2]
        mine[3 * LANES + c] = packed[j, 3]
        mine[4 * LANES + c] = radius + packed[j, 4]
        mine[5 * LANES + c] = vx
        mine[6 * LANES + c] = vy
        mine[7 * LANES + c] = horizon


@kernel(
    "Tuple((b1,f8,i8))(i8,f8[:,::1],f8,f8,b1,i8,i8[::1],i8[::1],f8[::1],i8[::1],i8,i8,f8[::1],i8,f8[:,::1],i8,f8,i8)",
    inline=True,
)
def take_rows(
    own, packed, horizon, dt, part_coincident, seed, order, identifier, near_distance, near_place, start, width,
    lanes, at, planes, row, deepest, partner,
):  # fmt: skip
    """Write the half-planes in `width` lanes from `at` on to the rows from `row` on, those of overlapping pairs anew.

    They belong to the neighbours from the one numbered `start` on. Returns (whether a coincident pair was parted, the
    deepest overlap, the place of the agent it is with or -1), beginning with the last two as given.
    """
    parted = False
    overlaps = 0
    near = near_place[start:]
    squared = near_distance[start:]
    mine = lanes[at:]
    rows = planes[row : row + width]
    for c in range(width):
        r = mine[4 * LANES + c]
        overlaps += squared[c] <= r * r
        rows[c, 0] = mine[2 * LANES + c]
        rows[c, 1] = mine[3 * LANES + c]
        rows[c, 2] = mine[5 * LANES + c]
        rows[c, 3] = mine[6 * LANES + c]
    if overlaps > 0:
        vx = packed[own, 2]
        vy = packed[own, 3]
        for c in range(width):
            j = near[c]
            r = mine[4 * LANES + c]
            if not squared[c] <= r * r:
                continue
            depth = r - math.sqrt(squared[c])
            if depth > deepest:
                deepest = depth
                partner = j
            ax = mine[c]
            ay = mine[LANES + c]
            bx = packed[j, 2]
            by = packed[j, 3]
            if part_coincident and overlap_normal_is_degenerate(ax, ay, vx, vy, bx, by, dt):
                me = identifier[order[own]]
                other = identifier[order[j]]
                x, y, nx, ny = coincident_half_plane(seed, me, other, ax, ay, r, vx, vy, bx, by, dt, 0.5)
                parted = True
            else:
                x, y, nx, ny = agent_half_plane(ax, ay, r, vx, vy, bx, by, horizon, dt, 0.5)
            rows[c, 0] = x
            rows[c, 1] = y
            rows[c, 2] = nx
            rows[c, 3] = ny
    return parted, deepest, partner
