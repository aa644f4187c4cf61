"""The rule that no displacement of a centre crosses a wall, whatever the horizon, the speed and the time step.

A wall is a two-sided segment. A move is blocked where it reaches the wall from aside: it may neither cross it, nor end
on it, nor run into its end lengthwise. Who stands exactly on a wall may leave to either side or walk along it. A
blocked move stops short of the wall, on the side it came from by the same exact orientation, so that the next step
starts from that side.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.orientation import orientation
from orca_core.kernels.tree import query_box

__all__ = ["clip_at_walls", "clip_listed", "wall_blocks", "wall_fraction", "wall_phase", "walls_block"]

# pulling back doubles from the spacing of doubles, 2^-53 of the largest coordinate; 64 reach any move
SPACING = 1.1102230246251565e-16
PULLS = 64


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8,f8[::1])")
def wall_blocks(px, py, qx, qy, ax, ay, bx, by, work):
    """Whether the move p -> q reaches the wall a-b from aside, ends included; exact."""
    side_p = orientation(ax, ay, bx, by, px, py, work)
    side_q = orientation(ax, ay, bx, by, qx, qy, work)
    if side_p != 0:
        if side_q == side_p:
            return False
        # p and q lie on different sides, or q on the line: the wall is met where its ends lie on different sides of the
        # move
        side_a = orientation(px, py, qx, qy, ax, ay, work)
        side_b = orientation(px, py, qx, qy, bx, by, work)
        return side_a * side_b <= 0
    # from the line of the wall to its side: only p itself is on the line, and from the wall itself everybody may leave
    if side_q != 0:
        return False
    if min(ax, bx) <= px <= max(ax, bx) and min(ay, by) <= py <= max(ay, by):
        return False
    # along the line, from beyond an end (a wall of no length has every line: then only the move's own tells)
    if orientation(px, py, qx, qy, ax, ay, work) != 0:
        return False
    along_x = min(px, qx) <= max(ax, bx) and max(px, qx) >= min(ax, bx)
    along_y = min(py, qy) <= max(ay, by) and max(py, qy) >= min(ay, by)
    return along_x and along_y


@kernel("f8(f8,f8,f8,f8,f8,f8,f8,f8)")
def wall_fraction(px, py, qx, qy, ax, ay, bx, by):
    """About where on the move p -> q, as a fraction, a wall a-b that blocks it is met."""
    ex = bx - ax
    ey = by - ay
    before = ex * (py - ay) - ey * (px - ax)
    after = ex * (qy - ay) - ey * (qx - ax)
    across = before - after
    if across != 0.0:
        return min(max(before / across, 0.0), 1.0)
    # lengthwise: the nearer end
    dx = qx - px
    dy = qy - py
    squared = dx * dx + dy * dy
    if squared <= 0.0:
        return 0.0
    to_a = ((ax - px) * dx + (ay - py) * dy) / squared
    to_b = ((bx - px) * dx + (by - py) * dy) / squared
    return min(max(min(to_a, to_b), 0.0), 1.0)


@kernel("b1(f8,f8,f8,f8,f8[:,::1],i8[::1],i8,f8[::1])")
def walls_block(px, py, qx, qy, walls, found, count, work):
    """Whether any of the walls in found[:count] blocks the move; a negative count stands for all walls."""
    for k in range(count if count >= 0 else walls.shape[0]):
        w = found[k] if count >= 0 else k
        if wall_blocks(px, py, qx, qy, walls[w, 0], walls[w, 1], walls[w, 2], walls[w, 3], work):
            return True
    return False


@kernel("Tuple((f8,f8,b1))(f8,f8,f8,f8,f8[:,::1],i8[::1],i8,f8[::1])")
def clip_listed(px, py, qx, qy, walls, found, count, work):
    """`clip_at_walls` for the walls in found[:count], which must hold all near the move; negative: all walls."""
    blocked = False
    fraction = 1.0
    for k in range(count if count >= 0 else walls.shape[0]):
        w = found[k] if count >= 0 else k
        ax = walls[w, 0]
        ay = walls[w, 1]
        bx = walls[w, 2]
        by = walls[w, 3]
        if wall_blocks(px, py, qx, qy, ax, ay, bx, by, work):
            blocked = True
            fraction = min(fraction, wall_fraction(px, py, qx, qy, ax, ay, bx, by))
    if not blocked:
        return qx, qy, False
    # back from the crossing, first by as little as doubles can tell apart, until the rest of the move is free
    dx = qx - px
    dy = qy - py
    length = math.sqrt(dx * dx + dy * dy)
    if not 0.0 < length < math.inf:
        return px, py, True
    back = SPACING * max(max(abs(px), abs(py)), length) / length
    for _ in range(PULLS):
        fraction -= back
        if not fraction > 0.0:
            break
        x = px + dx * fraction
        y = py + dy * fraction
        if not walls_block(px, py, x, y, walls, found, count, work):
            return x, y, True
        back += back
    return px, py, True


@kernel("Tuple((f8,f8,b1))(f8,f8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1])")
def clip_at_walls(px, py, qx, qy, walls, nodes, leaves, order, boxes, stack, found, work):
    """Shorten the move p -> q so that it crosses no wall; returns (x, y, whether it was shortened).

    `walls` is (m, 4) of a x, a y, b x, b y with its box tree; `stack`, `found` and `work` are scratch. A free move
    comes back with its bits.
    """
    if walls.shape[0] == 0:
        return qx, qy, False
    count = query_box(
        nodes, leaves, order, boxes, walls.shape[0], min(px, qx), min(py, qy), max(px, qx), max(py, qy), stack, found
    )
    if count == 0:
        return qx, qy, False
    return clip_listed(px, py, qx, qy, walls, found, count, work)


@kernel(
    "i8(f8[:,::1],f8[:,::1],f8[:,::1],f8,i8[::1],u1[::1],u1,i8,i8,"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1])"
)
def wall_phase(
    position, velocity, next_position, dt, order, marks, mark, first, last, walls, nodes, leaves, rank, boxes, stack,
    found,
    work,
):  # fmt: skip
    """Clip the moves of the agents at the places [first, last) of `order` at the walls; returns how many were
    shortened.

    Only agents whose `marks` have the bit `mark` are looked at: a wall is within reach of their move. Where a move is
    shortened `next_position` and `velocity` = (next - position) / dt are written; all others keep their bits.
    """
    total = 0
    for place in range(first, last):
        if (marks[place] & mark) == 0:
            continue
        i = order[place]
        px = position[i, 0]
        py = position[i, 1]
        x, y, crossed = clip_at_walls(
            px, py, next_position[i, 0], next_position[i, 1], walls, nodes, leaves, rank, boxes, stack, found, work
        )
        if crossed:
            next_position[i, 0] = x
            next_position[i, 1] = y
            velocity[i, 0] = (x - px) / dt
            velocity[i, 1] = (y - py) / dt
            total += 1
    return total
