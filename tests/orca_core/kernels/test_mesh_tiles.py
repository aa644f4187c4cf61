"""The nearest edge of a mesh by its box tree: what a look at every edge finds, to the bit and the number."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.kernels.mesh_tiles import nearest_edge
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree


@pytest.mark.parametrize("count", [0, 1, 7, 40, 300])
def test_it_is_the_nearest_of_all_and_the_first_of_several(count: int) -> None:
    random = np.random.default_rng(count)
    # ends on a coarse grid, so that many are equally near; one edge has no length
    edges = random.integers(0, 9, (count, 4)).astype(np.float64)
    edges[:1, 2:] = edges[:1, :2]
    tree = BoxTree.over_segments(edges)
    stack = np.empty(STACK, np.int64)
    for x, y in [*random.integers(-2, 11, (40, 2)).tolist(), *random.normal(4.0, 6.0, (40, 2)).tolist()]:
        number, px, py = nearest_edge(float(x), float(y), edges, tree.nodes, tree.leaves, tree.order, tree.boxes, stack)
        found = []
        for e in range(count):
            alone = BoxTree.over_segments(edges[e : e + 1])
            _, ex, ey = nearest_edge(
                float(x), float(y), edges[e : e + 1], alone.nodes, alone.leaves, alone.order, alone.boxes, stack
            )
            found.append((ex - x) * (ex - x) + (ey - y) * (ey - y))
        if not count:
            assert (number, px, py) == (-1, x, y)
            continue
        assert number == int(np.argmin(found))
        assert (px - x) * (px - x) + (py - y) * (py - y) == min(found)
