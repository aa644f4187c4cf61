"""Sub-plans followed: each member of a group goes from cell to cell of its path, and into none before it is its turn.

The paths of all members stand in one array of places, that of member k at `first[k]:stop[k]`. `at[k]` is the place that
it has come to, `first[k] - 1` while it is on its way to the first. Place p may be entered once member `waits_for[p]`
has come to place `waits_until[p]`; -1: at any time.
"""

from orca_core._jit import kernel

__all__ = ["advance_plans", "aim_along"]


@kernel("i8(i8,i8[::1],i8[::1],i8[::1],i8[::1])", inline=True)
def next_place(k, stop, at, waits_for, waits_until):
    """The place that a member goes to: the following one where it may enter it, else the one that it has come to."""
    place = at[k] + 1
    if place >= stop[k]:
        return at[k]
    other = waits_for[place]
    if other >= 0 and at[other] < waits_until[place]:
        return at[k]
    return place


@kernel("i8(f8,i8[::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],u1[::1],i8[::1],i8[::1],u1[::1])")
def advance_plans(reach, rows, position, places, stop, at, released, waits_for, waits_until, moved):
    """After a step: mark in `moved` (m,) the members that have come within `reach` of the place they go to.

    They are decided one after the other, so that what the one makes free the next may enter in the following step.
    Returns how many there are.
    """
    found = 0
    for k in range(rows.size):
        moved[k] = 0
        if released[k]:
            continue
        place = next_place(k, stop, at, waits_for, waits_until)
        if place == at[k]:
            continue
        dx = places[place, 0] - position[rows[k], 0]
        dy = places[place, 1] - position[rows[k], 1]
        if dx * dx + dy * dy <= reach * reach:
            at[k] = place
            moved[k] = 1
            found += 1
    return found


@kernel("void(i8[::1],f8[:,::1],i8[::1],i8[::1],u1[::1],i8[::1],i8[::1],f8[:,::1])")
def aim_along(rows, places, stop, at, released, waits_for, waits_until, target):
    """Write for each member that is not released where it goes, `target` (n, 2)."""
    for k in range(rows.size):
        if not released[k]:
            place = next_place(k, stop, at, waits_for, waits_until)
            target[rows[k], 0] = places[place, 0]
            target[rows[k], 1] = places[place, 1]
