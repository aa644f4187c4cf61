"""Starting and ending engines: by either method, warm, quickly, and with nothing left behind."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from orca_crowd.engine.crew import Crew
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.processes import alone, begin, gone
from tests.orca_crowd.engine.support import crowd, inline_engine, kill, outcomes, worker_of


def test_workers_come_warm_from_the_server_of_forks(forks: Crew, caplog: pytest.LogCaptureFixture) -> None:
    """What they say at their start is what makes the difference between 0.02 s and a compilation."""
    crew = Crew(2, deadline=5.0)
    with caplog.at_level(logging.WARNING, "orca_crowd"):
        crew.start()
        crew.dismiss(0, "dismissed for a test")
        crew.worker(0)
        crew.close()
    assert "compile" not in caplog.text
    assert crew.replaced == 1


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_started_and_closed_again_and_again(method: str) -> None:
    reports = alone("start_and_close", method, "3" if method == "forkserver" else "1")
    for report in reports:
        # a replacement of the server of forks has its kernels; the bound is generous, compiling takes ten times that
        quick = report.pop("seconds") < 1.0
        assert quick or method == "spawn"
        assert report == {"right": True, "children": [], "descriptors": 0, "restarts": 1, "ignored": True}


def test_the_death_of_the_server_of_forks_is_no_loss() -> None:
    (report,) = alone("lose_the_server_of_forks")
    assert report == {"right": True, "kept": True, "restarts": 1, "children": []}


def test_workers_that_come_cold_are_counted_and_said(tmp_path: Path) -> None:
    process = begin("start_cold", str(tmp_path))
    said, complained = process.communicate(timeout=120)
    assert process.returncode == 0, complained
    assert json.loads(said) == {"right": True, "cold": 2}
    assert complained.count("install orca-crowd or put it on PYTHONPATH") == 2


def test_who_ends_without_closing_leaves_nobody_and_does_not_wait() -> None:
    (report,) = alone("leave_without_closing")
    assert gone(report["workers"], 5.0)


@pytest.mark.parametrize("delay", ["0", "0.2", "0.7"])
def test_closing_while_workers_start_waits_for_nobody(delay: str) -> None:
    (report,) = alone("close_while_starting", delay)
    assert report["raised"] == []
    assert report["gone"]
    assert report["seconds"] < 5.0


def test_engines_of_one_process_do_not_end_one_another(make_engine: MakeEngine) -> None:
    """The server of forks, which they share, must not be waited for while another has workers."""
    import asyncio

    wanted = outcomes(crowd(inline_engine(), 100), 4)
    first, second = make_engine(1), make_engine(2)
    world = crowd(first, 100)
    found = outcomes(world, 2)
    asyncio.run(second.close())
    kill(worker_of(first, 0).pid)
    assert found + outcomes(world, 2) == wanted


def test_closing_twice_does_nothing(make_engine: MakeEngine) -> None:
    import asyncio

    engine = make_engine(1)
    asyncio.run(engine.close())
    asyncio.run(engine.close())


def test_where_nothing_can_be_written_workers_are_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of forks listens on a socket in a temporary folder; a container may have none."""
    assert Crew(1, deadline=1.0).method == "forkserver"

    def nowhere() -> str:
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    assert Crew(1, deadline=1.0).method == "spawn"
