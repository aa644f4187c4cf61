"""How much of the avoidance between two agents is whose: the responsibility of one against another, and why.

Source: van den Berg, Guy, Lin and Manocha, Reciprocal n-body collision avoidance (ISRR 2011), equation 6, whose one
half is the share of either. Any two shares that sum to one keep its guarantee, so a share may be anything from 0 to 1
as long as the other takes the rest. A share of zero is no half-plane at all: one through the present velocity would
still bind whoever is not to yield, and one at rest could never set off toward those who make way.

`terms` float64 (n, 3) holds weight, lower and upper end of the height; `bonds` int64 (n, 5) layer, mask, priority, the
group within which nobody is avoided (0: none) and the bits LOCKED and AVOIDS. Both are by place, or by index; the
function does not care.
"""

from orca_core._jit import kernel

__all__ = [
    "AVOIDS",
    "BY_AVOIDANCE",
    "BY_GROUP",
    "BY_HEIGHT",
    "BY_LOCK",
    "BY_MASK",
    "BY_ONE_SIDED",
    "BY_PRIORITY",
    "BY_WEIGHT",
    "IGNORES",
    "LOCKED",
    "gather_bonds",
    "responsibility",
]

# bits of the last column of `bonds`
LOCKED = 1
AVOIDS = 2

# why a share is what it is; indices into orca_core.yielding.REASONS
BY_WEIGHT = 0
BY_PRIORITY = 1
BY_LOCK = 2
BY_ONE_SIDED = 3
BY_AVOIDANCE = 4
BY_HEIGHT = 5
BY_GROUP = 6
BY_MASK = 7

# index of the group mode in which members do not avoid each other
IGNORES = 1


@kernel("Tuple((f8,i8))(f8[:,::1],i8[:,::1],i8,i8)", inline=True)
def responsibility(terms, bonds, own, other):
    """The share of the agent at `own` in avoiding the one at `other`, and the first rule in order that decides it.

    Zero: it does not heed the other. Whoever sees another takes the whole where the other is locked, does not see it,
    or has the higher priority, in this order; else weights divide.
    """
    # some pairs do not meet at all
    if ((bonds[own, 4] & bonds[other, 4]) & AVOIDS) == 0:
        return 0.0, BY_AVOIDANCE
    if not (terms[own, 1] <= terms[other, 2] and terms[other, 1] <= terms[own, 2]):
        return 0.0, BY_HEIGHT
    if bonds[own, 3] != 0 and bonds[own, 3] == bonds[other, 3]:
        return 0.0, BY_GROUP
    # and some see only one way
    if (bonds[own, 1] & bonds[other, 0]) == 0:
        return 0.0, BY_MASK
    if (bonds[own, 4] & LOCKED) != 0:
        return 0.0, BY_LOCK
    if (bonds[other, 4] & LOCKED) != 0:
        return 1.0, BY_LOCK
    if (bonds[other, 1] & bonds[own, 0]) == 0:
        return 1.0, BY_ONE_SIDED
    if bonds[own, 2] != bonds[other, 2]:
        return (1.0 if bonds[own, 2] < bonds[other, 2] else 0.0), BY_PRIORITY
    # equal weights are halves to the bit, and two that are zero avoid nothing
    mine = terms[own, 0]
    theirs = terms[other, 0]
    if mine == theirs:
        return (0.5 if mine > 0.0 else 0.0), BY_WEIGHT
    return mine / (mine + theirs), BY_WEIGHT


@kernel(
    "void(i8,i8,i8[::1],f8[::1],i8[::1],u1[::1],u1[::1],u4[::1],u4[::1],f8[::1],f8[::1],i8[::1],u1[::1],"
    "f8[:,::1],i8[:,::1])"
)
def gather_bonds(
    first, last, order, weight, priority, locked, avoidance, layer, mask, elevation, height, group, group_mode,
    terms, bonds,
):  # fmt: skip
    """Gather `terms` and `bonds` of the agents at the places [first, last) of `order`."""
    for place in range(first, last):
        i = order[place]
        terms[place, 0] = weight[i]
        terms[place, 1] = elevation[i]
        terms[place, 2] = elevation[i] + height[i]
        bonds[place, 0] = layer[i]
        bonds[place, 1] = mask[i]
        bonds[place, 2] = priority[i]
        bonds[place, 3] = group[i] if group_mode[i] == IGNORES else 0
        bonds[place, 4] = (LOCKED if locked[i] != 0 else 0) | (AVOIDS if avoidance[i] != 0 else 0)
