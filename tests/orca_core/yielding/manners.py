"""Random manners for crowds, and a world as the oracle of who yields takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core import World
from tests.oracles.yielding import NEUTRAL, Agent

__all__ = ["manners", "rows_of"]


def manners(generator: np.random.Generator, count: int, names: list[str]) -> dict[str, NDArray[Any]]:
    """Columns of these names with values that often meet each other, and now and then are far apart."""
    choose = generator.choice
    values: dict[str, NDArray[Any]] = {
        "weight": choose([0.0, 0.2, 0.8, 1.0, 1.0, 7.5], count),
        "priority": choose([-3, 0, 0, 0, 5], count),
        "locked": choose([False, False, False, True], count),
        "avoidance": choose([True, True, True, False], count),
        "layer": choose([0, 1, 2, 3, 2**31], count),
        "mask": choose([0, 1, 2, 2**31 + 1, 2**32 - 1], count),
        "elevation": choose([0.0, 0.0, 3.0, 3.5, -2.0], count),
        "height": choose([0.0, 1.8, 3.0, 6.0], count),
        "group": choose([0, 1, 1, 2], count),
        "group_mode": choose(["none", "ignore"], count),
    }
    return {name: values[name] for name in names}


def rows_of(world: World) -> list[Agent]:
    """The agents of a world in index order, as maps of plain values."""
    names = [
        *("position", "velocity", "preferred_velocity", "radius", "max_speed", "time_horizon", "neighbor_distance"),
        *("max_neighbors", *NEUTRAL),
    ]
    columns = {name: world.column(name).tolist() for name in names}
    return [{name: column[row] for name, column in columns.items()} for row in range(world.agent_count)]
