"""Collinear pieces of walls that touch or overlap, merged into one, across obstacles too.

The ends of the pieces of a straight wall act as corners and snag whoever slides along; tile maps consist of nothing
else. Two pieces are merged when they lie on one line and their stretches touch or overlap, within TOLERANCE relative to
their length plus the rounding of their coordinates. A merged piece has the place and the sense of its first piece, and
as its ends the two outermost of the original ends, so that the same wall in one piece or in twenty, in any order, gives
the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["TOLERANCE", "Merged", "merge_collinear"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# relative to lengths: angles in radians, offsets and gaps as parts of the longer piece
TOLERANCE = 1e-9
# what rounding may add, as a part of the largest coordinate
ROUNDING = 8.0 * 2.0**-52


@dataclass(frozen=True)
class Merged:
    """Outcome of merging m pieces into k.

    `segments` float64 (k, 4) of a x, a y, b x, b y; `first` int64 (k,) the index of each one's first piece, ascending;
    `member` int64 (m,) the row of `segments` into which each piece went; `count` how many rows fewer there are: m - k.
    """

    segments: Floats
    first: Integers
    member: Integers
    count: int


def merge_collinear(segments: Floats, family: Integers | None = None) -> Merged:
    """Merge collinear touching or overlapping pieces of segments (m, 4); what merges with nothing keeps its bits.

    Pieces of different families int64 (m,) have nothing to do with each other; None: all are of one.
    """
    count = len(segments)
    groups = np.arange(count)
    if count > 1:
        lengths = np.sqrt(((segments[:, 2:] - segments[:, :2]) ** 2).sum(axis=1))
        slack = ROUNDING * np.abs(segments).max(axis=1)
        line = _lines(segments, lengths, slack, np.zeros(count, np.int64) if family is None else family)
        groups = _stretches(segments, lengths, slack, line)
    # rows in order of each group's first piece
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    member = rank[member.reshape(-1)].astype(np.int64)
    first = np.sort(first).astype(np.int64)
    joined = np.ascontiguousarray(segments[first])
    sizes = np.bincount(member, minlength=len(first))
    if (sizes > 1).any():
        _span(segments, joined, member, sizes)
    return Merged(joined, first, member, count - len(first))


def _directions(segments: Floats, lengths: Floats) -> Floats:
    """Unit directions (m, 2) turned to x > 0, or x = 0 and y >= 0; zero for a piece without length."""
    along = (segments[:, 2:] - segments[:, :2]) / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    backward = (along[:, 0] < 0.0) | ((along[:, 0] == 0.0) & (along[:, 1] < 0.0))
    along[backward] *= -1.0
    return along


def _chained(values: Floats, tolerance: Floats, within: Integers) -> Integers:
    """Label runs of `values` (m,) in each group of `within`: sorted neighbours differ by a tolerance at most."""
    order = np.lexsort((values, within))
    gap = np.diff(values[order]) > np.maximum(tolerance[order][1:], tolerance[order][:-1])
    starts = np.concatenate([[True], gap | (np.diff(within[order]) != 0)])
    labels = np.empty(len(values), np.int64)
    labels[order] = np.cumsum(starts)
    return labels


def _longest(lengths: Floats, segments: Floats, group: Integers) -> Integers:
    """For every piece the index of the longest of its group, whatever the order of the pieces."""
    order = np.lexsort((*segments.T[::-1], -lengths, group))
    heads = order[np.concatenate([[True], np.diff(group[order]) != 0])]
    _, inverse = np.unique(group, return_inverse=True)
    chosen: Integers = heads[inverse.reshape(-1)]
    return chosen


def _lines(segments: Floats, lengths: Floats, slack: Floats, family: Integers) -> Integers:
    """Label pieces (m,) of a family that lie on one line: same direction, then same offset from the origin."""
    along = _directions(segments, lengths)
    angle = np.arctan2(along[:, 1], along[:, 0])
    precision = TOLERANCE + slack / np.where(lengths > 0.0, lengths, np.inf)
    # straight up and straight down are one direction: what is within tolerance of -90 degrees is counted at +90
    angle = np.where(angle < precision - 0.5 * np.pi, angle + np.pi, angle)
    direction = _chained(angle, precision, family)
    reference = along[_longest(lengths, segments, direction)]
    middle = segments[:, :2] * 0.5 + segments[:, 2:] * 0.5
    # offsets from a point of the wall's own surroundings would round less, but have no common origin
    offset = reference[:, 0] * middle[:, 1] - reference[:, 1] * middle[:, 0]
    return _chained(offset, TOLERANCE * lengths + slack, direction)


def _stretches(segments: Floats, lengths: Floats, slack: Floats, line: Integers) -> Integers:
    """Label pieces (m,) of one line whose stretches touch or overlap; what turns out not to be straight stays apart."""
    reference = _directions(segments, lengths)[_longest(lengths, segments, line)]
    ends = np.stack([(segments[:, :2] * reference).sum(axis=1), (segments[:, 2:] * reference).sum(axis=1)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    order = np.lexsort((low, line))
    fresh = np.concatenate([[True], np.diff(line[order]) != 0])
    # the farthest end so far on the same line: a running maximum of ranks, which lines cannot pass on to each other
    count = len(segments)
    by_end = np.argsort(high, kind="stable")
    rank = np.empty(count, np.int64)
    rank[by_end] = np.arange(count)
    reach = high[by_end[np.maximum.accumulate(rank[order] + np.cumsum(fresh) * count) % count]]
    tolerance = TOLERANCE * lengths + slack
    apart = low[order][1:] > reach[:-1] + np.maximum(tolerance[order][1:], tolerance[order][:-1])
    labels = np.empty(count, np.int64)
    labels[order] = np.cumsum(fresh | np.concatenate([[True], apart]))
    labels[lengths <= 0.0] = labels.max(initial=0) + 1 + np.arange(int((lengths <= 0.0).sum()))
    return _straight(segments, lengths, slack, labels)


def _straight(segments: Floats, lengths: Floats, slack: Floats, labels: Integers) -> Integers:
    """Take apart the groups in which an end lies off the line of the longest piece."""
    head = _longest(lengths, segments, labels)
    along = _directions(segments, lengths)[head]
    origin = segments[head, :2]
    first, second = segments[:, :2] - origin, segments[:, 2:] - origin
    away = np.maximum(
        np.abs(along[:, 0] * first[:, 1] - along[:, 1] * first[:, 0]),
        np.abs(along[:, 0] * second[:, 1] - along[:, 1] * second[:, 0]),
    )
    distance = np.sqrt(np.maximum((first**2).sum(axis=1), (second**2).sum(axis=1)))
    precision = TOLERANCE + (slack + slack[head]) / np.where(lengths[head] > 0.0, lengths[head], np.inf)
    crooked = np.isin(labels, labels[away > precision * np.maximum(distance, lengths[head]) + slack + slack[head]])
    return np.where(crooked, labels.max(initial=0) + 1 + np.arange(len(labels)), labels)


def _span(segments: Floats, joined: Floats, member: Integers, sizes: Integers) -> None:
    """Write the outermost ends of each group of more than one piece into its row of `joined`, in the first's sense."""
    pieces = np.flatnonzero(sizes[member] > 1)
    group = member[pieces]
    lengths = np.sqrt(((segments[pieces, 2:] - segments[pieces, :2]) ** 2).sum(axis=1))
    along = _directions(segments[pieces], lengths)[_longest(lengths, segments[pieces], group)]
    points = np.concatenate([segments[pieces, :2], segments[pieces, 2:]])
    owner = np.concatenate([group, group])
    place = (points * np.concatenate([along, along])).sum(axis=1)
    # ends that rounding cannot tell apart: by coordinates, never by the order of the pieces
    order = np.lexsort((points[:, 1], points[:, 0], place, owner))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(owner[order]) != 0]))
    stops = np.concatenate([starts[1:], [len(order)]]) - 1
    rows = owner[order][starts]
    low, high = points[order[starts]], points[order[stops]]
    forward = ((joined[rows, 2:] - joined[rows, :2]) * (high - low)).sum(axis=1) >= 0.0
    joined[rows, :2] = np.where(forward[:, None], low, high)
    joined[rows, 2:] = np.where(forward[:, None], high, low)
