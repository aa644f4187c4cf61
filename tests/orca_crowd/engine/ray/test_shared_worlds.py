"""Worlds that share processes on a real cluster of Ray: nothing that a client sees tells them from others."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from orca_crowd.bench.start import free_port
from orca_crowd.clock import SystemClock
from orca_crowd.cluster.asking import Asking
from orca_crowd.engine.ray.clerks import Clerk
from orca_crowd.engine.ray.names import PLACES, actor_name, home_of
from tests.support.fronts import COUNT, Fronts, fill, heard, make, quiet_environment, watch
from tests.support.ray_cluster import ray_cluster

pytest.importorskip("ray")
pytestmark = pytest.mark.ray

PROCESSES = 2
# three in one process, two in the other
NAMES = ("one", "two", "three", "four", "oslo")


@pytest.fixture(scope="module")
def fronts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronts]:
    """A cluster and two front ends, whose worlds share two processes."""
    with ExitStack() as stack:
        cluster = stack.enter_context(ray_cluster())
        cluster.add()
        found = Fronts(cluster, tmp_path_factory.mktemp("shared"), stack)
        for _ in range(2):
            found.start(ORCA_CROWD_WORLD_PROCESSES=str(PROCESSES))
        yield found


def listed(client: httpx.Client) -> list[str]:
    """The ids of all worlds, in the order in which they are told."""
    return [world["id"] for world in client.get("/v1/worlds").json()["worlds"]]


def digests(client: httpx.Client) -> dict[str, dict[str, Any]]:
    """Step and digest of each of the worlds."""
    return {name: client.get(f"/v1/worlds/{name}/digest").json() for name in NAMES}


def test_worlds_are_made_found_and_deleted_each_by_itself(
    fronts: Fronts, first: httpx.Client, second: httpx.Client
) -> None:
    homes = [home_of(name, PROCESSES) for name in NAMES]
    assert sorted(homes.count(home) for home in set(homes)) == [2, 3]
    paths = {name: make(client, name) for name, client in zip(NAMES, [first, second] * 3, strict=False)}
    assert len(fronts.cluster.worlds()) == PROCESSES
    assert listed(second) == list(NAMES)
    for number, (name, path) in enumerate(paths.items()):
        assert first.post(f"{path}/steps", json={"count": number + 1}).json()["step"] == number + 1
        assert second.get(f"{path}/agents").json()["step"] == number + 1
        assert second.get(path).json()["id"] == name
    # each process is asked once for all that it has
    lines = second.get("/metrics").text.splitlines()
    assert "orca_crowd_steps_total 15.0" in lines
    assert f"orca_crowd_agents {len(NAMES) * COUNT}.0" in lines
    assert f"orca_crowd_world_processes {PROCESSES}.0" in lines
    # one of an id, whoever asks and however many at once
    body = {"id": "twice", "time_step": 0.1}
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda client: client.post("/v1/worlds", json=body), (first, second)))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert first.post("/v1/worlds", json={"id": "one", "time_step": 0.1}).json()["code"] == "exists"
    # the process of one that is deleted or refused goes on, and the id is free at once, for either front end
    for client, other in ((first, second), (second, first)):
        assert client.delete("/v1/worlds/twice").status_code == 204
        assert other.get("/v1/worlds/twice").json()["code"] == "not-found"
        assert client.post("/v1/worlds", json={**body, "time_step": -1}).status_code == 422
        assert other.post("/v1/worlds", json=body).status_code == 201
        assert client.get("/v1/worlds/twice").json()["step"] == 0
    assert first.delete("/v1/worlds/twice").status_code == 204
    # ids that nobody has chosen, copies and the past are in one of the processes as well
    unnamed = first.post("/v1/worlds", json={"time_step": 0.1}).json()["id"]
    demo = second.post("/v1/demos/circle").json()["world"]["id"]
    forked = second.post("/v1/worlds/oslo/fork", json={"id": "copy", "step": 2}).json()
    assert (forked["id"], forked["step"]) == ("copy", 2)
    assert len(fronts.cluster.worlds()) == PROCESSES
    assert set(listed(first)) == {*NAMES, unnamed, demo, "copy"}
    for name in (unnamed, demo, "copy"):
        assert first.delete(f"/v1/worlds/{name}").status_code == 204
    assert listed(first) == list(NAMES)


def test_all_worlds_of_a_killed_process_are_back_and_the_others_notice_nothing(
    fronts: Fronts, first: httpx.Client, second: httpx.Client
) -> None:
    before = digests(first)
    running = first.post(
        "/v1/worlds", json={"id": "clock", "time_step": 0.1, "clock": {"mode": "realtime", "rate": 20}}
    )
    assert running.status_code == 201
    home = home_of("clock", PROCESSES)
    with ExitStack() as stack:
        sockets = {name: stack.enter_context(watch(second, f"/v1/worlds/{name}")) for name in NAMES}
        for socket in sockets.values():
            socket.send(json.dumps({"type": "subscribe"}))
            heard(socket, "full")
        killed = process_of(fronts, "clock")
        os.kill(killed, signal.SIGKILL)
        for name, socket in sockets.items():
            if home_of(name, PROCESSES) == home:
                assert heard(socket, "gap")["step"] == before[name]["step"]
                heard(socket, "full")
        # whether anybody asks for it or not
        until = time.monotonic() + 20
        step = 0
        while step < 5 and time.monotonic() < until:
            answer = second.get("/v1/worlds/clock/digest")
            assert answer.status_code == 200, answer.text
            step = answer.json()["step"]
        assert digests(second) == before
        for name, socket in sockets.items():
            assert first.post(f"/v1/worlds/{name}/steps", json={"count": 1}).json()["step"] == before[name]["step"] + 1
            # nobody of the other process has seen anything but this step
            told = json.loads(socket.recv(timeout=20))
            assert (told["type"], told["step"]) == ("frame", before[name]["step"] + 1)
    assert second.delete("/v1/worlds/clock").status_code == 204


def process_of(fronts: Fronts, world: str) -> int:
    """The process that has a world."""

    async def ask() -> int:
        asking = Asking(Clerk(fronts.cluster.address, "orca-crowd"), SystemClock())
        try:
            await asking.join()
            (name,) = await asking.ask("existing", [actor_name(home_of(world, PROCESSES), each) for each in PLACES])
            return int((await asking.actor(name, "describe", 1.0, seconds=10))["pid"])
        finally:
            await asking.close()

    return asyncio.run(ask())


def test_one_that_was_put_away_comes_back_in_the_same_process(
    fronts: Fronts, first: httpx.Client, second: httpx.Client
) -> None:
    assert first.post("/v1/worlds", json={"id": "sleeper", "time_step": 0.1, "ttl": 0.5}).status_code == 201
    path = fill(first, "sleeper")
    stepped = first.post(f"{path}/steps", json={"count": 3, "return": "digest"}).json()
    until = time.monotonic() + 20
    while "sleeper" in listed(second) and time.monotonic() < until:
        time.sleep(0.1)
    assert listed(second) == list(NAMES)
    assert first.get(f"{path}/digest").json() == {"step": 3, "sha256": stepped["digest"]}
    assert "sleeper" in listed(second)
    assert second.delete(path).status_code == 204
    assert len(fronts.cluster.worlds()) == PROCESSES


def test_a_frozen_process_says_nothing_more_of_any_of_its_worlds(fronts: Fronts, first: httpx.Client) -> None:
    old = process_of(fronts, "one")
    mates = [name for name in NAMES if home_of(name, PROCESSES) == home_of("one", PROCESSES)]
    before = digests(first)
    os.kill(old, signal.SIGSTOP)
    try:
        waited = first.post("/v1/worlds/one/steps", json={"count": 1}, timeout=60)
        assert (waited.status_code, waited.json()["code"]) == (503, "interrupted")
        # also those that nobody waited for
        for name in mates[1:]:
            assert first.get(f"/v1/worlds/{name}/digest", timeout=60).json() == before[name]
    finally:
        with suppress(ProcessLookupError):
            os.kill(old, signal.SIGCONT)
    until = time.monotonic() + 10
    while old in fronts.cluster.worlds() and time.monotonic() < until:
        time.sleep(0.05)
    assert old not in fronts.cluster.worlds()
    assert first.post("/v1/worlds/one/steps", json={"count": 1}).json()["step"] in (
        before["one"]["step"] + 1,
        before["one"]["step"] + 2,
    )


def test_front_ends_that_share_otherwise_are_not_ready(fronts: Fronts, first: httpx.Client) -> None:
    port = free_port()
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", str(port), "--data", str(fronts.data)]
    command += ["--engine", "ray", "--ray-address", fronts.cluster.address]
    environment = {**quiet_environment(), "ORCA_CROWD_WORLD_PROCESSES": "3"}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet) as server:
        try:
            detail, until = "", time.monotonic() + 60
            while "WORLD_PROCESSES=2" not in detail and time.monotonic() < until:
                with suppress(httpx.TransportError):
                    answer = httpx.get(f"http://127.0.0.1:{port}/readyz")
                    assert answer.status_code == 503
                    detail = answer.json()["detail"]
                time.sleep(0.1)
        finally:
            server.terminate()
    assert "ORCA_CROWD_WORLD_PROCESSES=2, and this front end 3" in detail
    assert listed(first) == list(NAMES)


def test_all_processes_are_ended_on_purpose_and_come_back(fronts: Fronts, tmp_path: Path) -> None:
    with ExitStack() as stack:
        others = Fronts(fronts.cluster, tmp_path, stack)
        others.start(ORCA_CROWD_RAY_NAMESPACE="others")
        with others.client(0) as client:
            path = make(client, "kept")
            stepped = client.post(f"{path}/steps", json={"count": 7, "return": "digest"}).json()
            lost = {"id": "lost", "time_step": 0.1, "durability": "none"}
            assert client.post("/v1/worlds", json=lost).status_code == 201
        others.servers[0].stop()
        command = [sys.executable, "-m", "orca_crowd", "cluster", "stop", "--ray-address", fronts.cluster.address]
        command += ["--ray-namespace", "others"]
        for options, code, said in (([], 1, "1 of 2 processes have ended, with 1 worlds"), (["--forget"], 0, "1 of 1")):
            done = subprocess.run(
                [*command, *options], env=quiet_environment(), capture_output=True, text=True, timeout=120
            )
            assert (done.returncode, said in done.stdout) == (code, True), done.stderr + done.stdout
            assert ("'lost' keeps no journal" in done.stderr) == bool(code)
        # in one of its own before, in a shared one now
        others.start(ORCA_CROWD_RAY_NAMESPACE="others", ORCA_CROWD_WORLD_PROCESSES="1")
        with others.client(1) as client:
            assert client.get(f"{path}/digest").json() == {"step": 7, "sha256": stepped["digest"]}
            assert listed(client) == ["kept"]
            assert client.delete(path).status_code == 204


def test_a_process_moves_with_all_its_worlds(fronts: Fronts, first: httpx.Client, second: httpx.Client) -> None:
    before = digests(first)
    fronts.cluster.add()
    node = fronts.cluster.node_of(process_of(fronts, "four"))
    command = [sys.executable, "-m", "orca_crowd", "cluster"]
    named = ["--ray-address", fronts.cluster.address]
    with watch(second, "/v1/worlds/four") as socket:
        socket.send(json.dumps({"type": "subscribe"}))
        heard(socket, "full")
        done = subprocess.run(
            [*command, "drain", node, *named], env=quiet_environment(), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert "-of-2 with " in done.stdout
        assert heard(socket, "gap")["step"] == before["four"]["step"]
        assert heard(socket, "full")["step"] == before["four"]["step"]
    assert fronts.cluster.node_of(process_of(fronts, "four")) != node
    assert digests(second) == before
    shown = subprocess.run(
        [*command, "nodes", *named], env=quiet_environment(), capture_output=True, text=True, timeout=60
    )
    assert "-of-2: " in shown.stdout
    assert all(name in shown.stdout for name in NAMES)
