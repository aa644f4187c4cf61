"""The k nearest of those whom an agent heeds: a search that leaves out the others before it counts.

Used only in worlds where somebody does not heed everybody (`yielding`); everybody else goes through `nearest`. Lists
that are kept over steps name candidates by distance alone, and an agent that is not heeded must not take a place in
them; a list of the heeded would be another list at every change of a mask. So this is a straight search of the tree:
nearer boxes first, whoever is within sight and heeded is collected, and now and then only the k best are kept, whose
last one then bounds the search.
"""

import math

import numpy as np

from orca_core._jit import kernel
from orca_core.kernels.ranking import sort_candidates
from orca_core.kernels.responsibility import AVOIDS, LOCKED, responsibility
from orca_core.kernels.tree import LEAF, tree_over_leaves

__all__ = ["eligible_of_leaf", "nearest_eligible"]

# so many candidates beyond twice k are collected before all but k are dropped
SPARE = 16


@kernel("f8(f8[:,::1],i8,f8,f8)", inline=True)
def box_gap(nodes, node, px, py):
    """Squared distance of a point to the box of a node; infinite where it is empty. Rounding is monotone, so nobody in
    the box is nearer by its computed distance.
    """
    if nodes[node, 0] == math.inf:
        return math.inf
    dx = max(max(nodes[node, 0] - px, px - nodes[node, 2]), 0.0)
    dy = max(max(nodes[node, 1] - py, py - nodes[node, 3]), 0.0)
    return dx * dx + dy * dy


@kernel("i8(i8,f8,f8,i8,f8,f8[:,::1],i8,f8[::1],f8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1],f8[::1],i8[::1],i8[::1])")
def nearest_eligible(
    own, px, py, k, sight, nodes, leaves, leaf_x, leaf_y, order, terms, bonds, stack, distance, place, index
):  # fmt: skip
    """Write the `k` nearest heeded agents strictly within `sight`, by (squared distance, index); returns how many.

    `distance`, `place` and `index` hold at least 2 k + SPARE + 1 entries; the first ones are the answer.
    """
    limit = sight * sight
    most = 2 * k + SPARE
    count = 0
    # nobody beyond this pair can be among the k any more
    bound = math.inf
    tie = np.int64(0x7FFFFFFFFFFFFFFF)
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        gap = box_gap(nodes, node, px, py)
        if gap >= limit or gap > bound:
            continue
        if node < leaves:
            # the nearer half last, so that it is taken up first
            near = 2 * node
            far = near + 1
            if box_gap(nodes, far, px, py) < box_gap(nodes, near, px, py):
                near, far = far, near
            stack[depth] = far
            stack[depth + 1] = near
            depth += 2
            continue
        first = (node - leaves) * LEAF
        for j in range(first, first + LEAF):
            x = leaf_x[j] - px
            y = leaf_y[j] - py
            squared = x * x + y * y
            # a place without an agent is infinitely far
            if j == own or not squared < limit or squared > bound or (squared == bound and order[j] > tie):
                continue
            share, _ = responsibility(terms, bonds, own, j)
            if not share > 0.0:
                continue
            distance[count] = squared
            place[count] = j
            index[count] = order[j]
            count += 1
            if count == most:
                sort_candidates(distance, place, index, count)
                count = k
                bound = distance[k - 1]
                tie = index[k - 1]
    sort_candidates(distance, place, index, count)
    return min(count, k)


@kernel(
    "void(i8,i8,i8,i8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],u1[::1],f8[:,::1],"
    "i8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1])"
)
def eligible_of_leaf(
    begin, end, leaves, order, boxes, leaf_x, leaf_y, packed, parameters, terms, bonds, planted, nodes, stack, index,
    near_distance, near_place, near_counts,
):  # fmt: skip
    """Write the heeded neighbours of the agents at the places [begin, end) of a leaf, in order, as `nearest_of_leaf`
    does; those that heed nobody have none.
    """
    # the tree is built by the first who searches
    if planted[0] == 0:
        tree_over_leaves(boxes, leaves, nodes)
        planted[0] = 1
    for own in range(begin, end):
        slot = own - begin
        k = int(parameters[own, 4])
        near_counts[slot] = 0
        if k > 0 and (bonds[own, 4] & (AVOIDS | LOCKED)) == AVOIDS:
            near_counts[slot] = nearest_eligible(
                own, packed[own, 0], packed[own, 1], k, parameters[own, 3], nodes, leaves, leaf_x, leaf_y, order, terms,
                bonds, stack, near_distance[slot], near_place[slot], index,
            )  # fmt: skip
