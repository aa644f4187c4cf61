"""The phase that moves locked agents: on at exactly their velocity, whatever was solved, and through every wall.

A locked agent is driven from outside: a player, a vehicle, a door leaf. Nobody pushes it and nothing stops it, so
what solving and the surface made of it is written over, and it has the bits it would have alone.
"""

from orca_core._jit import kernel

__all__ = ["carry_locked"]


@kernel(
    "void(i8,i8,i8[::1],i8,f8,u1[::1],f8[:,::1],f8[:,::1],i8[::1],f8[:,::1],f8[:,::1],i8[::1],u1[::1],u1[::1],u1[::1],"
    "i8[::1])"
)
def carry_locked(
    first, last, order, step, dt, locked, position, velocity, turning, new_position, new_velocity, new_turning,
    on_surface, moved, outcome, anchor_step,
):  # fmt: skip
    """Write place and velocity after step number `step` of the locked agents at the places [first, last) of `order`.

    `on_surface`, the one that follows, says that nothing is known of where they come to stand; nothing happened to
    them; and progress is not theirs to make, so none of them stalls.
    """
    for place in range(first, last):
        i = order[place]
        if locked[i] == 0:
            continue
        new_velocity[i, 0] = velocity[i, 0]
        new_velocity[i, 1] = velocity[i, 1]
        new_position[i, 0] = position[i, 0] + velocity[i, 0] * dt
        new_position[i, 1] = position[i, 1] + velocity[i, 1] * dt
        new_turning[i] = turning[i]
        on_surface[i] = 0
        moved[i] = 0
        outcome[place] = 0
        anchor_step[i] = step
