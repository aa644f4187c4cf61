"""Narrow: cells of a map in groups of those beside each other."""

from orca_core._jit import kernel

__all__ = ["number_groups"]


@kernel("i8(i4[:,::1],u1[::1],i8,i4[::1],i4[::1])")
def number_groups(neighbours, chosen, first, number, queue):
    """Number the connected groups of `chosen` cells from `first` on, by their first cells; returns the next number.

    `neighbours` int32 (cells, 4), -1 for none; `number` int32 (cells,) is written for chosen cells alone, and must
    hold what is under `first` there; `queue` is scratch (cells,).
    """
    following = first
    for start in range(chosen.size):
        if chosen[start] == 0 or number[start] >= first:
            continue
        number[start] = following
        queue[0] = start
        head = 0
        tail = 1
        while head < tail:
            cell = queue[head]
            head += 1
            for side in range(4):
                other = neighbours[cell, side]
                if other >= 0 and chosen[other] != 0 and number[other] < first:
                    number[other] = following
                    queue[tail] = other
                    tail += 1
        following += 1
    return following
