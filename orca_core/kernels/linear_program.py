"""The two-dimensional linear programs over half-planes inside the speed disc, and the relaxation when they fail.

Source: spec "The linear program (section 5.1)" and "The fallback (section 5.3)"; van den Berg et al. (ISRR 2011).
Half-planes are rows (point x, point y, normal x, normal y) of a float64 array; they are taken in list order, not in
random order."""

import math

from orca_core._jit import kernel

__all__ = ["maximize_along", "permitted_velocity", "relax", "solve", "solve_along_line"]

# below this the direction of a line and the normal of another count as parallel
PARALLEL = 1e-12
# two normals nearer than this (squared) bound the same direction
SAME_NORMAL_SQUARED = 1e-24


@kernel("Tuple((b1,f8,f8))(f8[:,::1],i8,f8)", inline=True)
def solve_along_line(planes, i, limit):
    """Interval [lower, upper] of t for which P_i + t d lies in the disc |v| <= limit and in every half-plane before i.

    d = (-N.y, N.x) of row i. Returns (feasible, lower, upper).
    """
    px = planes[i, 0]
    py = planes[i, 1]
    dx = -planes[i, 3]
    dy = planes[i, 2]
    along = px * dx + py * dy
    discriminant = along * along + limit * limit - (px * px + py * py)
    if not discriminant >= 0.0:
        return False, 0.0, 0.0
    root = math.sqrt(discriminant)
    lower = -along - root
    upper = -along + root
    # no branch in the loop: which side a row bounds is a coin toss that a processor loses every other time. Bounds only
    # close in, so one look at the end says what a look at every row would
    blocked = False
    for j in range(i):
        nx = planes[j, 2]
        ny = planes[j, 3]
        denominator = dx * nx + dy * ny
        numerator = (px - planes[j, 0]) * nx + (py - planes[j, 1]) * ny
        parallel = abs(denominator) <= PARALLEL
        blocked |= parallel & (numerator < 0.0)
        t = -numerator / (1.0 if parallel else denominator)
        below = t if t > lower else lower
        above = t if t < upper else upper
        lower = below if denominator > PARALLEL else lower
        upper = above if denominator < -PARALLEL else upper
    if blocked or lower > upper:
        return False, 0.0, 0.0
    return True, lower, upper


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,f8,f8,f8)")
def solve(planes, count, limit, preferred_x, preferred_y):
    """Velocity inside the disc and the first `count` half-planes that is closest to the preferred velocity.

    Returns (failed, v x, v y): `failed` is the first infeasible row, or `count` when the program is feasible.
    """
    length = math.sqrt(preferred_x * preferred_x + preferred_y * preferred_y)
    if length <= limit:
        vx = preferred_x
        vy = preferred_y
    else:
        vx = preferred_x / length * limit
        vy = preferred_y / length * limit
    for i in range(count):
        px = planes[i, 0]
        py = planes[i, 1]
        nx = planes[i, 2]
        ny = planes[i, 3]
        if (vx - px) * nx + (vy - py) * ny >= 0.0:
            continue
        feasible, lower, upper = solve_along_line(planes, i, limit)
        if not feasible:
            return i, vx, vy
        dx = -ny
        dy = nx
        t = dx * (preferred_x - px) + dy * (preferred_y - py)
        if t < lower:
            t = lower
        elif t > upper:
            t = upper
        vx = px + dx * t
        vy = py + dy * t
    return count, vx, vy


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,f8,f8,f8)")
def maximize_along(planes, count, limit, objective_x, objective_y):
    """Velocity inside the disc and the first `count` half-planes that is farthest in the objective direction.

    Returns (failed, v x, v y) as `solve` does.
    """
    length = math.sqrt(objective_x * objective_x + objective_y * objective_y)
    vx = objective_x / length * limit
    vy = objective_y / length * limit
    for i in range(count):
        px = planes[i, 0]
        py = planes[i, 1]
        nx = planes[i, 2]
        ny = planes[i, 3]
        if (vx - px) * nx + (vy - py) * ny >= 0.0:
            continue
        feasible, lower, upper = solve_along_line(planes, i, limit)
        if not feasible:
            return i, vx, vy
        dx = -ny
        dy = nx
        rise = dx * objective_x + dy * objective_y
        if rise > 0.0:
            t = upper
        elif rise < 0.0:
            t = lower
        else:
            t = dx * (vx - px) + dy * (vy - py)
            if t < lower:
                t = lower
            elif t > upper:
                t = upper
        vx = px + dx * t
        vy = py + dy * t
    return count, vx, vy


@kernel("UniTuple(f8,2)(f8[:,::1],i8,i8,f8,f8[:,::1])")
def relax(planes, hard_count, count, limit, derived):
    """Velocity that keeps the hard half-planes and maximizes the smallest signed distance over the soft ones.

    `planes` rows [0, hard_count) are hard, [hard_count, count) soft. `derived` is scratch of at least `count` rows.
    """
    # the hard rows lead every program of the relaxation
    for k in range(hard_count):
        for c in range(4):
            derived[k, c] = planes[k, c]
    first = hard_count
    nx = planes[first, 2]
    ny = planes[first, 3]
    # a first program that fails by rounding leaves its last value as the velocity
    _, vx, vy = maximize_along(derived, hard_count, limit, nx, ny)
    level = (vx - planes[first, 0]) * nx + (vy - planes[first, 1]) * ny
    for j in range(first + 1, count):
        pjx = planes[j, 0]
        pjy = planes[j, 1]
        njx = planes[j, 2]
        njy = planes[j, 3]
        if (vx - pjx) * njx + (vy - pjy) * njy >= level:
            continue
        # each earlier soft row k contributes g_k(v) >= g_j(v)
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
        failed, wx, wy = maximize_along(derived, rows, limit, njx, njy)
        if failed == rows:
            vx = wx
            vy = wy
            level = (vx - pjx) * njx + (vy - pjy) * njy
    return vx, vy


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,i8,f8,f8,f8,f8[:,::1])")
def permitted_velocity(planes, hard_count, count, limit, preferred_x, preferred_y, derived):
    """The new velocity: the program, and the relaxation where it fails.

    Returns (failed, v x, v y); `failed` is `count` when the program was feasible, else the first infeasible row. A
    failure
    inside the hard prefix relaxes the hard rows alone and ignores the rest.
    """
    failed, vx, vy = solve(planes, count, limit, preferred_x, preferred_y)
    if failed < count:
        if failed < hard_count:
            vx, vy = relax(planes, 0, hard_count, limit, derived)
        else:
            vx, vy = relax(planes, hard_count, count, limit, derived)
    return failed, vx, vy
