"""The k nearest agents of one agent: the same set and order as brute force, to the last tie.

Source: spec "Neighbours and constraint order": j != i with squared distance < neighbour distance squared, the
`max_neighbors` smallest by (squared distance, index). How they are found is free, because the ranking decides alone.
What makes it quick:

- candidates found once are kept over steps (`near_of_list`): while nobody can have come near enough from outside the
  list, the k nearest are in it. The bound is proved in every step for every agent, so nothing that happens between
  steps
  can hurt; an agent whose list no longer proves anything searches again;
- the agents of one leaf search together: the tree is walked once for eight of them, and whoever is within reach of
their
  box is gathered once into a list that lies together in memory. Each of them runs through that list without a branch;
  going from leaf to leaf instead, with a test of each box, costs a step a third more;
- a guess of the distance that holds enough candidates keeps them few. A guess needs no proof: if too few lie within it
  the search is repeated with a wider one;
- candidates are collected and ranked without branches, which a compiler turns into vector code; an insertion into a
  sorted list mispredicts at every other candidate.
"""

import math

import numpy as np

from orca_core._jit import kernel
from orca_core.kernels.ranking import sort_candidates
from orca_core.kernels.tree import LEAF

__all__ = [
    "LISTED",
    "collect_leaves",
    "gather_common",
    "near_of_list",
    "scan_common",
    "scan_leaves",
    "search",
    "thin_out",
    "within",
]

# the most candidates that an agent keeps; with more neighbours than that less MARGIN it searches anew in every step
LISTED = 32
MARGIN = 4
# how often too many candidates are cut by distance before they are cut by order
TRIES = 4
# how many bounds are tried to leave few enough for ranking by counting
THINNINGS = 6
# where a search begins that knows nothing, as a share of the neighbour distance
FIRST_SHARE = 1.0 / 4096.0
# a kept list proves the k-th neighbour only this far inside its radius, which covers every rounding
PROOF = 1.0 - 1e-9


@kernel("i8(f8[:,::1],i8,f8,f8,f8,f8,f8,i8[::1],i8[::1])", inline=True)
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


