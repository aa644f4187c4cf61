"""Demo scenes: plain data from which a world can be made in one go, the same on every run and every machine.

A scene knows nothing of sockets. Who starts one makes a world with `time_step`, `seed` and `defaults`, adds the walls,
the walkable areas and the agents, and lets it run at `rate` steps a second; where `next_goals` is not None, agents that
have arrived or stalled are given what it returns for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.contours import walkable_areas
from orca_core.formats.movingai import GridMap, parse_map
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_crowd.worlds.milling import Milling

__all__ = ["SCENES", "NextGoals", "Scene", "SceneData"]

Column = NDArray[np.float64] | NDArray[np.int64]
NextGoals = Callable[[NDArray[np.int64], NDArray[np.float64], int], Mapping[str, NDArray[np.float64]]]

SEED = 2

# a few thousandths of a radian: too little to be seen, and enough that no goal is exactly opposite, which would be a
# knot that nothing in the scene unties
TURN = 0.004

MILLING_RADIUS = 0.3


@dataclass(frozen=True, eq=False)
class SceneData:
    """Everything a world needs: seconds, metres and metres a second.

    `columns` holds `id` (n,) int64, and `position` and `goal` (n, 2) float64; `defaults` what all agents share. `view`
    is the box (min x, min y, max x, max y) to show. `next_goals(ids, positions, step)` is pure.
    """

    time_step: float
    rate: float
    defaults: Mapping[str, float | int]
    columns: Mapping[str, Column]
    view: tuple[float, float, float, float]
    obstacles: tuple[Obstacle, ...] = ()
    walkable: tuple[WalkableArea, ...] = ()
    next_goals: NextGoals | None = None
    attribution: str | None = None
    seed: int = SEED


@dataclass(frozen=True)
class Scene:
    """A scene that can be started; nothing is computed before `build`, and every call gives the same."""

    name: str
    title: str
    description: str
    build: Callable[[], SceneData]


def _circle() -> SceneData:
    """Agents on a circle, each sent to the opposite side."""
    count = 250
    radius = count / 5.0
    angles = np.arange(count, dtype=np.float64) * (2.0 * np.pi / count)
    return SceneData(
        time_step=0.1,
        rate=30.0,
        defaults={
            "radius": 0.5,
            # nobody may hurry: with speed in reserve the crowd in the middle is pressed twice as deep into each other
            "max_speed": 1.0,
            "preferred_speed": 1.0,
            "time_horizon": 5.0,
            "max_neighbors": 10,
            "goal_tolerance": 0.05,
        },
        columns={
            "id": np.arange(count, dtype=np.int64),
            "position": _on_circle(radius, angles),
            "goal": _on_circle(radius, angles + np.pi + TURN),
        },
        view=(-1.1 * radius, -1.1 * radius, 1.1 * radius, 1.1 * radius),
    )


def _blocks() -> SceneData:
    """Four groups in the corners, each sent to the opposite corner between four square blocks (as in RVO2).

    Agents are smaller than RVO2's and look less far ahead: with radius 2 and horizon 5 the middle clogs for minutes.
    """
    spots = 55.0 + 10.0 * np.arange(5)
    corner = np.stack(np.meshgrid(spots, spots, indexing="ij"), axis=-1).reshape(-1, 2)
    quarters = np.array([(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)])
    position = (quarters[:, None, :] * corner).reshape(-1, 2)
    # the opposite spot, turned a little; a goal for each, since a group sent to one point never settles
    cosine, sine = _on_circle(1.0, np.array([np.pi + TURN]))[0]
    goal = np.round(position @ np.array([[cosine, sine], [-sine, cosine]]), 9)
    block = np.array([(10.0, 10.0), (40.0, 10.0), (40.0, 40.0), (10.0, 40.0)])
    return SceneData(
        time_step=0.25,
        rate=20.0,
        defaults={
            "radius": 1.5,
            "max_speed": 2.0,
            "time_horizon": 3.0,
            "obstacle_horizon": 3.0,
            "max_neighbors": 10,
            "goal_tolerance": 0.1,
        },
        columns={"id": np.arange(len(position), dtype=np.int64), "position": position, "goal": goal},
        view=(-105.0, -105.0, 105.0, 105.0),
        obstacles=tuple(Obstacle(points=block * quarter, closed=True) for quarter in quarters),
    )


def _den312d() -> SceneData:
    """Agents milling in the halls of a game map, each in a cell of its own at first."""
    count = 300
    grid, milling = _den312d_map()
    order = np.random.default_rng(SEED).permutation(len(milling.centres))
    ids = np.arange(count, dtype=np.int64)
    position = milling.centres[order[:count]]
    return SceneData(
        time_step=0.1,
        rate=20.0,
        defaults={
            "radius": MILLING_RADIUS,
            "max_speed": 1.5,
            "preferred_speed": 1.3,
            "time_horizon": 2.0,
            "obstacle_horizon": 1.0,
            "max_neighbors": 10,
            "goal_tolerance": 0.3,
        },
        columns={"id": ids, "position": position, **milling.next_goals(ids, position, 0)},
        view=(0.0, 0.0, float(grid.width), float(grid.height)),
        walkable=tuple(walkable_areas(grid)),
        next_goals=milling.next_goals,
        attribution="Map den312d: MovingAI benchmarks, Nathan Sturtevant, ODC-By 1.0",
    )


@cache
def _den312d_map() -> tuple[GridMap, Milling]:
    """The map that comes with the page, read and measured once."""
    path = files("orca_crowd").joinpath("viewer", "maps", "den312d.map")
    grid = parse_map(path.read_text(encoding="ascii"))
    # a little more room than the radius, so that a line in view is one that can be walked
    return grid, Milling(grid, clearance=MILLING_RADIUS + 0.05, seed=SEED)


def _on_circle(radius: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) at angles on a circle around the origin.

    Rounded to 12 digits: sine and cosine differ in the last bit between machines, the scene must not.
    """
    return np.round(np.column_stack((np.cos(angles), np.sin(angles))), 12) * radius


SCENES: dict[str, Scene] = {
    scene.name: scene
    for scene in (
        Scene("circle", "Circle", "250 agents on a circle, each on its way to the opposite side.", _circle),
        Scene("blocks", "Four blocks", "Four groups of 25 cross between four square blocks.", _blocks),
        Scene("den312d", "Game map", "300 agents mill about on the game map den312d.", _den312d),
    )
}
