"""The parent is killed: within seconds none of its workers lives, and nothing is left; a server can start again."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from tests.orca_crowd.engine.processes import begin, descendants, gone
from tests.orca_crowd.engine.support import alive, meanwhile, state_of, wait_until
from tests.support.leaks import shared_memory
from tests.support.live_server import _ready_address, child_environment

# within which everybody must be gone
GONE_SECONDS = 5.0


def test_the_parent_killed_while_it_steps() -> None:
    before = shared_memory()
    generator = random.Random(0)
    for _ in range(3):
        parent = begin("step_for_ever", "4", "5000")
        assert parent.stdout is not None
        facts = json.loads(parent.stdout.readline())
        others = descendants(parent.pid)
        assert set(facts["workers"]) | {facts["forkserver"]} <= set(others)
        assert all(alive(pid) for pid in others)
        with pytest.raises(subprocess.TimeoutExpired):
            parent.wait(generator.uniform(0.0, 0.1))
        parent.kill()
        assert gone([parent.pid, *others], GONE_SECONDS)
        # its words last, for its workers hold the other ends too
        parent.communicate()
    assert shared_memory() == before


def test_the_parent_killed_in_the_middle_of_a_long_step() -> None:
    """Workers do not finish first what nobody waits for any more."""
    parent = begin("step_for_ever", "2", "60000", "4000")
    assert parent.stdout is not None
    facts = json.loads(parent.stdout.readline())
    others = descendants(parent.pid)
    # both are at it, and would be for a while
    assert wait_until(lambda: all(state_of(pid) == "R" for pid in facts["workers"]))
    parent.kill()
    assert gone([parent.pid, *others], GONE_SECONDS)
    parent.communicate()


def test_a_worker_that_is_stopped_does_not_outlive_the_parent() -> None:
    """It learns of nothing; the server of forks ends it."""
    parent = begin("step_for_ever", "3", "5000")
    assert parent.stdout is not None
    facts = json.loads(parent.stdout.readline())
    others = descendants(parent.pid)
    for pid in facts["workers"][:2]:
        os.kill(pid, signal.SIGSTOP)
    assert wait_until(lambda: all(state_of(pid) == "T" for pid in facts["workers"][:2]))
    parent.kill()
    assert gone([parent.pid, *others], GONE_SECONDS)
    parent.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_whole_group_is_the_servers_business(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C and most service managers signal everybody: steps under way need their workers to finish."""
    log = tmp_path / "server.log"
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", "0", "--workers", "2"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, env=child_environment(), stdout=output, stderr=output, start_new_session=True
        )
    try:
        address = _ready_address(server, log)
        with httpx.Client(base_url=f"http://{address}", timeout=60) as client:
            assert client.post("/v1/worlds", json={"id": "w", "time_step": 0.1}).status_code == 201
            columns = {"position": [[1.5 * (k % 170), 1.5 * (k // 170)] for k in range(20_000)]}
            assert client.post("/v1/worlds/w/agents", json={"columns": columns}).status_code < 300
        others = descendants(server.pid)
        answers: list[httpx.Response] = []

        def load() -> None:
            with httpx.Client(base_url=f"http://{address}", timeout=60) as client:
                answers.append(client.post("/v1/worlds/w/steps", json={"count": 100_000}))

        thread = threading.Thread(target=load)
        thread.start()
        # both workers are at it
        assert wait_until(lambda: sum(state_of(pid) == "R" for pid in others) >= 2)
        os.killpg(server.pid, number)
        assert server.wait(15) == 0
        thread.join()
    finally:
        server.kill()
        server.wait()
    assert gone(others, GONE_SECONDS)
    # the slice under way was finished by the workers that it was given to, and the rest refused
    (answer,) = answers
    assert (answer.status_code, answer.json()["code"]) == (503, "draining")
    assert "worker " not in log.read_text(encoding="utf-8")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def kill_a_server_under_load(folder: Path, port: int, workers: int) -> None:
    """Start it, have it step, and kill it; nobody that it has started is left."""
    log = folder / "server.log"
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", str(port), "--workers", str(workers)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=child_environment(), stdout=output, stderr=output)
    try:
        address = _ready_address(server, log)
        with httpx.Client(base_url=f"http://{address}", timeout=30) as client:
            agents = [{"position": [number % 60, number // 60]} for number in range(2400)]
            for number in range(3):
                world = f"/v1/worlds/w{number}"
                assert client.post("/v1/worlds", json={"id": f"w{number}", "time_step": 0.1}).status_code == 201
                assert client.post(f"{world}/agents", json={"agents": agents}).status_code < 300
        others = descendants(server.pid)
        assert len(others) >= workers + 1

        answers: list[int] = []

        def load(number: int) -> None:
            with httpx.Client(base_url=f"http://{address}", timeout=30) as client:
                for _ in range(1000):
                    try:
                        answers.append(client.post(f"/v1/worlds/w{number}/steps", json={"count": 5}).status_code)
                    except httpx.TransportError:
                        return

        threads = [threading.Thread(target=load, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        # all of them are at it, and have been for a moment
        assert wait_until(lambda: len(answers) >= 6)
        assert server.poll() is None
    finally:
        server.kill()
        server.wait()
    for thread in threads:
        thread.join()
    assert set(answers) == {200}
    assert gone(others, GONE_SECONDS)


def test_a_server_killed_under_load_starts_again_at_once(tmp_path: Path) -> None:
    before, port = shared_memory(), free_port()
    for _ in range(2):
        kill_a_server_under_load(tmp_path, port, 4)
    assert shared_memory() == before


@pytest.mark.soak
def test_a_server_killed_twenty_times(tmp_path: Path) -> None:
    before, port = shared_memory(), free_port()
    for _ in range(20):
        kill_a_server_under_load(tmp_path, port, 4)
    assert shared_memory() == before


def test_workers_killed_under_a_server_fail_one_world_alone(tmp_path: Path) -> None:
    """A world that loses one worker after another says why it failed; the others step on with the right bits."""
    log = tmp_path / "server.log"
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", "0", "--workers", "2"]
    with log.open("wb") as output:
        server = subprocess.Popen(command, env=child_environment(), stdout=output, stderr=output)
    try:
        address = _ready_address(server, log)
        with httpx.Client(base_url=f"http://{address}", timeout=60) as client:
            for name, count in (("large", 20_000), ("small", 200), ("same", 200)):
                assert client.post("/v1/worlds", json={"id": name, "time_step": 0.1}).status_code == 201
                agents = [{"position": [number % 150, number // 150], "goal": [75, 75]} for number in range(count)]
                assert client.post(f"/v1/worlds/{name}/agents", json={"agents": agents}).status_code < 300
            digest = client.post("/v1/worlds/same/steps", json={"count": 10, "return": "digest"}).json()["digest"]
            client.post("/v1/worlds/small/steps", json={"count": 5})
            # one loss is nobody's business but the clock's
            kill_workers(server.pid)
            assert client.post("/v1/worlds/large/steps", json={"count": 1}).status_code == 200

            def run(end: threading.Event) -> None:
                while not end.is_set():
                    kill_workers(server.pid)

            with meanwhile(run):
                failed = client.post("/v1/worlds/large/steps", json={"count": 1000})
            assert (failed.status_code, failed.json()["code"]) == (503, "world-failed")
            again = client.post("/v1/worlds/large/steps", json={})
            assert (again.status_code, again.json()["code"]) == (503, "world-failed")
            shown = client.get("/v1/worlds/large").json()
            assert shown["state"] == "failed"
            assert "workers were lost" in shown["reason"]
            step = client.post("/v1/worlds/small/steps", json={"count": 5, "return": "digest"}).json()
            assert step["digest"] == digest
            assert client.get("/readyz").status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(15) == 0
    finally:
        server.kill()
        server.wait()


def kill_workers(server: int) -> None:
    """Kill every worker of a server; its server of forks and the resource tracker stay."""
    for one in descendants(server):
        try:
            if Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[1] != str(server):
                os.kill(one, signal.SIGKILL)
        except (ProcessLookupError, FileNotFoundError):
            continue
