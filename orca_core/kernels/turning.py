"""Headings: where a body faces, and how far it may turn in a step.

A body faces where it goes: its heading is the direction of its velocity, and while it stands the one that is kept in
`heading`. No trigonometry: cosine and sine of the largest turn of a step come from a polynomial of + and * alone, so
they are the same bits on every machine, and a direction is turned by multiplying with them.
"""

import math

from orca_core._jit import kernel

__all__ = ["cosine_sine", "direction", "face", "gather_bodies", "take_headings", "turned", "wedge_rows"]

# half a turn, and the turn beyond which a step leaves no direction out
RIGHT_ANGLE = 1.5707963267948966
HALF_TURN = 3.141592653589793
# a turn falls short of its limit by this share, which is more than all rounding of it
SHORT = 1.0 - 1e-12
# below this square of a speed (m²/s²) a direction is lost to underflow: such a body stands
STANDING_SQUARED = 1e-280
# cosine that stands for no limit
FREE = -1.0


@kernel("UniTuple(f8,2)(f8)")
def cosine_sine(angle):
    """Cosine and sine of an angle (rad) from 0 to a right angle, by the Taylor polynomials of half of it.

    Half a right angle to the 18th over 18! is 2e-18, so nothing is lost that a float64 could hold.
    """
    half = 0.5 * angle
    square = half * half
    sine = 0.0
    cosine = 0.0
    # Horner from the innermost term: x (1 - x²/(2·3) (1 - x²/(4·5) (…))), and 1 - x²/(1·2) (1 - x²/(3·4) (…))
    for step in range(8, 0, -1):
        sine = square / (2.0 * step * (2.0 * step + 1.0)) * (1.0 - sine)
        cosine = square / ((2.0 * step - 1.0) * 2.0 * step) * (1.0 - cosine)
    sine = half * (1.0 - sine)
    cosine = 1.0 - cosine
    return cosine * cosine - sine * sine, 2.0 * cosine * sine


@kernel("void(i8,i8,i8[::1],f8,f8[::1],f8[::1],f8[::1],f8[:,::1])")
def gather_bodies(first, last, order, dt, max_acceleration, max_turning_rate, forward_preference, bodies):
    """Gather what limits each body into `bodies` (n, 4), for the places [first, last).

    Columns: how much a velocity may change in a step (m/s; infinite: no limit), cosine and sine of the largest turn
    (cosine -1: no limit), the preference for forward motion. Negative limits stand for none. A turn of a right angle
    or more, short of half a turn, counts as a right angle: the set of velocities beyond would not be convex.
    """
    for place in range(first, last):
        i = order[place]
        bodies[place, 0] = max_acceleration[i] * dt if max_acceleration[i] >= 0.0 else math.inf
        bodies[place, 1] = FREE
        bodies[place, 2] = 0.0
        if max_turning_rate[i] >= 0.0:
            angle = max_turning_rate[i] * dt
            if angle < HALF_TURN:
                bodies[place, 1], bodies[place, 2] = cosine_sine(min(angle * SHORT, RIGHT_ANGLE))
        bodies[place, 3] = forward_preference[i]


@kernel("UniTuple(f8,2)(f8,f8,f8,f8)")
def direction(vx, vy, kept_x, kept_y):
    """The heading: the direction of the velocity, or the kept one (zero: none yet) of a body that stands."""
    squared = vx * vx + vy * vy
    if not STANDING_SQUARED < squared < math.inf:
        return kept_x, kept_y
    speed = math.sqrt(squared)
    return vx / speed, vy / speed


@kernel("UniTuple(f8,2)(f8,f8,f8,f8,f8,f8)")
def turned(heading_x, heading_y, wish_x, wish_y, cosine, sine):
    """The heading of a body that turns on the spot: toward the wanted direction, no farther than a step lets it.

    One that wants straight back turns to its right.
    """
    wished_x, wished_y = direction(wish_x, wish_y, heading_x, heading_y)
    if cosine == FREE or (heading_x == 0.0 and heading_y == 0.0):
        return wished_x, wished_y
    if heading_x * wished_x + heading_y * wished_y >= cosine:
        return wished_x, wished_y
    side = sine if heading_x * wished_y - heading_y * wished_x > 0.0 else -sine
    x = heading_x * cosine - heading_y * side
    y = heading_y * cosine + heading_x * side
    # again of length one, so that no rounding adds up while it turns
    return direction(x, y, heading_x, heading_y)


@kernel("i8(f8,f8,f8,f8,f8[:,::1])")
def wedge_rows(heading_x, heading_y, cosine, sine, planes):
    """Write the half-planes of the directions that a body can turn to, first rows of all; returns how many.

    Their lines meet in the velocity zero and hold every velocity along the heading, so braking is never forbidden.
    """
    if cosine == FREE or (heading_x == 0.0 and heading_y == 0.0):
        return 0
    # forward at all: the other two alone would leave a way back open where the turn is very small
    planes[0, 0] = 0.0
    planes[0, 1] = 0.0
    planes[0, 2] = heading_x
    planes[0, 3] = heading_y
    if cosine <= 0.0:
        return 1
    # right of the leftmost direction, left of the rightmost
    planes[1, 0] = 0.0
    planes[1, 1] = 0.0
    planes[1, 2] = heading_y * cosine + heading_x * sine
    planes[1, 3] = heading_y * sine - heading_x * cosine
    planes[2, 0] = 0.0
    planes[2, 1] = 0.0
    planes[2, 2] = heading_x * sine - heading_y * cosine
    planes[2, 3] = heading_x * cosine + heading_y * sine
    return 3


@kernel("void(i8,i8,i8[::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1])")
def face(first, last, order, before, velocity, heading, wishes, bodies, facing):
    """Write the new heading of the bodies at the places [first, last) to `facing` (n, 2).

    `before` (n, 5) is the frame of the step, whose columns 2 and 3 are velocities, `velocity` (n, 2) what became of
    them by index, `heading` (n, 2) what was kept, `wishes` (n, 2) where each wanted to go.
    """
    for place in range(first, last):
        i = order[place]
        old_x, old_y = direction(before[place, 2], before[place, 3], heading[i, 0], heading[i, 1])
        x, y = direction(velocity[i, 0], velocity[i, 1], 0.0, 0.0)
        if x == 0.0 and y == 0.0:
            x, y = turned(old_x, old_y, wishes[place, 0], wishes[place, 1], bodies[place, 1], bodies[place, 2])
        facing[place, 0] = x
        facing[place, 1] = y


@kernel("void(i8,i8[::1],f8[:,::1],f8[:,::1])")
def take_headings(count, order, facing, heading):
    """Keep what `face` has written by place, by index."""
    for place in range(count):
        heading[order[place], 0] = facing[place, 0]
        heading[order[place], 1] = facing[place, 1]
