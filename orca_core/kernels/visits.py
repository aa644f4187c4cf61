"""Visits: which narrow cells of its path an agent is in, which it has left, and whose turn it is at each.

Agents are to take turns at a narrow cell in the order of `order`, where the visits of cell c stand at `cell_first[c]`
to `cell_first[c + 1]`. `turn[c]` is the place of the first that has not been left yet, so that a visit is free, and may
be entered, when its own place `rank` is the turn and it is `admitted`, as all are in the order of a plan. Lengths in
cells.
"""

from orca_core._jit import kernel

__all__ = ["HELD", "NEXT", "is_free", "leave", "progress"]

# columns of an agent's row in `walk`: the first visit not yet entered, and the first not yet left
NEXT = 0
HELD = 1


@kernel("b1(i8,i8[::1],i8[::1],i8[::1],u1[::1])", inline=True)
def is_free(visit, cell, rank, turn, admitted):
    """Whether a visit may be entered: it is let in, and everybody before it has left."""
    return admitted[visit] != 0 and turn[cell[visit]] == rank[visit]


@kernel("void(i8,i8[::1],i8[::1],i8[::1],u1[::1],i8[::1])", inline=True)
def leave(visit, cell, order, cell_first, left, turn):
    """Let a visit be over; the turn goes to the next that is not."""
    left[visit] = 1
    c = cell[visit]
    while turn[c] < cell_first[c + 1] and left[order[turn[c]]] != 0:
        turn[c] += 1


@kernel(
    "void(i8,f8,f8,i8,i8,f8,f8,i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],u1[::1],i8[::1],u1[::1],"
    "i8[:,::1])",
    inline=True,
)
def progress(
    i, x, y, here, width, tolerance, ending, first, cell, before, behind, order, cell_first, rank, left, turn, admitted,
    walk,
):  # fmt: skip
    """Enter and leave the visits of agent i, which is at (x, y) in the cell `here`.

    `before` and `behind` are the cells of its path around each visit, -1 at the ends of the path. Whoever is pushed
    back out of a cell on the side that it came from has not been there. A disc is in a cell up to `tolerance` from its
    centre, and one whose path ends there up to `ending`: it never leaves, but pushed out it has not been there.
    """
    following = walk[i, NEXT]
    held = walk[i, HELD]
    # whoever is pushed into a cell before its turn is not there, and one who comes back to a cell has to leave it first
    if (
        following < first[i + 1]
        and cell[following] == here
        and is_free(following, cell, rank, turn, admitted)
        and not (held < following and cell[following - 1] == here)
    ):
        following += 1
    while held < following:
        # whoever is in a later cell has left those before it
        if held == following - 1:
            c = cell[held]
            dx = x - (c % width + 0.5)
            dy = y - (c // width + 0.5)
            far = max(abs(dx), abs(dy))
            if behind[held] < 0:
                if far > ending:
                    following = held
                break
            if far <= tolerance:
                break
            if before[held] >= 0:
                bx = x - (before[held] % width + 0.5)
                by = y - (before[held] // width + 0.5)
                ax = x - (behind[held] % width + 0.5)
                ay = y - (behind[held] // width + 0.5)
                if bx * bx + by * by < ax * ax + ay * ay:
                    following = held
                    break
        leave(held, cell, order, cell_first, left, turn)
        held += 1
    walk[i, NEXT] = following
    walk[i, HELD] = held
