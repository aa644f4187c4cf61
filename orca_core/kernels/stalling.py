"""The speed buffer: how fast each agent has been over its last steps, and how far that has brought it.

Speeds are kept as whole numbers, so that their sums stay exact.
"""

import math

from orca_core._jit import kernel

__all__ = ["NOWHERE", "UNIT", "tally_speeds"]

# speeds are counted in parts of a metre per second; a mean over whole numbers never drifts
UNIT = 1048576.0
# faster than this is counted as this, so that no sum over a window overflows
FASTEST = 1048576.0
# a place that is near to nobody
NOWHERE = 1e30


@kernel("i8(i8,f8[:,::1],f8[:,::1],u1[::1],f8[::1],i8,f8,i8[:,::1],f8[:,::1],i8[::1],i8[::1])")
def tally_speeds(
    slot, position, velocity, excused, max_speed, least, near, speeds, places, total, stood
):  # fmt: skip
    """Enter a step at `slot` of `speeds` (n, window) and `places` (n, 2 * window), and count in `stood` for how many
    steps each has been slow: the `total` of its speeds below `least`, or no farther than `near` from where it was a
    window ago, however fast it goes to and fro.

    Whoever is `excused` has a reason to stand: it is entered at its maximum speed and far away, and has not stood.
    Returns how many have.
    """
    found = 0
    for i in range(total.size):
        x = velocity[i, 0]
        y = velocity[i, 1]
        speed = max_speed[i] if excused[i] else math.sqrt(x * x + y * y)
        entered = math.floor(min(speed, FASTEST) * UNIT)
        total[i] += entered - speeds[i, slot]
        speeds[i, slot] = entered
        dx = position[i, 0] - places[i, 2 * slot]
        dy = position[i, 1] - places[i, 2 * slot + 1]
        places[i, 2 * slot] = NOWHERE if excused[i] else position[i, 0]
        places[i, 2 * slot + 1] = NOWHERE if excused[i] else position[i, 1]
        if not excused[i] and (total[i] < least or dx * dx + dy * dy < near * near):
            stood[i] += 1
            found += 1
        else:
            stood[i] = 0
    return found
