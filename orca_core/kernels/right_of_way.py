"""Right of way: in a jam some go first and the others let them pass; nobody is taken out of anybody's sight.

Whoever has the right of way makes those yield who want against it or into its way, and these make those yield who stand
in the way of their yielding, as the inheritance of priorities does in planning on graphs. How one yields changes what
it prefers and nothing else: its half-planes stay as they are.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.blocking import in_the_way, reach_of
from orca_core.kernels.cells import gather_near
from orca_core.kernels.heed import heeds
from orca_core.kernels.preferred import preferred_velocity

__all__ = [
    *("GOES", "NONE", "RETREATS", "STANDS", "STEPS_ASIDE", "WAITS"),
    *("convoy_of", "make_way", "wishes_of", "yield_way"),
]

# how an agent yields, index into orca_core.state.YIELDING
NONE = 0
STANDS = 1
STEPS_ASIDE = 2
RETREATS = 3
# in the marks of a decision alone: it has the right of way; it is on the same way as one who yields
GOES = 9
WAITS = 8

# seconds ahead of one with the right of way in which its way is kept free
AHEAD = 2.5
# width of that way and of the strip beside it in which who has yielded stays, in sums of radii
WIDTH = 1.1
BESIDE = 2.0
# how much who retreats also goes aside, as a tangent, so that it leaves a passage at the first opening
SIDEWAYS = 0.75
# cosine of the angle between wishes up to which two are on the same way
SAME = 0.5


@kernel("void(i8,f8,b1,f8[:,::1],f8[::1],f8[:,::1],u1[::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1])")
def wishes_of(count, dt, clamp, position, max_speed, goal, has_goal, preferred_speed, goal_tolerance, given, wish):
    """Write what every agent wants (m/s) to `wish` (n, 2), as the solver does."""
    for i in range(count):
        wish[i, 0], wish[i, 1] = preferred_velocity(
            i, position[i, 0], position[i, 1], dt, clamp, max_speed[i], goal, has_goal, preferred_speed, goal_tolerance,
            given,
        )  # fmt: skip


@kernel("UniTuple(f8,2)(i8,f8,i8,i8,f8[:,::1],f8[::1],f8[:,::1])")
def yielding_velocity(how, speed, i, first, position, radius, wish):
    """What the agent at row i prefers while it yields to the one at row `first`, at most `speed` fast."""
    length = math.sqrt(wish[first, 0] * wish[first, 0] + wish[first, 1] * wish[first, 1])
    if how == STANDS or length == 0.0:
        return 0.0, 0.0
    axis_x = wish[first, 0] / length
    axis_y = wish[first, 1] / length
    x = position[i, 0] - position[first, 0]
    y = position[i, 1] - position[first, 1]
    # off the line on which the other comes, to the side on which it stands, else to the right of its own wish
    side = 1.0 if axis_x * y - axis_y * x >= 0.0 else -1.0
    aside_x = -side * axis_y
    aside_y = side * axis_x
    if how == STEPS_ASIDE:
        return 0.5 * speed * aside_x, 0.5 * speed * aside_y
    # the way the other goes, and the way back: they differ where a passage bends
    back_x = axis_x
    back_y = axis_y
    own = math.sqrt(wish[i, 0] * wish[i, 0] + wish[i, 1] * wish[i, 1])
    if own > 0.0:
        back_x -= wish[i, 0] / own
        back_y -= wish[i, 1] / own
    back = math.sqrt(back_x * back_x + back_y * back_y)
    if back > 0.1:
        back_x = back_x / back
        back_y = back_y / back
    else:
        back_x = axis_x
        back_y = axis_y
    x = back_x + SIDEWAYS * aside_x
    y = back_y + SIDEWAYS * aside_y
    total = math.sqrt(x * x + y * y)
    if total == 0.0:
        return 0.0, 0.0
    return speed * (x / total), speed * (y / total)


@kernel("void(i8[::1],i8[::1],u1[::1],f8[:,::1],f8[::1],u1[::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1])")
def yield_way(rows, firsts, yielding, position, radius, has_goal, preferred_speed, max_speed, wish, steer):
    """Write to `steer` (n, 2) what `rows` prefer while they yield to the agents at the rows `firsts`."""
    for n in range(rows.size):
        i = rows[n]
        if preferred_speed[i] >= 0.0:
            speed = min(preferred_speed[i], max_speed[i])
        elif has_goal[i] == 1:
            speed = max_speed[i]
        else:
            speed = min(math.sqrt(wish[i, 0] * wish[i, 0] + wish[i, 1] * wish[i, 1]), max_speed[i])
        steer[i, 0], steer[i, 1] = yielding_velocity(yielding[i], speed, i, firsts[n], position, radius, wish)


@kernel(
    "i8(i8,b1,b1,b1,f8,f8[:,::1],f8[::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],u1[::1],u1[::1],u1[::1],i8[::1],f8,"
    "i8[::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1],"
    "i8[::1],u1[::1],i8[::1])"
)
def make_way(
    first, fresh, courtesy, back_out, widest, position, radius, max_speed, time_horizon, wish, goal, has_goal, rests,
    movable, yields_to, size, head, chain, near, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening,
    work, queue, mark, whom,
):  # fmt: skip
    """Mark those who yield to the agent at row `first`, which has the right of way and is marked as going.

    Those who rest at the goal that it has too step aside only while it is `fresh`: once for each order.
    `movable` (n,) says who yields at all; `yields_to` who has yielded until now (negative: nobody). Written are `mark`
    of those marked NONE, and `whom`, the row to which each yields. Returns how many yield in its way, to whomever.
    """
    length = math.sqrt(wish[first, 0] * wish[first, 0] + wish[first, 1] * wish[first, 1])
    if length == 0.0:
        return 0
    axis_x = wish[first, 0] / length
    axis_y = wish[first, 1] / length
    speed = min(length, max_speed[first])
    waiting = 0
    done = 0
    met = 0
    x0 = position[first, 0]
    y0 = position[first, 1]
    reach = AHEAD * speed + reach_of(radius[first], max_speed[first], time_horizon[first])
    found = gather_near(x0, y0, reach + radius[first] + widest, size, position, head, chain, near)
    for m in range(found):
        j = near[m]
        if j == first or mark[j] == GOES or movable[j] == 0:
            continue
        both = radius[first] + radius[j]
        x = position[j, 0] - x0
        y = position[j, 1] - y0
        ahead, _, aside = in_the_way(x, y, axis_x, axis_y, BESIDE * both)
        if not ahead or math.sqrt(x * x + y * y) - both > reach:
            continue
        # who rests nearer to the goal that both have has come there before it; who rests farther off can step aside
        beside = False
        if rests[j] == 1 and has_goal[j] == 1 and has_goal[first] == 1:
            gx = goal[first, 0]
            gy = goal[first, 1]
            if (goal[j, 0] - gx) * (goal[j, 0] - gx) + (goal[j, 1] - gy) * (goal[j, 1] - gy) <= both * both:
                beside = True
                x1 = position[j, 0] - gx
                y1 = position[j, 1] - gy
                if not fresh or x1 * x1 + y1 * y1 < (x0 - gx) * (x0 - gx) + (y0 - gy) * (y0 - gy):
                    continue
        wanted = math.sqrt(wish[j, 0] * wish[j, 0] + wish[j, 1] * wish[j, 1])
        against = wish[j, 0] * axis_x + wish[j, 1] * axis_y
        within = abs(aside) < WIDTH * both
        how = NONE
        if wanted == 0.0 or against <= 0.0:
            if within:
                # it would come to stand in the way again as soon as it has been let go
                how = RETREATS if back_out and not beside else (STEPS_ASIDE if courtesy else NONE)
            elif yields_to[j] >= 0:
                how = STANDS
        elif courtesy:
            # both want the same place: each in the way of the other
            mutual, _, _ = in_the_way(-x, -y, wish[j, 0] / wanted, wish[j, 1] / wanted, both)
            if mutual:
                how = STEPS_ASIDE if within else STANDS
        if how == NONE or not heeds(
            j, first, position, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work
        ):
            continue
        met += 1
        if mark[j] in (NONE, WAITS):
            mark[j] = how
            whom[j] = first
            queue[waiting] = j
            waiting += 1
    # who stands in the way of their yielding yields with them
    while done < waiting:
        k = queue[done]
        done += 1
        if mark[k] != RETREATS:
            continue
        to_x, to_y = yielding_velocity(RETREATS, 1.0, k, first, position, radius, wish)
        length = math.sqrt(to_x * to_x + to_y * to_y)
        if length == 0.0:
            continue
        to_x = to_x / length
        to_y = to_y / length
        reach = reach_of(radius[k], max_speed[k], time_horizon[k])
        found = gather_near(
            position[k, 0], position[k, 1], reach + 1.5 * radius[k] + 2.0 * widest, size, position, head, chain, near
        )
        for m in range(found):
            j = near[m]
            if mark[j] not in (NONE, WAITS) or movable[j] == 0:
                continue
            both = radius[k] + radius[j]
            x = position[j, 0] - position[k, 0]
            y = position[j, 1] - position[k, 1]
            ahead, _, _ = in_the_way(x, y, to_x, to_y, both)
            if not ahead or math.sqrt(x * x + y * y) - both > reach:
                continue
            if wish[j, 0] * to_x + wish[j, 1] * to_y <= 0.0 and heeds(
                j, k, position, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work
            ):
                mark[j] = RETREATS
                whom[j] = first
                queue[waiting] = j
                waiting += 1
    return met


@kernel(
    "i8(i8,i8,f8,f8[:,::1],f8[::1],f8[::1],f8[::1],f8[:,::1],f8,i8[::1],i8[::1],i8[::1],"
    "f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1],i8[::1],u1[::1])"
)
def convoy_of(
    first, what, widest, position, radius, max_speed, time_horizon, wish, size, head, chain, near,
    terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work, queue, mark,
):  # fmt: skip
    """Mark as `what` those marked NONE who are on the same way as the agent at row `first`; returns how many.

    They are in `queue` in order; the agent itself, whose mark stays, comes first. Each of the others is close to one
    before it and wants to within sixty degrees of it.
    """
    queue[0] = first
    total = 1
    done = 0
    while done < total:
        k = queue[done]
        done += 1
        length = math.sqrt(wish[k, 0] * wish[k, 0] + wish[k, 1] * wish[k, 1])
        reach = reach_of(radius[k], max_speed[k], time_horizon[k])
        found = gather_near(
            position[k, 0], position[k, 1], reach + 1.5 * radius[k] + 2.0 * widest, size, position, head, chain, near
        )
        for m in range(found):
            j = near[m]
            if mark[j] != NONE:
                continue
            x = position[j, 0] - position[k, 0]
            y = position[j, 1] - position[k, 1]
            if math.sqrt(x * x + y * y) - radius[k] - radius[j] > reach:
                continue
            other = math.sqrt(wish[j, 0] * wish[j, 0] + wish[j, 1] * wish[j, 1])
            if wish[j, 0] * wish[k, 0] + wish[j, 1] * wish[k, 1] > SAME * length * other and heeds(
                j, k, position, terms, bonds, screens, nodes, leaves, order, boxes, stack, screening, work
            ):
                mark[j] = what
                queue[total] = j
                total += 1
    return total
