"""Game map: a thousand walkers in the halls of a map of a game, each on its way to somewhere else in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np

from orca_core.formats.contours import walkable_areas
from orca_core.formats.movingai import GridMap, parse_map
from orca_crowd.scenes.scene import SEED, SceneData
from orca_crowd.scenes.walkers import APART, Points, walk

__all__ = ["ATTRIBUTION", "den312d", "game_map"]

ATTRIBUTION = "Map den312d: MovingAI benchmarks, Nathan Sturtevant, ODC-By 1.0"
# m
CELL = 2.0
# from a place to the nearest wall, in cells: the middle of a cell of which all eight neighbours are free has it
ROOMY = 1


def game_map(count: int = 1000, cell: float = CELL, seed: int = SEED) -> SceneData:
    """`count` walkers on den312d, whose cells are `cell` metres wide."""
    chance = np.random.default_rng(seed)
    grid = den312d()
    spots = _roomy(grid, cell)
    chosen = spots[chance.permutation(len(spots))[:count]], spots[chance.permutation(len(spots))[:count]]
    # nobody stands on an exact lattice
    positions, goals = (places + chance.uniform(-0.02, 0.02, places.shape) for places in chosen)
    across, up = grid.width * cell, grid.height * cell
    time_limit = 120.0 + 1.2 * (across + up)
    data = walk(positions, goals, seed=seed, time_limit=time_limit, walkable=walkable_areas(grid, cell))
    return replace(data, view=(0.0, 0.0, across, up), attribution=ATTRIBUTION)


@cache
def den312d() -> GridMap:
    """The map that comes with the page."""
    path = files("orca_crowd").joinpath("viewer", "maps", "den312d.map")
    return parse_map(path.read_text(encoding="ascii"))


def _roomy(grid: GridMap, cell: float) -> Points:
    """Places (n, 2) on a lattice as fine as walkers stand apart, in cells whose neighbours are free too."""
    free = np.pad(grid.free[::-1], 1)
    height, width = grid.free.shape
    roomy = np.ones((height, width), np.bool_)
    for dy in range(3):
        for dx in range(3):
            roomy &= free[dy : dy + height, dx : dx + width]
    x, y = (np.arange(0.5 * APART, cell * size, APART) for size in (width, height))
    xs, ys = (axis.ravel() for axis in np.meshgrid(x, y))
    inside = roomy[(ys / cell).astype(int), (xs / cell).astype(int)]
    roomy_places: Points = np.column_stack((xs, ys))[inside]
    return roomy_places
