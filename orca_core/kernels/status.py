"""What a step meant for each agent: arrival, stall, overlap, non-finite results, as statuses and event bits."""

import math

from orca_core._jit import kernel, prefetch
from orca_core.kernels.preferred import scaled_down
from orca_core.kernels.step import COASTED, NON_FINITE, OVERLAPPING

__all__ = [
    *("ARRIVED", "ARRIVED_CROWDED", "BLOCKED", "INSIDE_OBSTACLE", "MOVING", "NO_GOAL", "STALLED", "UNREACHABLE"),
    *("conclude", "start_status"),
]

# indices into orca_core.state.STATUS_NAMES
NO_GOAL = 0
MOVING = 1
ARRIVED = 2
STALLED = 3
# given by guides, in place of MOVING or STALLED
ARRIVED_CROWDED = 4
BLOCKED = 5
UNREACHABLE = 6
INSIDE_OBSTACLE = 7

# bits of `events`
ARRIVED_EVENT = 1
STALLED_EVENT = 2
OVERLAP_EVENT = 4
NON_FINITE_EVENT = 8
INSIDE_EVENT = 128

# how many places ahead memory is asked for
AHEAD = 16
# progress under this share of what was wanted is none
PROGRESS = 0.1


@kernel("u1(b1,f8,f8)")
def start_status(has_goal, preferred_x, preferred_y):
    """Status of an agent that was just given its orders: with a goal or a preferred velocity it is on its way."""
    return MOVING if has_goal or preferred_x != 0.0 or preferred_y != 0.0 else NO_GOAL


@kernel(
    "void(i8,i8,i8[::1],i8,f8,f8,f8[:,::1],f8[:,::1],u1[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],"
    "u1[::1],u1[::1],f8[:,::1],i8[::1],u1[::1],u1[::1],u1[::1],u1[::1])"
)
def conclude(
    first, last, order, step, dt, stall_time, position, goal, has_goal, preferred_velocity, preferred_speed,
    goal_tolerance, parameters, outcome, status, anchor, anchor_step, overlapping, new_status, new_overlapping,
    events,
):  # fmt: skip
    """Write statuses, anchors and overlaps after step number `step`, and `events` bits, for the places [first, last).

    An agent has stalled when for `stall_time` seconds it got less than a tenth as far from its anchor as it wanted
    to; an
    overlap is reported when it begins.
    """
    for place in range(first, last):
        i = order[place]
        # as in solving: lines that no machine foresees
        if place + AHEAD < order.size:
            j = order[place + AHEAD]
            prefetch(status, j)
            prefetch(new_status, j)
            prefetch(anchor, j)
            prefetch(anchor_step, j)
            prefetch(overlapping, j)
            prefetch(new_overlapping, j)
        max_speed = parameters[place, 0]
        happened = 0
        # what was given is not even looked at where a goal decides
        now = MOVING
        if has_goal[i]:
            wanted = preferred_speed[i] if preferred_speed[i] >= 0.0 else max_speed
        else:
            x, y = scaled_down(preferred_velocity[i, 0], preferred_velocity[i, 1])
            wanted = math.sqrt(x * x + y * y)
            now = start_status(False, preferred_velocity[i, 0], preferred_velocity[i, 1])
        wanted = min(wanted, max_speed)
        before = status[i]
        if has_goal[i]:
            dx = goal[i, 0] - position[i, 0]
            dy = goal[i, 1] - position[i, 1]
            if math.sqrt(dx * dx + dy * dy) <= goal_tolerance[i]:
                now = ARRIVED
                if before != ARRIVED:
                    happened |= ARRIVED_EVENT
        # progress: from the anchor on, which moves along with it
        ax = position[i, 0]
        ay = position[i, 1]
        since = step
        if now == MOVING:
            dx = ax - anchor[i, 0]
            dy = ay - anchor[i, 1]
            progress = PROGRESS * wanted * stall_time
            if not dx * dx + dy * dy > progress * progress:
                ax = anchor[i, 0]
                ay = anchor[i, 1]
                since = anchor_step[i]
                if (step - since) * dt >= stall_time:
                    now = STALLED
                    # a guide may have written something more exact over it, and then it has been told already
                    told = before in (STALLED, ARRIVED_CROWDED)
                    if before > STALLED and (step - 1 - since) * dt >= stall_time:
                        told = True
                    if not told:
                        happened |= STALLED_EVENT
        anchor[i, 0] = ax
        anchor[i, 1] = ay
        anchor_step[i] = since
        new_status[i] = now
        # overlaps as they were at the start of the step
        deep = 1 if (outcome[place] & OVERLAPPING) != 0 else 0
        if (outcome[place] & COASTED) != 0:
            # nobody has looked
            deep = overlapping[i]
        if deep == 1 and overlapping[i] == 0:
            happened |= OVERLAP_EVENT
        new_overlapping[i] = deep
        if (outcome[place] & NON_FINITE) != 0:
            happened |= NON_FINITE_EVENT
        events[place] = happened
