"""A box tree over items that are near in space: eight items a leaf, leaves in Z-order, an implicit binary tree above.

Why not a uniform grid: its cost blows up with a large neighbour distance, with coincident points, with one far
outlier and
with coordinates of 1e9, and each needs a mending of its own. A tree over Z-ordered leaves has none of these, keeps
what is near
in space near in memory, and its order decides nothing: neighbours and walls are ranked by (squared distance, index).

The tree is a heap: with P leaves (a power of two) node 1 is the root, node i has the children 2i and 2i + 1, and
leaf l is
node P + l. `nodes` is float64 (2P, 4): min x, min y, max x, max y; a node without items is an inverted box that
nothing touches.
"""

import math

from orca_core._jit import kernel

__all__ = [
    "LEAF",
    "STACK",
    "box_leaves",
    "interleave",
    "join_nodes",
    "query_box",
    "sort_codes",
    "tree_over_leaves",
    "z_order",
]

LEAF = 8
# depth of a traversal: one pending sibling a level, and no tree here has more than 60 levels
STACK = 64
# bits an axis: enough for any ordinary extent, and the fine grid for a crowd with a far outlier
COARSE_BITS = 16
FINE_BITS = 31
SKEW = 100.0
# an extent so small that its reciprocal overflows is one spot for every purpose
ONE_SPOT = 1e-290
DIGIT = 2048


@kernel("i8(i8)")
def interleave(value):
    """Spread the low 31 bits of `value` to the even bits."""
    value &= 0x7FFFFFFF
    value = (value | (value << 16)) & 0x0000FFFF0000FFFF
    value = (value | (value << 8)) & 0x00FF00FF00FF00FF
    value = (value | (value << 4)) & 0x0F0F0F0F0F0F0F0F
    value = (value | (value << 2)) & 0x3333333333333333
    return (value | (value << 1)) & 0x5555555555555555


@kernel("i8(f8[:,::1],i8,i8[::1])")
def z_order(points, count, codes):
    """Write the Z-order code of each of the first `count` points; returns the number of bits in use.

    The grid is fine where one point lies far from the others (extent over a hundred times the mean deviation).
    """
    if count == 0:
        return 0
    min_x = points[0, 0]
    min_y = points[0, 1]
    max_x = min_x
    max_y = min_y
    sum_x = 0.0
    sum_y = 0.0
    for i in range(count):
        x = points[i, 0]
        y = points[i, 1]
        min_x = min(min_x, x)
        max_x = max(max_x, x)
        min_y = min(min_y, y)
        max_y = max(max_y, y)
        sum_x += x
        sum_y += y
    extent = max(max_x - min_x, max_y - min_y)
    if extent <= ONE_SPOT:
        for i in range(count):
            codes[i] = 0
        return 0
    mean_x = sum_x / count
    mean_y = sum_y / count
    deviation = 0.0
    for i in range(count):
        deviation += abs(points[i, 0] - mean_x) + abs(points[i, 1] - mean_y)
    bits = FINE_BITS if extent > SKEW * (deviation / count) else COARSE_BITS
    last = (1 << bits) - 1
    scale = last / extent
    for i in range(count):
        column = int((points[i, 0] - min_x) * scale)
        row = int((points[i, 1] - min_y) * scale)
        codes[i] = interleave(min(max(column, 0), last)) | (interleave(min(max(row, 0), last)) << 1)
    return 2 * bits


