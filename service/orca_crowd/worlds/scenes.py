"""Demo scenes: what anybody can start with one call. Those that come to an end are in `orca_crowd.scenes`, with what
they should come to; those that go on for ever, or show steering alone, are here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from orca_core.formats.contours import walkable_areas
from orca_core.geometry.obstacles import Obstacle
from orca_crowd.scenes.expected import ENDING
from orca_crowd.scenes.game_map import ATTRIBUTION, den312d
from orca_crowd.scenes.scene import SEED, Scene, SceneData
from orca_crowd.worlds.milling import Milling

__all__ = ["SCENES"]

# a few thousandths of a radian: too little to be seen, and enough that no goal is exactly opposite, which would be a
# knot that nothing in the scene unties
TURN = 0.004

MILLING_RADIUS = 0.3


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
    grid, milling = den312d(), _milling()
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
        attribution=ATTRIBUTION,
    )


@cache
def _milling() -> Milling:
    """The map, measured once."""
    # a little more room than the radius, so that a line in view is one that can be walked
    return Milling(den312d(), clearance=MILLING_RADIUS + 0.05, seed=SEED)


def _on_circle(radius: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) at angles on a circle around the origin.

    Rounded to 12 digits: sine and cosine differ in the last bit between machines, the scene must not.
    """
    return np.round(np.column_stack((np.cos(angles), np.sin(angles))), 12) * radius


SCENES: dict[str, Scene] = {
    scene.name: scene
    for scene in (
        *ENDING,
        Scene("circle", "Circle", "250 agents on a circle, each on its way to the opposite side.", _circle),
        Scene("blocks", "Four blocks", "Four groups of 25 cross between four square blocks.", _blocks),
        Scene("den312d", "Game map", "300 agents mill about on the game map den312d.", _den312d),
    )
}
