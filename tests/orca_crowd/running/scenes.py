"""Scene files for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["CROSSING", "write_scene"]

# four who cross beside a wall, in a room; all of them arrive
CROSSING: dict[str, Any] = {
    "time_step": 0.1,
    "options": {"profile": "service", "stall_time": 2.0},
    "seed": 5,
    "defaults": {"radius": 0.3, "goal_tolerance": 0.05},
    "agents": [
        {"id": 7, "position": [0.0, 0.0], "goal": [6.0, 0.2]},
        {"id": 3, "position": [6.0, 0.0], "goal": [0.0, 0.1]},
        {"id": 11, "position": [3.0, -3.0], "goal": [3.0, 3.0]},
        {"id": 4, "position": [3.0, 3.0], "goal": [3.2, -3.0]},
    ],
    "obstacles": [{"points": [[-1.0, 1.5], [1.5, 1.5]]}, {"points": [[4, 1], [5, 1], [5, 2], [4, 2]], "closed": True}],
    "walkable": [{"geometry": {"type": "Polygon", "coordinates": [[[-2, -5], [8, -5], [8, 5], [-2, 5]]]}}],
}


def write_scene(folder: Path, scene: dict[str, Any] | str, name: str = "crossing.json") -> Path:
    """The scene as a file."""
    file = folder / name
    file.write_text(scene if isinstance(scene, str) else json.dumps(scene), encoding="utf-8")
    return file
