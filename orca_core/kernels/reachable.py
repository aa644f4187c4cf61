"""The linear programs of a body: over half-planes inside two discs, the reachable velocities and the permitted ones.

A disc of velocities that acceleration can reach lies anywhere, and its limit is as hard as a half-plane never is: the
programs of `linear_program` know one disc around zero. These are the same programs over the intersection of two, taken
exactly: the point of it nearest to another, the one farthest in a direction, and the part of a line within it. A
polygon in place of either disc was rejected: it is slower, and wrong by the width of a side.
`discs` is float64 (6,): centre x, y and radius of the reachable disc (infinite: everywhere), then of the permitted one.
The two are known to meet.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.linear_program import PARALLEL, SAME_NORMAL_SQUARED

__all__ = ["farthest_reachable", "nearest_reachable", "reachable_velocity", "within_disc"]

# a point is in a disc when it is no farther out than rounding of its place and of the radius explains
RADIUS_SLACK = 1e-12
PLACE_SLACK = 1e-14


@kernel("b1(f8,f8,f8,f8,f8)")
def within_disc(x, y, cx, cy, radius):
    """Whether a velocity lies in a disc, rounding allowed."""
    dx = x - cx
    dy = y - cy
    slack = RADIUS_SLACK * radius + PLACE_SLACK * (abs(cx) + abs(cy))
    return math.sqrt(dx * dx + dy * dy) <= radius + slack


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8)")
def onto_circle(x, y, cx, cy, radius):
    """The point of a circle nearest to another, which is not its centre (that stands for the point itself)."""
    dx = x - cx
    dy = y - cy
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return cx, cy
    return cx + dx / length * radius, cy + dy / length * radius


@kernel("UniTuple(f8,4)(f8[::1])")
def corners(discs):
    """The two points in which the circles meet; where they only touch, or do not by rounding, the same point twice."""
    dx = discs[3] - discs[0]
    dy = discs[4] - discs[1]
    apart = math.sqrt(dx * dx + dy * dy)
    if apart == 0.0:
        return discs[0], discs[1], discs[0], discs[1]
    dx /= apart
    dy /= apart
    along = 0.5 * (apart + (discs[2] - discs[5]) * (discs[2] + discs[5]) / apart)
    along = min(max(along, -discs[2]), discs[2])
    squared = discs[2] * discs[2] - along * along
    aside = math.sqrt(squared) if squared > 0.0 else 0.0
    x = discs[0] + dx * along
    y = discs[1] + dy * along
    return x - dy * aside, y + dx * aside, x + dy * aside, y - dx * aside


@kernel("UniTuple(f8,2)(f8,f8,f8[::1])")
def nearest_reachable(x, y, discs):
    """The velocity in both discs that is nearest to (x, y)."""
    in_first = discs[2] == math.inf or within_disc(x, y, discs[0], discs[1], discs[2])
    in_second = within_disc(x, y, discs[3], discs[4], discs[5])
    if in_first and in_second:
        return x, y
    # one circle alone is in the way
    if not in_second:
        qx, qy = onto_circle(x, y, discs[3], discs[4], discs[5])
        if discs[2] == math.inf or within_disc(qx, qy, discs[0], discs[1], discs[2]):
            return qx, qy
    if not in_first:
        qx, qy = onto_circle(x, y, discs[0], discs[1], discs[2])
        if within_disc(qx, qy, discs[3], discs[4], discs[5]):
            return qx, qy
    # both are
    ax, ay, bx, by = corners(discs)
    if (ax - x) * (ax - x) + (ay - y) * (ay - y) <= (bx - x) * (bx - x) + (by - y) * (by - y):
        return ax, ay
    return bx, by


@kernel("UniTuple(f8,2)(f8,f8,f8[::1])")
def farthest_reachable(nx, ny, discs):
    """The velocity in both discs that is farthest in the direction (nx, ny), which is not zero."""
    length = math.sqrt(nx * nx + ny * ny)
    nx = nx / length
    ny = ny / length
    x = discs[3] + nx * discs[5]
    y = discs[4] + ny * discs[5]
    if discs[2] == math.inf or within_disc(x, y, discs[0], discs[1], discs[2]):
        return x, y
    x = discs[0] + nx * discs[2]
    y = discs[1] + ny * discs[2]
    if within_disc(x, y, discs[3], discs[4], discs[5]):
        return x, y
    ax, ay, bx, by = corners(discs)
    if (ax - bx) * nx + (ay - by) * ny >= 0.0:
        return ax, ay
    return bx, by


@kernel("Tuple((b1,f8,f8))(f8[:,::1],i8,f8[::1])")
def reachable_along(planes, i, discs):
    """Interval [lower, upper] of t for which P_i + t d lies in both discs and in every half-plane before i.

    d = (-N.y, N.x) of row i. Returns (feasible, lower, upper).
    """
    px = planes[i, 0]
    py = planes[i, 1]
    dx = -planes[i, 3]
    dy = planes[i, 2]
    lower = -math.inf
    upper = math.inf
    for disc in range(0, 6, 3):
        radius = discs[disc + 2]
        if radius == math.inf:
            continue
        wx = px - discs[disc]
        wy = py - discs[disc + 1]
        aside = wx * dy - wy * dx
        squared = radius * radius - aside * aside
        if not squared >= 0.0:
            return False, 0.0, 0.0
        root = math.sqrt(squared)
        middle = -(wx * dx + wy * dy)
        lower = max(lower, middle - root)
        upper = min(upper, middle + root)
    for j in range(i):
        nx = planes[j, 2]
        ny = planes[j, 3]
        denominator = dx * nx + dy * ny
        numerator = (px - planes[j, 0]) * nx + (py - planes[j, 1]) * ny
        if abs(denominator) <= PARALLEL:
            if numerator < 0.0:
                return False, 0.0, 0.0
            continue
        t = -numerator / denominator
        if denominator > 0.0:
            lower = max(lower, t)
        else:
            upper = min(upper, t)
    if lower > upper:
        return False, 0.0, 0.0
    return True, lower, upper


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,f8[::1],f8,f8)")
def solve_reachable(planes, count, discs, preferred_x, preferred_y):
    """Velocity in the discs and the first `count` half-planes that is closest to the preferred one.

    Returns (failed, v x, v y) as `linear_program.solve` does.
    """
    vx, vy = nearest_reachable(preferred_x, preferred_y, discs)
    for i in range(count):
        px = planes[i, 0]
        py = planes[i, 1]
        nx = planes[i, 2]
        ny = planes[i, 3]
        if (vx - px) * nx + (vy - py) * ny >= 0.0:
            continue
        feasible, lower, upper = reachable_along(planes, i, discs)
        if not feasible:
            return i, vx, vy
        t = min(max(nx * (preferred_y - py) - ny * (preferred_x - px), lower), upper)
        vx = px - ny * t
        vy = py + nx * t
    return count, vx, vy


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,f8[::1],f8,f8)")
def maximize_reachable(planes, count, discs, objective_x, objective_y):
    """Velocity in the discs and the first `count` half-planes that is farthest in the objective direction.

    Returns (failed, v x, v y) as `linear_program.maximize_along` does.
    """
    vx, vy = farthest_reachable(objective_x, objective_y, discs)
    for i in range(count):
        px = planes[i, 0]
        py = planes[i, 1]
        nx = planes[i, 2]
        ny = planes[i, 3]
        if (vx - px) * nx + (vy - py) * ny >= 0.0:
            continue
        feasible, lower, upper = reachable_along(planes, i, discs)
        if not feasible:
            return i, vx, vy
        rise = nx * objective_y - ny * objective_x
        if rise > 0.0:
            t = upper
        elif rise < 0.0:
            t = lower
        else:
            t = min(max(nx * (vy - py) - ny * (vx - px), lower), upper)
        vx = px - ny * t
        vy = py + nx * t
    return count, vx, vy


@kernel("UniTuple(f8,2)(f8[:,::1],i8,i8,f8[::1],f8[:,::1])")
def relax_reachable(planes, hard_count, count, discs, derived):
    """Velocity that keeps the hard half-planes and maximizes the smallest signed distance over the soft ones.

    As `linear_program.relax`: rows [0, hard_count) of `planes` are hard, [hard_count, count) soft; `derived` is scratch
    of at least `count` rows.
    """
    for k in range(hard_count):
        for c in range(4):
            derived[k, c] = planes[k, c]
    first = hard_count
    nx = planes[first, 2]
    ny = planes[first, 3]
    _, vx, vy = maximize_reachable(derived, hard_count, discs, nx, ny)
    level = (vx - planes[first, 0]) * nx + (vy - planes[first, 1]) * ny
    for j in range(first + 1, count):
        pjx = planes[j, 0]
        pjy = planes[j, 1]
        njx = planes[j, 2]
        njy = planes[j, 3]
        if (vx - pjx) * njx + (vy - pjy) * njy >= level:
            continue
        rows = hard_count
        offset_j = pjx * njx + pjy * njy
        for k in range(first, j):
            mx = planes[k, 2] - njx
            my = planes[k, 3] - njy
            squared = mx * mx + my * my
            if squared <= SAME_NORMAL_SQUARED:
                continue
            length = math.sqrt(squared)
            hx = mx / length
            hy = my / length
            ratio = ((planes[k, 0] * planes[k, 2] + planes[k, 1] * planes[k, 3]) - offset_j) / length
            derived[rows, 0] = hx * ratio
            derived[rows, 1] = hy * ratio
            derived[rows, 2] = hx
            derived[rows, 3] = hy
            rows += 1
        failed, wx, wy = maximize_reachable(derived, rows, discs, njx, njy)
        if failed == rows:
            vx = wx
            vy = wy
            level = (vx - pjx) * njx + (vy - pjy) * njy
    return vx, vy


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,i8,i8,f8[::1],f8,f8,f8[:,::1])")
def reachable_velocity(planes, body_count, hard_count, count, discs, preferred_x, preferred_y, derived):
    """The new velocity of a body: the program, and the relaxation where it fails. Returns (failed, v x, v y).

    Rows [0, body_count) say what the body can do and are never relaxed, rows up to `hard_count` are walls and
    boundaries, the rest agents. Where walls ask for more than the body can do they alone are relaxed, within what it
    can, and agents are passed over, as in the text.
    """
    failed, vx, vy = solve_reachable(planes, count, discs, preferred_x, preferred_y)
    if failed < count:
        if failed < body_count:
            # every row of the body permits braking, so only rounding comes here, and the caller mends it
            return failed, vx, vy
        if failed < hard_count:
            vx, vy = relax_reachable(planes, body_count, hard_count, discs, derived)
        else:
            vx, vy = relax_reachable(planes, hard_count, count, discs, derived)
    return failed, vx, vy
