"""Choosing outside velocity obstacles themselves: the modes `vo` and `rvo`, which show what half-planes are for.

Velocity obstacles (Fiorini and Shiller, 1998): a velocity is taken that hits nobody who keeps his own. Reciprocal
velocity obstacles (van den Berg, Lin and Manocha, ICRA 2008): the point of each cone lies at the mean of both
velocities, so each takes half of what is needed. What is left outside of several cones is not convex, so there is no
program for it: a fixed list of velocities is judged, the one nearest to the preferred one that hits nobody wins, and
where none is, the one with the least of closeness in time and of distance from the preferred one, as in that paper.

The list: the wish itself, rest, the present velocity; for each neighbour the nearest points of both tangents and of the
rounded front of its cone, and where they leave the disc of speeds; where tangents and fronts of two cones meet; and
three rings of sixteen directions. The best velocity that hits nobody is one of them, walls apart, as long as no more
than eleven neighbours count; the rings only help where there is none.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.linear_program import PARALLEL

__all__ = ["chosen_velocity", "time_to_collision"]

# how many neighbours have the tangents of their cones met with those of others
PAIRED = 10
# distance (m) that a collision right now is worth, over its time: the paper's weight
SAFETY = 7.5
# a velocity on a tangent touches; a radius smaller by this share is what counts as hit
TOUCH = 1.0 - 1e-9
# what rounding may put beyond a wall's half-plane or the disc
SLACK = 1e-9
# cosines of the multiples of 22.5 degrees, for the rings
C1 = 0.9238795325112867
C2 = 0.7071067811865476
C3 = 0.3826834323650898
COSINES = (1.0, C1, C2, C3, 0.0, -C3, -C2, -C1, -1.0, -C1, -C2, -C3, 0.0, C3, C2, C1)
RINGS = 3


@kernel("f8(f8,f8,f8,f8,f8,f8,f8)")
def time_to_collision(ax, ay, r, x, y, horizon, dt):
    """Seconds until a relative velocity (x, y) hits a disc of radius r at (ax, ay); infinite beyond the horizon.

    Where the two overlap: the time step, times what part of the radius they are apart by its end, infinite where they
    are no longer in each other.
    """
    squared = ax * ax + ay * ay
    if squared <= r * r:
        dx = ax - x * dt
        dy = ay - y * dt
        left = math.sqrt(dx * dx + dy * dy)
        return math.inf if left >= r * TOUCH else dt * left / r
    along = ax * x + ay * y
    if along <= 0.0:
        return math.inf
    speed_squared = x * x + y * y
    aside = ax * y - ay * x
    touching = r * TOUCH
    inside = touching * touching * speed_squared - aside * aside
    if inside <= 0.0:
        return math.inf
    time = (along - math.sqrt(inside)) / speed_squared
    # the front of the cone is a boundary too
    return time if time < horizon * TOUCH else math.inf


@kernel("void(f8,f8,f8,f8,f8,f8[:,::1],i8,f8,f8,i8,f8[:,::1],i8[::1],i8,f8[::1],f8,f8[::1])")
def judge(x, y, wish_x, wish_y, limit, planes, hard, vx, vy, own, packed, near_place, kept, shares, dt, best):
    """Judge one velocity, and keep it in `best` (6,) where it is better: whether hitting nobody, cost, x, y, horizon.

    It counts only inside the disc of speeds and the first `hard` half-planes.
    """
    if x * x + y * y > limit * limit * (1.0 + SLACK):
        return
    for row in range(hard):
        if (x - planes[row, 0]) * planes[row, 2] + (y - planes[row, 1]) * planes[row, 3] < -SLACK:
            return
    dx = x - wish_x
    dy = y - wish_y
    away = math.sqrt(dx * dx + dy * dy)
    # nothing that is farther away than one that hits nobody can be better
    if best[0] == 1.0 and away >= best[1]:
        return
    soonest = math.inf
    for n in range(kept):
        j = near_place[n]
        time = time_to_collision(
            packed[j, 0] - packed[own, 0], packed[j, 1] - packed[own, 1], packed[own, 4] + packed[j, 4],
            (x - vx) / shares[n] + vx - packed[j, 2], (y - vy) / shares[n] + vy - packed[j, 3], best[4], dt,
        )  # fmt: skip
        soonest = min(soonest, time)
    if soonest == math.inf:
        best[0] = 1.0
        best[1] = away
        best[2] = x
        best[3] = y
    elif best[0] == 0.0:
        cost = away + (SAFETY / soonest if soonest > 0.0 else math.inf)
        if cost < best[1]:
            best[1] = cost
            best[2] = x
            best[3] = y


@kernel("UniTuple(f8,2)(f8,f8,f8,i8)")
def tangent(ax, ay, r, side):
    """Unit direction of the right (0) or left (1) tangent from the origin to a disc of radius r at (ax, ay)."""
    squared = ax * ax + ay * ay
    inside = squared - r * r
    leg = math.sqrt(inside if inside > 0.0 else 0.0)
    signed = r if side == 1 else -r
    return (ax * leg - ay * signed) / squared, (ax * signed + ay * leg) / squared


@kernel("b1(i8,i8,f8[:,::1])")
def overlaps(own, j, packed):
    """Whether the agents at two places overlap."""
    ax = packed[j, 0] - packed[own, 0]
    ay = packed[j, 1] - packed[own, 1]
    r = packed[own, 4] + packed[j, 4]
    return ax * ax + ay * ay <= r * r


@kernel("UniTuple(f8,4)(i8,i8,i8,f8,f8[:,::1])")
def edge_of_cone(own, j, side, share, packed):
    """A tangent of the cone of the neighbour at place j, in the velocities of the agent: its point and direction."""
    vx = packed[own, 2]
    vy = packed[own, 3]
    dx, dy = tangent(packed[j, 0] - packed[own, 0], packed[j, 1] - packed[own, 1], packed[own, 4] + packed[j, 4], side)
    return vx + share * (packed[j, 2] - vx), vy + share * (packed[j, 3] - vy), dx, dy


@kernel("UniTuple(f8,3)(i8,i8,f8,f8,f8,f8[:,::1])")
def front_of_cone(own, j, share, horizon, dt, packed):
    """The circle (centre x, y, radius) in which time cuts off the cone of the neighbour at place j: horizon or step."""
    time = dt if overlaps(own, j, packed) else horizon
    scale = share / time
    vx = packed[own, 2]
    vy = packed[own, 3]
    return (
        vx + share * (packed[j, 2] - vx) + scale * (packed[j, 0] - packed[own, 0]),
        vy + share * (packed[j, 3] - vy) + scale * (packed[j, 1] - packed[own, 1]),
        scale * (packed[own, 4] + packed[j, 4]),
    )


@kernel("Tuple((b1,f8,f8,f8,f8))(f8,f8,f8,f8,f8,f8,f8)")
def line_and_circle(px, py, dx, dy, cx, cy, radius):
    """Where a line p + t d meets a circle; returns (whether it does, x, y, x, y)."""
    wx = px - cx
    wy = py - cy
    aside = wx * dy - wy * dx
    squared = radius * radius - aside * aside
    if not squared >= 0.0:
        return False, 0.0, 0.0, 0.0, 0.0
    root = math.sqrt(squared)
    middle = -(wx * dx + wy * dy)
    return (
        True, px + dx * (middle - root), py + dy * (middle - root), px + dx * (middle + root),
        py + dy * (middle + root),
    )  # fmt: skip


@kernel("Tuple((b1,f8,f8,f8,f8))(f8,f8,f8,f8,f8,f8)")
def two_circles(ax, ay, a, bx, by, b):
    """Where two circles meet; returns (whether they do, x, y, x, y)."""
    dx = bx - ax
    dy = by - ay
    squared = dx * dx + dy * dy
    if squared == 0.0:
        return False, 0.0, 0.0, 0.0, 0.0
    # on the line through both points: the one where the two powers are equal
    along = 0.5 * (1.0 + (a - b) * (a + b) / squared)
    apart = math.sqrt(squared)
    return line_and_circle(ax + dx * along, ay + dy * along, -dy / apart, dx / apart, ax, ay, a)


@kernel("Tuple((b1,f8,f8))(i8,f8[:,::1],i8[::1],i8,f8,f8,f8[::1],f8,f8,f8,f8[:,::1],i8,f8[::1])")
def chosen_velocity(
    own, packed, near_place, kept, horizon, dt, shares, limit, wish_x, wish_y, planes, hard, best
):  # fmt: skip
    """The velocity that the agent at place `own` takes; returns (whether it hits nobody within the horizon, x, y).

    `shares` (kept,) are the parts of the correction against each neighbour that it takes on itself: 1 for velocity
    obstacles, one half for reciprocal ones, or what is its responsibility. `wish` must lie in the disc of speeds and
    keep the first `hard` half-planes. `best` is scratch (6,).
    """
    vx = packed[own, 2]
    vy = packed[own, 3]
    best[0] = 0.0
    best[1] = math.inf
    best[2] = wish_x
    best[3] = wish_y
    best[4] = horizon
    about = (wish_x, wish_y, limit, planes, hard, vx, vy, own, packed, near_place, kept, shares, dt, best)
    judge(wish_x, wish_y, *about)
    if best[0] == 1.0:
        return True, wish_x, wish_y
    judge(0.0, 0.0, *about)
    judge(vx, vy, *about)
    for n in range(kept):
        j = near_place[n]
        apart = not overlaps(own, j, packed)
        # the front: its nearest point, and where it leaves the disc
        cx, cy, radius = front_of_cone(own, j, shares[n], horizon, dt, packed)
        dx = wish_x - cx
        dy = wish_y - cy
        length = math.sqrt(dx * dx + dy * dy)
        if length > 0.0:
            judge(cx + dx / length * radius, cy + dy / length * radius, *about)
        met, ax, ay, bx, by = two_circles(cx, cy, radius, 0.0, 0.0, limit)
        if met:
            judge(ax, ay, *about)
            judge(bx, by, *about)
        # the tangents likewise
        for side in range(2 if apart else 0):
            px, py, dx, dy = edge_of_cone(own, j, side, shares[n], packed)
            along = max(dx * (wish_x - px) + dy * (wish_y - py), 0.0)
            judge(px + dx * along, py + dy * along, *about)
            met, ax, ay, bx, by = line_and_circle(px, py, dx, dy, 0.0, 0.0, limit)
            if met:
                judge(ax, ay, *about)
                judge(bx, by, *about)
        # and where they meet those of the neighbours before
        for m in range(min(n, PAIRED)):
            k = near_place[m]
            ox, oy, other_radius = front_of_cone(own, k, shares[m], horizon, dt, packed)
            met, ax, ay, bx, by = two_circles(cx, cy, radius, ox, oy, other_radius)
            if met:
                judge(ax, ay, *about)
                judge(bx, by, *about)
            other_apart = not overlaps(own, k, packed)
            for side in range(2 if apart else 0):
                px, py, dx, dy = edge_of_cone(own, j, side, shares[n], packed)
                met, ax, ay, bx, by = line_and_circle(px, py, dx, dy, ox, oy, other_radius)
                if met:
                    judge(ax, ay, *about)
                    judge(bx, by, *about)
            for other in range(2 if other_apart else 0):
                qx, qy, ex, ey = edge_of_cone(own, k, other, shares[m], packed)
                met, ax, ay, bx, by = line_and_circle(qx, qy, ex, ey, cx, cy, radius)
                if met:
                    judge(ax, ay, *about)
                    judge(bx, by, *about)
                for side in range(2 if apart else 0):
                    px, py, dx, dy = edge_of_cone(own, j, side, shares[n], packed)
                    across = dx * ey - dy * ex
                    if abs(across) > PARALLEL:
                        t = ((qx - px) * ey - (qy - py) * ex) / across
                        judge(px + dx * t, py + dy * t, *about)
    for ring in range(1, RINGS + 1):
        speed = limit * ring / RINGS
        for turn in range(16):
            judge(COSINES[turn] * speed, COSINES[(turn + 12) % 16] * speed, *about)
    return best[0] == 1.0, best[2], best[3]
