"""Groups that keep together: what members want is turned a little toward the middle of their group.

Source: the cohesion of Reynolds, Flocks, herds and schools (SIGGRAPH 1987), kept to what cannot stop anybody: a pull
is at most half as strong as the own wish, so everybody nets half its way to its goal, those ahead wait by going slower,
and those behind hurry as far as their maximum speed lets them. Sums run in index order, the same everywhere.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.preferred import preferred_velocity

__all__ = ["PULL", "ROOM", "keep_together"]

# the strongest pull, as a share of the own wish
PULL = 0.5
# discs of a mean radius r, n of them, stand loosely within ROOM r sqrt(n) of their middle; who does is not pulled
ROOM = 2.0


@kernel(
    "i8(i8[::1],i8[::1],f8[:,::1],f8,b1,f8[:,::1],f8[::1],f8[::1],f8[:,::1],u1[::1],f8[::1],f8[::1],f8[:,::1],"
    "u1[::1],f8[:,::1])"
)
def keep_together(
    rows, member, middle, dt, clamp, position, radius, max_speed, goal, has_goal, preferred_speed, goal_tolerance,
    given, guided, steer,
):  # fmt: skip
    """Write `guided` and `steer` of the members that are pulled; returns how many that are.

    `rows` (m,) are indices of agents, ascending, `member` (m,) the place of each one's group in `middle` (g, 4), which
    is scratch. Who is guided already is pulled from what its guide wants. A member near its own goal is let go.
    """
    for g in range(middle.shape[0]):
        for column in range(4):
            middle[g, column] = 0.0
    for m in range(rows.size):
        i = rows[m]
        g = member[m]
        middle[g, 0] += position[i, 0]
        middle[g, 1] += position[i, 1]
        middle[g, 2] += radius[i]
        middle[g, 3] += 1.0
    total = 0
    for m in range(rows.size):
        i = rows[m]
        g = member[m]
        count = middle[g, 3]
        px = position[i, 0]
        py = position[i, 1]
        room = ROOM * (middle[g, 2] / count) * math.sqrt(count)
        dx = middle[g, 0] / count - px
        dy = middle[g, 1] / count - py
        away = math.sqrt(dx * dx + dy * dy)
        if not away > room:
            continue
        if has_goal[i] != 0:
            gx = goal[i, 0] - px
            gy = goal[i, 1] - py
            if gx * gx + gy * gy <= room * room:
                continue
        if guided[i] != 0:
            x = steer[i, 0]
            y = steer[i, 1]
        else:
            x, y = preferred_velocity(
                i, px, py, dt, clamp, max_speed[i], goal, has_goal, preferred_speed, goal_tolerance, given
            )
        speed = math.sqrt(x * x + y * y)
        if not 0.0 < speed < math.inf:
            continue
        # no more than it can do, so that there is something to slow down
        if speed > max_speed[i]:
            x = x / speed * max_speed[i]
            y = y / speed * max_speed[i]
            speed = max_speed[i]
        pull = PULL * speed
        if away < 2.0 * room:
            pull = pull * ((away - room) / room)
        steer[i, 0] = x + dx / away * pull
        steer[i, 1] = y + dy / away * pull
        guided[i] = 1
        total += 1
    return total
