"""A recording is what the world was, thinned where there is too much of it, and drawn where things are."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orca_crowd.running.gif import durations_of
from orca_crowd.running.page import LARGEST, page
from orca_crowd.running.recording import HUES, Recording, check_size
from orca_crowd.running.refusal import Unusable
from orca_crowd.running.scene_file import read_scene
from orca_crowd.running.simulation import Simulation
from tests.orca_crowd.running.scenes import CROSSING, write_scene


def recorded(folder: Path, steps: int = 30, **change: Any) -> Recording:
    """A recording of the crossing."""
    simulation = Simulation(read_scene(write_scene(folder, {**CROSSING, **change})))
    recording = Recording.of(simulation.world, "a <crossing>", "from </script> somewhere")
    recording.add(simulation.world)
    for _ in range(steps):
        simulation.step()
        recording.add(simulation.world)
    return recording


def test_everything_is_in_the_box(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    low_x, low_y, high_x, high_y = recording.box()
    assert (low_x, low_y) < (-2.0, -5.0)
    assert high_x > 8.0
    assert high_y > 5.0
    # the closed one ends where it begins
    assert [len(wall) for wall in recording.walls] == [2, 5]
    assert Recording("empty", 0.1, np.empty(0), [], [], []).box() == (-1.0, -1.0, 1.0, 1.0)


def test_an_open_door_is_drawn_in_strokes(tmp_path: Path) -> None:
    door = {"points": [[0, 3], [9, 3], [9, 5]], "open": True}
    recording = recorded(tmp_path, obstacles=[door, {"points": [[-1, 1], [1, 1]]}])
    assert [len(wall) for wall in recording.walls] == [2] * 11
    assert recording.walls[0].tolist() == [[0, 3], [1, 3]]
    assert recording.walls[4].tolist() == [[8, 3], [9, 3]]
    assert recording.walls[-1].tolist() == [[-1, 1], [1, 1]]


def test_what_a_closed_obstacle_surrounds_is_solid_and_a_room_is_not(tmp_path: Path) -> None:
    room = [[-2, -5], [8, -5], [8, 5], [-2, 5], [-2, -5]]
    blocks = [{"points": [[x, 1], [x + 1, 1], [x + 1, 2]], "closed": True} for x in (4, 6)]
    recording = recorded(tmp_path, 1, obstacles=[{"points": room}, blocks[0], {**blocks[1], "open": True}])
    assert recording.walls[0].tolist() == room
    assert [solid.tolist() for solid in recording.solids] == [blocks[0]["points"]]
    assert [len(solid) for solid in recording.thinned(1).solids] == [3]


def test_thinned_it_keeps_its_ends(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    thin = recording.thinned(4)
    assert thin.steps == [0, 10, 20, 30]
    assert (thin.frames[1] == recording.frames[10]).all()
    assert recording.thinned(31) is recording


def test_colours_tell_the_way(tmp_path: Path) -> None:
    recording = recorded(tmp_path, 60)
    hues = recording.hues()
    # the four went right, left, up and down: a quarter of the circle apart, whatever they walked around
    quarters = np.round(hues / (len(HUES) / 4.0)) % 4
    assert sorted(quarters.tolist()) == [0, 1, 2, 3]
    assert quarters[0] == 0
    assert quarters[2] == 1


def test_what_would_not_fit_is_refused_before_it_is_taken() -> None:
    check_size(1_000, 10_000)
    with pytest.raises(Unusable, match="use a larger --every: 10,000 frames of 100,000 agents are 8"):
        check_size(100_000, 10_000)


def test_frames_of_a_gif_last_as_long_as_their_steps_within_what_it_can_show(tmp_path: Path) -> None:
    recording = recorded(tmp_path, 3)
    recording.steps, recording.time_step = [0, 1, 5, 100], 0.01
    assert durations_of(recording) == [20, 40, 60, 1000]


def test_a_page_has_everything_in_it_and_asks_for_nothing(tmp_path: Path) -> None:
    recording = recorded(tmp_path)
    text = page(recording)
    assert "<title>a &lt;crossing&gt;</title>" in text
    assert re.findall(r"https?:|src=|href=|@import|url\(", text) == []
    assert "default-src 'none'" in text
    # one script, which nothing in the data can end
    assert text.count("</script>") == 1
    data = json.loads(text.partition("const data = ")[2].partition(";\n")[0])
    assert data["title"] == "a <crossing>"
    assert data["steps"] == recording.steps
    places = np.frombuffer(base64.b64decode(data["places"]), "<u2").reshape(31, 4, 2)
    low, high = np.array(data["box"]).reshape(2, 2)
    found = low + places / LARGEST * (high - low)
    # a sixty-five-thousandth of twelve metres
    assert np.abs(found - np.stack(recording.frames)).max() < 2e-4


def test_a_page_of_nobody_is_a_page(tmp_path: Path) -> None:
    assert '"radii":[]' in page(recorded(tmp_path, 1, agents=[]))


def test_pictures_show_agents_where_they_are(tmp_path: Path) -> None:
    # a process of its own: matplotlib keeps its fonts open for ever
    script = """
