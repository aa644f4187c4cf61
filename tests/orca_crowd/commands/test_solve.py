"""The command `orca-crowd solve`: every variant, what it writes, that it writes the same again, and what it refuses."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orca_crowd.__main__ import app
from orca_crowd.solving.configuration import default_text
from orca_crowd.solving.row import CLOCK_COLUMNS, COLUMNS
from tests.orca_crowd.solving.rooms import row_of, write_config, write_map, write_rooms, write_scenario
from tests.support.live_server import child_environment

VARIANTS = ("orca", "orca-mapf", "corca", "corca-mapf")


def solve(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["solve", *arguments])


def row(file: Path) -> dict[str, str]:
    with file.open(newline="") as text:
        (only,) = csv.DictReader(text)
    return only


def refusal(result: Result, folder: Path) -> str:
    """What was said, where nothing was written."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert {file.suffix for file in folder.iterdir()} <= {".map", ".scen", ".yml"}
    return result.stderr


@pytest.mark.parametrize("variant", VARIANTS)
def test_everybody_gets_there(tmp_path: Path, variant: str) -> None:
    out = tmp_path / "out.csv"
    result = solve(*write_rooms(tmp_path), "--variant", variant, "-k", "4", "-o", str(out))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "=== Results ==="
    assert lines[1].startswith("LNS: ") == variant.startswith("corca")
    assert re.fullmatch(r"ORCA: \d+\.\d{3}s, rate=100\.00%", lines[2 if variant.startswith("corca") else 1])
    assert re.fullmatch(r"Total: \d+\.\d{3}s", lines[-1])
    found = row(out)
    assert (found["num_agents"], found["map_name"], found["success_rate"]) == ("4", "rooms-even-1", "100.0")
    assert (found["orca_collisions"], found["orca_collisions_obst"]) == ("0", "0")
    # six, eight and five cells at a cell a second, and one has to wait for another at the gap
    assert 17.0 < float(found["flow_time"]) < 120.0
    assert found["used_waypoints"] == str(int(variant.startswith("corca")))
    assert variant.endswith("mapf") or found["ecbs_count"] == "0"
    assert not (tmp_path / "out.csv.struck").exists()


def test_a_plan_alone_moves_nobody(tmp_path: Path) -> None:
    out, ways = tmp_path / "out.csv", tmp_path / "ways.txt"
    given = write_rooms(tmp_path)
    result = solve(*given, "--variant", "lns-only", "-k", "4", "-o", str(out), "--stats")
    assert [line.split(":")[0] for line in result.stdout.splitlines()][-3:] == ["=== Results ===", "LNS", "Total"]
    found = row(out)
    assert (found["lns_success"], found["success_rate"], found["flow_time"]) == ("1", "", "")
    # six and two, ten, six, and two: the shortest ways, and somebody has to wait
    assert 24 <= int(found["lns_sum_of_costs"]) <= 40
    assert solve(*given, "--variant", "corca", "-k", "4", "--waypointFile", str(ways), "-s", "0").stdout == ""
    lines = ways.read_text("ascii").splitlines()
    assert solve(*given, "--variant", "lns-only", "-k", "4", "--waypoint-file", str(out), "-s", "0").stdout == ""
    assert out.read_text("ascii").splitlines() == lines
    assert [line.split()[0] for line in lines] == ["id=0", "id=1", "id=2", "id=3"]
    # through the gap, which stays a waypoint
    assert lines[0].split()[1] == "(1.50,1.50)"
    assert "(4.50,3.50)" in lines[0]
    assert lines[0].split()[-1] == "(7.50,1.50)"


def test_two_runs_are_the_same_but_for_the_clock(tmp_path: Path) -> None:
    given = [*write_rooms(tmp_path), "--variant", "corca-mapf"]
    rows, traces = [], []
    # either spelling of every flag
    for number, names in enumerate((("-k", "-o", "--debugLog"), ("--agent-num", "--output", "--debug-log"))):
        out, log = tmp_path / f"{number}.csv", tmp_path / f"{number}.log"
        assert solve(*given, names[0], "4", names[1], str(out), names[2], str(log)).exit_code == 0
        rows.append({name: value for name, value in row(out).items() if name not in CLOCK_COLUMNS})
        traces.append(log.read_bytes())
    assert rows[0] == rows[1]
    assert traces[0] == traces[1]
    heads = re.findall(rb"^# step (\d+)  t=(\d+\.\d{4})$", traces[0], re.MULTILINE)
    assert [int(step) for step, _ in heads] == list(range(len(heads)))
    assert [float(time) for _, time in heads] == [0.25 * step for step in range(len(heads))]
    assert (len(heads) - 1) * 0.25 >= float(rows[0]["orca_makespan"])
    assert traces[0].count(b"\nid=") == 4 * len(heads)


