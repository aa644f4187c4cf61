"""Waiting: how long each agent has got next to nothing of the way it wants to go, whatever shoves it about.

The status `stalled` looks at the distance from a place; a crowd that presses shoves its members to and fro, and who is
shoved has moved and got nowhere. So what counts here is the part of the velocity along the wish, in steps: one more for
a step in which it is small, some less for one in which it is not.
"""

from orca_core._jit import kernel
from orca_core.kernels.preferred import scaled_down
from orca_core.kernels.status import ARRIVED, ARRIVED_CROWDED, NO_GOAL

__all__ = ["tally_waiting"]

# who gets less than this share of what it wants is held up
SLOW = 0.3
# steps of waiting that one step on the way takes back
RECOVERY = 3


@kernel("i8(i8,f8,i8,f8[:,::1],f8[:,::1],u1[::1],f8[:,::1],f8[:,::1],u1[::1],f8[::1],f8[::1],i8[::1])")
def tally_waiting(
    count, dt, forget, position, velocity, status, goal, given, has_goal, preferred_speed, max_speed, waiting
):  # fmt: skip
    """Bring `waiting` (n,) up to date after a step; returns the most of them.

    `has_goal` and `given` are the columns that decided the preferred velocities of the step. Of what is beyond `forget`
    steps the first on the way takes back all: a long wait is over as soon as a short one.
    """
    most = 0
    for i in range(count):
        # nobody waits who wants nothing
        now = status[i]
        if now in (NO_GOAL, ARRIVED, ARRIVED_CROWDED):
            waiting[i] = 0
            continue
        limit = max_speed[i]
        if has_goal[i]:
            x = goal[i, 0] - position[i, 0]
            y = goal[i, 1] - position[i, 1]
            wanted = preferred_speed[i] if preferred_speed[i] >= 0.0 else limit
            wanted = min(wanted, limit)
            # a goal within reach of a step is not passed by
            near = SLOW * (x * x + y * y) / dt
        else:
            x, y = scaled_down(given[i, 0], given[i, 1])
            wanted = limit
            near = SLOW * (x * x + y * y)
        along = velocity[i, 0] * x + velocity[i, 1] * y
        least = SLOW * wanted
        if along < near and (along < 0.0 or along * along < least * least * (x * x + y * y)):
            waiting[i] += 1
        else:
            waiting[i] = max(0, min(waiting[i], forget) - RECOVERY)
        most = max(most, waiting[i])
    return most
