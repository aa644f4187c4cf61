"""Scene files are the bodies of REST: the same bits, the same refusals, each fault by where it stands in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from orca_crowd.running.refusal import Unusable
from orca_crowd.running.scene import built_in
from orca_crowd.running.scene_file import read_scene
from orca_crowd.running.simulation import Simulation
from orca_crowd.worlds.scenes import SCENES
from tests.orca_crowd.running.scenes import CROSSING, write_scene

MAP = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"


def refusal(folder: Path, scene: dict[str, Any] | str) -> list[str]:
    """The lines with which a scene is refused, on reading or on making its world."""
    with pytest.raises(Unusable) as refused:
        read_scene(write_scene(folder, scene)).make_world()
    return str(refused.value).splitlines()


def test_a_file_ends_at_the_bits_of_a_server_that_was_sent_the_same(tmp_path: Path, client: httpx.Client) -> None:
    body = {name: CROSSING[name] for name in ("time_step", "options", "seed", "defaults")}
    path = f"/v1/worlds/{client.post('/v1/worlds', json=body).json()['id']}"
    try:
        for name, key in (("obstacles", "obstacles"), ("walkable", "areas"), ("agents", "agents")):
            assert client.post(f"{path}/{name}", json={key: CROSSING[name]}).status_code == 201
        answer = client.post(f"{path}/steps", json={"count": 40, "return": "digest"}).json()
    finally:
        client.delete(path)
    simulation = Simulation(read_scene(write_scene(tmp_path, CROSSING)))
    for _ in range(40):
        simulation.step()
    assert simulation.world.digest() == answer["digest"]


def test_columns_are_the_same_as_rows(tmp_path: Path) -> None:
    rows = CROSSING["agents"]
    columns = {name: [row[name] for row in rows] for name in ("position", "goal")}
    scene = {**CROSSING, "columns": columns, "ids": [row["id"] for row in rows]}
    del scene["agents"]
    worlds = [read_scene(write_scene(tmp_path, given)).make_world() for given in (CROSSING, scene)]
    for world in worlds:
        world.step(20)
    assert worlds[0].digest() == worlds[1].digest()
    assert worlds[1].ids.tolist() == [7, 3, 11, 4]


def test_a_map_stands_beside_its_scene(tmp_path: Path) -> None:
    (tmp_path / "hall.map").write_text(MAP, encoding="ascii")
    scene = {"time_step": 0.1, "map": {"file": "hall.map", "cell_size": 2}, "agents": [{"position": [1, 1]}]}
    world = read_scene(write_scene(tmp_path, scene)).make_world()
    (area,) = world.walkable()
    assert np.vstack([ring for polygon in area.polygons for ring in polygon]).max(axis=0).tolist() == [8.0, 6.0]
    walls = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    (tmp_path / "walls.geojson").write_text(json.dumps(walls), encoding="utf-8")
    scene = {"time_step": 0.1, "map": {"file": "walls.geojson", "as": "obstacles"}, "obstacles": CROSSING["obstacles"]}
    world = read_scene(write_scene(tmp_path, scene)).make_world()
    assert [len(obstacle.points) for obstacle in world.obstacles()] == [2, 2, 4]
    assert world.agent_count == 0


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ({"agents": [{"position": [0, 0]}, {"position": [0, "a"]}]}, "agents[1].position: must be a number"),
        ({"agents": [{"position": [0, 0], "radius": -1}]}, "agents[0].radius: must be a finite number from 0"),
        ({"agents": [{"position": [0, 0], "colour": "red"}]}, "agents[0].colour: unknown field"),
        ({"agents": [{"position": [0, 0], "id": 1}, {"position": [1, 0], "id": 1}]}, "agents[1].id: "),
        ({"columns": {"position": [[0, 0]]}}, "either `agents` or `columns`"),
        ({"time_step": 0}, "time_step: must be a number of seconds"),
        ({"time_step": True}, "time_step: must be a number"),
        ({"options": {"profile": "fast"}}, "options.profile: "),
        ({"options": {"stall_time": -1}}, "options.stall_time: "),
        ({"defaults": {"radius": -1}}, "defaults.radius: "),
        ({"seed": -1}, "seed: "),
        ({"clock": {"mode": "manual"}}, "clock: unknown field"),
        ({"obstacles": [{"points": [[0, 0], [1, 1]]}, {"points": [[0, 0]], "closed": True}]}, "obstacles[1].points: "),
        ({"walkable": [{"geometry": {"type": "Point", "coordinates": []}}]}, "walkable[0].geometry.type: "),
        ({"map": {"file": "nowhere.map"}}, "map.file nowhere.map cannot be read: "),
        ({"map": {"file": "hall.png"}}, "map.file must be a .map, .geojson or .json"),
    ],
)
def test_a_fault_is_told_by_where_it_stands(tmp_path: Path, change: dict[str, Any], first: str) -> None:
    (line, *_) = refusal(tmp_path, {**CROSSING, **change})
    assert first in line
    assert line.startswith("mend crossing.json: ")


def test_every_fault_has_a_line_up_to_twenty(tmp_path: Path) -> None:
    rows = [{"position": [k, 0], "radius": "wide"} for k in range(25)]
    lines = refusal(tmp_path, {**CROSSING, "agents": rows})
    assert len(lines) == 21
    assert lines[19].strip() == "agents[19].radius: must be a number"
    assert lines[20].strip() == "and 5 more"


def test_what_is_no_scene_is_told(tmp_path: Path) -> None:
    assert "it is no JSON: " in refusal(tmp_path, '{"time_step": 0.1,\n "agents": [}')[0]
    assert "at line 2 column 13" in refusal(tmp_path, '{"time_step": 0.1,\n "agents": [}')[0]
    assert "must be a map" in refusal(tmp_path, "[]")[0]
    assert "time_step: is missing" in refusal(tmp_path, "{}")[0]
    assert "time_step: must be a finite number" in refusal(tmp_path, '{"time_step": NaN}')[0]
    with pytest.raises(Unusable, match="choose a scene that can be read"):
        read_scene(tmp_path / "nowhere.json")


def test_a_broken_map_is_told_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "hall.map").write_text(MAP.replace("width 4", "width 5"), encoding="ascii")
    (line,) = refusal(tmp_path, {"time_step": 0.1, "map": {"file": "hall.map"}})
    assert line.startswith("mend hall.map: ")
    assert "line 5" in line


@pytest.mark.parametrize("name", list(SCENES))
def test_a_built_in_scene_gives_the_same_bits_on_every_run(name: str) -> None:
    digests = set()
    for _ in range(2):
        simulation = Simulation(built_in(name))
        for _ in range(60):
            simulation.step()
        digests.add(simulation.world.digest())
    assert len(digests) == 1


def test_who_arrives_on_the_game_map_is_sent_on() -> None:
    simulation = Simulation(built_in("den312d"))
    for _ in range(100):
        simulation.step()
    assert simulation.counts["arrived"] > 20
    # all but those who arrived in the very last step have a goal elsewhere
    assert simulation.arrived < simulation.counts["arrived"] / 2


def test_profile_and_seed_can_be_changed() -> None:
    scene = built_in("circle").changed("text", 9)
    world = scene.make_world()
    assert (world.options.profile, world.options.part_coincident, world.seed) == ("text", False, 9)
    assert built_in("circle").changed(None, None).make_world().seed == built_in("circle").seed


def test_single_options_outlive_another_profile(tmp_path: Path) -> None:
    scene = read_scene(write_scene(tmp_path, {**CROSSING, "options": {"break_symmetry": True}})).changed("text", None)
    options = scene.make_world().options
    assert (options.profile, options.break_symmetry, options.stop_at_walls) == ("text", True, False)