def test_a_real_command_is_plain_where_nobody_looks(tmp_path: Path) -> None:
    given = [*write_rooms(tmp_path)[:4], "--config", str(write_config(tmp_path, "max_iterations: 20\n"))]
    command = [sys.executable, "-m", "orca_crowd", "solve", *given, "--variant", "corca"]
    done = subprocess.run(
        [*command, "-k", "4", "--stats", "-s", "3"],
        cwd=tmp_path,
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    said = done.stderr.splitlines()
    assert re.fullmatch(r"planned: cost \d+, \d+ repairs, 20 improvements", said[0])
    assert re.fullmatch(r"corridors: \d+", said[1])
    assert said[2].startswith("step 0: ")
    iterations = [line for line in done.stdout.splitlines() if line.startswith("improve ")]
    assert len(iterations) == 20
    pattern = r"improve 20: agents=\d+ colliding_pairs=0 cost=\d+ (accepted|refused)"
    assert re.fullmatch(pattern, iterations[-1])


def test_a_limit_of_time_is_recorded_and_made_again(tmp_path: Path) -> None:
    given = [*write_rooms(tmp_path)[:4], "--variant", "orca", "-k", "4"]
    short = write_config(tmp_path, "time_limit: 0.001\n", "short.yml")
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    said = solve(*given, "--config", str(short), "-o", str(first)).stdout.splitlines()[-1]
    assert said.startswith("Time limit: step ")
    where = (tmp_path / "1.csv.struck").read_text().strip()
    assert said == f"Time limit: {where}"
    long = write_config(tmp_path, "", "long.yml")
    again = solve(*given, "--config", str(long), "-o", str(second), "--struck", where)
    assert again.stdout.splitlines()[-1] == said
    rows = [{k: v for k, v in row(file).items() if k not in CLOCK_COLUMNS} for file in (first, second)]
    assert rows[0] == rows[1]
    assert set(rows[0]) < set(COLUMNS)
    # a run that is whole leaves nothing of the former one
    assert solve(*given, "--config", str(long), "-o", str(first)).exit_code == 0
    assert not (tmp_path / "1.csv.struck").exists()


def test_who_arrives_gets_another_goal_by_the_seed(tmp_path: Path) -> None:
    given = [*write_rooms(tmp_path)[:4], "--variant", "corca-mapf", "-k", "4", "--lifelong", "500"]
    files = [str(write_config(tmp_path, f"seed: {seed}\n", f"{seed}.yml")) for seed in (1, 1, 2)]
    traces, figures = [], []
    for number, config in enumerate(files):
        out, log = tmp_path / f"{number}.csv", tmp_path / f"{number}.log"
        said = solve(*given, "--config", config, "-o", str(out), "--debugLog", str(log)).stdout.splitlines()
        figures.append(float((tmp_path / f"{number}.csv.throughput").read_text()))
        assert said[-2] == f"  Throughput: {figures[-1]:.6g}"
        traces.append(log.read_bytes())
        with out.open() as text:
            assert text.readline().strip() == ",".join(COLUMNS)
        assert traces[-1].count(b"# step ") == 501
    assert traces[0] == traces[1] != traces[2]
    # each has had several goals, of six cells or so at a cell a second, and waits for others
    assert min(figures) * 500 * 0.25 >= 4 * 4
    # where the clock ends it there is a figure too, and a run with a goal each leaves none behind
    again = solve(*given, "--config", files[0], "-o", str(tmp_path / "0.csv"), "--struck", "step 200")
    assert again.stdout.splitlines()[-1] == "Time limit: step 200"
    assert 0.0 < float((tmp_path / "0.csv.throughput").read_text()) != figures[0]
    assert solve(*given[:-2], "--config", files[0], "-o", str(tmp_path / "0.csv")).exit_code == 0
    assert not (tmp_path / "0.csv.throughput").exists()


def test_agents_may_have_a_radius_each(tmp_path: Path) -> None:
    given = [*write_rooms(tmp_path), "--variant", "corca", "-k", "2"]
    # two of 0.12 and what is kept beside them pass each other in the gap
    (tmp_path / "small.txt").write_text("# small ones\n\n0.12\n 0.12 # and this\n0.4\n")
    (tmp_path / "mixed.txt").write_text("0.12\n0.38\n")
    triggers = []
    for name in ("small.txt", "mixed.txt"):
        out = tmp_path / "out.csv"
        assert solve(*given, "--radii", str(tmp_path / name), "-o", str(out)).exit_code == 0
        found = row(out)
        assert (found["success_rate"], found["orca_collisions"]) == ("100.0", "0")
        triggers.append(int(found["dependency_triggers"]))
    assert triggers[0] == 0 < triggers[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.3\nwide\n", "line 2: agent 1: must be one number, not 'wide'"),
        ("0.3 0.3\n", "line 1: agent 0: must be one number, not '0.3 0.3'"),
        ("\n0.3\n0.3\n0.3\n0.3\nnan\n", "line 6: agent 4: must be one number, not 'nan'"),
        ("0.3\n0.3\n", "it has 2 radii, not 4: a line for each agent"),
        ("", "it has 0 radii, not 4: a line for each agent"),
        ("# a\n0.3\n0.45\n0.3\n0.4\n", "line 3: agent 1: radius must be above 0 and at most 0.3995, not 0.45"),
    ],
)
def test_radii_that_are_none_are_named_by_line_and_agent(tmp_path: Path, text: str, said: str) -> None:
    given = write_rooms(tmp_path)
    (tmp_path / "radii.yml").write_text(text)
    files = ["--radii", str(tmp_path / "radii.yml"), "-o", str(tmp_path / "out.csv")]
    told = refusal(solve(*given, "--variant", "orca", "-k", "4", *files), tmp_path)
    assert told.splitlines()[0] == f"orca-crowd: mend radii.yml: {said}"


