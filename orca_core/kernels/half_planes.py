"""The half-planes of one agent for all its neighbours at once.

The same numbers as `velocity_obstacle.agent_half_plane` gives one by one, bit for bit: both cases of the truncated
cone are
computed for every neighbour and one is chosen, without a branch, so that a compiler makes vector code of the square
roots and
divisions. Branching mispredicts at every third neighbour and costs more than computing twice. Overlaps are rare and go
one by one.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.symmetry import coincident_half_plane
from orca_core.kernels.velocity_obstacle import agent_half_plane, overlap_normal_is_degenerate

__all__ = ["LANES", "LANE_ROWS", "agent_rows", "cone_lanes"]

# neighbours taken together, and how many numbers there are of each: five in, four out
LANES = 16
LANE_ROWS = 9


@kernel("void(f8[::1],f8,f8,f8)", inline=True)
def cone_lanes(lanes, vx, vy, tau):
    """Half-planes of an agent with velocity (vx, vy) for sixteen neighbours that it does not overlap.

    `lanes` is float64 (LANE_ROWS * LANES,): blocks of relative x, y, neighbour's velocity x, y and sum of radii come
    in;
    blocks of point x, y and normal x, y are written. Blocks lie in one array at fixed distances, which is what lets a
    compiler see that they do not overlap.
    """
    for c in range(LANES):
        ax = lanes[c]
        ay = lanes[LANES + c]
        r = lanes[4 * LANES + c]
        x = vx - lanes[2 * LANES + c]
        y = vy - lanes[3 * LANES + c]
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
        lanes[5 * LANES + c] = vx + 0.5 * ux
        lanes[6 * LANES + c] = vy + 0.5 * uy
        lanes[7 * LANES + c] = arc_x if cutoff else (-along_y if left else along_y)
        lanes[8 * LANES + c] = arc_y if cutoff else (along_x if left else -along_x)


@kernel(
    "Tuple((i8,b1,f8,i8))(i8,f8[:,::1],f8,f8,b1,i8,i8[::1],i8[::1],f8[::1],i8[::1],i8,f8[::1],f8[:,::1],i8)",
    inline=True,
)
def agent_rows(
    own,
    packed,
    horizon,
    dt,
    part_coincident,
    seed,
    order,
    identifier,
    near_distance,
    near_place,
    near_count,
    lanes,
    planes,
    row,
):
    """Append the half-planes of the neighbours in their order.

    Returns (rows, whether a coincident pair was parted, the deepest overlap, the place of the agent it is with or -1).
    """
    px = packed[own, 0]
    py = packed[own, 1]
    vx = packed[own, 2]
    vy = packed[own, 3]
    radius = packed[own, 4]
    parted = False
    deepest = 0.0
    partner = -1
    for start in range(0, near_count, LANES):
        width = min(near_count - start, LANES)
        overlaps = 0
        for c in range(width):
            j = near_place[start + c]
            r = radius + packed[j, 4]
            lanes[c] = packed[j, 0] - px
            lanes[LANES + c] = packed[j, 1] - py
            lanes[2 * LANES + c] = packed[j, 2]
            lanes[3 * LANES + c] = packed[j, 3]
            lanes[4 * LANES + c] = r
            overlaps += near_distance[start + c] <= r * r
        # lanes without a neighbour hold one that is far away
        for c in range(width, LANES):
            lanes[c] = 1.0
            lanes[LANES + c] = 0.0
            lanes[2 * LANES + c] = 0.0
            lanes[3 * LANES + c] = 0.0
            lanes[4 * LANES + c] = 0.5
        cone_lanes(lanes, vx, vy, horizon)
        rows = planes[row : row + width]
        for c in range(width):
            rows[c, 0] = lanes[5 * LANES + c]
            rows[c, 1] = lanes[6 * LANES + c]
            rows[c, 2] = lanes[7 * LANES + c]
            rows[c, 3] = lanes[8 * LANES + c]
        if overlaps > 0:
            for c in range(width):
                j = near_place[start + c]
                r = lanes[4 * LANES + c]
                if not near_distance[start + c] <= r * r:
                    continue
                depth = r - math.sqrt(near_distance[start + c])
                if depth > deepest:
                    deepest = depth
                    partner = j
                ax = lanes[c]
                ay = lanes[LANES + c]
                bx = lanes[2 * LANES + c]
                by = lanes[3 * LANES + c]
                if part_coincident and overlap_normal_is_degenerate(ax, ay, vx, vy, bx, by, dt):
                    mine = identifier[order[own]]
                    other = identifier[order[j]]
                    x, y, nx, ny = coincident_half_plane(seed, mine, other, ax, ay, r, vx, vy, bx, by, dt, 0.5)
                    parted = True
                else:
                    x, y, nx, ny = agent_half_plane(ax, ay, r, vx, vy, bx, by, horizon, dt, 0.5)
                rows[c, 0] = x
                rows[c, 1] = y
                rows[c, 2] = nx
                rows[c, 3] = ny
        row += width
    return row, parted, deepest, partner
