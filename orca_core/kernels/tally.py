"""Tally: what is counted after every step of a run: who overlaps whom, who is in a wall, who moves how fast."""

import math

from orca_core._jit import kernel

__all__ = ["overlaps", "remember_speed"]


@kernel("UniTuple(i8,2)(i8,f8[::1],f8,f8[:,::1],u1[:,::1],i8[::1],i8[::1])")
def overlaps(count, radius, size, position, blocked, head, chain):
    """How many pairs of discs of `radius` (n,) overlap, and how many discs overlap a blocked cell.

    `head` (cells,) and `chain` (n,) are scratch; a disc is no wider than a cell, whose side is `size`.
    """
    width = blocked.shape[1] - 2
    height = blocked.shape[0] - 2
    for c in range(width * height):
        head[c] = -1
    pairs = 0
    walls = 0
    for i in range(count):
        px = position[i, 0]
        py = position[i, 1]
        u0 = min(max(math.floor(px / size), 0), width - 1)
        v0 = min(max(math.floor(py / size), 0), height - 1)
        least = radius[i] - 1e-9
        hit = False
        for v in range(v0 - 1, v0 + 2):
            for u in range(u0 - 1, u0 + 2):
                if blocked[v + 1, u + 1] != 0:
                    dx = px - min(max(px, u * size), (u + 1.0) * size)
                    dy = py - min(max(py, v * size), (v + 1.0) * size)
                    if dx * dx + dy * dy < least * least:
                        hit = True
                elif 0 <= u < width and 0 <= v < height:
                    # those with a lower number are listed already
                    j = head[v * width + u]
                    while j >= 0:
                        dx = position[j, 0] - px
                        dy = position[j, 1] - py
                        both = least + (radius[j] - 1e-9)
                        if dx * dx + dy * dy < both * both:
                            pairs += 1
                        j = chain[j]
        if hit:
            walls += 1
        chain[i] = head[v0 * width + u0]
        head[v0 * width + u0] = i
    return pairs, walls


@kernel("b1(i8,f8,i8,f8[:,::1],f8[:,::1],f8[::1])")
def remember_speed(step, least, count, velocity, ring, total):
    """Enter the speeds after a step into `ring` (steps, n), whose sums over the steps are `total` (n,); whether every
    sum is under `least` and the ring is full.
    """
    row = (step - 1) % ring.shape[0]
    still = step >= ring.shape[0]
    for i in range(count):
        speed = math.sqrt(velocity[i, 0] * velocity[i, 0] + velocity[i, 1] * velocity[i, 1])
        total[i] += speed - ring[row, i]
        ring[row, i] = speed
        if not total[i] < least:
            still = False
    return still
