"""Safe intervals: the path of one agent among the paths of others, which are walls to it or cost it a collision each.

Source: M. Phillips, M. Likhachev, SIPP: Safe Interval Path Planning for Dynamic Environments, ICRA 2011; J. Li, Z.
Chen, D. Harabor, P. Stuckey, S. Koenig, MAPF-LNS2: Fast Repairing for Multi-Agent Path Finding via Large Neighborhood
Search, AAAI 2022 (SIPPS, hard and soft obstacles). A state is a cell in one of the stretches of time in which nobody is
there, or, among soft obstacles, somebody is; it is searched by the fewest collisions, then by the earliest arrival.
"""

from orca_core._jit import kernel
from orca_core.kernels.heap import pop_node, push_node

__all__ = ["NO_ROOM", "NO_WAY", "OVER_BUDGET", "find_path"]

# what is returned in place of a length
NO_WAY = 0
OVER_BUDGET = -1
NO_ROOM = -2

# columns of a node: cell, stretch, first time, end of its time, collisions, parent, whether it is the end, dead, next
CELL, STRETCH, LOW, HIGH, COLLISIONS, PARENT, FINAL, DEAD, NEXT = range(9)


@kernel("i8(i8,b1,i4[:,::1],i4[:,::1],i8)")
def _split(cell, hard, first, stretches, count):
    """Append the stretches of a cell to `stretches` (n, 4): begin, end, whether somebody is there, head of its nodes.

    Among hard obstacles only those in which nobody is there. Returns the new count, -1 where there is no room.
    """
    horizon = first.shape[1]
    begin = 0
    taken = first[cell, 0] >= 0
    for time in range(1, horizon + 1):
        now = first[cell, time] >= 0 if time < horizon else not taken
        if now != taken:
            if not (hard and taken):
                if count >= stretches.shape[0]:
                    return -1
                stretches[count, 0] = begin
                stretches[count, 1] = time
                stretches[count, 2] = 1 if taken else 0
                stretches[count, 3] = -1
                count += 1
            begin = time
            taken = now
    return count


@kernel("b1(i8,i8,i8,i4[:,::1],i4[:,::1],i4[:,::1])")
def _changes_places(come_from, cell, time, first, link, paths):
    """Whether somebody goes the other way while one moves from `come_from` to `cell` between time - 1 and time."""
    other = first[cell, time - 1]
    while other >= 0:
        if paths[other, time] == come_from:
            return True
        other = link[other, time - 1]
    return False


@kernel("i8(i4[:,::1],i8,i4[:,::1],i8,i8,i8,i8,i8,i8,i8,i8,i8[::1],i8[::1],i8[::1])")
def _insert(
    nodes, count, stretches, cell, stretch, low, high, collisions, parent, final, remaining, keys, heap, sizes
):  # fmt: skip
    """Make a node unless one that is there is as good; returns the new count, -2 where there is no room.

    `sizes[0]` is the size of the heap. `remaining` is what is still to go at least.
    """
    # whoever came no later, may stay as long and met no more
    other = stretches[stretch, 3]
    while other >= 0:
        if nodes[other, DEAD] == 0 and nodes[other, FINAL] == final:
            if nodes[other, LOW] <= low and nodes[other, HIGH] >= high and nodes[other, COLLISIONS] <= collisions:
                return count
            if low <= nodes[other, LOW] and high >= nodes[other, HIGH] and collisions <= nodes[other, COLLISIONS]:
                nodes[other, DEAD] = 1
        other = nodes[other, NEXT]
    if count >= nodes.shape[0]:
        return -2
    nodes[count, CELL] = cell
    nodes[count, STRETCH] = stretch
    nodes[count, LOW] = low
    nodes[count, HIGH] = high
    nodes[count, COLLISIONS] = collisions
    nodes[count, PARENT] = parent
    nodes[count, FINAL] = final
    nodes[count, DEAD] = 0
    nodes[count, NEXT] = stretches[stretch, 3]
    stretches[stretch, 3] = count
    # fewest collisions, then the earliest end, then the one that has come farthest
    push_node(keys, heap, sizes[0], (collisions << 40) | ((low + remaining) << 20) | remaining, count)
    sizes[0] += 1
    return count + 1


