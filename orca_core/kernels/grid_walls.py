"""Walls on a grid: the cells that no plan may use because a wall stands in them.

A wall that runs through the inside of a cell takes that cell. One that runs along the side of cells takes those on both
sides of it where both are free: it would else be passed; where one of them is blocked the wall is its outline.
"""

import math

from orca_core._jit import kernel

__all__ = ["walls_on_grid"]

# in cells: nearer than this to the side of a cell a wall runs along it
BESIDE = 1e-9


@kernel("void(f8[:,::1],b1[:,::1],b1[:,::1])")
def walls_on_grid(walls, blocked, taken):
    """Mark in `taken` (height, width) the cells that walls (m, 4) take; lengths in cells, row 0 at the bottom.

    `blocked` (height, width) are those that the map itself blocks.
    """
    height, width = blocked.shape
    for w in range(walls.shape[0]):
        ax = walls[w, 0]
        ay = walls[w, 1]
        bx = walls[w, 2]
        by = walls[w, 3]
        # along a column line or a row line
        line = math.floor(ax + 0.5)
        if abs(ax - line) <= BESIDE and abs(bx - line) <= BESIDE:
            if 1 <= line <= width - 1:
                first = max(0, math.floor(min(ay, by) + BESIDE))
                last = min(height - 1, math.ceil(max(ay, by) - BESIDE) - 1)
                for row in range(first, last + 1):
                    if not blocked[row, line - 1] and not blocked[row, line]:
                        taken[row, line - 1] = True
                        taken[row, line] = True
            continue
        line = math.floor(ay + 0.5)
        if abs(ay - line) <= BESIDE and abs(by - line) <= BESIDE:
            if 1 <= line <= height - 1:
                first = max(0, math.floor(min(ax, bx) + BESIDE))
                last = min(width - 1, math.ceil(max(ax, bx) - BESIDE) - 1)
                for column in range(first, last + 1):
                    if not blocked[line - 1, column] and not blocked[line, column]:
                        taken[line - 1, column] = True
                        taken[line, column] = True
            continue
        # through the inside of cells, row by row
        first = max(0, math.floor(min(ay, by) + BESIDE))
        last = min(height - 1, math.ceil(max(ay, by) - BESIDE) - 1)
        for row in range(first, last + 1):
            low = row + BESIDE
            high = row + 1.0 - BESIDE
            begin = 0.0
            end = 1.0
            if ay != by:
                enter = (low - ay) / (by - ay)
                leave = (high - ay) / (by - ay)
                begin = max(0.0, min(enter, leave))
                end = min(1.0, max(enter, leave))
            if begin > end:
                continue
            left = min(ax + begin * (bx - ax), ax + end * (bx - ax))
            right = max(ax + begin * (bx - ax), ax + end * (bx - ax))
            start = max(0, math.floor(left + BESIDE))
            stop = min(width - 1, max(math.floor(left), math.ceil(right - BESIDE) - 1))
            for column in range(start, stop + 1):
                taken[row, column] = True
