"""Assignment: a cell of its own for everybody, the sum of the costs being the least.

Source: H. W. Kuhn, The Hungarian method for the assignment problem, 1955, in the form of shortest augmenting paths
(R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems, 1987).
With squared distances nobody is sent past another in a narrow place, as giving each the nearest free cell in turn does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORBIDDEN", "assign"]

# the cost of what cannot be
FORBIDDEN = 1e12


def assign(costs: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """A column for each row of `costs` (n, m), n <= m, all different, int64 (n,); None where only FORBIDDEN is left."""
    count, columns = costs.shape
    if count > columns:
        return None
    # potentials of rows and columns; column 0 stands for "none yet", rows and columns are counted from 1
    row_price = np.zeros(count + 1)
    column_price = np.zeros(columns + 1)
    holder = np.zeros(columns + 1, np.int64)
    for row in range(1, count + 1):
        holder[0] = row
        column = 0
        least = np.full(columns + 1, np.inf)
        before = np.zeros(columns + 1, np.int64)
        used = np.zeros(columns + 1, np.bool_)
        # grow the tree of cheapest exchanges until it comes to a column that nobody has
        while holder[column]:
            used[column] = True
            here = holder[column]
            offered = costs[here - 1] - row_price[here] - column_price[1:]
            better = (offered < least[1:]) & ~used[1:]
            least[1:][better] = offered[better]
            before[1:][better] = column
            open_columns = np.where(used, np.inf, least)
            open_columns[0] = np.inf
            following = int(np.argmin(open_columns))
            step = open_columns[following]
            row_price[holder[used]] += step
            column_price[used] -= step
            least[~used] -= step
            column = following
        # hand each column of the chain on
        while column:
            holder[column] = holder[before[column]]
            column = int(before[column])
    chosen = np.empty(count, np.int64)
    taken = np.flatnonzero(holder[1:])
    chosen[holder[1:][taken] - 1] = taken
    if (costs[np.arange(count), chosen] >= FORBIDDEN).any():
        return None
    return chosen
