"""Breaking exact symmetry: coincident agents, head-on pairs and N-fold rings. Options of the profile `service`, off
in `text`.

The text leaves these situations as they are (spec "Where the paper is silent": a symmetric pair stands for ever, a
coincident pair leaves together). Nothing here acts unless an agent stands in exactly such a symmetry, so every other
world keeps its bits.
All is decided by seed, id and step: no clock and no random state. Only + - * / and sqrt, so every machine agrees.
"""

import math

from orca_core._jit import kernel

__all__ = ["biased", "coincident_half_plane", "hash_unit", "stands_in_symmetry"]

# how exact a mirror image must be, relative to distances and speeds, to count as one
MIRROR_TOLERANCE = 1e-7
# how far a preferred velocity is turned, as a tangent: LEAST plus up to RANGE by the hash
LEAST = 0.5
RANGE = 0.05
# how much more one turns who hardly moves
HARDER = 3.0


@kernel("f8(i8,i8,i8)")
def hash_unit(seed, identifier, salt):
    """A number in [0, 1) from three integers; every product stays under 2^63, so it is the same interpreted."""
    h = 0x9E3779B9
    for part in range(6):
        value = seed if part < 2 else (identifier if part < 4 else salt)
        h = h ^ ((value >> (32 * (part & 1))) & 0xFFFFFFFF)
        h = ((h ^ (h >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
        h = ((h ^ (h >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
        h = h ^ (h >> 16)
    return h / 4294967296.0


@kernel("UniTuple(f8,4)(i8,i8,i8,f8,f8,f8,f8,f8,f8,f8,f8,f8)")
def coincident_half_plane(seed, identifier, other, ax, ay, r, vax, vay, vbx, vby, dt, responsibility):
    """Half-plane for a neighbour on the very same spot: the two part along a direction that is opposite for the other.

    Each agent is taken to stand an infinitesimal step from the spot, at an offset hashed from its id, so that a heap
    of them spreads in
    the plane as a dense crowd does and not along one line.
    """
    nx = hash_unit(seed, identifier, 1) - hash_unit(seed, other, 1)
    ny = hash_unit(seed, identifier, 2) - hash_unit(seed, other, 2)
    length = math.sqrt(nx * nx + ny * ny)
    if length == 0.0:
        nx = 1.0 if identifier < other else -1.0
        ny = 0.0
    else:
        nx = nx / length
        ny = ny / length
    value = nx * ((vax - vbx) - ax / dt) + ny * ((vay - vby) - ay / dt)
    depth = r / dt - value
    return vax + responsibility * (depth * nx), vay + responsibility * (depth * ny), nx, ny


@kernel("b1(f8[:,::1],f8[:,::1],i8,i8[::1],i8,f8,f8,f8)")
def stands_in_symmetry(packed, wishes, own, near_place, count, axis_x, axis_y, wanted):
    """Whether the agent at place `own` and others want into each other's way in an exact symmetry about its unit axis.

    Either somebody ahead stands on the axis and wants straight back along it (a head-on pair), or two ahead are mirror
    images of each other about the axis and want to the point of it that lies as far from them as from the agent, as
    fast as it does (an N-fold ring). Who follows another in a line, or meets one that wants nowhere, is in neither.
    `packed` rows are x, y, velocity x, velocity y, radius by place; `wishes` (count, 2) the preferred velocities of the
    neighbours in their order, `wanted` the length of the agent's own.
    """
    px = packed[own, 0]
    py = packed[own, 1]
    slack = MIRROR_TOLERANCE * wanted
    if abs(axis_x * packed[own, 3] - axis_y * packed[own, 2]) > slack:
        return False
    for n in range(count):
        j = near_place[n]
        x = packed[j, 0] - px
        y = packed[j, 1] - py
        along = axis_x * x + axis_y * y
        aside = axis_x * y - axis_y * x
        squared = x * x + y * y
        tolerance = MIRROR_TOLERANCE * (math.sqrt(squared) + packed[j, 4])
        if along <= tolerance:
            continue
        v_along = axis_x * packed[j, 2] + axis_y * packed[j, 3]
        v_aside = axis_x * packed[j, 3] - axis_y * packed[j, 2]
        p_along = axis_x * wishes[n, 0] + axis_y * wishes[n, 1]
        p_aside = axis_x * wishes[n, 1] - axis_y * wishes[n, 0]
        if abs(aside) <= tolerance:
            if p_along < 0.0 and abs(p_aside) <= -MIRROR_TOLERANCE * p_along and abs(v_aside) <= slack:
                return True
            continue
        # the point of the axis as far from the neighbour as from the agent, and the neighbour's way to it
        ahead = squared / (2.0 * along)
        if abs(p_along - wanted * ((ahead - along) / ahead)) > slack or abs(p_aside + wanted * (aside / ahead)) > slack:
            continue
        for m in range(count):
            o = near_place[m]
            x = packed[o, 0] - px
            y = packed[o, 1] - py
            if (
                abs(axis_x * x + axis_y * y - along) <= tolerance
                and abs(axis_x * y - axis_y * x + aside) <= tolerance
                and abs(axis_x * packed[o, 2] + axis_y * packed[o, 3] - v_along) <= slack
                and abs(axis_x * packed[o, 3] - axis_y * packed[o, 2] + v_aside) <= slack
                and abs(axis_x * wishes[m, 0] + axis_y * wishes[m, 1] - p_along) <= slack
                and abs(axis_x * wishes[m, 1] - axis_y * wishes[m, 0] + p_aside) <= slack
            ):
                return True
    return False


@kernel("UniTuple(f8,2)(i8,i8,i8,b1,f8,f8)")
def biased(seed, identifier, step, held_up, preferred_x, preferred_y):
    """The preferred velocity turned a little to the agent's right, by an amount from seed, id and step; its length
    stays.

    Everybody turns to the same hand, so that pairs pass and rings become roundabouts; amounts differ, so that no
    symmetry is left.
    """
    tangent = LEAST + RANGE * hash_unit(seed, identifier, step)
    if held_up:
        tangent = HARDER * tangent
    length = math.sqrt(1.0 + tangent * tangent)
    return (preferred_x + tangent * preferred_y) / length, (preferred_y - tangent * preferred_x) / length
