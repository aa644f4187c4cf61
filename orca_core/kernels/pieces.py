"""Families: pieces of walls that may be parts of one straight wall, told by looking at two pieces at a time.

Whether pieces are merged is decided within a family alone, so that what comes, goes, opens or closes concerns its own
family and nothing else: a world that has changed a hundred times has the walls of one made anew, to the last bit, and a
change costs what it touches. The rule is wide: two pieces that merging would join are always of one family, and a
family may well hold pieces that it leaves apart.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.tree import query_box

__all__ = ["families", "may_join", "relatives"]

# how far the ends of the one may lie from the line of the other, as a part of their lengths and of the largest
# coordinate: a hundred times what merging allows
ASIDE = 1e-7
ROUNDING = 128.0 * 2.220446049250313e-16


@kernel("b1(f8,f8,f8,f8,f8,f8,f8,f8,f8)")
def beside(ax, ay, bx, by, cx, cy, dx, dy, slack):
    """Whether both ends of the piece c-d lie within `slack` (m) of the line through a and b; of a point: always."""
    ex = bx - ax
    ey = by - ay
    limit = slack * math.sqrt(ex * ex + ey * ey)
    if abs(ex * (cy - ay) - ey * (cx - ax)) > limit:
        return False
    return abs(ex * (dy - ay) - ey * (dx - ax)) <= limit


@kernel("b1(f8[:,::1],f8[:,::1],i8,f8[:,::1],f8[:,::1],i8)")
def may_join(first, first_heights, i, second, second_heights, j):
    """Whether piece i of `first` (m, 4) and piece j of `second` (k, 4), whose boxes touch, may lie on one line.

    They stand at the same heights (m, 2) and (k, 2), or have nothing to do with each other.
    """
    if first_heights[i, 0] != second_heights[j, 0] or first_heights[i, 1] != second_heights[j, 1]:
        return False
    ax = first[i, 0]
    ay = first[i, 1]
    bx = first[i, 2]
    by = first[i, 3]
    cx = second[j, 0]
    cy = second[j, 1]
    dx = second[j, 2]
    dy = second[j, 3]
    one = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    other = math.sqrt((dx - cx) * (dx - cx) + (dy - cy) * (dy - cy))
    largest = max(max(max(abs(ax), abs(ay)), max(abs(bx), abs(by))), max(max(abs(cx), abs(cy)), max(abs(dx), abs(dy))))
    slack = ASIDE * (one + other) + ROUNDING * largest
    # the line of the longer piece says more; both are asked, so that the order of the two decides nothing
    return beside(ax, ay, bx, by, cx, cy, dx, dy, slack) or beside(cx, cy, dx, dy, ax, ay, bx, by, slack)


@kernel("void(f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],u1[::1])")
def relatives(pieces, boxes, heights, others, other_boxes, other_heights, related):
    """Mark in `related` (m,) each of the pieces (m, 4) that may join one of `others` (k, 4); boxes are grown ones."""
    for j in range(others.shape[0]):
        min_x = other_boxes[j, 0]
        min_y = other_boxes[j, 1]
        max_x = other_boxes[j, 2]
        max_y = other_boxes[j, 3]
        for i in range(pieces.shape[0]):
            if boxes[i, 0] > max_x or boxes[i, 2] < min_x or boxes[i, 1] > max_y or boxes[i, 3] < min_y:
                continue
            if related[i] == 0 and may_join(pieces, heights, i, others, other_heights, j):
                related[i] = 1


@kernel("i8(i8[::1],i8)")
def head_of(family, i):
    """The first piece of a family that is being put together; the way to it is halved on the way."""
    while family[i] != i:
        family[i] = family[family[i]]
        i = family[i]
    return i


@kernel("void(f8[:,::1],f8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],i8[::1],i8[::1],i8[::1])")
def families(pieces, boxes, heights, nodes, leaves, order, stack, found, family):
    """Write for each of the pieces (m, 4) the index of the first of its family; `boxes` are grown, with their tree.

    `found` has room for m.
    """
    count = pieces.shape[0]
    for i in range(count):
        family[i] = i
    for i in range(count):
        near = query_box(
            nodes, leaves, order, boxes, count, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], stack, found
        )
        for k in range(near):
            j = found[k]
            if j >= i or not may_join(pieces, heights, i, pieces, heights, j):
                continue
            one = head_of(family, i)
            other = head_of(family, j)
            if one < other:
                family[other] = one
            else:
                family[one] = other
    for i in range(count):
        family[i] = head_of(family, i)
