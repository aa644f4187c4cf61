"""Preferred velocities from goals, and the gathering of parameters in the order of the tree."""

import math

from orca_core._jit import kernel

__all__ = ["gather_parameters", "preferred_velocity", "scaled_down"]

# a preferred velocity beyond 2^256 is scaled by powers of two (exact), so that no square of it overflows
HUGE = 1.157920892373162e77
SHRINK = 8.636168555094445e-78


@kernel("UniTuple(f8,2)(f8,f8)")
def scaled_down(x, y):
    """A vector of the same direction whose components are at most 2^256; unchanged when they are already."""
    while max(abs(x), abs(y)) > HUGE:
        x = x * SHRINK
        y = y * SHRINK
    return x, y


@kernel("UniTuple(f8,2)(i8,f8,f8,f8,b1,f8,f8[:,::1],u1[::1],f8[::1],f8[::1],f8[:,::1])", inline=True)
def preferred_velocity(
    i, px, py, dt, clamp, max_speed, goal, has_goal, preferred_speed, goal_tolerance, given
):  # fmt: skip
    """The preferred velocity of the agent at index i that stands at (px, py): toward its goal where it has one, else
    given.

    With d = goal - position and L its length: zero within the tolerance, else d / L * min(speed, L / dt), which
    reaches a
    near goal in one step and never oversteps it. A negative `preferred_speed` stands for the maximum speed.
    """
    if has_goal[i]:
        dx = goal[i, 0] - px
        dy = goal[i, 1] - py
        length = math.sqrt(dx * dx + dy * dy)
        if length <= goal_tolerance[i] or length == 0.0:
            x = 0.0
            y = 0.0
        else:
            speed = preferred_speed[i] if preferred_speed[i] >= 0.0 else max_speed
            speed = min(speed, length / dt)
            x = dx / length * speed
            y = dy / length * speed
    else:
        x = given[i, 0]
        y = given[i, 1]
    if clamp:
        x, y = scaled_down(x, y)
    return x, y


@kernel("void(i8,i8,i8[::1],f8[::1],f8[::1],f8[::1],f8[::1],i8[::1],f8[:,::1])")
def gather_parameters(
    first, last, order, max_speed, time_horizon, obstacle_horizon, neighbor_distance, max_neighbors, parameters
):  # fmt: skip
    """Gather what the steered agent itself needs into `parameters` (n, 5), for the places [first, last).

    Columns: maximum speed, time horizon, obstacle horizon, neighbour distance, maximum of neighbours (exact as a
    float64).
    """
    for place in range(first, last):
        i = order[place]
        parameters[place, 0] = max_speed[i]
        parameters[place, 1] = time_horizon[i]
        parameters[place, 2] = obstacle_horizon[i]
        parameters[place, 3] = neighbor_distance[i]
        parameters[place, 4] = max_neighbors[i]
