"""Bodies that cannot do everything: the velocity of an agent with limits of acceleration and turning.

The velocities that a body can reach in a step are a disc around the one it has; those that it can turn to are a wedge
with its point in the velocity zero; those that it may have are the disc of the maximum speed, which a preference for
forward motion makes smaller. All three are convex and all hold the velocity that braking straight leads to, so there is
always one to choose; they are harder than walls, since nobody can do what he cannot.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.reachable import reachable_velocity, within_disc
from orca_core.kernels.turning import FREE

__all__ = ["body_velocity", "eased_wish", "is_limited", "settled", "stopping_speed"]


@kernel("b1(i8,f8[:,::1])")
def is_limited(place, bodies):
    """Whether the agent at a place has any limit at all."""
    return bodies[place, 0] < math.inf or bodies[place, 1] != FREE or bodies[place, 3] > 0.0


@kernel("f8(f8,f8,f8)")
def stopping_speed(distance, change, dt):
    """The highest speed (m/s) from which a body that changes its own by `change` a step stops within `distance` (m).

    A body that goes k changes fast, k = m + f with a whole m, needs (m + 1) (f + m / 2) times change times dt: it
    comes to rest there exactly, and no slower than it must.
    """
    unit = change * dt
    if unit <= 0.0:
        return math.inf
    lengths = distance / unit
    whole = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * lengths) - 1.0))
    return change * (whole + (lengths - 0.5 * whole * (whole + 1.0)) / (whole + 1.0))


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8,f8,f8,f8,f8,i8,f8[:,::1])")
def eased_wish(wish_x, wish_y, px, py, goal_x, goal_y, dt, heading_x, heading_y, place, bodies):
    """The preferred velocity of a body on its way from (px, py) to its goal, slower where it would overshoot.

    No faster than it can stop there; and where it has to turn farther than a step lets it, no faster than leads
    through the goal on a circle of its own turning rate: w d / (2 sin a) for the angle a to the goal.
    """
    length = math.sqrt(wish_x * wish_x + wish_y * wish_y)
    if not 0.0 < length < math.inf:
        return wish_x, wish_y
    dx = goal_x - px
    dy = goal_y - py
    distance = math.sqrt(dx * dx + dy * dy)
    top = length
    if bodies[place, 0] < math.inf:
        top = min(top, stopping_speed(distance, bodies[place, 0], dt))
    cosine = bodies[place, 1]
    if cosine != FREE and (heading_x != 0.0 or heading_y != 0.0):
        ahead = (heading_x * wish_x + heading_y * wish_y) / length
        aside = abs(heading_x * wish_y - heading_y * wish_x) / length
        if ahead < cosine:
            if ahead <= 0.0:
                aside = 1.0
            top = min(top, bodies[place, 2] * distance / (2.0 * aside * dt))
    if top < length:
        return wish_x / length * top, wish_y / length * top
    return wish_x, wish_y


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8,f8,f8,f8[::1])")
def set_discs(vx, vy, change, limit, forward, wish_x, wish_y, discs):
    """Write the discs of reachable and of permitted velocities; returns the preferred velocity to take.

    With a preference f for forward motion the permitted disc is smaller and lies ahead, toward where the agent wants
    to go: the maximum speed forward, sqrt(1 - f) of it sideways, 1 - f backward. Who goes another way, too fast to be
    in it by the end of the step, brakes first. Who is faster than the maximum may be as fast as hard braking leaves
    him.
    """
    speed = math.sqrt(vx * vx + vy * vy)
    left = speed - change if speed > change else 0.0
    discs[0] = vx
    discs[1] = vy
    discs[2] = change
    discs[3] = 0.0
    discs[4] = 0.0
    discs[5] = max(limit, left)
    length = math.sqrt(wish_x * wish_x + wish_y * wish_y)
    if forward > 0.0 and 0.0 < length < math.inf:
        shift = 0.5 * forward * limit
        cx = wish_x / length * shift
        cy = wish_y / length * shift
        share = left / speed if speed > 0.0 else 0.0
        if not within_disc(vx * share, vy * share, cx, cy, limit - shift):
            return 0.0, 0.0
        discs[3] = cx
        discs[4] = cy
        discs[5] = limit - shift
    return wish_x, wish_y


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8,f8,f8,f8,f8)")
def settled(x, y, vx, vy, change, heading_x, heading_y, cosine, sine):
    """A solved velocity with the rounding of it taken off, so that both limits hold on every step.

    First back onto the reachable disc, then into the wedge. The wedge holds the velocity that was, so this second
    move leads no farther from that.
    """
    dx = x - vx
    dy = y - vy
    length = math.sqrt(dx * dx + dy * dy)
    if length > change:
        x = vx + dx / length * change
        y = vy + dy / length * change
    if cosine == FREE or (heading_x == 0.0 and heading_y == 0.0):
        return x, y
    ahead = heading_x * x + heading_y * y
    aside = heading_x * y - heading_y * x
    if ahead >= 0.0 and abs(aside) * cosine <= ahead * sine:
        return x, y
    # onto the nearer edge of the wedge, or its point
    side = sine if aside > 0.0 else -sine
    edge_x = heading_x * cosine - heading_y * side
    edge_y = heading_y * cosine + heading_x * side
    along = edge_x * x + edge_y * y
    if along <= 0.0:
        return 0.0, 0.0
    return edge_x * along, edge_y * along


@kernel("Tuple((i8,f8,f8))(f8[:,::1],i8,i8,i8,f8,f8,f8,f8,f8,i8,f8[:,::1],f8,f8,f8[::1],f8[:,::1])")
def body_velocity(
    planes, body_count, hard_count, count, limit, vx, vy, wish_x, wish_y, place, bodies, heading_x, heading_y, discs,
    derived,
):  # fmt: skip
    """The new velocity of the body at a place that has the velocity (vx, vy). Returns (failed, v x, v y).

    The first `body_count` rows of `planes` are its wedge (`turning.wedge_rows`). The change of velocity is within its
    limit and the turn within its, whatever the other rows ask for; the speed is within the maximum speed where that
    can be reached.
    """
    change = bodies[place, 0]
    wish_x, wish_y = set_discs(vx, vy, change, limit, bodies[place, 3], wish_x, wish_y, discs)
    failed, x, y = reachable_velocity(planes, body_count, hard_count, count, discs, wish_x, wish_y, derived)
    if failed < body_count:
        # rounding alone: straight on, as slowly as it can
        speed = math.sqrt(vx * vx + vy * vy)
        share = (speed - change) / speed if speed > change else 0.0
        x = vx * share
        y = vy * share
    x, y = settled(x, y, vx, vy, change, heading_x, heading_y, bodies[place, 1], bodies[place, 2])
    return failed, x, y
