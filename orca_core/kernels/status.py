"""What a step meant for each agent: arrival, stall, overlap, non-finite results, as statuses and event bits."""

import math

from orca_core._jit import kernel
from orca_core.kernels.preferred import scaled_down
from orca_core.kernels.step import NON_FINITE

__all__ = ["ARRIVED", "MOVING", "NO_GOAL", "OVERLAP_SLACK", "STALLED", "conclude", "start_status"]

# indices into orca_core.state.STATUS_NAMES
NO_GOAL = 0
MOVING = 1
ARRIVED = 2
STALLED = 3

# bits of `events`
ARRIVED_EVENT = 1
STALLED_EVENT = 2
OVERLAP_EVENT = 4
NON_FINITE_EVENT = 8

# an overlap shallower than this share of the sum of the radii is a touch with rounding
OVERLAP_SLACK = 1e-6
# progress under this share of what was wanted is none
PROGRESS = 0.1


@kernel("u1(b1,f8,f8)")
def start_status(has_goal, preferred_x, preferred_y):
    """Status of an agent that was just given its orders: with a goal or a preferred velocity it is on its way."""
    return MOVING if has_goal or preferred_x != 0.0 or preferred_y != 0.0 else NO_GOAL


@kernel(
    "void(i8,i8,i8[::1],i8,f8,f8,f8[:,::1],f8[::1],f8[:,::1],u1[::1],f8[:,::1],f8[::1],f8[::1],f8[::1],"
    "u1[::1],f8[::1],i8[::1],u1[::1],f8[:,::1],i8[::1],u1[::1],u1[::1],f8[:,::1],i8[::1],u1[::1],u1[::1])"
)
def conclude(
    first, last, order, step, dt, stall_time, position, radius, goal, has_goal, preferred_velocity, preferred_speed,
    goal_tolerance, max_speed, outcome, overlap_depth, overlap_with, status, anchor, anchor_step, overlapping,
    new_status, new_anchor, new_anchor_step, new_overlapping, events,
):  # fmt: skip
    """Write statuses, anchors and overlaps after step number `step`, and `events` bits, for the places [first, last).

    An agent has stalled when for `stall_time` seconds it got less than a tenth as far from its anchor as it wanted
    to; an
    overlap is reported when it begins.
    """
    for place in range(first, last):
        i = order[place]
        happened = 0
        if has_goal[i]:
            wanted = preferred_speed[i] if preferred_speed[i] >= 0.0 else max_speed[i]
        else:
            x, y = scaled_down(preferred_velocity[i, 0], preferred_velocity[i, 1])
            wanted = math.sqrt(x * x + y * y)
        wanted = min(wanted, max_speed[i])
        before = status[i]
        now = start_status(has_goal[i] != 0, preferred_velocity[i, 0], preferred_velocity[i, 1])
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
                    if before != STALLED:
                        happened |= STALLED_EVENT
        new_anchor[i, 0] = ax
        new_anchor[i, 1] = ay
        new_anchor_step[i] = since
        new_status[i] = now
        # overlaps as they were at the start of the step
        deep = 0
        if overlap_with[i] >= 0 and overlap_depth[i] > OVERLAP_SLACK * (radius[i] + radius[overlap_with[i]]):
            deep = 1
        if deep == 1 and overlapping[i] == 0:
            happened |= OVERLAP_EVENT
        new_overlapping[i] = deep
        if (outcome[i] & NON_FINITE) != 0:
            happened |= NON_FINITE_EVENT
        events[i] = happened
