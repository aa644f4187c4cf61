"""The k nearest agents of one agent: the same set and order as brute force, to the last tie.

Source: spec "Neighbours and constraint order": j != i with squared distance < neighbour distance squared, the
`max_neighbors` smallest by (squared distance, index). How they are found is free, because the ranking decides alone.
What makes it quick:
- the agents of one leaf search together: the tree is walked once for eight of them, and whoever is within reach of
  their box is gathered once into a list that lies together in memory. Each of them runs through that list without a
  branch; going from leaf to leaf instead, with a test of each box, costs a step a third more;
- a guess of the k-th distance (last step's, or the density of the leaf) keeps the candidates few. A guess needs no
proof: if
  fewer than k lie within it the search is repeated with a wider one, so teleports, additions and removals cannot hurt;
- candidates are collected and ranked without branches, which a compiler turns into vector code; an insertion into a
sorted list
  mispredicts at every other candidate.
"""

import math

import numpy as np

from orca_core._jit import kernel
from orca_core.kernels.tree import LEAF

__all__ = [
    "collect_leaves",
    "gather_common",
    "nearest",
    "rank",
    "scan_common",
    "scan_leaves",
    "sort_candidates",
]

# up to this many candidates counting who is nearer beats sorting
COUNTED = 48


@kernel("i8(f8[:,::1],i8,f8,f8,f8,f8,f8,i8[::1],i8[::1])")
def collect_leaves(nodes, leaves, min_x, min_y, max_x, max_y, reach_squared, stack, near):
    """Write the leaves whose box lies within reach of the box to `near` ((P,) entries suffice); returns how many."""
    total = 0
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        dx = max(max(nodes[node, 0] - max_x, min_x - nodes[node, 2]), 0.0)
        dy = max(max(nodes[node, 1] - max_y, min_y - nodes[node, 3]), 0.0)
        # rounding is monotone, so no agent nearer than reach by its computed distance is lost here
        if dx * dx + dy * dy > reach_squared or nodes[node, 0] == math.inf:
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
        else:
            near[total] = node - leaves
            total += 1
    return total


@kernel("void(f8[::1],i8[::1],i8[::1],i8)")
def sort_candidates(distance, place, index, count):
    """Heap sort of the candidates by (squared distance, index), in place."""
    start = count // 2
    end = count
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            distance[0], distance[end] = distance[end], distance[0]
            place[0], place[end] = place[end], place[0]
            index[0], index[end] = index[end], index[0]
        root = start
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and (
                distance[child] < distance[child + 1]
                or (distance[child] == distance[child + 1] and index[child] < index[child + 1])
            ):
                child += 1
            if distance[child] < distance[root] or (distance[child] == distance[root] and index[child] <= index[root]):
                break
            distance[root], distance[child] = distance[child], distance[root]
            place[root], place[child] = place[child], place[root]
            index[root], index[child] = index[child], index[root]
            root = child


@kernel("i8(f8[::1],i8[::1],i8[::1],i8,i8,f8[::1],i8[::1])")
def rank(distance, place, index, count, k, near_distance, near_place):
    """Write the k smallest candidates by (squared distance, index) in order; returns how many there are."""
    kept = min(count, k)
    if count > COUNTED:
        sort_candidates(distance, place, index, count)
        for c in range(kept):
            near_distance[c] = distance[c]
            near_place[c] = place[c]
        return kept
    for c in range(count):
        mine = distance[c]
        nearer = 0
        equal = 0
        for other in range(count):
            nearer += distance[other] < mine
            equal += distance[other] == mine
        # ties break by index; they are rare enough to be counted apart
        if equal > 1:
            for other in range(count):
                if distance[other] == mine and index[other] < index[c]:
                    nearer += 1
        if nearer < k:
            near_distance[nearer] = mine
            near_place[nearer] = place[c]
    return kept


@kernel("i8(i8,f8,f8,i8,f8,f8,i8[::1],i8,f8[:,::1],i8,f8[::1],f8[::1],i8[::1],i8[::1],f8[::1],i8[::1],i8[::1])")
def scan_leaves(
    own,
    px,
    py,
    k,
    bound,
    strict,
    near,
    near_count,
    nodes,
    leaves,
    leaf_x,
    leaf_y,
    order,
    leaf_first,
    distance,
    place,
    index,
):
    """Collect every agent with squared distance <= `bound` and < `strict` from the listed leaves; returns how many.

    When the candidate arrays fill up, only the k best are kept and the bound shrinks to the k-th, so a full heap of
    agents costs
    time and not memory; equal distances at that bound are still told apart by index.
    """
    count = 0
    capacity = distance.size
    tie = np.int64(0x7FFFFFFFFFFFFFFF)
    for n in range(near_count):
        leaf = near[n]
        node = leaves + leaf
        dx = max(max(nodes[node, 0] - px, px - nodes[node, 2]), 0.0)
        dy = max(max(nodes[node, 1] - py, py - nodes[node, 3]), 0.0)
        gap = dx * dx + dy * dy
        if gap > bound or (gap == bound and leaf_first[leaf] > tie):
            continue
        first = leaf * LEAF
        # append without a branch: every agent is written, the count moves on only for those within the bound
        for lane in range(LEAF):
            x = leaf_x[first + lane] - px
            y = leaf_y[first + lane] - py
            squared = x * x + y * y
            distance[count] = squared
            place[count] = first + lane
            count += (squared <= bound) & (squared < strict) & (first + lane != own)
        if count > capacity - LEAF - 1:
            for c in range(count):
                index[c] = order[place[c]]
            sort_candidates(distance, place, index, count)
            if count > k:
                count = k
                bound = distance[k - 1] if k > 0 else -1.0
                tie = index[k - 1] if k > 0 else np.int64(-1)
    for c in range(count):
        index[c] = order[place[c]]
    return count


