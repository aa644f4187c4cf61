"""Occupancy: who is in which cell at which time, entered, taken out and looked through path by path."""

from orca_core._jit import kernel

__all__ = ["collides_with", "release", "reserve"]


@kernel("void(i8,i4[::1],i8,i4[:,::1],i4[:,::1],i4[:,::1])")
def reserve(agent, path, length, first, link, paths):
    """Enter the path of an agent, int32 (horizon,) of which `length` count: at the last of them it stays.

    `first` (cells, horizon) is the agent entered last at a cell and a time, -1 for none, `link` (agents, horizon) the
    one entered before it, `paths` (agents, horizon) where each agent is.
    """
    for time in range(first.shape[1]):
        cell = path[min(time, length - 1)]
        paths[agent, time] = cell
        link[agent, time] = first[cell, time]
        first[cell, time] = agent


@kernel("void(i8,i4[:,::1],i4[:,::1],i4[:,::1])")
def release(agent, first, link, paths):
    """Take the path of an agent out again."""
    for time in range(first.shape[1]):
        cell = paths[agent, time]
        other = first[cell, time]
        if other == agent:
            first[cell, time] = link[agent, time]
        else:
            while link[other, time] != agent:
                other = link[other, time]
            link[other, time] = link[agent, time]
        link[agent, time] = -1
        paths[agent, time] = -1


@kernel("i8(i8,i4[:,::1],i4[:,::1],i4[:,::1],u1[::1])")
def collides_with(agent, first, link, paths, mask):
    """Mark in `mask` (agents,) whoever is in a cell with this agent at some time, or changes places with it; how
    many.
    """
    mask[:] = 0
    found = 0
    for time in range(first.shape[1]):
        cell = paths[agent, time]
        other = first[cell, time]
        while other >= 0:
            if other != agent and mask[other] == 0:
                mask[other] = 1
                found += 1
            other = link[other, time]
        # whoever comes from where this one goes, and goes where it comes from
        if time > 0:
            before = paths[agent, time - 1]
            if before != cell:
                other = first[before, time]
                while other >= 0:
                    if other != agent and mask[other] == 0 and paths[other, time - 1] == cell:
                        mask[other] = 1
                        found += 1
                    other = link[other, time]
    return found