@kernel(
    "UniTuple(i8,3)(i4[:,::1],i4[::1],i8,i8,b1,i8,i4[:,::1],i4[:,::1],i4[:,::1],"
    "i4[:,::1],i4[:,::1],i4[:,::1],i8[::1],i8[::1],i8[::1],i4[::1])"
)
def find_path(
    neighbours, distance, start, goal, hard, budget, first, link, paths, nodes, stretches, of_cell, keys, heap, sizes,
    path
):  # fmt: skip
    """The best path from `start` to `goal` among those reserved, as `path` (horizon,); see `reserve` for their tables.

    With `hard` nobody may be met; else the fewest are, and among those paths it is the shortest. `distance` (cells,)
    are the steps to the goal. Scratch: `nodes` (m, 9), `stretches` (m, 4), `of_cell` (cells, 2), `keys`, `heap` (m,),
    `sizes` (1,). Returns (length, collisions, nodes expanded); the length is NO_WAY, OVER_BUDGET or NO_ROOM where there
    is no path.
    """
    horizon = first.shape[1]
    of_cell[:, 0] = -1
    sizes[0] = 0
    count = 0
    pieces = _split(start, hard, first, stretches, 0)
    if pieces < 0:
        return NO_ROOM, 0, 0
    of_cell[start, 0] = 0
    of_cell[start, 1] = pieces
    if pieces == 0 or stretches[0, 0] > 0:
        return NO_WAY, 0, 0
    count = _insert(
        nodes, 0, stretches, start, 0, 0, stretches[0, 1], stretches[0, 2], -1, 0, distance[start], keys, heap, sizes
    )  # fmt: skip
    expanded = 0
    while sizes[0] > 0:
        node = pop_node(keys, heap, sizes[0])
        sizes[0] -= 1
        if nodes[node, DEAD] == 1:
            continue
        cell = nodes[node, CELL]
        low = nodes[node, LOW]
        high = nodes[node, HIGH]
        collisions = nodes[node, COLLISIONS]
        stretch = nodes[node, STRETCH]
        # the end: walk the chain back, each waits where it is until it moves
        if nodes[node, FINAL] == 1:
            time = low
            while node >= 0:
                for t in range(nodes[node, LOW], time + 1):
                    path[t] = nodes[node, CELL]
                time = nodes[node, LOW] - 1
                node = nodes[node, PARENT]
            return low + 1, collisions, expanded
        if expanded >= budget:
            return OVER_BUDGET, 0, expanded
        expanded += 1
        # at the goal for good: hard ones must not come by any more, soft ones cost one each
        if cell == goal:
            last = of_cell[goal, 0] + of_cell[goal, 1] - 1
            later = 0
            for piece in range(stretch + 1, last + 1):
                later += stretches[piece, 2]
            if stretches[last, 1] == horizon and (not hard or stretch == last):
                count = _insert(
                    nodes, count, stretches, cell, stretch, low, high, collisions + later, nodes[node, PARENT], 1, 0,
                    keys, heap, sizes,
                )  # fmt: skip
                if count < 0:
                    return NO_ROOM, 0, expanded
        # to the cells beside, and on in time where one is
        for side in range(5):
            other = neighbours[cell, side] if side < 4 else cell
            if other < 0:
                continue
            if of_cell[other, 0] < 0:
                more = _split(other, hard, first, stretches, pieces)
                if more < 0:
                    return NO_ROOM, 0, expanded
                of_cell[other, 0] = pieces
                of_cell[other, 1] = more - pieces
                pieces = more
            if distance[other] >= 1073741824:
                continue
            for piece in range(of_cell[other, 0], of_cell[other, 0] + of_cell[other, 1]):
                begin = stretches[piece, 0]
                end = stretches[piece, 1]
                if begin > high:
                    break
                if side == 4:
                    # only into the stretch that follows at once
                    if piece == stretch or begin != high:
                        continue
                    count = _insert(
                        nodes, count, stretches, cell, piece, begin, end, collisions + stretches[piece, 2], node, 0,
                        distance[cell], keys, heap, sizes,
                    )  # fmt: skip
                    if count < 0:
                        return NO_ROOM, 0, expanded
                    continue
                arrival = max(low + 1, begin)
                latest = min(high, end - 1)
                if arrival > latest:
                    continue
                met = collisions + stretches[piece, 2]
                # the first moment at which nobody comes the other way
                free = arrival
                while free <= latest and _changes_places(cell, other, free, first, link, paths):
                    free += 1
                if free <= latest:
                    count = _insert(
                        nodes, count, stretches, other, piece, free, end, met, node, 0, distance[other], keys, heap,
                        sizes,
                    )  # fmt: skip
                if count >= 0 and not hard and free > arrival:
                    count = _insert(
                        nodes, count, stretches, other, piece, arrival, min(free, end), met + 1, node, 0,
                        distance[other], keys, heap, sizes,
                    )  # fmt: skip
                if count < 0:
                    return NO_ROOM, 0, expanded
    return NO_WAY, 0, expanded
