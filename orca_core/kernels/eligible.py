"""The k nearest of those whom an agent heeds, out of a world in which somebody does not heed everybody (`yielding`).

Most agents heed whoever is near, also there: where all k nearest of the plain search are heeded they are the k nearest
of the heeded as well. Only an agent that has somebody else among them looks again: first through the candidate list
that it keeps over steps, which names everybody within a proved distance and is often long enough, and else straight
through the tree: nearer boxes first, whoever is within sight and heeded is collected, and now and then only the k best
are kept, whose last one then bounds the search.
"""

import math

import numpy as np

from orca_core._jit import kernel
from orca_core.kernels.neighbours import PROOF
from orca_core.kernels.ranking import sort_candidates
from orca_core.kernels.responsibility import AVOIDS, LOCKED, responsibility
from orca_core.kernels.tree import LEAF, tree_over_leaves

__all__ = ["eligible_of_leaf", "heeded_of_list", "nearest_eligible"]

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


@kernel("i8(i8,i8,f8,f8,u4[:,::1],i8,f8[:,::1],i8[::1],f8[:,::1],i8[:,::1],f8[::1],i8[::1],i8[::1])")
def heeded_of_list(
    own, k, sight, proved, listed, count, packed, order, terms, bonds, distance, place, index
):  # fmt: skip
    """Write what `nearest_eligible` would out of the first `count` of row `own` of `listed`; returns how many, or -1.

    The list names everybody nearer than `proved`. -1: it does not prove that they are the nearest.
    """
    nearest = max(min(sight, proved), 0.0)
    bound = nearest * nearest
    kept = 0
    for c in range(count):
        j = np.int64(listed[own, c])
        x = packed[j, 0] - packed[own, 0]
        y = packed[j, 1] - packed[own, 1]
        squared = x * x + y * y
        share, _ = responsibility(terms, bonds, own, j)
        distance[kept] = squared
        place[kept] = j
        index[kept] = order[j]
        kept += (squared < bound) & (share > 0.0)
    if kept < k and proved < sight:
        return -1
    sort_candidates(distance, place, index, kept)
    return min(kept, k)


@kernel(
    "void(i8,i8,f8,i8,i8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],u4[:,::1],i2[::1],f8[::1],f8[:,::1],"
    "i8[:,::1],u1[::1],f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1],i8[::1])"
)
def eligible_of_leaf(
    begin, end, drift, leaves, order, boxes, leaf_x, leaf_y, packed, parameters, listed, list_count, list_radius, terms,
    bonds, planted, nodes, stack, index, near_distance, near_place, near_counts, at_most,
):  # fmt: skip
    """Turn the neighbours that `nearest_of_leaf` wrote for the places [begin, end) into those that are heeded.

    An agent that heeds nobody has none. `at_most` says how many each gets, as there.
    """
    for own in range(begin, end):
        slot = own - begin
        k = at_most[slot]
        found = near_counts[slot]
        near_counts[slot] = 0
        if (bonds[own, 4] & (AVOIDS | LOCKED)) != AVOIDS:
            continue
        kept = 0
        for n in range(found):
            j = near_place[slot, n]
            share, _ = responsibility(terms, bonds, own, j)
            near_distance[slot, kept] = near_distance[slot, n]
            near_place[slot, kept] = j
            kept += share > 0.0
        # fewer than k were all there are within sight; else somebody farther off takes the place of who fell out
        if kept < found and found == k:
            kept = -1
            if list_count[own] >= 0:
                kept = heeded_of_list(
                    own, k, parameters[own, 3], (list_radius[own] - 2.0 * drift) * PROOF, listed, list_count[own],
                    packed, order, terms, bonds, near_distance[slot], near_place[slot], index,
                )  # fmt: skip
        if kept < 0:
            # the tree is built by the first who searches
            if planted[0] == 0:
                tree_over_leaves(boxes, leaves, nodes)
                planted[0] = 1
            kept = nearest_eligible(
                own, packed[own, 0], packed[own, 1], k, parameters[own, 3], nodes, leaves, leaf_x, leaf_y, order, terms,
                bonds, stack, near_distance[slot], near_place[slot], index,
            )  # fmt: skip
        near_counts[slot] = kept
