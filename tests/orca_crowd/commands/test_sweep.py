"""The command `orca-crowd sweep`: all runs, their table, and that it goes on where it ended, however it ended."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner, Result

from orca_crowd.__main__ import app
from orca_crowd.solving.row import CLOCK_COLUMNS
from orca_crowd.sweeping.worker import make
from tests.orca_crowd.solving.rooms import row_of, write_config, write_map, write_scenario
from tests.support.live_server import child_environment

LONGEST_SECONDS = 120.0


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "orca_crowd", "sweep", *arguments]


def sweep(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The real command, whose workers are real processes."""
    return subprocess.run(
        command(*arguments),
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )


def refused(*arguments: str) -> Result:
    """A command that comes to no run."""
    return CliRunner().invoke(app, ["sweep", *arguments])


def rows(out: Path) -> list[dict[str, str]]:
    """The table without what the clock says."""
    return rows_of_file(out / "sweep.csv")


def rows_of_file(file: Path) -> list[dict[str, str]]:
    """Rows of a CSV without what the clock says."""
    with file.open(newline="") as text:
        return [{k: v for k, v in row.items() if k not in CLOCK_COLUMNS} for row in csv.DictReader(text)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A map and two scenarios, as options."""
    scenarios = [write_scenario(tmp_path, name=f"rooms-even-{number}.scen") for number in (1, 2)]
    return ["--map", str(write_map(tmp_path)), *(part for file in scenarios for part in ("--scen", str(file)))]


def test_a_sweep_makes_every_run_and_begun_again_none(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = [*files, "-k", "2", "-k", "4", "--out", str(out)]
    whole = sweep(*given, "--procs", "2")
    assert (whole.returncode, len(whole.stderr.splitlines())) == (0, 16), whole.stderr
    found = rows(out)
    named = [(row["map_name"], row["num_agents"], row["variant"]) for row in found]
    variants = ("orca", "orca-mapf", "corca", "corca-mapf")
    assert named == [(f"rooms-even-{n}", k, v) for n in (1, 2) for k in ("2", "4") for v in variants]
    assert {row["ended"] for row in found} == {"solved"}
    # both scenarios have the same agents, and the same came of them
    assert [row["flow_time"] for row in found[:8]] == [row["flow_time"] for row in found[8:]]
    assert whole.stdout == (out / "summary.md").read_text("utf-8")
    assert "| rooms-even | 4 | corca | 2 of 2 | 100.0 % |" in whole.stdout
    figures = sorted(file.name for file in (out / "figures").iterdir())
    assert figures == ["ecbs-calls.png", "flowtime.png", "success-agents.png", "success-instances.png"]
    assert not list(out.rglob("*.part"))
    # the rows are those of the command for one run
    one = (out / "runs" / "rooms" / "rooms-even-1-k4-corca.csv").read_text("utf-8").splitlines()
    assert one[0].startswith("num_agents,map_name,lns_success,")
    times = {file: file.stat().st_mtime_ns for file in (out / "runs").rglob("*.csv")}
    again = CliRunner().invoke(app, ["sweep", *given, "--figures", "none"])
    assert (again.exit_code, again.stderr) == (0, "16 of 16 runs are there already\n")
    assert {file: file.stat().st_mtime_ns for file in (out / "runs").rglob("*.csv")} == times
    # the table is that of the runs that are asked for
    part = CliRunner().invoke(app, ["sweep", *given, "--figures", "none", "--limit", "5"])
    assert (part.exit_code, part.stderr) == (0, "5 of 5 runs are there already\n")
    assert rows(out) == found[:5]
    # another configuration is another sweep
    other = write_config(tmp_path, "radius: 0.25\nseed: 3\n", "other.yml")
    said = refused(*given, "--config", str(other))
    assert said.exit_code == 2
    assert said.stderr == (
        f"orca-crowd: choose another --out: {out} holds runs of another configuration (seed, radius)\n"
    )
    about = json.loads((out / "sweep.json").read_text())
    (out / "sweep.json").write_text(json.dumps({**about, "library": "0" * 64}))
    assert "holds runs of another version of the library" in refused(*given).stderr


def workers_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def test_after_kill_9_it_goes_on(files: list[str], tmp_path: Path) -> None:
    out, plan = tmp_path / "out", tmp_path / "plan.yml"
    group = "map: rooms.map, scenarios: rooms-even-*.scen, agents: [1, 2, 3, 4], variants: [orca, corca, corca-mapf]"
    plan.write_text(f"runs:\n  - {{{group}}}\n")
    given = [str(plan), "--figures", "none"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command(*given, "--out", str(out)), env=child_environment(), stdout=log, stderr=log)
        until = time.monotonic() + LONGEST_SECONDS
        # some are over, and others are not
        while len(list((out / "runs").rglob("*.csv"))) < 3:
            assert time.monotonic() < until
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.002)
        workers = workers_of(process)
        assert len(workers) == 1
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    # without whom they work for they end, in the middle of a run if need be
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []
    done = len(list((out / "runs").rglob("*.csv")))
    assert 3 <= done < 24
    # what is left of a run that was cut off is no run
    (out / "runs" / "rooms" / "rooms-even-2-k4-corca.csv.1.part").write_text("num_agents")
    ended = sweep(*given, "--out", str(out))
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines()[0] == f"{done} of 24 runs are there already"
    assert not list(out.rglob("*.part"))
    # and all of them are what a run without any trouble comes to
    (tmp_path / "alone").mkdir()
    for row in rows(out):
        name = f"{row['map_name']}-k{row['num_agents']}-{row['variant']}"
        order = {"agents": int(row["num_agents"]), "variant": row["variant"], "time_limit": None, "config": {}}
        output = tmp_path / "alone" / f"{name}.csv"
        scenario = tmp_path / f"{row['map_name']}.scen"
        make({**order, "map": str(tmp_path / "rooms.map"), "scenario": str(scenario), "output": str(output)})
        alone, kept = (rows_of_file(file) for file in (output, out / "runs" / "rooms" / output.name))
        assert alone == kept
    assert len(rows(out)) == 24


def test_a_worker_that_is_killed_costs_one_run(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    # a wall that a scenario knows nothing of makes a run for ever
    config = write_config(tmp_path, "step_max: 1000000000\nstop_by_speed: false\nradius: 0.39\n")
    scenario = write_scenario(tmp_path, [row_of((1, 1), (7, 1)), row_of((3, 3), (4, 3))], "rooms-block-1.scen")
    given = [*files[:2], "--scen", str(scenario), "--config", str(config), "--out", str(out), "--figures", "none"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command(*given, "-k", "2", "--variant", "orca", "--variant", "lns-only"),
            env=child_environment(), stdout=log, stderr=log,
        )  # fmt: skip
        until = time.monotonic() + LONGEST_SECONDS
        while not list(out.rglob("*.part")) or not workers_of(process):
            assert time.monotonic() < until
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.02)
        (worker,) = workers_of(process)
        worker.kill()
        assert process.wait(LONGEST_SECONDS) == 1
    said = (tmp_path / "log").read_text().splitlines()
    assert said[0].startswith("1 of 2: rooms/rooms-block-1-k2-orca FAILED: the worker ended with -9")
    assert said[1].startswith("2 of 2: rooms/rooms-block-1-k2-lns-only solved")
    assert said[-1] == f"orca-crowd: see {out / 'failed'}: 1 runs could not be made"
    failed = (out / "failed" / "rooms" / "rooms-block-1-k2-orca.txt").read_text()
    assert failed == "the worker ended with -9 in the middle of it\n"
    assert [row["variant"] for row in rows(out)] == ["lns-only"]


def test_one_sweep_has_a_folder(files: list[str], tmp_path: Path) -> None:
    from orca_core.cooperative.config import Config
    from orca_crowd.sweeping.folder import Folder

    with Folder(tmp_path / "out", Config()):
        said = refused(*files, "-k", "2", "--out", str(tmp_path / "out"))
    assert said.exit_code == 2
    assert said.stderr == f"orca-crowd: wait, or choose another --out: a sweep is under way in {tmp_path / 'out'}\n"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([], "give --out"),
        (["--out", "out"], "name a plan, or give -k too"),
        (["--out", "out", "-k", "5"], "use -k 1 to 4: rooms-even-1.scen has 4 agents, not 5"),
        (["--out", "out", "-k", "4", "--variant", "none"], "--variant must be orca, orca-mapf"),
        (["--out", "out", "-k", "4", "--figures", "gif"], "use --figures png, svg or none, not gif"),
        (["--out", "out", "-k", "4", "--config", "no.yml"], "choose another --config: no.yml"),
        (["--out", "rooms.map", "-k", "4"], "choose another --out: rooms.map"),
        (["plan.yml", "--out", "out"], "give a plan, or --map and --scen, not both"),
    ],
)
def test_wrong_input_is_refused_before_the_first_run(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = refused(*files, *changed)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"orca-crowd: {said}")
    assert not (tmp_path / "out").exists()
