"""Instance: a grid, and where each agent starts and ends; refused where no plan could be one.

Cells are numbered row by row from the top left, `row * width + column`, as MovingAI's files count; a cell has up to
four neighbours, and in one time step an agent moves to one of them or stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, Problem
from orca_core.formats.movingai import GridMap, ScenarioRow

__all__ = ["Instance"]

Cells = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Instance:
    """`grid` and the cells of `starts` and `goals`, int64 (n,) each; agents are numbered from 0."""

    grid: GridMap
    starts: Cells
    goals: Cells

    def __post_init__(self) -> None:
        """Refuse, naming each agent: a place off the map or on a blocked cell, and one that two agents share."""
        problems: list[Problem] = []
        free = self.grid.free.reshape(-1)
        if self.starts.shape != self.goals.shape or self.starts.ndim != 1:
            raise InvalidInput(f"starts and goals must be as many, not {self.starts.shape} and {self.goals.shape}")
        for field, cells in (("start", self.starts), ("goal", self.goals)):
            first: dict[int, int] = {}
            for agent, cell in enumerate(cells.tolist()):
                column, row = cell % self.grid.width, cell // self.grid.width
                if not 0 <= cell < free.size:
                    problems.append(Problem(agent, field, f"cell {cell} is outside the map"))
                elif not free[cell]:
                    problems.append(Problem(agent, field, f"({column}, {row}) is on a blocked cell"))
                elif cell in first:
                    problems.append(Problem(agent, field, f"({column}, {row}) is also that of agent {first[cell]}"))
                else:
                    first[cell] = agent
        if problems:
            raise InvalidInput(problems)

    @classmethod
    def from_rows(cls, grid: GridMap, rows: Sequence[ScenarioRow]) -> Instance:
        """The agents of a scenario, in the order of its lines."""
        return cls.from_places(grid, [row.start for row in rows], [row.goal for row in rows])

    @classmethod
    def from_places(
        cls, grid: GridMap, starts: Sequence[tuple[int, int]], goals: Sequence[tuple[int, int]]
    ) -> Instance:
        """Agents by (column, row) from the top left."""
        outside = [
            Problem(agent, field, f"({column}, {row}) is outside the map of {grid.width} by {grid.height} cells")
            for field, places in (("start", starts), ("goal", goals))
            for agent, (column, row) in enumerate(places)
            if not (0 <= column < grid.width and 0 <= row < grid.height)
        ]
        if outside:
            raise InvalidInput(outside)
        numbered = [
            np.array([row * grid.width + column for column, row in places], np.int64) for places in (starts, goals)
        ]
        return cls(grid, *numbered)

    @property
    def count(self) -> int:
        """How many agents there are."""
        return len(self.starts)

    def place(self, cell: int) -> tuple[int, int]:
        """(column, row) of a cell."""
        return cell % self.grid.width, cell // self.grid.width
