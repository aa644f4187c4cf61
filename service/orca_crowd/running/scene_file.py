"""Scene files: JSON with the bodies of the same calls over REST, read by the same models, refused by field.

    {"time_step": 0.1, "options": {}, "seed": 1, "defaults": {},
     "agents": [{"position": [0, 0], "goal": [9, 0]}],        or "columns": {"position": […]}, "ids": […]
     "obstacles": [{"points": [[4, -2], [4, 2]]}],
     "walkable": [{"geometry": {"type": "Polygon", "coordinates": […]}}],
     "map": {"file": "hall.map", "as": "walkable", "cell_size": 1}}

A map is a file beside the scene, and comes before obstacles and walkable areas.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from orca_core.errors import OrcaError
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.protocol.agents import parse_new_agents
from orca_crowd.protocol.commands import AddObstacles, AddWalkable
from orca_crowd.protocol.geometry import parse_areas, parse_obstacles
from orca_crowd.protocol.maps import MapUpload, parse_map_upload
from orca_crowd.protocol.models import Identifier, Number, Strict, validate
from orca_crowd.protocol.pieces import read_json
from orca_crowd.protocol.worlds import DefaultsBody, OptionsBody
from orca_crowd.running.refusal import Unusable, faults_shown
from orca_crowd.running.scene import RunScene
from orca_crowd.settings import Settings

__all__ = ["SceneBody", "read_scene"]

Result = TypeVar("Result")
MAP_TYPES = {".map": "text/plain", ".geojson": "application/geo+json", ".json": "application/geo+json"}
# there is no server to protect, only a mistake to find
MAP_CELLS = 100_000_000


class MapBody(Strict):
    """A MovingAI map or GeoJSON."""

    file: str = Field(min_length=1, description="Beside the scene, or a whole path.")
    kind: Literal["walkable", "obstacles"] = Field("walkable", alias="as")
    cell_size: Number | None = Field(None, description="With a .map: side of a cell; 1.")


class SceneBody(Strict):
    """A scene as it is written."""

    name: str | None = Field(None, max_length=200)
    time_step: Number
    options: OptionsBody = Field(default_factory=OptionsBody)
    seed: Identifier = 0
    defaults: DefaultsBody = Field(default_factory=DefaultsBody)
    agents: Any = None
    ids: Any = None
    columns: Any = None
    obstacles: Any = None
    walkable: Any = None
    map: MapBody | None = None


def read_scene(file: Path) -> RunScene:
    """The scene in a file; Unusable with the first fault in its first line and every other one below."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Unusable(f"choose a scene that can be read: {file}: {error.strerror}") from None
    try:
        body = validate(SceneBody, read_json(data))
    except ValueError as error:
        raise Unusable(f"mend {file.name}: it is no JSON: {error}") from None
    except ApiError as error:
        raise faults_shown(file.name, error) from None
    walls: list[Obstacle] = []
    areas: list[WalkableArea] = []
    if body.map is not None:
        command = _map(file, body.map).command
        if isinstance(command, AddObstacles):
            walls += command.obstacles
        elif isinstance(command, AddWalkable):
            areas += command.areas
    if body.obstacles is not None:
        walls += _part(file, "obstacles", lambda: parse_obstacles({"obstacles": body.obstacles}))
    if body.walkable is not None:
        areas += _part(file, "walkable", lambda: parse_areas({"areas": body.walkable}).areas)
    given = {name: getattr(body, name) for name in ("agents", "ids", "columns") if name in body.model_fields_set}
    # a scene without agents is a scene; one with both kinds is refused by the reader
    given = given or {"agents": []}
    return RunScene(
        name=body.name or file.stem,
        source=file.name,
        rows="columns" if "columns" in given else "agents",
        time_step=body.time_step,
        agents=_part(file, "columns" if "columns" in given else "agents", lambda: parse_new_agents(given)),
        options=body.options.model_dump(exclude_unset=True),
        defaults=body.defaults.model_dump(exclude_unset=True),
        seed=body.seed,
        obstacles=walls,
        walkable=areas,
    )


def _map(scene: Path, body: MapBody) -> MapUpload:
    """The map that a scene names."""
    file = scene.parent / body.file
    media = MAP_TYPES.get(file.suffix.lower())
    if media is None:
        raise Unusable(f"mend {scene.name}: map.file must be a .map, .geojson or .json, not {body.file}")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Unusable(f"mend {scene.name}: map.file {body.file} cannot be read: {error.strerror}") from None
    settings = Settings.model_construct(map_cells=MAP_CELLS)
    return _part(file, "", lambda: parse_map_upload(data, media, body.kind, settings, cell_size=body.cell_size))


def _part(file: Path, name: str, read: Callable[[], Result]) -> Result:
    """A part of the file, its faults named by where they stand."""
    try:
        return read()
    except (ApiError, OrcaError) as error:
        raise faults_shown(file.name, problem_of(error), name) from None
