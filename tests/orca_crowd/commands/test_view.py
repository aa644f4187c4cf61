"""The command `orca-crowd view`: the page beside the trace, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from orca_crowd.__main__ import app
from orca_crowd.solving import page as pages
from tests.orca_crowd.solving.rooms import row_of, write_map, write_rooms, write_scenario


def view(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["view", *arguments])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Of four agents in the two rooms."""
    log = tmp_path / "run.log"
    solved = [*write_rooms(tmp_path), "--variant", "corca", "-k", "4", "--debugLog", str(log), "-s", "0"]
    assert CliRunner().invoke(app, ["solve", *solved]).exit_code == 0
    return log


def data_of(file: Path) -> dict[str, object]:
    """What the page holds."""
    (found,) = re.findall(r"^const data = (\{.*\});$", file.read_text("utf-8"), re.MULTILINE)
    data: dict[str, object] = json.loads(found)
    return data


def test_a_trace_becomes_a_page(trace: Path, tmp_path: Path) -> None:
    result = view(str(trace))
    file = tmp_path / "run.log.html"
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(file))}: 4 agents, 0\.\d\d MB\n", result.stdout)
    data = data_of(file)
    steps = trace.read_text().count("# step")
    assert (data["ids"], data["steps"], data["map"], data["goals"]) == ([0, 1, 2, 3], list(range(steps)), None, None)
    assert not re.search(r"(src|href)=|https?:|url\(|@import|\{\{", file.read_text("utf-8"))


def test_the_map_brings_walls_and_corridors_and_the_scenario_goals(trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    given = ["--map", str(tmp_path / "rooms.map"), "--scen", str(tmp_path / "rooms-even-1.scen")]
    assert view("--log", str(trace), *given, "-o", str(file)).exit_code == 0
    data = data_of(file)
    assert isinstance(data["map"], dict)
    assert data["map"]["rows"][3] == "@.......@"
    # the gap, and nothing else is narrow
    assert (data["map"]["corridors"], data["map"]["places"]) == (1, [[31]])
    assert data["goals"] == [[7.5, 1.5], [1.5, 5.5], [6.5, 4.5], [1.5, 2.5]]
    assert data["radii"] == [0.3] * 4


def test_the_radius_is_said_for_all_or_for_each(trace: Path, tmp_path: Path) -> None:
    assert view(str(trace), "--radius", "0.25").exit_code == 0
    assert data_of(tmp_path / "run.log.html")["radii"] == [0.25] * 4
    (tmp_path / "radii.txt").write_text("# each\n0.1\n0.2\n\n0.3\n0.4\n0.5\n")
    assert view(str(trace), "--radii", str(tmp_path / "radii.txt")).exit_code == 0
    assert data_of(tmp_path / "run.log.html")["radii"] == [0.1, 0.2, 0.3, 0.4]


def test_a_trace_that_is_too_large_is_thinned(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_ROWS", 40)
    result = view(str(trace), "-o", str(tmp_path / "page.html"))
    steps = trace.read_text().count("# step")
    assert f"4 agents, 10 of {steps} steps" in result.stdout
    data = data_of(tmp_path / "page.html")
    assert isinstance(data["steps"], list)
    assert (len(data["steps"]), data["steps"][0], data["steps"][-1]) == (10, 0, steps - 1)
    assert str(data["note"]).startswith(f"10 of {steps} steps")


def test_what_cannot_be_is_refused_and_nothing_is_written(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text("hello\n")
    few, none = tmp_path / "few.txt", tmp_path / "none.txt"
    few.write_text("0.3\n0.3\n")
    none.write_text("0.3\n0\n0.3\n0.3\n")
    short = write_scenario(tmp_path, [row_of((1, 1), (2, 2))], "short.scen")
    ground = str(write_map(tmp_path))
    before = sorted(file.name for file in tmp_path.iterdir())
    for arguments, said in (
        ([], "name one trace: orca-crowd view run.log"),
        ([str(trace), "--log", str(trace)], "name one trace"),
        ([str(tmp_path / "no.log")], "choose a trace that can be read"),
        ([str(tmp_path / "bad.log")], "mend bad.log: line 1: must be '# step N"),
        ([str(trace), "--scen", str(short)], "give the --map that belongs to --scen too"),
        ([str(trace), "--map", ground, "--scen", str(short)], "choose another --scen: it has 1 agents, and the trace"),
        ([str(trace), "--map", str(trace)], "mend run.log: line 1: the file must begin with 'type octile'"),
        ([str(trace), "--radii", str(few)], "choose another --radii: it has 2 radii, and the trace number 3"),
        ([str(trace), "--radii", str(none)], "mend none.txt: line 2: agent 1: radius must be above 0"),
        ([str(trace), "--radii", str(few), "--radius", "0.2"], "leave --radius or --radii out"),
        ([str(trace), "-o", str(trace)], f"choose another -o: {trace} is read from"),
        ([str(trace), "-o", str(tmp_path / "no" / "page.html")], "make the folder"),
    ):
        result = view(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith(f"orca-crowd: {said}"), (arguments, result.stderr)
    assert sorted(file.name for file in tmp_path.iterdir()) == before
