"""Breadth-first search: how many steps every cell is away from one."""

from orca_core._jit import kernel

__all__ = ["distances_from"]


@kernel("void(i4[:,::1],i8,i4[::1],i4[::1])")
def distances_from(neighbours, source, distance, queue):
    """Steps from the cell `source` to every cell by breadth-first search, int32 (cells,); `queue` is scratch
    (cells,).
    """
    distance[:] = 1073741824
    distance[source] = 0
    queue[0] = source
    head = 0
    tail = 1
    while head < tail:
        cell = queue[head]
        head += 1
        for side in range(4):
            other = neighbours[cell, side]
            if other >= 0 and distance[other] == 1073741824:
                distance[other] = distance[cell] + 1
                queue[tail] = other
                tail += 1
