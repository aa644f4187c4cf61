"""The scenes of the behaviour benchmark, each for any seed, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.corridor import corridor
from orca_crowd.scenes.door import door
from orca_crowd.scenes.game_map import game_map
from orca_crowd.scenes.junction import junction
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import SceneData

__all__ = ["SCENES"]

# a scene from a seed
SCENES: Mapping[str, Callable[[int], SceneData]] = {
    "plaza, 500 crossing": lambda seed: plaza(seed=seed),
    "door of 2.4 m, 30 from either side": lambda seed: door(seed=seed),
    "door of 1.8 m, 20 from either side": lambda seed: door(20, 1.8, seed=seed),
    "corridor one wide, 8 one way": lambda seed: corridor(8, 0, seed=seed),
    "corridor one wide, 8 from either side": lambda seed: corridor(seed=seed),
    "T-junction, 40 from either side": lambda seed: junction(seed=seed),
    "L corner, 60": lambda seed: corner(seed=seed),
    "building, 240 by 4 exits": lambda seed: building(seed=seed),
    "game map, 1,000": lambda seed: game_map(seed=seed),
}
