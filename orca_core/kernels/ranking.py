"""Ranking: a few candidates in order of (squared distance, index).

Sixteen or fewer, the usual number, are ranked by counting for each how many are nearer: sixteen times sixteen
comparisons without a branch, which a compiler turns into vector code as long as the sixteen are written out and not
looped over. The ranks of candidates at different distances add up to 0 + 1 + ... + 15, so one sum shows whether two are
equally far, and only then are indices looked at. This is 8 % of a step where a sorting network on whole numbers, and
the pass that mended its rounding, took 15. More candidates go through a heap sort.
"""

from orca_core._jit import kernel

__all__ = ["COUNTED", "rank", "sort_candidates"]

# how many are ranked by counting, and what their ranks add up to when no two are equally far
COUNTED = 16
ALL_APART = 120
# squared distances beyond all that are ranked by counting
FAR = 1e300
FAR_STEP = 1e290


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
def rank(distance, place, index, count, largest, order, nearer, near_distance, near_place):
    """Write all `count` candidates in order to `near_distance` and `near_place`; no distance is above `largest`.

    `index` is scratch as long as the candidate arrays, which have COUNTED entries beyond `count`, `nearer` scratch of
    COUNTED entries; the near arrays have COUNTED entries at least. `order` tells the index of a place.
    """
    if count > COUNTED:
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
    apart = 0
    if largest < FAR:
        # lanes without a candidate hold distances that are farther than any, and all different
        unused = distance[count : count + COUNTED]
        for c in range(COUNTED):
            unused[c] = FAR + FAR_STEP * c
        d0 = distance[0]
        d1 = distance[1]
        d2 = distance[2]
        d3 = distance[3]
        d4 = distance[4]
        d5 = distance[5]
        d6 = distance[6]
        d7 = distance[7]
        d8 = distance[8]
        d9 = distance[9]
        d10 = distance[10]
        d11 = distance[11]
        d12 = distance[12]
        d13 = distance[13]
        d14 = distance[14]
        d15 = distance[15]
        for c in range(COUNTED):
            mine = distance[c]
            # fmt: off
            rank_of = (
                int(d0 < mine) + int(d1 < mine) + int(d2 < mine) + int(d3 < mine)
                + int(d4 < mine) + int(d5 < mine) + int(d6 < mine) + int(d7 < mine)
                + int(d8 < mine) + int(d9 < mine) + int(d10 < mine) + int(d11 < mine)
                + int(d12 < mine) + int(d13 < mine) + int(d14 < mine) + int(d15 < mine)
            )
            # fmt: on
            nearer[c] = rank_of
            apart += rank_of
        for c in range(COUNTED):
            at = nearer[c] & (COUNTED - 1)
            near_distance[at] = distance[c]
            near_place[at] = place[c]
    if apart != ALL_APART:
        # somebody is exactly as far as another: by index, which hardly ever happens
        for c in range(count):
            mine = distance[c]
            here = place[c]
            at = c
            while at > 0 and (
                near_distance[at - 1] > mine
                or (near_distance[at - 1] == mine and order[near_place[at - 1]] > order[here])
            ):
                near_distance[at] = near_distance[at - 1]
                near_place[at] = near_place[at - 1]
                at -= 1
            near_distance[at] = mine
            near_place[at] = here
    return count
