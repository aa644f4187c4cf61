"""Whether a disc overlaps another: for warnings at insertion."""

from orca_core._jit import kernel
from orca_core.kernels.responsibility import responsibility
from orca_core.kernels.tree import LEAF

__all__ = ["overlapping_discs"]


@kernel("void(i8[::1],f8[:,::1],f8[::1],f8,f8[:,::1],i8,i8[::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1])")
def overlapping_discs(rows, position, radius, slack, nodes, leaves, order, stack, other, terms, bonds):
    """For each agent of `rows` write the index of one that it overlaps by more than `slack` of the sum of radii, or -1.

    Two that do not heed each other do not overlap, by `terms` and `bonds` in index order; without rows all heed all.
    `nodes`, `leaves`, `order` are the box tree over the boxes of all discs. The first one found in the order of the
    tree is named; the search stops there, so a heap of agents on one spot costs no more than agents apart.
    """
    count = radius.size
    for r in range(rows.size):
        i = rows[r]
        other[r] = -1
        px = position[i, 0]
        py = position[i, 1]
        mine = radius[i]
        stack[0] = 1
        depth = 1
        while depth > 0 and other[r] < 0:
            depth -= 1
            node = stack[depth]
            if (
                nodes[node, 0] > px + mine
                or nodes[node, 2] < px - mine
                or nodes[node, 1] > py + mine
                or nodes[node, 3] < py - mine
            ):
                continue
            if node < leaves:
                stack[depth] = 2 * node + 1
                stack[depth + 1] = 2 * node
                depth += 2
                continue
            leaf = node - leaves
            for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
                j = order[place]
                if j == i:
                    continue
                dx = position[j, 0] - px
                dy = position[j, 1] - py
                limit = (mine + radius[j]) * (1.0 - slack)
                if dx * dx + dy * dy < limit * limit:
                    if terms.shape[0] > 0:
                        mine_share, _ = responsibility(terms, bonds, i, j)
                        other_share, _ = responsibility(terms, bonds, j, i)
                        if not mine_share + other_share > 0.0:
                            continue
                    other[r] = j
                    break