@kernel(
    "i8(i8,f8,f8,i8,f8,i8[::1],i8,f8[:,::1],i8,f8[::1],f8[::1],i8[::1],i8[::1],f8[::1],i8[::1],i8[::1])", inline=True
)
def scan_leaves(
    own,
    px,
    py,
    most,
    bound,
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
    """Collect every other agent with squared distance <= `bound` from the listed leaves; returns how many.

    When the candidate arrays fill up, only the `most` best are kept and the bound shrinks to the last of them, so a
    full
    heap of agents costs time and not memory; equal distances at that bound are still told apart by index.
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
            count += (squared <= bound) & (first + lane != own)
        if count > capacity - LEAF - 1:
            for c in range(count):
                index[c] = order[place[c]]
            sort_candidates(distance, place, index, count)
            count = min(count, most)
            bound = distance[count - 1]
            tie = index[count - 1]
    return count


@kernel("i8(f8[:,::1],i8,f8,f8[::1],f8[::1],i8[::1],i8,f8[::1],f8[::1],i8[::1])", inline=True)
def gather_common(boxes, leaf, reach_squared, leaf_x, leaf_y, near, near_count, common_x, common_y, common_place):
    """Gather every agent within reach of the box of `leaf` from the listed leaves; returns how many, or -1.

    Whoever is within reach of a member of the leaf is among them, since rounding is monotone. -1 stands for more than
    there is room for; what is written is then incomplete.
    """
    min_x = boxes[leaf, 0]
    min_y = boxes[leaf, 1]
    max_x = boxes[leaf, 2]
    max_y = boxes[leaf, 3]
    total = 0
    for n in range(near_count):
        if total > common_x.size - LEAF:
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


@kernel("i8(i8,f8,f8,f8,i8,f8[::1],f8[::1],i8[::1],f8[::1],f8[::1],i8[::1])", inline=True)
def scan_common(own, px, py, bound, common_count, common_x, common_y, common_place, squares, distance, place):
    """Collect every other agent with squared distance <= `bound` from the common list; returns how many.

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
        count += (squared <= bound) & (at != own)
    return count


@kernel("i8(f8[::1],i8[::1],i8,f8)", inline=True)
def within(distance, place, count, bound):
    """Keep the candidates with squared distance <= `bound`, in their order; returns how many."""
    kept = 0
    for c in range(count):
        squared = distance[c]
        here = place[c]
        distance[kept] = squared
        place[kept] = here
        kept += squared <= bound
    return kept


@kernel("Tuple((i8,f8))(f8[::1],i8[::1],i8,i8,i8,f8)", inline=True)
def thin_out(distance, place, count, k, most, bound):
    """Drop far candidates until between `k` and `most` are left; no distance is above `bound`.

    Returns (how many are left, the squared distance that none of them is above). Candidates around a point fill an area
    evenly, so the first bound tried is mostly right; where many are equally far none may be found, and all are kept.
    """
    low = 0.0
    high = bound
    closer = bound * (k + 3.0) / count
    for _ in range(THINNINGS):
        left = 0
        for c in range(count):
            left += distance[c] <= closer
        if left < k:
            low = closer
        elif left > most:
            high = closer
        else:
            return within(distance, place, count, closer), closer
        closer = 0.5 * (low + high)
    return count, bound


@kernel(
    "Tuple((i8,f8))(i8,f8,f8,i8,i8,f8,f8,f8,i8[::1],i8,i8,f8[::1],f8[::1],i8[::1],f8[::1],f8[:,::1],i8,f8[::1],f8[::1],i8[::1],i8[::1],"
    "f8[::1],i8[::1],i8[::1],i8[::1],i8[::1])",
    inline=True,
)
def search(
    own, px, py, k, most, sight, guess, shared, near, near_count, common_count, common_x, common_y, common_place,
    squares,
    nodes, leaves, leaf_x, leaf_y, order, leaf_first,
    distance, place, index, stack, wide,
):  # fmt: skip
    """Collect at least the k nearest agents within `sight`, and up to `most` of those around, in no order.

    `guess` is a distance expected to hold that many, `shared` the distance for which `near` is complete; `wide` (P,) is
    scratch for a wider search. The candidate arrays hold at least most + 2 * LEAF entries. Returns (how many, the
    distance within which, strictly, all are named).
    """
    reach = guess
    while True:
        bound = reach * reach
        if reach <= shared and common_count >= 0:
            count = scan_common(
                own, px, py, bound, common_count, common_x, common_y, common_place, squares, distance, place
            )
        elif reach <= shared:
            count = scan_leaves(
                own, px, py, most + 1, bound, near, near_count, nodes, leaves, leaf_x, leaf_y, order, leaf_first,
                distance,
                place, index,
            )  # fmt: skip
        else:
            wide_count = collect_leaves(nodes, leaves, px, py, px, py, bound, stack, wide)
            count = scan_leaves(
                own, px, py, most + 1, bound, wide, wide_count, nodes, leaves, leaf_x, leaf_y, order, leaf_first,
                distance,
                place, index,
            )  # fmt: skip
        if count >= k or reach >= sight:
            break
        reach = min(max(reach * 2.0, sight * FIRST_SHARE), sight)
    # too many: not quite so far, as often as it takes; only where that fails, as in a heap on one spot, by order
    for _ in range(TRIES):
        if count <= most:
            return count, reach
        closer = reach * math.sqrt(most / (count + 2.0))
        bound = closer * closer
        left = 0
        for c in range(count):
            left += distance[c] <= bound
        if left < k:
            break
        count = within(distance, place, count, bound)
        reach = closer
    if count <= most:
        return count, reach
    for c in range(count):
        index[c] = order[place[c]]
    sort_candidates(distance, place, index, count)
    return most, math.sqrt(distance[most])


@kernel("i8(i8,f8,f8,u4[:,::1],i8,f8[:,::1],f8,f8[::1],i8[::1])", inline=True)
def near_of_list(own, px, py, listed, count, packed, bound, distance, place):
    """Collect those of the kept list of the agent at place `own` whose squared distance is <= `bound`; returns how
    many.

    `listed` (n, at most LISTED) holds places, `count` of them in use.
    """
    kept = 0
    for c in range(count):
        j = np.int64(listed[own, c])
        x = packed[j, 0] - px
        y = packed[j, 1] - py
        squared = x * x + y * y
        distance[kept] = squared
        place[kept] = j
        kept += squared <= bound
    return kept
