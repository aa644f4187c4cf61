"""Slowing where it is too dense for half-planes: above ten agents per square metre they leave nothing to choose.

Every overlap is then parted in one step by everybody at once, which makes more overlaps, and a crowd shivers. Above
that density an agent wants less and yields to the pressure more softly, the more the denser it is, and comes to rest.
"""

import math

from orca_core._jit import kernel

__all__ = ["DENSE", "crowding", "held_back", "local_density"]

# agents per square metre from which on it slows, and PACKED, at which it wants nothing any more
DENSE = 10.0
PACKED = 12.0
# the share of its maximum speed that a push must be worth in a packed crowd to move an agent at all
FRICTION = 0.25


@kernel("f8(i8,f8)")
def local_density(count, farthest_squared):
    """Agents per square metre around an agent whose `count`-th neighbour is the last it sees, by its distance squared.

    (k - 1) / (pi d²) is right on average for a crowd without order; a single neighbour says nothing of a crowd.
    """
    if count < 2 or farthest_squared <= 0.0:
        return 0.0 if count < 2 else math.inf
    return count / (3.141592653589793 * farthest_squared)


@kernel("UniTuple(f8,2)(f8,f8,f8,f8)")
def held_back(vx, vy, calm, limit):
    """A velocity less what friction takes of its length: nothing where it is calm 1, FRICTION of the limit at 0."""
    friction = (1.0 - calm) * FRICTION * limit
    speed = math.sqrt(vx * vx + vy * vy)
    if speed <= friction:
        return 0.0, 0.0
    left = (speed - friction) / speed
    return vx * left, vy * left


@kernel("f8(f8)")
def crowding(density):
    """The share of its preferred velocity that an agent keeps at a density: 1 up to DENSE, 0 from PACKED on."""
    if density <= DENSE:
        return 1.0
    return max(0.0, (PACKED - density) / (PACKED - DENSE))
