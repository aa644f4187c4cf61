"""Who is caught where nobody can be: in an obstacle that was put over it, or off a surface taken from under it.

Such an agent goes straight to its place of escape, the nearest point that is free for it, at most max_speed x dt a
step, whatever stands between: the one case in which a centre crosses a wall. Who it meets on the way sees it move and
makes room. The rest of a step is as ever; this comes after it, and only in a step in which somebody is caught.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.status import ARRIVED_EVENT, INSIDE_EVENT, INSIDE_OBSTACLE, STALLED_EVENT

__all__ = ["CAUGHT", "NO_PLACE", "TOLD", "let_out", "tell_caught"]

# bits of the field `caught`: it is; an event has told so; there is no free place for it anywhere
CAUGHT = 1
TOLD = 2
NO_PLACE = 4

ROUNDED = 1.0 + 1e-12
# all bits of events but those of arriving and of being held up
OTHER_EVENTS = 255 - ARRIVED_EVENT - STALLED_EVENT


@kernel("void(i8,i8,i8[::1],f8,u1[::1],f8[:,::1],f8[::1],f8[:,::1],f8[:,::1],f8[:,::1],u1[::1])")
def let_out(first, last, order, dt, caught, escape, max_speed, position, velocity, next_position, on_surface):
    """Write where those at the places [first, last) of `order` go who are caught: in place of what was solved.

    Without a place to go to they stay. `on_surface` is what is known of the new place: nothing.
    """
    for place in range(first, last):
        i = order[place]
        if caught[i] == 0:
            continue
        px = position[i, 0]
        py = position[i, 1]
        x = px
        y = py
        if (caught[i] & NO_PLACE) == 0:
            dx = escape[i, 0] - px
            dy = escape[i, 1] - py
            distance = math.sqrt(dx * dx + dy * dy)
            longest = max_speed[i] * dt
            # a way of so many whole steps takes no more for rounding
            if distance <= longest * ROUNDED:
                x = escape[i, 0]
                y = escape[i, 1]
            else:
                x = px + dx / distance * longest
                y = py + dy / distance * longest
        next_position[i, 0] = x
        next_position[i, 1] = y
        velocity[i, 0] = (x - px) / dt
        velocity[i, 1] = (y - py) / dt
        on_surface[i] = 0


@kernel("void(i8,i8,i8[::1],u1[::1],f8[:,::1],f8[:,::1],u1[::1],u1[::1])")
def tell_caught(first, last, order, caught, escape, next_position, status, events):
    """Write the status and the events of those at the places [first, last) who are caught; an event tells it once.

    Who gets out in this step has the status that the step gave it.
    """
    for place in range(first, last):
        i = order[place]
        if caught[i] == 0:
            continue
        happened = events[place]
        out = next_position[i, 0] == escape[i, 0] and next_position[i, 1] == escape[i, 1]
        if not out or (caught[i] & NO_PLACE) != 0:
            status[i] = INSIDE_OBSTACLE
            happened &= OTHER_EVENTS
        if (caught[i] & TOLD) == 0:
            happened |= INSIDE_EVENT
        events[place] = happened
