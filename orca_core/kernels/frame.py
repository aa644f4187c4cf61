"""A frame: what agents see of each other in a step, frozen, in the order of the tree.

There are two of them. A step reads one and writes the other, each range its own leaves, so that no range waits for
another, and one that was half computed when its worker died is computed again from what has not changed.
"""

import math

import numpy as np

from orca_core._jit import kernel, prefetch
from orca_core.kernels.tree import LEAF

__all__ = ["box_frame", "follow_frame", "read_frame", "write_frame", "write_leaf_firsts"]

# how many places ahead memory is asked for
AHEAD = 16
# a displacement is told rounded up
ROUNDED_UP = 1.0 + 1e-9


@kernel("f8(i8,i8,i8,i8[::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1])")
def follow_frame(first_leaf, last_leaf, count, order, before, position, velocity, packed, leaf_x, leaf_y, boxes):
    """Write the leaves [first_leaf, last_leaf) of the frame that follows the one with the rows `before` (n, 5).

    `packed` (n, 5) holds x, y, velocity x, velocity y, radius by place; `leaf_x`, `leaf_y` (8 P,) coordinates by place,
    infinite where no agent is; `boxes` (P, 4) the box of each leaf, inverted where it is empty. Returns the longest
    move of anybody, rounded up.
    """
    longest = 0.0
    for leaf in range(first_leaf, last_leaf):
        min_x = math.inf
        min_y = math.inf
        max_x = -math.inf
        max_y = -math.inf
        for place in range(leaf * LEAF, leaf * LEAF + LEAF):
            if place < count:
                i = order[place]
                x = position[i, 0]
                y = position[i, 1]
                dx = x - before[place, 0]
                dy = y - before[place, 1]
                longest = max(longest, dx * dx + dy * dy)
                leaf_x[place] = x
                leaf_y[place] = y
                packed[place, 0] = x
                packed[place, 1] = y
                packed[place, 2] = velocity[i, 0]
                packed[place, 3] = velocity[i, 1]
                packed[place, 4] = before[place, 4]
                min_x = min(min_x, x)
                max_x = max(max_x, x)
                min_y = min(min_y, y)
                max_y = max(max_y, y)
            else:
                leaf_x[place] = math.inf
                leaf_y[place] = math.inf
        boxes[leaf, 0] = min_x
        boxes[leaf, 1] = min_y
        boxes[leaf, 2] = max_x
        boxes[leaf, 3] = max_y
    return math.sqrt(longest) * ROUNDED_UP


@kernel("void(i8,i8,i8[::1],f8[:,::1],f8[:,::1],f8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1])")
def write_frame(leaves, count, order, position, velocity, radius, packed, leaf_x, leaf_y, boxes):
    """Write all leaves of a frame from the state of the agents."""
    for place in range(count):
        packed[place, 0] = position[order[place], 0]
        packed[place, 1] = position[order[place], 1]
        packed[place, 4] = radius[order[place]]
    follow_frame(0, leaves, count, order, packed, position, velocity, packed, leaf_x, leaf_y, boxes)


@kernel("void(i8,i8,i8,f8[:,::1],f8[::1],f8[::1],f8[:,::1])")
def box_frame(first_leaf, last_leaf, count, packed, leaf_x, leaf_y, boxes):
    """Write coordinates and boxes of the leaves [first_leaf, last_leaf) of a frame whose rows `packed` (n, 5) are
    there: what somebody else has computed.
    """
    for leaf in range(first_leaf, last_leaf):
        min_x = math.inf
        min_y = math.inf
        max_x = -math.inf
        max_y = -math.inf
        for place in range(leaf * LEAF, leaf * LEAF + LEAF):
            x = math.inf
            y = math.inf
            if place < count:
                x = packed[place, 0]
                y = packed[place, 1]
                min_x = min(min_x, x)
                max_x = max(max_x, x)
                min_y = min(min_y, y)
                max_y = max(max_y, y)
            leaf_x[place] = x
            leaf_y[place] = y
        boxes[leaf, 0] = min_x
        boxes[leaf, 1] = min_y
        boxes[leaf, 2] = max_x
        boxes[leaf, 3] = max_y


@kernel("void(i8,i8,i8[::1],f8[:,::1],f8[:,::1],f8[:,::1])")
def read_frame(first, last, order, packed, position, velocity):
    """Write the state by index, `position` and `velocity` (n, 2), of those at the places [first, last) of a frame."""
    for place in range(first, last):
        i = order[place]
        if place + AHEAD < last:
            prefetch(position, order[place + AHEAD])
            prefetch(velocity, order[place + AHEAD])
        position[i, 0] = packed[place, 0]
        position[i, 1] = packed[place, 1]
        velocity[i, 0] = packed[place, 2]
        velocity[i, 1] = packed[place, 3]


@kernel("void(i8,i8,i8[::1],i8[::1])")
def write_leaf_firsts(leaves, count, order, leaf_first):
    """Write the smallest agent index of each leaf (P,); the largest integer where it is empty."""
    for leaf in range(leaves):
        first = np.int64(0x7FFFFFFFFFFFFFFF)
        for place in range(leaf * LEAF, min(leaf * LEAF + LEAF, count)):
            first = min(first, order[place])
        leaf_first[leaf] = first
