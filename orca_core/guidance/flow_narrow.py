"""Narrow places of a flow grid: the points beside those of its cells, and what is seen from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.flow_narrow import join_narrow, list_gaps, place_narrow
from orca_core.kernels.flow_sight import column_of

__all__ = ["narrow_places"]

Floats = NDArray[np.float64]
Joints = NDArray[np.int32]


def narrow_places(
    near: tuple[Any, ...], area: tuple[Any, ...], slack: float, point: Floats, usable: NDArray[np.uint8]
) -> tuple[Floats, Joints, Joints, Joints]:
    """Points of a grid with those in narrow places behind them, and `narrow`, `joined_start` and `joined` as the grid
    has them; the first two are [0] where there are no such places.

    `near` and `area` are what the kernels take: the grid with what stands near its cells, and the walkable area.
    """
    x, y, size, columns, rows, _, _, start, items, segments, reach = near
    none = np.zeros(1, np.int32)
    pairs = _all(lambda room: list_gaps(size, columns, rows, start, items, segments, reach, room), (2,), np.int64)
    # each once; one number for a pair is sorted ten times as soon as two
    numbers = np.unique(pairs[:, 0] * len(segments) + pairs[:, 1])
    pairs = _gaps(np.stack(np.divmod(numbers, max(1, len(segments))), axis=1), segments)
    if not len(pairs):
        return point, none, none, np.empty(0, np.int32)
    middle = np.empty((4, 2))
    found = _all(lambda room: place_narrow(pairs, size, *near, *area, middle, room), (2,), np.float64)
    # by cells, each place once
    found = np.unique(found, axis=0)
    if not len(found):
        return point, none, none, np.empty(0, np.int32)
    cell_of = np.array(
        [column_of(py, y, size, rows) * columns + column_of(px, x, size, columns) for px, py in found.tolist()],
        np.int32,
    )
    order = np.argsort(cell_of, kind="stable")
    cell_of, cells = np.ascontiguousarray(cell_of[order]), columns * rows
    narrow = np.searchsorted(cell_of, np.arange(cells + 1)).astype(np.int32)
    point = np.concatenate([point, found[order]])
    joins = _all(lambda room: join_narrow(*near, slack, point, usable, narrow, cell_of, room), (2,), np.int32)
    # from both sides
    both = np.concatenate([joins, joins[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    joined_start = np.searchsorted(both[:, 0], np.arange(len(point) + 1)).astype(np.int32)
    return point, narrow, joined_start, np.ascontiguousarray(both[:, 1])


def _gaps(pairs: NDArray[np.int64], segments: Floats) -> NDArray[np.int64]:
    """Without pairs that have an end in common, but for those beside a gap."""
    one, other = segments[pairs[:, 0]].reshape(-1, 2, 2), segments[pairs[:, 1]].reshape(-1, 2, 2)
    meet = (one[:, :, None] == other[:, None]).all(axis=3).any(axis=(1, 2))
    narrow = np.zeros(len(segments), np.bool_)
    narrow[pairs[~meet]] = True
    return np.ascontiguousarray(pairs[~meet | narrow[pairs].any(axis=1)])


def _all(fill: Callable[[NDArray[Any]], int], shape: tuple[int, ...], kind: type) -> NDArray[Any]:
    """Everything that there is to write, with room for it."""
    room: NDArray[Any] = np.empty((1024, *shape), kind)
    count = fill(room)
    if count > len(room):
        room = np.empty((count, *shape), kind)
        fill(room)
    return room[:count]
