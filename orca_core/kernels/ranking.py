"""Ranking: a few candidates in order of (squared distance, index).

Sixteen or fewer, the usual number, go through a sorting network: whole numbers made of the distance, rounded down,
and the
candidate's number, in 63 compare-exchanges of ten layers without a branch. An exact pass then mends what rounding
left in doubt, which is next to nothing. Counting who is nearer took 150 ns for a dozen candidates. More candidates go
through a heap sort.
"""

import numpy as np

from orca_core._jit import kernel

__all__ = ["NETWORK", "network_order", "rank", "sort_candidates"]

# how many the network takes, and bits for a candidate's number in a key
NETWORK = 16
NUMBER_BITS = 4
# keys have fifty bits of the distance
SCALE = 1125899906842624.0
LAST = np.int64(0x7FFFFFFFFFFFFFFF)


@kernel("void(i8[::1])", inline=True)
def network_order(keys):
    """Sort the sixteen keys in place: an optimal-depth network, layer by layer."""
    k0 = keys[0]
    k1 = keys[1]
    k2 = keys[2]
    k3 = keys[3]
    k4 = keys[4]
    k5 = keys[5]
    k6 = keys[6]
    k7 = keys[7]
    k8 = keys[8]
    k9 = keys[9]
    k10 = keys[10]
    k11 = keys[11]
    k12 = keys[12]
    k13 = keys[13]
    k14 = keys[14]
    k15 = keys[15]
    k0, k5 = min(k0, k5), max(k0, k5)
    k1, k4 = min(k1, k4), max(k1, k4)
    k2, k12 = min(k2, k12), max(k2, k12)
    k3, k13 = min(k3, k13), max(k3, k13)
    k6, k7 = min(k6, k7), max(k6, k7)
    k8, k9 = min(k8, k9), max(k8, k9)
    k10, k15 = min(k10, k15), max(k10, k15)
    k11, k14 = min(k11, k14), max(k11, k14)
    k0, k2 = min(k0, k2), max(k0, k2)
    k1, k10 = min(k1, k10), max(k1, k10)
    k3, k6 = min(k3, k6), max(k3, k6)
    k4, k7 = min(k4, k7), max(k4, k7)
    k5, k14 = min(k5, k14), max(k5, k14)
    k8, k11 = min(k8, k11), max(k8, k11)
    k9, k12 = min(k9, k12), max(k9, k12)
    k13, k15 = min(k13, k15), max(k13, k15)
    k0, k8 = min(k0, k8), max(k0, k8)
    k1, k3 = min(k1, k3), max(k1, k3)
    k2, k11 = min(k2, k11), max(k2, k11)
    k4, k13 = min(k4, k13), max(k4, k13)
    k5, k9 = min(k5, k9), max(k5, k9)
    k6, k10 = min(k6, k10), max(k6, k10)
    k7, k15 = min(k7, k15), max(k7, k15)
    k12, k14 = min(k12, k14), max(k12, k14)
    k0, k1 = min(k0, k1), max(k0, k1)
    k2, k4 = min(k2, k4), max(k2, k4)
    k3, k8 = min(k3, k8), max(k3, k8)
    k5, k6 = min(k5, k6), max(k5, k6)
    k7, k12 = min(k7, k12), max(k7, k12)
    k9, k10 = min(k9, k10), max(k9, k10)
    k11, k13 = min(k11, k13), max(k11, k13)
    k14, k15 = min(k14, k15), max(k14, k15)
    k1, k3 = min(k1, k3), max(k1, k3)
    k2, k5 = min(k2, k5), max(k2, k5)
    k4, k8 = min(k4, k8), max(k4, k8)
    k6, k9 = min(k6, k9), max(k6, k9)
    k7, k11 = min(k7, k11), max(k7, k11)
    k10, k13 = min(k10, k13), max(k10, k13)
    k12, k14 = min(k12, k14), max(k12, k14)
    k1, k2 = min(k1, k2), max(k1, k2)
    k3, k5 = min(k3, k5), max(k3, k5)
    k4, k11 = min(k4, k11), max(k4, k11)
    k6, k8 = min(k6, k8), max(k6, k8)
    k7, k9 = min(k7, k9), max(k7, k9)
    k10, k12 = min(k10, k12), max(k10, k12)
    k13, k14 = min(k13, k14), max(k13, k14)
    k2, k3 = min(k2, k3), max(k2, k3)
    k4, k5 = min(k4, k5), max(k4, k5)
    k6, k7 = min(k6, k7), max(k6, k7)
    k8, k9 = min(k8, k9), max(k8, k9)
    k10, k11 = min(k10, k11), max(k10, k11)
    k12, k13 = min(k12, k13), max(k12, k13)
    k4, k6 = min(k4, k6), max(k4, k6)
    k5, k7 = min(k5, k7), max(k5, k7)
    k8, k10 = min(k8, k10), max(k8, k10)
    k9, k11 = min(k9, k11), max(k9, k11)
    k3, k4 = min(k3, k4), max(k3, k4)
    k5, k6 = min(k5, k6), max(k5, k6)
    k7, k8 = min(k7, k8), max(k7, k8)
    k9, k10 = min(k9, k10), max(k9, k10)
    k11, k12 = min(k11, k12), max(k11, k12)
    k6, k7 = min(k6, k7), max(k6, k7)
    k8, k9 = min(k8, k9), max(k8, k9)
    keys[0] = k0
    keys[1] = k1
    keys[2] = k2
    keys[3] = k3
    keys[4] = k4
    keys[5] = k5
    keys[6] = k6
    keys[7] = k7
    keys[8] = k8
    keys[9] = k9
    keys[10] = k10
    keys[11] = k11
    keys[12] = k12
    keys[13] = k13
    keys[14] = k14
    keys[15] = k15


