"""Expected: what the scenes come to, as it was measured; `python -m orca_crowd.scenes.expected` measures it anew.

The bits of a scene are the same on every machine, and so are its figures.
"""

from __future__ import annotations

import json
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

from orca_crowd.scenes.building import building
from orca_crowd.scenes.corner import corner
from orca_crowd.scenes.corridor import corridor
from orca_crowd.scenes.door import door
from orca_crowd.scenes.evacuation import evacuation
from orca_crowd.scenes.game_map import game_map
from orca_crowd.scenes.head_on import head_on
from orca_crowd.scenes.junction import junction
from orca_crowd.scenes.measure import Figures
from orca_crowd.scenes.play import play
from orca_crowd.scenes.plaza import plaza
from orca_crowd.scenes.scene import Scene

__all__ = ["ENDING", "expected_figures", "measure_all"]

# in the order in which they are shown
ENDING: tuple[Scene, ...] = (
    Scene("plaza", "Plaza", "500 people cross an open square, from four sides at once.", plaza),
    Scene("door", "Door", "Two crowds of 30 change rooms through a door of 2.4 m.", door),
    Scene("corridor", "Narrow corridor", "Eight at either end of a passage that is one wide.", corridor),
    Scene("junction", "T-junction", "Two crowds of 40 meet, and leave by one corridor.", junction),
    Scene("corner", "L corner", "60 people walk round a corner.", corner),
    Scene("building", "Evacuation", "240 people leave twelve rooms by four exits.", building),
    Scene("evacuation", "Evacuation by flow fields", "480 people, four exits and one field for each.", evacuation),
    Scene("halls", "Game map, 1,000", "1,000 people find their ways through the game map den312d.", game_map),
    Scene("head-on-vo", "Head-on, VO", "Velocity obstacles: both give way, and swing.", partial(head_on, "vo")),
    Scene("head-on-rvo", "Head-on, RVO", "Reciprocal ones: each gives way by half.", partial(head_on, "rvo")),
    Scene("head-on-orca", "Head-on, ORCA", "Half-planes: by half, with one best answer.", partial(head_on, "orca")),
)
FILE = "figures.json"


@cache
def expected_figures() -> dict[str, Figures]:
    """What each scene that ends comes to, by its name."""
    text = files("orca_crowd.scenes").joinpath(FILE).read_text(encoding="utf-8")
    return {name: Figures(**values) for name, values in json.loads(text).items()}


def measure_all() -> dict[str, Figures]:
    """Play every scene that ends, to its end."""
    return {scene.name: play(scene.build()) for scene in ENDING}


def main() -> None:
    """Write the file anew, beside this one."""
    shown = {name: figures.as_mapping() for name, figures in measure_all().items()}
    Path(__file__).with_name(FILE).write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
