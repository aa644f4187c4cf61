"""Focal search: a path of one agent in cells and time that keeps rules, no longer than allowed, and meets few others.

Source: M. Barer, G. Sharon, R. Stern, A. Felner, Suboptimal Variants of the Conflict-Based Search Algorithm for the
Multi-Agent Pathfinding Problem, SoCS 2014 (the low level of ECBS). Of all nodes whose estimate is at most `weight`
times the least one, that with the fewest meetings is expanded next; the least estimate is a lower bound of any path's
length.
"""

from orca_core._jit import kernel
from orca_core.kernels.heap import pop_node, push_node

__all__ = ["focal_path"]

# what is returned in place of a length
NO_WAY = 0
OVER_BUDGET = -1
NO_ROOM = -2

# columns of a node: cell, time, meetings, parent, next in the bucket of its estimate, closed
CELL, TIME, MEETINGS, PARENT, NEXT, CLOSED = range(6)


@kernel("i8(i8,i8,i8,i4[:,::1],i4[:,::1],i4[:,::1])")
def _meetings(come_from, cell, time, first, link, paths):
    """How many are in a cell at a time, or come the other way while one moves there from `come_from`."""
    found = 0
    other = first[cell, time]
    while other >= 0:
        found += 1
        other = link[other, time]
    if come_from != cell:
        other = first[cell, time - 1]
        while other >= 0:
            if paths[other, time] == come_from:
                found += 1
            other = link[other, time - 1]
    return found


@kernel(
    "UniTuple(i8,4)(i4[:,::1],i4[::1],i8,i8,f8,i8,i8,i4[:,::1],i4[:,::1],i4[:,::1],"
    "u1[:,::1],u1[:,::1],i4[:,::1],i4[:,::1],i4[::1],i8[::1],i8[::1],i4[::1])"
)
def focal_path(
    neighbours, distance, start, goal, weight, since, budget, first, link, paths, forbidden, forbidden_moves, nodes,
    known, buckets, keys, heap, path,
):  # fmt: skip
    """A path from `start` to `goal`, arriving not before time `since`, as `path` (horizon,).

    `forbidden` (cells, horizon) marks where the agent must not be; `forbidden_moves` (cells, horizon) by cell and the
    time of leaving the sides, as bits, to which it must not go. `first`, `link`, `paths` are the others', see
    `reserve`. Scratch: `nodes` (m, 6), `known` (cells, horizon), `buckets` (3 horizon,), `keys`, `heap` (m,). Returns
    (length, the lower bound of lengths, meetings, nodes expanded); the length is NO_WAY, OVER_BUDGET or NO_ROOM without
    a path.
    """
    horizon = first.shape[1]
    if distance[start] >= 1073741824 or forbidden[start, 0] != 0:
        return NO_WAY, 0, 0, 0
    buckets[:] = -1
    least = max(distance[start], since)
    nodes[0, CELL] = start
    nodes[0, TIME] = 0
    nodes[0, MEETINGS] = 0
    nodes[0, PARENT] = -1
    nodes[0, NEXT] = -1
    nodes[0, CLOSED] = 0
    known[start, 0] = 0
    buckets[least] = 0
    count = 1
    size = 0
    expanded = 0
    # estimates up to this one are in the heap
    allowed = least - 1
    while True:
        # the least estimate of a node that is still open
        while least < buckets.size:
            node = buckets[least]
            while node >= 0 and nodes[node, CLOSED] == 1:
                node = nodes[node, NEXT]
            buckets[least] = node
            if node >= 0:
                break
            least += 1
        if least >= buckets.size:
            return NO_WAY, 0, 0, expanded
        reach = int(weight * least + 1e-9)
        while allowed < reach:
            allowed += 1
            if allowed >= buckets.size:
                break
            node = buckets[allowed]
            while node >= 0:
                if nodes[node, CLOSED] == 0:
                    push_node(keys, heap, size, (nodes[node, MEETINGS] << 32) | (allowed << 16), node)
                    size += 1
                node = nodes[node, NEXT]
        if size == 0:
            return NO_WAY, 0, 0, expanded
        node = pop_node(keys, heap, size)
        size -= 1
        if nodes[node, CLOSED] == 1:
            continue
        nodes[node, CLOSED] = 1
        cell = nodes[node, CELL]
        time = nodes[node, TIME]
        met = nodes[node, MEETINGS]
        if cell == goal and time >= since:
            length = time + 1
            while node >= 0:
                path[nodes[node, TIME]] = nodes[node, CELL]
                node = nodes[node, PARENT]
            return length, least, met, expanded
        if expanded >= budget:
            return OVER_BUDGET, 0, 0, expanded
        expanded += 1
        if time + 1 >= horizon:
            continue
        for side in range(5):
            other = neighbours[cell, side] if side < 4 else cell
            if other < 0 or forbidden[other, time + 1] != 0:
                continue
            if side < 4 and (forbidden_moves[cell, time] >> side) & 1 != 0:
                continue
            estimate = max(time + 1 + distance[other], since)
            if estimate >= buckets.size:
                continue
            meetings = met + _meetings(cell, other, time + 1, first, link, paths)
            before = known[other, time + 1]
            # what another search has left there is a node of another cell or time, or none of this one
            if 0 <= before < count and nodes[before, CELL] == other and nodes[before, TIME] == time + 1:
                if nodes[before, MEETINGS] <= meetings or nodes[before, CLOSED] == 1:
                    continue
                nodes[before, CLOSED] = 1
            if count >= nodes.shape[0] or size >= heap.size:
                return NO_ROOM, 0, 0, expanded
            nodes[count, CELL] = other
            nodes[count, TIME] = time + 1
            nodes[count, MEETINGS] = meetings
            nodes[count, PARENT] = node
            nodes[count, CLOSED] = 0
            nodes[count, NEXT] = buckets[estimate]
            buckets[estimate] = count
            known[other, time + 1] = count
            if estimate <= allowed:
                push_node(keys, heap, size, (meetings << 32) | (estimate << 16), count)
                size += 1
            count += 1