@kernel("i8(f8[:,::1],i8,f8,f8[::1],f8[::1],i8[::1],i8,i8,f8[::1],f8[::1],i8[::1])")
def gather_common(
    nodes, node, reach_squared, leaf_x, leaf_y, near, near_count, capacity, common_x, common_y, common_place
):
    """Gather every agent within reach of the box of the leaf `node` from the listed leaves; returns how many, or -1.

    Whoever is within reach of a member of the leaf is among them, since rounding is monotone. -1 stands for more than
    `capacity`; what is written is then incomplete.
    """
    min_x = nodes[node, 0]
    min_y = nodes[node, 1]
    max_x = nodes[node, 2]
    max_y = nodes[node, 3]
    total = 0
    for n in range(near_count):
        if total > capacity - LEAF:
            return -1
        first = near[n] * LEAF
        for lane in range(LEAF):
            x = leaf_x[first + lane]
            y = leaf_y[first + lane]
            dx = max(max(x - max_x, min_x - x), 0.0)
            dy = max(max(y - max_y, min_y - y), 0.0)
            common_x[total] = x
            common_y[total] = y
            common_place[total] = first + lane
            total += dx * dx + dy * dy <= reach_squared
    return total


@kernel("i8(i8,f8,f8,f8,f8,i8,f8[::1],f8[::1],i8[::1],f8[::1],i8[::1],f8[::1],i8[::1],i8[::1])")
def scan_common(
    own,
    px,
    py,
    bound,
    strict,
    common_count,
    common_x,
    common_y,
    common_place,
    squares,
    order,
    distance,
    place,
    index,
):
    """Collect every agent with squared distance <= `bound` and < `strict` from the common list; returns how many.

    `squares` is scratch of the size of the list, and the candidate arrays hold as many entries.
    """
    # apart from the appending, so that it becomes vector code
    for c in range(common_count):
        x = common_x[c] - px
        y = common_y[c] - py
        squares[c] = x * x + y * y
    count = 0
    for c in range(common_count):
        squared = squares[c]
        at = common_place[c]
        distance[count] = squared
        place[count] = at
        count += (squared <= bound) & (squared < strict) & (at != own)
    for c in range(count):
        index[c] = order[place[c]]
    return count


@kernel(
    "Tuple((i8,f8))(i8,f8,f8,i8,f8,f8,f8,i8[::1],i8,f8[:,::1],i8,f8[::1],f8[::1],i8[::1],i8[::1],"
    "f8[::1],i8[::1],i8[::1],f8[::1],i8[::1],i8[::1],i8[::1])"
)
def nearest(
    own,
    px,
    py,
    k,
    neighbor_distance,
    guess,
    shared,
    near,
    near_count,
    nodes,
    leaves,
    leaf_x,
    leaf_y,
    order,
    leaf_first,
    distance,
    place,
    index,
    near_distance,
    near_place,
    stack,
    wide,
):
    """Find the neighbours of the agent at place `own`; writes `near_distance` (squared) and `near_place` in order.

    `guess` is a distance expected to hold k of them, `shared` the distance for which `near` is complete; `wide` (P,)
    is scratch
    for a wider search. The candidate arrays hold at least k + 2 * LEAF entries. Returns (how many, the k-th
    distance, or the
    neighbour distance where there are fewer).
    """
    strict = neighbor_distance * neighbor_distance
    if k <= 0:
        return 0, 0.0
    reach = min(guess, neighbor_distance)
    while True:
        bound = min(reach * reach, strict)
        if reach <= shared:
            count = scan_leaves(
                own,
                px,
                py,
                k,
                bound,
                strict,
                near,
                near_count,
                nodes,
                leaves,
                leaf_x,
                leaf_y,
                order,
                leaf_first,
                distance,
                place,
                index,
            )
        else:
            wide_count = collect_leaves(nodes, leaves, px, py, px, py, bound, stack, wide)
            count = scan_leaves(
                own,
                px,
                py,
                k,
                bound,
                strict,
                wide,
                wide_count,
                nodes,
                leaves,
                leaf_x,
                leaf_y,
                order,
                leaf_first,
                distance,
                place,
                index,
            )
        if count >= k or reach >= neighbor_distance:
            break
        reach = min(reach * 2.0, neighbor_distance) if reach > 0.0 else neighbor_distance
    kept = rank(distance, place, index, count, k, near_distance, near_place)
    return kept, math.sqrt(near_distance[k - 1]) if kept == k else neighbor_distance
