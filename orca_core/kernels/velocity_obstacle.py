"""Velocity obstacles and the half-planes they induce, for other agents and for two-sided wall segments.

Source: spec "Building a constraint"; van den Berg, Guy, Lin and Manocha, Reciprocal n-body collision avoidance (ISRR
2011), sections 4 and 5.4. Everything is relative to the agent being steered, which sits at the origin. A half-plane
is the four
numbers (point x, point y, normal x, normal y); it permits the velocities v with (v - point) . normal >= 0.
"""

import math

from orca_core._jit import kernel

__all__ = [
    "agent_half_plane",
    "case_form",
    "overlap_normal_is_degenerate",
    "segment_distance_squared",
    "segment_half_plane",
    "support_form",
    "wall_half_plane",
]

# relative slack of the domain test of the support function (spec, "Domain test for a candidate")
DOMAIN_TOLERANCE = 1e-9
# below this squared length the direction of a relative velocity is lost to underflow (a gap under about 1e-140)
DEGENERATE_SQUARED = 1e-280
# what is this much farther than the radius (squared distances) is certainly not overlapped, and no leg can be nearest
APART = 1.00001
# the nearest point is certainly within the segment, or its end, where it is so much of the distance away from the
# other case (squared), and the distance no smaller part of the segment's own (squared)
CERTAIN = 1e-6
NOT_TINY = 1e-8
# under this, fourth powers of lengths are no longer told apart
TELLING = 1e-200


@kernel("f8(f8,f8,f8,f8)")
def segment_distance_squared(ax, ay, bx, by):
    """Squared distance of the origin to the segment a-b (a point where a equals b), by the clamped projection."""
    ex = bx - ax
    ey = by - ay
    squared = ex * ex + ey * ey
    if squared == 0.0:
        return ax * ax + ay * ay
    t = -(ax * ex + ay * ey) / squared
    if t < 0.0:
        t = 0.0
    elif t > 1.0:
        t = 1.0
    cx = ax + ex * t
    cy = ay + ey * t
    return cx * cx + cy * cy


@kernel("UniTuple(f8,3)(f8,f8,f8,f8,f8,f8,f8,f8,b1)")
def support_form(ax, ay, bx, by, r, x, y, tau, unrestricted):
    """Signed distance of the velocity (x, y) from the velocity obstacle of the capsule a-b grown by r, and its
    outward normal.

    Returns (d, normal x, normal y); d is positive outside. `unrestricted` admits every candidate: the bounded
    obstacle of
    the overlap case, where `tau` is the time step. Candidates come in the order of the spec; one replaces the best
    only when
    its value is strictly greater.
    """
    wax = x - ax / tau
    way = y - ay / tau
    wbx = x - bx / tau
    wby = y - by / tau
    is_segment = ax != bx or ay != by
    tolerance_a = DOMAIN_TOLERANCE * (math.sqrt(ax * ax + ay * ay) + r)
    tolerance_b = DOMAIN_TOLERANCE * (math.sqrt(bx * bx + by * by) + r)
    found = False
    best = 0.0
    best_x = 1.0
    best_y = 0.0
    for candidate in range(8):
        # build the candidate direction; a missing one is passed over
        nx = 0.0
        ny = 0.0
        if candidate == 0 or candidate == 1:
            if candidate == 1 and not is_segment:
                continue
            wx = wax if candidate == 0 else wbx
            wy = way if candidate == 0 else wby
            # the guard is on the computed length: components may differ from zero and their squares underflow
            length = math.sqrt(wx * wx + wy * wy)
            if length == 0.0:
                continue
            nx = wx / length
            ny = wy / length
        elif candidate == 2 or candidate == 3:
            if not is_segment:
                continue
            ex = bx - ax
            ey = by - ay
            length = math.sqrt(ex * ex + ey * ey)
            if not length > 0.0:
                continue
            nx = -ey / length
            ny = ex / length
            if candidate == 3:
                nx = -nx
                ny = -ny
        else:
            if candidate >= 6 and not is_segment:
                continue
            # leg normals: n . p = -r
            px = ax if candidate < 6 else bx
            py = ay if candidate < 6 else by
            rho2 = px * px + py * py
            inside = rho2 - r * r
            if not inside >= 0.0 or rho2 == 0.0:
                continue
            leg = math.sqrt(inside)
            cx = -r * px
            cy = -r * py
            qx = -py * leg
            qy = px * leg
            if candidate == 4 or candidate == 6:
                nx = (cx + qx) / rho2
                ny = (cy + qy) / rho2
            else:
                nx = (cx - qx) / rho2
                ny = (cy - qy) / rho2
        # the domain: directions in which the support function is finite
        if not unrestricted:
            if not (nx * ax + ny * ay) + r <= tolerance_a:
                continue
            if not (nx * bx + ny * by) + r <= tolerance_b:
                continue
        value = min(nx * wax + ny * way, nx * wbx + ny * wby)
        if not found or value > best:
            found = True
            best = value
            best_x = nx
            best_y = ny
    if not found:
        sx = ax + bx
        sy = ay + by
        length = math.sqrt(sx * sx + sy * sy)
        if length > 0.0:
            best_x = -sx / length
            best_y = -sy / length
        best = min(best_x * wax + best_y * way, best_x * wbx + best_y * wby)
    return best - r / tau, best_x, best_y


