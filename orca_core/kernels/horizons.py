"""Horizons: for how long agents that go by a plan avoid others, which is no longer than until they turn.

Half-planes take it that everybody goes on as it goes. Whoever goes to a place in sight turns there, and beyond it gets
in nobody's way; with the whole horizon agents creep toward whoever stands beyond a gate. Where they take turns the
turns look ahead, so that the time of one cell is enough, which is the least anywhere.
"""

import math

from orca_core._jit import kernel

__all__ = ["shorten_horizons"]

# slower than this nobody is taken to be (m/s), so that a time comes out
SLOWEST = 1e-6


@kernel("b1(i8,f8,f8[::1],f8[::1],f8[:,::1],f8[:,::1],i8,i8[:,::1],i8,u1[::1],f8[::1])")
def shorten_horizons(
    count, cell_size, longest, max_speed, position, seen, target, walk, narrow, taken, horizon
):  # fmt: skip
    """Write `horizon` (n,) of agents on their way to columns `target` of `seen` (n, m); returns whether any is another.

    Column `narrow` of `walk` says who takes turns; `longest` (n,) is what each has of its own. Whoever is `taken` is
    steered by somebody else and keeps what that one has given it.
    """
    changed = False
    for i in range(count):
        if taken[i] != 0:
            continue
        speed = max(max_speed[i], SLOWEST)
        least = min(longest[i], cell_size / speed)
        time = least
        if walk[i, narrow] == 0:
            dx = seen[i, target] - position[i, 0]
            dy = seen[i, target + 1] - position[i, 1]
            time = min(max(math.sqrt(dx * dx + dy * dy) / speed, least), longest[i])
        if horizon[i] != time:
            horizon[i] = time
            changed = True
    return changed