def test_the_file_of_defaults_is_written_once(tmp_path: Path) -> None:
    file = tmp_path / "default.yml"
    assert solve("--write-config", str(file)).exit_code == 0
    assert file.read_text() == default_text()
    file.write_text("seed: 7\n")
    assert "is there already" in refusal(solve("--write-config", str(file)), tmp_path)
    assert file.read_text() == "seed: 7\n"
    assert "choose another --write-config" in solve("--write-config", str(tmp_path / "no" / "d.yml")).stderr


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert solve("--variant", "orca").stderr == "orca-crowd: give --map, --scen, --config, -k too\n"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (["--variant", "corca*"], "use --variant orca, orca-mapf, corca, corca-mapf or lns-only, not corca*"),
        (["-k", "5"], "use -k 1 to 4: rooms-even-1.scen has 4 agents, not 5"),
        (["--map", "none.map"], "choose another --map: none.map: No such file"),
        (["--struck", "soon"], "use --struck 'iteration N' or 'step N'"),
        (["-o", "no/out.csv"], "make the folder no first, or choose another -o"),
        (["-o", "."], "choose another -o: . is a folder"),
        (["-o", "rooms.map"], "choose another -o: rooms.map is read from"),
        (["-o", "a.csv", "--debugLog", "./a.csv"], "choose another --debugLog: a.csv is that of -o already"),
        (["--radii", "none.txt"], "choose another --radii: none.txt: No such file"),
        (["--radii", "config.yml"], "mend config.yml: line 1: agent 0: must be one number, not 'run:'"),
        (["--variant", "lns-only", "--lifelong", "5"], "leave --lifelong out: with lns-only nobody takes a step"),
        (["--waypointFile", "w.txt"], "leave --waypointFile out: orca plans no ways"),
        (["--variant", "lns-only", "--debugLog", "a.log"], "leave --debugLog out: with lns-only nobody takes a step"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rooms(tmp_path)
    files = ["--map", "rooms.map", "--scen", "rooms-even-1.scen", "--config", "config.yml"]
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    result = solve(*files, "--variant", "orca", "-k", "4", *changed)
    assert refusal(result, tmp_path).startswith(f"orca-crowd: {said}")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_wrong_files_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "out.csv"), "--debugLog", str(tmp_path / "run.log"), "--variant", "corca-mapf"]
    good = [str(write_map(tmp_path)), str(write_scenario(tmp_path)), str(write_config(tmp_path))]
    same = str(write_scenario(tmp_path, [row_of((1, 1), (5, 1)), row_of((1, 2), (5, 1))], "same.scen"))
    shut = str(write_map(tmp_path, ("..@..", "..@.."), "shut.map"))
    over = str(write_scenario(tmp_path, [row_of((0, 0), (4, 1), "shut.map", (5, 2))], "over.scen"))
    wrong = str(write_config(tmp_path, "seed: 1\nsede: 1\n", "wrong.yml"))
    for files, count, said in (
        ([good[0], same, good[2]], 2, "mend same.scen: line 3: agent 1: goal (5, 1) is also that of agent 0"),
        ([shut, over, good[2]], 1, "mend over.scen: line 2: agent 0: goal (4, 1) cannot be reached from its start"),
        ([*good[:2], wrong], 1, "mend wrong.yml: line 2: sede is no key; did you mean seed?"),
    ):
        given = [item for pair in zip(("--map", "--scen", "--config"), files, strict=True) for item in pair]
        assert refusal(solve(*given, *out, "-k", str(count)), tmp_path) == f"orca-crowd: {said}\n"
    # a file that was there before stays as it is
    (tmp_path / "out.csv").write_text("mine")
    assert solve("--map", good[0], "--scen", same, "--config", good[2], *out, "-k", "2").exit_code == 2
    assert (tmp_path / "out.csv").read_text() == "mine"


def test_another_map_is_noted(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, [row_of((1, 1), (2, 2), "halls.map")])
    given = ["--map", str(write_map(tmp_path)), "--scen", str(scenario), "--config", str(write_config(tmp_path))]
    result = solve(*given, "--variant", "orca", "-k", "1")
    assert (result.exit_code, result.stderr) == (0, "note: rooms-even-1.scen names halls.map, not rooms.map\n")
