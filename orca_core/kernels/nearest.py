"""The nearest agents of all members of a leaf: by the lists they keep, by a common search where these prove nothing.

Each thing is done for all eight before the next. What belongs to one agent is a single chain of work, in which a
processor mostly waits: for a distance to be stored before it can be ranked, for a rank before a neighbour can be read.
Eight chains side by side fill each other's gaps; one after the other they took a tenth more.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.neighbours import (
    MARGIN,
    PROOF,
    collect_leaves,
    gather_common,
    near_of_list,
    search,
    thin_out,
)
from orca_core.kernels.ranking import COUNTED, rank
from orca_core.kernels.tree import tree_over_leaves

__all__ = ["nearest_of_leaf"]

# a leaf on one spot says nothing of the distance; the search then begins at this share of the last reach and doubles
SPARSEST = 1e-3
# for how many steps of the fastest a candidate list looks beyond the neighbour distance
LIST_STEPS = 8.0
BEYOND = 1.05
# a list that would not last for so many steps is not worth its candidates; a little more than the last reach is enough
KEPT_STEPS = 2.0
JUST_NOW = 1.3
# how full a candidate list should become; one that overflows is cut, which costs more than a few free places
FILLED = 0.9


@kernel("f8(f8[:,::1],i8,f8,i8)", inline=True)
def leaf_guess(boxes, leaf, k, leaf_items):
    """Distance that should hold k neighbours if the density around is that of the leaf; zero where it is one spot."""
    width = boxes[leaf, 2] - boxes[leaf, 0]
    height = boxes[leaf, 3] - boxes[leaf, 1]
    side = max(width, height)
    # area per agent times k + 4, over pi, and a little more
    return math.sqrt(side * max(min(width, height), 0.25 * side) * (k + 4.0) / (3.0 * leaf_items))


@kernel(
    "i8(i8,i8,i8,f8,f8,i8,i8[::1],i8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],f8[::1],"
    "u4[:,::1],i2[::1],f8[::1],u1[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1],i8[::1],"
    "f8[::1],f8[::1],i8[::1],f8[::1],f8[:,::1],i8[:,::1],i8[::1],f8[::1],f8[::1],i8[::1])",
    inline=True,
)
def nearest_of_leaf(
    leaf, begin, end, drift, slack, leaves, order, leaf_first, boxes, leaf_x, leaf_y, packed, parameters, reach,
    listed, list_count, list_radius, planted, nodes, near, wide, stack, distance, place, index, nearer,
    common_x, common_y, common_place, squares, near_distance, near_place, near_counts, bounds, guesses,
    at_most,
):  # fmt: skip
    """Write the neighbours of the agents at the places [begin, end) of `leaf`, in order; returns how many in all.

    `at_most` says how many each gets at most; a negative number passes an agent over, with all that is known of it.
    Rows of `near_distance`, `near_place` and entries of `near_counts` are those of the members in their order. Written
    besides: `reach` (the distance of the k-th neighbour, the next step's guess) and the lists.
    """
    width = listed.shape[1]
    shared = 0.0
    expired = False
    for own in range(begin, end):
        if at_most[own - begin] < 0:
            continue
        needed = min(reach[order[own]] + slack, parameters[own, 3])
        proved = list_radius[own] - 2.0 * drift
        expired = expired or list_count[own] < 0 or reach[order[own]] < 0.0 or not needed < proved
    if expired:
        # all of them at once: the others' lists would not last much longer, and the common list is what costs
        for own in range(begin, end):
            i = order[own]
            sight = parameters[own, 3]
            k = at_most[own - begin]
            if k < 0:
                continue
            # a distance that should hold enough candidates for some steps: by the last reach, else by the density
            # of the leaf. Where a step moves agents past several neighbours no list would hold until the next,
            # and one looks just far enough for now; much less will do where the leaf has become dense. All of
            # these are guesses
            most = width if k <= width - MARGIN else k
            near_by = min(reach[i], sight) if reach[i] > 0.0 else leaf_guess(boxes, leaf, k, end - begin)
            guess = near_by * math.sqrt(FILLED * most / max(k, 1))
            if guess > near_by + KEPT_STEPS * slack:
                # a little beyond the neighbour distance, also where nobody moves: what ends there proves nothing
                guess = min(guess, sight * BEYOND + LIST_STEPS * slack)
                wanted = most
            else:
                guess = JUST_NOW * near_by
                wanted = k
            guess = min(guess, max(2.0 * leaf_guess(boxes, leaf, wanted, end - begin), SPARSEST * guess))
            guesses[own - begin] = guess
            list_count[own] = -1
            shared = max(shared, guess)
    near_count = 0
    common_count = -1
    if expired:
        # the tree is built by the first who searches
        if planted[0] == 0:
            tree_over_leaves(boxes, leaves, nodes)
            planted[0] = 1
        near_count = collect_leaves(
            nodes,
            leaves,
            boxes[leaf, 0],
            boxes[leaf, 1],
            boxes[leaf, 2],
            boxes[leaf, 3],
            shared * shared,
            stack,
            near,
        )
        common_count = gather_common(
            boxes, leaf, shared * shared, leaf_x, leaf_y, near, near_count, common_x, common_y, common_place
        )
        # the own leaf first: a heap of agents then shrinks its bound at once
        for n in range(near_count):
            if near[n] == leaf:
                near[n] = near[0]
                near[0] = leaf
                break
    # by the kept list where it proves them
    for own in range(begin, end):
        slot = own - begin
        k = at_most[slot]
        kept = 0
        if k > 0:
            kept = -1
            if list_count[own] >= 0:
                sight = parameters[own, 3]
                proved = (list_radius[own] - 2.0 * drift) * PROOF
                expected = min(reach[order[own]] + slack, proved)
                bounds[slot] = expected * expected
                kept = near_of_list(
                    own, packed[own, 0], packed[own, 1], listed, list_count[own], packed, bounds[slot],
                    distance[slot], place[slot],
                )  # fmt: skip
                # all of them are closer than anybody who is not listed; are they enough
                if not (kept >= k or sight <= expected):
                    list_count[own] = -1
                    kept = -1
        near_counts[slot] = kept
    total = 0
    for own in range(begin, end):
        slot = own - begin
        i = order[own]
        k = at_most[slot]
        if k < 0:
            continue
        sight = parameters[own, 3]
        kept = near_counts[slot]
        if kept < 0:
            most = width if k <= width - MARGIN else k
            guess = guesses[slot]
            if not expired:
                # a list that seemed to hold was not enough, as when more neighbours are asked for than before
                guess = min(JUST_NOW * reach[i] + slack, sight)
                if planted[0] == 0:
                    tree_over_leaves(boxes, leaves, nodes)
                    planted[0] = 1
            kept, radius_named = search(
                own, packed[own, 0], packed[own, 1], k, most, sight, guess, shared, near, near_count, common_count,
                common_x, common_y, common_place, squares, nodes, leaves, leaf_x, leaf_y, order, leaf_first,
                distance[slot], place[slot], index, stack, wide,
            )  # fmt: skip
            if most == width:
                for c in range(kept):
                    listed[own, c] = place[slot, c]
                list_count[own] = kept
                # counted from where everybody stood when they were sorted
                list_radius[own] = radius_named + 2.0 * drift
            bounds[slot] = radius_named * radius_named
        if kept > COUNTED >= k:
            kept, bounds[slot] = thin_out(distance[slot], place[slot], kept, k, COUNTED, bounds[slot])
        if k > 0:
            kept = min(
                rank(
                    distance[slot], place[slot], index, kept, bounds[slot], order, nearer, near_distance[slot],
                    near_place[slot],
                ),
                k,
            )  # fmt: skip
        while kept > 0 and near_distance[slot, kept - 1] >= sight * sight:
            kept -= 1
        reach[i] = math.sqrt(near_distance[slot, k - 1]) if 0 < k == kept else sight
        near_counts[slot] = kept
        total += kept
    return total
