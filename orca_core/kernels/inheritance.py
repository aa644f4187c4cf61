"""Priority inheritance: one step of one agent and of all whom it asks to go out of its way."""

from orca_core._jit import kernel

__all__ = ["plan_step"]


@kernel("void(i8,i4[:,::1],i4[:,::1],i4[::1],f8[:,::1],i4[:,::1],i4[::1])")
def _rank_cells(agent, neighbours, distance, here, chance, order, ranks):
    """Write the sides of an agent, the nearest to its goal first, into its row of `order`, and how many there are."""
    cell = here[agent]
    count = 0
    for side in range(5):
        other = neighbours[cell, side] if side < 4 else cell
        if other < 0:
            continue
        at = count
        while at > 0:
            before = order[agent, at - 1]
            there = neighbours[cell, before] if before < 4 else cell
            nearer = distance[agent, other] < distance[agent, there]
            tied = distance[agent, other] == distance[agent, there]
            if not (nearer or (tied and chance[agent, side] < chance[agent, before])):
                break
            order[agent, at] = before
            at -= 1
        order[agent, at] = side
        count += 1
    ranks[agent] = count


@kernel(
    "void(i8,i4[:,::1],i4[:,::1],i4[::1],i4[::1],i4[::1],i4[::1],f8[:,::1],i4[:,::1],i4[::1],i4[::1],i4[::1])",
)
def plan_step(agent, neighbours, distance, here, there, now, then, chance, order, ranks, tried, stack):
    """Choose the next cell of an agent, and of all whom it asks to go, one asking the next.

    `here`, `there` (agents,): cell now and next, -1 for undecided; `now`, `then` (cells,): who is in a cell, and who
    will be. `chance` (agents, 5) breaks ties between cells equally near. Scratch: `order` (agents, 5), `ranks`,
    `tried`, `stack` (agents,). It is a loop with a stack of its own: compiled code that calls itself does not survive
    the cache.
    """
    stack[0] = agent
    size = 1
    tried[agent] = 0
    _rank_cells(agent, neighbours, distance, here, chance, order, ranks)
    yielded = False
    back = False
    while size > 0:
        agent = stack[size - 1]
        by = stack[size - 2] if size > 1 else -1
        cell = here[agent]
        # whom it asked has gone: it can go
        if back and yielded:
            size -= 1
            continue
        back = False
        asked = False
        settled = False
        while tried[agent] < ranks[agent]:
            side = order[agent, tried[agent]]
            tried[agent] += 1
            other = neighbours[cell, side] if side < 4 else cell
            if then[other] >= 0:
                continue
            # nobody changes places with the one that asks it to go
            if by >= 0 and here[by] == other:
                continue
            there[agent] = other
            then[other] = agent
            occupant = now[other]
            if occupant >= 0 and occupant != agent and there[occupant] < 0:
                stack[size] = occupant
                size += 1
                tried[occupant] = 0
                _rank_cells(occupant, neighbours, distance, here, chance, order, ranks)
                asked = True
            else:
                settled = True
            break
        if asked:
            continue
        back = True
        yielded = settled
        if not settled:
            there[agent] = cell
            then[cell] = agent
        size -= 1