import sys
from pathlib import Path
import numpy as np
from PIL import Image
from orca_crowd.running.gif import draw_gif
from orca_crowd.running.picture import draw_picture
from orca_crowd.running.recording import HUES
from tests.orca_crowd.running.test_recording import recorded

folder = Path(sys.argv[1])
recording = recorded(folder, 40)
draw_picture(recording, folder / "p.png")
draw_gif(recording.thinned(5), folder / "p.gif")
draw_gif(recorded(folder, 1, agents=[], walkable=[], obstacles=[
    {"points": [[0, 0], [8, 0], [8, 8], [0, 8], [0, 0]]},
    {"points": [[5, 5], [7, 5], [7, 7], [5, 7]], "closed": True},
]), folder / "room.gif")

def near(image, colour):
    pixels = np.asarray(image.convert("RGB")).astype(int)
    return np.argwhere(np.abs(pixels - colour).sum(axis=2) < 40)

colours = [HUES[hue] for hue in recording.hues()]
with Image.open(folder / "p.png") as picture:
    assert min(picture.size) > 600, picture.size
    # the disc at the end of each way
    assert all(len(near(picture, colour)) > 100 for colour in colours)
with Image.open(folder / "room.gif") as film:
    # within the room, in its block, and before its wall
    places = [(0.3, 0.7), (0.73, 0.27), (0.01, 0.99)]
    seen = [film.convert("RGB").getpixel((int(640 * x), int(640 * y)))[0] for x, y in places]
    assert [level > 248 for level in seen] == [True, False, True], seen
with Image.open(folder / "p.gif") as film:
    assert (film.n_frames, max(film.size)) == (5, 640), (film.n_frames, film.size)
    assert film.info["loop"] == 0
    middles = []
    for frame in (0, 4):
        film.seek(frame)
        middles.append([near(film, colour).mean(axis=0)[::-1] for colour in colours])
    low_x, low_y, high_x, high_y = recording.box()
    scale = 640 / max(high_x - low_x, high_y - low_y)
    for index, seen in zip((0, 40), middles):
        places = recording.frames[index]
        expected = np.column_stack([places[:, 0] - low_x, high_y - places[:, 1]]) * scale
        assert np.abs(np.array(seen) - expected).max() < 3.0, (seen, expected)
"""
    folders = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": folders, "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_picture_of_nobody_is_a_picture(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from orca_crowd.running.picture import draw_picture\n"
        "from orca_crowd.running.gif import draw_gif\n"
        "from tests.orca_crowd.running.test_recording import recorded\n"
        "folder = Path(sys.argv[1]); recording = recorded(folder, 2, agents=[])\n"
        "draw_picture(recording, folder / 'n.png'); draw_gif(recording, folder / 'n.gif')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=environment, check=True, timeout=120)
    assert (tmp_path / "n.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "n.gif").read_bytes().startswith(b"GIF89a")
