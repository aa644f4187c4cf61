"""Plan: a path for each agent, and how good it is known to be."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["BOUNDED", "OPTIMAL", "SUBOPTIMAL", "Plan", "trimmed"]

Path = NDArray[np.int64]

OPTIMAL = "optimal"
BOUNDED = "bounded"
SUBOPTIMAL = "suboptimal"


@dataclass(frozen=True)
class Plan:
    """`paths[i]` are the cells of agent i, int64 (t,), from time 0 on; at its last cell it stays for ever.

    `complete` says that every agent ends at its goal and no two meet; otherwise it is the best that was found.
    `quality` is optimal, bounded (by `bound` times the optimum) or suboptimal. `iterations` were taken, and
    `expansions` nodes were expanded in all; `limit` names the budget that ended the search, None where it ended by
    itself.
    """

    paths: list[Path]
    complete: bool
    quality: str = SUBOPTIMAL
    bound: float | None = None
    iterations: int = 0
    expansions: int = 0
    limit: str | None = None
    notes: dict[str, float] = field(default_factory=dict)

    @property
    def sum_of_costs(self) -> int:
        """Time steps until each agent is at its last cell for good, over all agents."""
        return sum(len(trimmed(path)) - 1 for path in self.paths)

    @property
    def makespan(self) -> int:
        """Time steps until the last agent is there."""
        return max((len(trimmed(path)) - 1 for path in self.paths), default=0)


def trimmed(path: Path) -> Path:
    """A path without the waiting at its end."""
    moves = np.flatnonzero(path != path[-1])
    return path[: int(moves[-1]) + 2] if len(moves) else path[:1]
