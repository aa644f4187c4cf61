"""Evacuation: the storey of the building once more, with a meeting point before each exit, to which flow fields lead.

Everybody of a quarter has the same goal, so ways are found once for an exit and not once for each; nobody can stand on
the point itself but one, and the crowd settles round it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orca_crowd.scenes.building import building
from orca_crowd.scenes.scene import SEED, SceneData

__all__ = ["evacuation"]

# m, about as wide as so many stand who settle round a point: whoever has come so near has got out
MEETING, MORE = 2.0, 0.3


def evacuation(count: int = 480, door: float = 1.2, exit_width: float = 2.0, seed: int = SEED) -> SceneData:
    """`count` walkers leave twelve rooms by four exits, each for the meeting point before its own."""
    data = building(count, door, exit_width, seed)
    goals = np.array(data.columns["goal"], np.float64)
    # people of one exit gather on one side of the house
    along = np.abs(goals[:, 0]) - np.abs(goals[:, 1]) > 0.0
    side = np.where(along, np.where(goals[:, 0] > 0.0, 0, 1), np.where(goals[:, 1] > 0.0, 2, 3))
    largest = 0
    for number in range(4):
        here = side == number
        if here.any():
            largest = max(largest, int(here.sum()))
            goals[here] = np.round(0.5 * (goals[here].min(axis=0) + goals[here].max(axis=0)), 3)
    return replace(
        data,
        columns={**data.columns, "goal": goals},
        defaults={**data.defaults, "guidance": "flow"},
        arrival=MEETING + MORE * float(np.sqrt(largest)),
    )
