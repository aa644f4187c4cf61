"""Cells: agents by the square of the plane in which they stand, for whoever asks now and then who is near.

The tree of the step serves every agent in every step; this serves a few agents in some steps, and needs one pass over
all to be made. Squares are hashed into buckets, so a bucket may hold agents from elsewhere: whoever looks compares
distances.
"""

import math

from orca_core._jit import kernel

__all__ = ["cell_of", "fill_cells", "gather_near"]

# cells are counted to here in each direction; what lies beyond is in the outermost
FARTHEST = 1e9


@kernel("i8(f8,f8)", inline=True)
def cell_of(coordinate, size):
    """The number of the column, or row, of cells that a coordinate is in."""
    cell = coordinate / size
    # also for what is not finite
    if not cell > -FARTHEST:
        cell = -FARTHEST
    if cell > FARTHEST:
        cell = FARTHEST
    return math.floor(cell)


@kernel("i8(i8,i8,i8)", inline=True)
def bucket_of(column, row, mask):
    """The bucket of a cell; every product stays under 2^63, so it is the same interpreted."""
    return ((column * 73856093) ^ (row * 19349663)) & mask


@kernel("void(i8,f8,f8[:,::1],i8,i8[::1],i8[::1])")
def fill_cells(count, size, position, mask, head, chain):
    """Write the first agent of every bucket to `head` (mask + 1,) and after each agent the next to `chain` (n,).

    -1 ends a bucket; agents of one follow each other in index order.
    """
    for bucket in range(mask + 1):
        head[bucket] = -1
    for i in range(count - 1, -1, -1):
        bucket = bucket_of(cell_of(position[i, 0], size), cell_of(position[i, 1], size), mask)
        chain[i] = head[bucket]
        head[bucket] = i


@kernel("i8(f8,f8,f8,f8,f8[:,::1],i8[::1],i8[::1],i8[::1])")
def gather_near(x, y, reach, size, position, head, chain, near):
    """Write every agent whose centre is within reach of a point to `near` ((n,) suffices), by cell, then by index.

    Returns how many; the one that stands there itself is among them.
    """
    mask = head.size - 1
    found = 0
    for column in range(cell_of(x - reach, size), cell_of(x + reach, size) + 1):
        for row in range(cell_of(y - reach, size), cell_of(y + reach, size) + 1):
            j = head[bucket_of(column, row, mask)]
            while j >= 0:
                dx = position[j, 0] - x
                dy = position[j, 1] - y
                # the cell is asked for too: two of them may share a bucket, and nobody must be found twice
                if (
                    dx * dx + dy * dy <= reach * reach
                    and cell_of(position[j, 0], size) == column
                    and cell_of(position[j, 1], size) == row
                ):
                    near[found] = j
                    found += 1
                j = chain[j]
    return found
