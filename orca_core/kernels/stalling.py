"""The speed buffer: how fast each agent has been over its last steps, kept as whole numbers so that sums stay exact."""

import math

from orca_core._jit import kernel

__all__ = ["UNIT", "tally_speeds"]

# speeds are counted in parts of a metre per second; a mean over whole numbers never drifts
UNIT = 1048576.0
# faster than this is counted as this, so that no sum over a window overflows
FASTEST = 1048576.0


@kernel("i8(i8,f8[:,::1],u1[::1],f8[::1],i8,i8[:,::1],i8[::1],i8[::1])")
def tally_speeds(slot, velocity, excused, max_speed, least, speeds, total, stood):
    """Enter the speed of a step at `slot` of `speeds` (n, window), and count in `stood` for how many steps the `total`
    of each has been below `least`.

    Whoever is `excused` has a reason to stand: it is entered at its maximum speed and has not stood. Returns how many
    have.
    """
    found = 0
    for i in range(total.size):
        x = velocity[i, 0]
        y = velocity[i, 1]
        speed = max_speed[i] if excused[i] else math.sqrt(x * x + y * y)
        entered = math.floor(min(speed, FASTEST) * UNIT)
        total[i] += entered - speeds[i, slot]
        speeds[i, slot] = entered
        if total[i] < least and not excused[i]:
            stood[i] += 1
            found += 1
        else:
            stood[i] = 0
    return found
