"""Level of detail: who is solved in this step, and with how many neighbours.

Agents far from every point of interest take turns, by step and index alone, so that neither a clock nor a split, a
snapshot or a machine decides who it is. The settings stand in `interest` (1 + boxes, 4): row 0 holds how many boxes
there are, the distance (m) beyond which an agent is far, of how many steps one is solved, and how many neighbours
count; the others are boxes (min x, min y, max x, max y), a point being a box of no size.
"""

import math

from orca_core._jit import kernel

__all__ = ["QUALITY_FEW", "coasts_on", "limit_quality", "wanted_of_leaf"]

# how many neighbours count for an agent of the quality `few`; values of `quality`
QUALITY_FEW = 4
FEW = 1
NONE = 2
# stands for an agent that is not solved in this step
COASTING = -1


@kernel("void(i8,i8,i8[::1],u1[::1],f8[:,::1])")
def limit_quality(first, last, order, quality, parameters):
    """Lower the numbers of neighbours in column 4 of `parameters` to what the quality of each agent allows."""
    for place in range(first, last):
        kind = quality[order[place]]
        if kind == FEW:
            parameters[place, 4] = min(parameters[place, 4], QUALITY_FEW)
        elif kind == NONE:
            parameters[place, 4] = 0.0


@kernel("b1(f8,f8,f8[:,::1])")
def is_far(x, y, interest):
    """Whether a place lies farther than the distance from every box of interest."""
    limit = interest[0, 1] * interest[0, 1]
    for row in range(1, 1 + int(interest[0, 0])):
        dx = max(max(interest[row, 0] - x, x - interest[row, 2]), 0.0)
        dy = max(max(interest[row, 1] - y, y - interest[row, 3]), 0.0)
        if dx * dx + dy * dy <= limit:
            return False
    return True


@kernel("b1(f8,f8,f8,f8,f8,f8,f8)")
def may_arrive(px, py, vx, vy, goal_x, goal_y, seconds):
    """Whether an agent that goes on as it does can be at its goal within so many seconds; one at rest cannot."""
    dx = goal_x - px
    dy = goal_y - py
    return math.sqrt(dx * dx + dy * dy) <= math.sqrt(vx * vx + vy * vy) * seconds


@kernel("void(i8,i8,i8,f8,i8[::1],f8[:,::1],f8[:,::1],f8[:,::1],u1[::1],f8[:,::1],i8[::1])")
def wanted_of_leaf(begin, end, step, dt, order, packed, parameters, goal, has_goal, interest, at_most):
    """Write how many neighbours those at the places [begin, end) get in this step, COASTING for who is passed over.

    A far agent is solved when (step + index) mod every is zero, and whenever it might arrive before its next turn, so
    that it does not run past its goal.
    """
    every = int(interest[0, 2])
    most = int(interest[0, 3])
    for own in range(begin, end):
        i = order[own]
        count = int(parameters[own, 4])
        if is_far(packed[own, 0], packed[own, 1], interest):
            count = min(count, most)
            if (step + i) % every != 0:
                arriving = has_goal[i] == 1 and may_arrive(
                    packed[own, 0], packed[own, 1], packed[own, 2], packed[own, 3], goal[i, 0], goal[i, 1], every * dt
                )
                if not arriving:
                    count = COASTING
        at_most[own - begin] = count


@kernel("void(i8,i8,f8,f8[:,::1],f8[:,::1],f8[:,::1])")
def coasts_on(own, i, dt, packed, new_velocity, new_position):
    """Move the agent at place `own`, index `i`, on as it went."""
    vx = packed[own, 2]
    vy = packed[own, 3]
    new_velocity[i, 0] = vx
    new_velocity[i, 1] = vy
    new_position[i, 0] = packed[own, 0] + vx * dt
    new_position[i, 1] = packed[own, 1] + vy * dt
