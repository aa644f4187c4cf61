"""The command `orca-crowd run`: what it writes and says, and what it refuses before anything is computed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orca_core.world import World
from orca_crowd.__main__ import app
from orca_crowd.commands.run import Length
from tests.orca_crowd.running.scenes import CROSSING, write_scene
from tests.support.live_server import child_environment


@pytest.fixture
def scene(tmp_path: Path) -> str:
    """The file of the crossing."""
    return str(write_scene(tmp_path, CROSSING))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", *arguments])


def summary(result: Result) -> dict[str, str]:
    """What was said, by its first word."""
    assert result.exit_code == 0, result.output
    return dict(line.split(maxsplit=1) for line in result.stdout.splitlines())


def test_a_real_command_is_plain_where_nobody_looks(scene: str, tmp_path: Path) -> None:
    page, table = tmp_path / "c.html", tmp_path / "c.csv"
    files = ["--animation", str(page), "--trajectory", str(table)]
    done = subprocess.run(
        [sys.executable, "-m", "orca_crowd", "run", scene, "--until-arrived", *files],
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    said = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert list(said) == ["scene", "steps", "speed", "arrived", "overlaps", "digest"]
    assert said["arrived"] == "4 of 4 with a goal"
    # who passes a corner of the crowd may graze another by millimetres; without avoidance two radii would be lost
    assert float(said["overlaps"].partition("deepest ")[2].partition(" m")[0] or 0.0) < 0.01
    steps = int(said["steps"].split()[0])
    # six metres at 1.5 m/s, and somebody has to step aside
    assert 40 <= steps < 120
    assert len(table.read_text("ascii").splitlines()) == 1 + 4 * (steps + 1)
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_the_digest_alone_is_that_of_the_world(scene: str) -> None:
    ran = run(scene, "--steps", "25", "--digest")
    world = summary(run(scene, "--steps", "25"))
    assert ran.stdout.strip() == world["digest"]
    assert re.fullmatch(r"[0-9a-f]{64}\n", ran.stdout)
    assert run(scene, "--seconds", "2.5", "--digest").stdout == ran.stdout
    assert run(scene, "--steps", "26", "--digest").stdout != ran.stdout


def test_what_is_kept_changes_no_bit(scene: str, tmp_path: Path) -> None:
    plain = run(scene, "--steps", "25", "--digest").stdout
    kept = run(scene, "--steps", "25", "--digest", "--every", "7", "--animation", str(tmp_path / "a.html"))
    assert kept.stdout == plain
    # 0, 7, 14, 21, and the end
    assert '"steps":[0,7,14,21,25]' in (tmp_path / "a.html").read_text("utf-8")


def test_every_kth_frame_is_kept_and_they_count_from_nought(scene: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    assert run(scene, "--steps", "10", "--every", "4", "--trajectory", str(table)).exit_code == 0
    rows = [line.split(",") for line in table.read_text("ascii").splitlines()[1:]]
    assert [int(row[1]) for row in rows[::4]] == [0, 1, 2]
    assert [int(row[0]) for row in rows[:4]] == [7, 3, 11, 4]


def test_a_snapshot_is_the_end(scene: str, tmp_path: Path) -> None:
    file = tmp_path / "end.bin"
    said = summary(run(scene, "--steps", "12", "--snapshot", str(file)))
    world = World.restore(file.read_bytes())
    assert (world.step_count, world.digest()) == (12, said["digest"])


def test_profile_and_seed_are_the_scenes_own_or_others(scene: str) -> None:
    assert summary(run(scene, "--steps", "1"))["scene"] == "crossing, 4 agents, profile service, seed 5"
    changed = summary(run(scene, "--steps", "1", "--profile", "text", "--seed", "8"))
    assert changed["scene"].endswith("profile text, seed 8")


def test_the_built_in_scenes_are_listed_and_run() -> None:
    listed = run("--list")
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    crowds = ["plaza", "door", "corridor", "junction", "corner", "building", "evacuation", "halls"]
    pairs = ["head-on-vo", "head-on-rvo", "head-on-orca"]
    assert names == [*crowds, *pairs, "circle", "blocks", "den312d"]
    assert summary(run("corner", "--steps", "5"))["arrived"] == "0 of 60 with a goal"
    assert summary(run("den312d", "--steps", "20"))["arrived"].endswith("times, and sent on")
    assert summary(run("blocks", "--steps", "5"))["arrived"] == "0 of 100 with a goal"


def test_who_never_arrives_does_not_run_for_ever(tmp_path: Path) -> None:
    boxed = {"time_step": 0.1, "agents": [{"position": [0, 0], "goal": [9, 0], "max_speed": 0}]}
    said = summary(run(str(write_scene(tmp_path, boxed)), "--until-arrived", "--steps", "30"))
    assert said["steps"].startswith("30 of ")
    assert said["arrived"] == "0 of 1 with a goal"


@pytest.mark.parametrize(
    ("seconds", "time_step", "steps"), [(60.0, 0.1, 600), (0.3, 0.1, 3), (0.31, 0.1, 4), (0.0, 0.1, 0), (1.0, 0.25, 4)]
)
def test_seconds_are_whole_steps(seconds: float, time_step: float, steps: int) -> None:
    assert Length(None, seconds, False).most(time_step) == steps


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a scene"),
        (["nobody"], "there is no 'nobody'"),
        (["nobody.json"], "choose a scene that can be read"),
        (["circle", "--steps", "1", "--seconds", "1"], "give --steps or --seconds"),
        (["circle", "--profile", "fast"], "use --profile service or --profile text"),
        (["den312d", "--until-arrived"], "is sent on"),
        (["circle", "--picture", "a.jpg"], "name the --picture .png"),
        (["circle", "--animation", "a.mp4"], "name the --animation .gif or .html"),
        (["circle", "--trajectory", "a.xls"], "name the --trajectory .csv or .txt or .parquet"),
        (["circle", "--snapshot", "nowhere/a.bin"], "make the folder nowhere first"),
        (["circle", "--snapshot", "."], "is a folder"),
        (["circle", "--steps", "1000000000", "--animation", "a.html"], "use a larger --every"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert ran.stderr.startswith("orca-crowd: ")
    assert said in ran.stderr
    assert (len(ran.stderr.splitlines()), ran.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []


def test_a_scene_in_which_nobody_has_a_goal_has_nobody_to_wait_for(tmp_path: Path) -> None:
    scene = write_scene(tmp_path, {"time_step": 0.1, "agents": [{"position": [0, 0]}]})
    ran = run(str(scene), "--until-arrived")
    assert ran.exit_code == 2
    assert "nobody in this scene has a goal" in ran.stderr


def test_a_name_with_brackets_is_a_name_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # on a terminal the name stands beside the bar
    monkeypatch.setenv("FORCE_COLOR", "1")
    scene = write_scene(tmp_path, {**CROSSING, "name": "[/hall] [red]7"})
    ran = run(str(scene), "--steps", "3")
    assert ran.exit_code == 0, ran.output
    assert "scene     [/hall] [red]7, " in ran.stdout
    assert "[/hall] [red]7" in ran.stderr


def test_a_faulty_file_is_told_by_item_and_field(tmp_path: Path) -> None:
    scene = write_scene(tmp_path, {**CROSSING, "agents": [{"position": [0, 0], "radius": -1}]})
    ran = run(str(scene))
    assert ran.exit_code == 2
    assert ran.stderr.startswith("orca-crowd: mend crossing.json: agents[0].radius: must be")


@pytest.mark.parametrize(
    ("module", "option", "extra"),
    [
        ("matplotlib", ["--picture", "a.png"], "pictures"),
        ("PIL", ["--animation", "a.gif"], "pictures"),
        ("pyarrow", ["--trajectory", "a.parquet"], "trajectories"),
    ],
)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(
    module: str, option: list[str], extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name == module or name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    ran = run("circle", *option)
    assert ran.exit_code == 2
    assert f"pip install 'orca-crowd[{extra}]'" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    # what needs no extra still works
    assert run("circle", "--steps", "2", "--trajectory", "a.csv", "--animation", "a.html").exit_code == 0


def test_help_is_enough() -> None:
    said = " ".join(CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "200"}).output.split())
    for words in (
        "--until-arrived --picture circle.png",
        "orca-crowd[pictures,trajectories]",
        "hall.map",
        "frame rate",
    ):
        assert words in said