@kernel("void(i8[::1],i8,i8,i8[::1],i8[::1],i8[::1],i8[::1])")
def sort_codes(codes, count, bits, order, spare_codes, spare_order, histogram):
    """Stable radix sort by code: afterwards `order` holds the item of each place and `codes` is sorted.

    `spare_codes`, `spare_order` are scratch of `count`, `histogram` of 2048 entries.
    """
    for i in range(count):
        order[i] = i
    # few items: an insertion sort costs less than clearing the histogram
    if count <= 48:
        for i in range(1, count):
            code = codes[i]
            item = order[i]
            j = i - 1
            while j >= 0 and codes[j] > code:
                codes[j + 1] = codes[j]
                order[j + 1] = order[j]
                j -= 1
            codes[j + 1] = code
            order[j + 1] = item
        return
    shift = 0
    while shift < bits:
        for d in range(DIGIT):
            histogram[d] = 0
        for i in range(count):
            histogram[(codes[i] >> shift) & (DIGIT - 1)] += 1
        total = 0
        for d in range(DIGIT):
            here = histogram[d]
            histogram[d] = total
            total += here
        for i in range(count):
            d = (codes[i] >> shift) & (DIGIT - 1)
            place = histogram[d]
            histogram[d] = place + 1
            spare_codes[place] = codes[i]
            spare_order[place] = order[i]
        for i in range(count):
            codes[i] = spare_codes[i]
            order[i] = spare_order[i]
        shift += 11


@kernel("void(f8[:,::1],i8)")
def join_nodes(nodes, leaves):
    """Fill every inner node from its two children; `leaves` is the power of two P."""
    for node in range(leaves - 1, 0, -1):
        left = 2 * node
        nodes[node, 0] = min(nodes[left, 0], nodes[left + 1, 0])
        nodes[node, 1] = min(nodes[left, 1], nodes[left + 1, 1])
        nodes[node, 2] = max(nodes[left, 2], nodes[left + 1, 2])
        nodes[node, 3] = max(nodes[left, 3], nodes[left + 1, 3])


@kernel("void(f8[:,::1],i8[::1],i8,f8[:,::1],i8)")
def box_leaves(boxes, order, count, nodes, leaves):
    """Build the tree over `count` boxes (min x, min y, max x, max y) taken in `order`."""
    for leaf in range(leaves):
        node = leaves + leaf
        nodes[node, 0] = math.inf
        nodes[node, 1] = math.inf
        nodes[node, 2] = -math.inf
        nodes[node, 3] = -math.inf
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            item = order[place]
            nodes[node, 0] = min(nodes[node, 0], boxes[item, 0])
            nodes[node, 1] = min(nodes[node, 1], boxes[item, 1])
            nodes[node, 2] = max(nodes[node, 2], boxes[item, 2])
            nodes[node, 3] = max(nodes[node, 3], boxes[item, 3])
    join_nodes(nodes, leaves)


@kernel("void(f8[:,::1],i8,f8[:,::1])")
def tree_over_leaves(boxes, leaves, nodes):
    """Build the tree whose leaves have the boxes (leaves, 4)."""
    for leaf in range(leaves):
        for side in range(4):
            nodes[leaves + leaf, side] = boxes[leaf, side]
    join_nodes(nodes, leaves)


@kernel("i8(f8[:,::1],i8,i8[::1],f8[:,::1],i8,f8,f8,f8,f8,i8[::1],i8[::1])")
def query_box(nodes, leaves, order, boxes, count, min_x, min_y, max_x, max_y, stack, found):
    """Write the items whose box touches the closed query box to `found`, in the order of the tree; returns how many.

    Returns -1 - (how many there are) when `found` is too small; what it holds is then incomplete. `stack` has STACK
    entries.
    """
    if count == 0:
        return 0
    total = 0
    stack[0] = 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if nodes[node, 0] > max_x or nodes[node, 2] < min_x or nodes[node, 1] > max_y or nodes[node, 3] < min_y:
            continue
        if node < leaves:
            stack[depth] = 2 * node + 1
            stack[depth + 1] = 2 * node
            depth += 2
            continue
        leaf = node - leaves
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            item = order[place]
            if boxes[item, 0] > max_x or boxes[item, 2] < min_x or boxes[item, 1] > max_y or boxes[item, 3] < min_y:
                continue
            if total < found.size:
                found[total] = item
            total += 1
    return total if total <= found.size else -1 - total