@kernel("UniTuple(f8,4)(f8,f8,f8,f8,f8,f8)")
def case_form(ax, ay, r, x, y, tau):
    """Correction u and outward normal for another agent at (ax, ay), |a| > r, by the cases of the truncated cone.

    Returns (u x, u y, normal x, normal y); the tie of a relative velocity exactly along the axis takes the right leg.
    """
    wx = x - ax / tau
    wy = y - ay / tau
    dot1 = wx * ax + wy * ay
    w_squared = wx * wx + wy * wy
    if dot1 < 0.0 and w_squared > 0.0 and dot1 * dot1 > r * r * w_squared:
        # cutoff: x projects onto the arc
        length = math.sqrt(w_squared)
        nx = wx / length
        ny = wy / length
        depth = r / tau - length
        return nx * depth, ny * depth, nx, ny
    # leg: x projects onto one of the two tangents
    a_squared = ax * ax + ay * ay
    leg = math.sqrt(a_squared - r * r)
    if ax * wy - ay * wx > 0.0:
        direction_x = (ax * leg - ay * r) / a_squared
        direction_y = (ax * r + ay * leg) / a_squared
        nx = -direction_y
        ny = direction_x
    else:
        direction_x = (ax * leg + ay * r) / a_squared
        direction_y = (ay * leg - ax * r) / a_squared
        nx = direction_y
        ny = -direction_x
    along = x * direction_x + y * direction_y
    return direction_x * along - x, direction_y * along - y, nx, ny


@kernel("UniTuple(f8,4)(f8,f8,f8,f8,f8,f8,f8,f8,f8,f8)")
def agent_half_plane(ax, ay, r, vax, vay, vbx, vby, tau, dt, responsibility):
    """Half-plane of an agent with velocity va for a neighbour at (ax, ay) with velocity vb; r is the sum of the radii.

    Source: spec "Agents (equation 6)". Where the two overlap (distance <= r) the obstacle is the disc of one time step.
    """
    x = vax - vbx
    y = vay - vby
    squared = ax * ax + ay * ay
    if squared <= r * r:
        wx = x - ax / dt
        wy = y - ay / dt
        length = math.sqrt(wx * wx + wy * wy)
        if squared < r * r and length > 0.0:
            # deep inside the disc there are no legs: of the candidates of the support form the first alone is left
            nx = wx / length
            ny = wy / length
            d = (nx * wx + ny * wy) - r / dt
        else:
            d, nx, ny = support_form(ax, ay, ax, ay, r, x, y, dt, True)
        ux = -d * nx
        uy = -d * ny
    else:
        ux, uy, nx, ny = case_form(ax, ay, r, x, y, tau)
    return vax + responsibility * ux, vay + responsibility * uy, nx, ny


@kernel("b1(f8,f8,f8,f8,f8,f8,f8)")
def overlap_normal_is_degenerate(ax, ay, vax, vay, vbx, vby, dt):
    """Whether two overlapping agents have no direction to part in: relative position and velocity vanish when
    squared.
    """
    wx = (vax - vbx) - ax / dt
    wy = (vay - vby) - ay / dt
    return wx * wx + wy * wy < DEGENERATE_SQUARED


@kernel("UniTuple(f8,4)(f8,f8,f8,f8,f8,f8,f8)")
def segment_half_plane(ax, ay, bx, by, r, tau, dt):
    """Half-plane of an agent of radius r for a wall segment a-b: optimization velocity zero, whole responsibility.

    Source: spec "Static obstacles (section 5.4)".
    """
    overlapping = segment_distance_squared(ax, ay, bx, by) <= r * r
    d, nx, ny = support_form(ax, ay, bx, by, r, 0.0, 0.0, dt if overlapping else tau, overlapping)
    return -d * nx, -d * ny, nx, ny


@kernel("UniTuple(f8,4)(f8,f8,f8,f8,f8,f8,f8,f8)")
def wall_half_plane(ax, ay, bx, by, squared, r, tau, dt):
    """`segment_half_plane` with its bits, for a segment whose squared distance is known, in a fraction of the time.

    For the optimization velocity zero the outward normal leads straight away from the nearest point of the segment: of
    the eight candidates of the support form one is certainly the best, unless the agent overlaps or two are within
    rounding of each other. That one alone is computed, by the very same operations.
    """
    ex = bx - ax
    ey = by - ay
    length_squared = ex * ex + ey * ey
    at_a = ax * ex + ay * ey
    at_b = bx * ex + by * ey
    far = ax * ax + ay * ay + bx * bx + by * by
    margin = CERTAIN * squared * length_squared
    if not (squared > APART * (r * r) and squared > NOT_TINY * far and margin > TELLING):
        return segment_half_plane(ax, ay, bx, by, r, tau, dt)
    # the ends are certainly seen in different directions
    cross = ax * by - ay * bx
    spread = cross * cross > 0.25 * CERTAIN * (far * far)
    wax = 0.0 - ax / tau
    way = 0.0 - ay / tau
    wbx = 0.0 - bx / tau
    wby = 0.0 - by / tau
    if at_a < 0.0 < at_b and at_a * at_a > margin and at_b * at_b > margin:
        # the side of the line on which the agent is
        length = math.sqrt(length_squared)
        nx = -ey / length
        ny = ex / length
        if nx * ax + ny * ay > 0.0:
            nx = -nx
            ny = -ny
    elif spread and at_a > 0.0 and at_a * at_a > margin:
        length = math.sqrt(wax * wax + way * way)
        nx = wax / length
        ny = way / length
    elif spread and at_b < 0.0 and at_b * at_b > margin:
        length = math.sqrt(wbx * wbx + wby * wby)
        nx = wbx / length
        ny = wby / length
    else:
        return segment_half_plane(ax, ay, bx, by, r, tau, dt)
    d = min(nx * wax + ny * way, nx * wbx + ny * wby) - r / tau
    return -d * nx, -d * ny, nx, ny