@kernel("void(f8[::1],i8[::1],i8[::1],i8)")
def sort_candidates(distance, place, index, count):
    """Heap sort of the candidates by (squared distance, index), in place."""
    start = count // 2
    end = count
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            distance[0], distance[end] = distance[end], distance[0]
            place[0], place[end] = place[end], place[0]
            index[0], index[end] = index[end], index[0]
        root = start
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and (
                distance[child] < distance[child + 1]
                or (distance[child] == distance[child + 1] and index[child] < index[child + 1])
            ):
                child += 1
            if distance[child] < distance[root] or (distance[child] == distance[root] and index[child] <= index[root]):
                break
            distance[root], distance[child] = distance[child], distance[root]
            place[root], place[child] = place[child], place[root]
            index[root], index[child] = index[child], index[root]
            root = child


@kernel("i8(f8[::1],i8[::1],i8[::1],i8,f8,i8[::1],i8[::1],f8[::1],i8[::1])", inline=True)
def rank(distance, place, index, count, largest, order, keys, near_distance, near_place):
    """Write all `count` candidates in order to `near_distance` and `near_place`; no distance is above `largest`.

    `index` is scratch as long as the candidate arrays, `keys` of NETWORK entries; `order` tells the index of a place.
    """
    if count > NETWORK:
        for c in range(count):
            index[c] = order[place[c]]
        sort_candidates(distance, place, index, count)
        for c in range(count):
            near_distance[c] = distance[c]
            near_place[c] = place[c]
        return count
    if count <= 1:
        if count == 1:
            near_distance[0] = distance[0]
            near_place[0] = place[0]
        return count
    scale = SCALE / largest if largest > 0.0 else 0.0
    if not scale < 1e300:
        scale = 0.0
    for c in range(count):
        keys[c] = (int(distance[c] * scale) << NUMBER_BITS) | c
    for c in range(count, NETWORK):
        keys[c] = LAST
    network_order(keys)
    for c in range(count):
        number = keys[c] & (NETWORK - 1)
        near_distance[c] = distance[number]
        near_place[c] = place[number]
    # keys were rounded, and equal distances break by index: an insertion that hardly ever has to move anything
    for c in range(1, count):
        mine = near_distance[c]
        if near_distance[c - 1] < mine:
            continue
        here = near_place[c]
        at = c
        while at > 0 and (
            near_distance[at - 1] > mine or (near_distance[at - 1] == mine and order[near_place[at - 1]] > order[here])
        ):
            near_distance[at] = near_distance[at - 1]
            near_place[at] = near_place[at - 1]
            at -= 1
        near_distance[at] = mine
        near_place[at] = here
    return count
