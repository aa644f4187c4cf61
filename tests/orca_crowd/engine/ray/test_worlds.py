"""Worlds on a real cluster of Ray on this machine, seen through front ends as users start them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.support.fronts import COUNT, Fronts, fill, heard, make, quiet_environment, watch
from tests.support.live_server import live_server
from tests.support.ray_cluster import ray_cluster
from tests.support.s3_store import S3Store, s3_store

pytest.importorskip("ray")
pytest.importorskip("moto")
pytestmark = pytest.mark.ray


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Store]:
    """A store that the nodes know."""
    with s3_store() as store:
        yield store


@pytest.fixture(scope="module")
def fronts(tmp_path_factory: pytest.TempPathFactory, s3: S3Store) -> Iterator[Fronts]:
    """A cluster and two front ends."""
    with ExitStack() as stack:
        cluster = stack.enter_context(ray_cluster(**s3.environment))
        cluster.add()
        found = Fronts(cluster, tmp_path_factory.mktemp("fronts"), stack)
        found.start()
        found.start()
        yield found


def test_a_world_is_the_same_through_every_front_end(
    fronts: Fronts, first: httpx.Client, second: httpx.Client, tmp_path: Path
) -> None:
    # at the same moment through both: one world, one refusal
    with ThreadPoolExecutor(2) as pool:
        body = {"id": "one", "time_step": 0.1}
        answers = list(pool.map(lambda client: client.post("/v1/worlds", json=body), (first, second)))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert [each.json()["code"] for each in answers if each.status_code == 409] == ["exists"]
    path = fill(second, "one")
    with watch(first, path) as socket:
        assert heard(socket, "hello")["world"] == "one"
        socket.send(json.dumps({"type": "subscribe", "delivery": "every"}))
        assert len(heard(socket, "full")["ids"]) == COUNT
        stepped = first.post(f"{path}/steps", json={"count": 10, "return": "digest"}).json()
        frames = [heard(socket, "frame") for _ in range(10)]
        socket.send(json.dumps({"type": "step", "count": 5, "return": "digest"}))
        last = heard(socket, "stepped")
    assert [frame["step"] for frame in frames] == list(range(1, 11))
    assert second.get(f"{path}/agents").json()["step"] == 15
    # the bits are those of one machine
    with live_server(tmp_path, "--engine", "inline") as address, httpx.Client(base_url=f"http://{address}") as alone:
        inline = make(alone, "one")
        for count, there in ((10, stepped), (5, last)):
            here = alone.post(f"{inline}/steps", json={"count": count, "return": "digest"}).json()
            assert here["digest"] == there["digest"]
    # what is refused is refused as on one machine, and a refused world leaves no process behind
    assert first.get("/v1/worlds/nobody").json()["code"] == "not-found"
    assert first.post(f"{path}/agents", json={"agents": [{"radius": 1}]}).status_code == 422
    before = len(fronts.cluster.worlds())
    assert first.post("/v1/worlds", json={"id": "bad", "time_step": -1}).status_code == 422
    # its process ends by itself
    assert fronts.cluster.has_worlds(before)
    # any of them tells of all
    assert [world["id"] for world in second.get("/v1/worlds").json()["worlds"]] == ["one"]
    lines = second.get("/metrics").text.splitlines()
    assert "orca_crowd_steps_total 15.0" in lines
    assert f"orca_crowd_agents {COUNT}.0" in lines
    # a moment of the past begins a world of its own, in a process of its own
    forked = first.post(f"{path}/fork", json={"id": "other", "step": 10, "name": "Fork"}).json()
    assert (forked["id"], forked["step"], forked["name"]) == ("other", 10, "Fork")
    assert second.get("/v1/worlds/other/digest").json()["sha256"] == stepped["digest"]
    for name in ("one", "other"):
        assert second.delete(f"/v1/worlds/{name}").status_code == 204
    assert first.get(path).status_code == 404
    assert fronts.cluster.has_worlds(0)


def test_a_killed_process_is_back_with_all_that_was_acknowledged(
    fronts: Fronts, first: httpx.Client, second: httpx.Client
) -> None:
    path = make(first, "mortal")
    acknowledged: list[tuple[int, str]] = []
    over = threading.Event()

    def step() -> None:
        with fronts.client(1) as client:
            while not over.is_set():
                answer = client.post(f"{path}/steps", json={"count": 1, "return": "digest"})
                if answer.status_code == 200:
                    acknowledged.append((answer.json()["step"], answer.json()["digest"]))
                else:
                    assert answer.json()["code"] == "interrupted", answer.text

    with watch(first, path) as one, watch(second, path) as two, ThreadPoolExecutor(1) as pool:
        for socket in (one, two):
            socket.send(json.dumps({"type": "subscribe"}))
            heard(socket, "full")
        stepping = pool.submit(step)
        while len(acknowledged) < 10:
            time.sleep(0.01)
        process = fronts.cluster.only_world()
        os.kill(process, signal.SIGKILL)
        killed = len(acknowledged)
        gaps = [heard(socket, "gap") for socket in (one, two)]
        fulls = [heard(socket, "full") for socket in (one, two)]
        while len(acknowledged) < killed + 10:
            time.sleep(0.01)
        over.set()
        stepping.result()
        # the sockets are what they were
        frames = [heard(socket, "frame") for socket in (one, two)]
    assert all("process" in gap["reason"] for gap in gaps)
    assert min(full["step"] for full in fulls) >= acknowledged[killed - 1][0]
    assert all(frame["since"] >= full["step"] for frame, full in zip(frames, fulls, strict=True))
    # no step was taken twice, and what was acknowledged before is the past of what goes on
    steps = [number for number, _ in acknowledged]
    assert steps == sorted(set(steps))
    number, digest = acknowledged[killed - 2]
    assert first.post(f"{path}/fork", json={"id": "past", "step": number}).status_code == 201
    assert first.get("/v1/worlds/past/digest").json() == {"step": number, "sha256": digest}
    for name in ("mortal", "past"):
        assert second.delete(f"/v1/worlds/{name}").status_code == 204


def test_a_front_end_that_dies_takes_nothing_with_it_and_a_store_keeps_what_it_has(
    fronts: Fronts, first: httpx.Client, s3: S3Store, tmp_path: Path
) -> None:
    pytest.importorskip("s3fs")
    with ExitStack() as stack:
        brief = Fronts(fronts.cluster, tmp_path, stack)
        brief.data = "s3://plain/crowds"
        brief.start(**s3.environment)
        with brief.client(0) as client:
            assert client.get("/v1/info").json()["durability"] == ["power", "none"]
            path = make(client, "orphan")
            assert client.post(f"{path}/steps", json={"count": 3}).json()["step"] == 3
        brief.servers[0].kill()
    # its process goes on, and comes back from the store whoever asks for it
    stepped = first.post(f"{path}/steps", json={"count": 1, "return": "digest"}).json()
    assert stepped["step"] == 4
    process = fronts.cluster.only_world()
    os.kill(process, signal.SIGKILL)
    there = {"step": 4, "sha256": stepped["digest"]}
    assert first.get(f"{path}/digest").json() == there
    # while the store is away nothing is changed, and all is read
    s3.away()
    try:
        refused = first.delete(f"{path}/agents/0")
        assert (refused.status_code, refused.json()["code"]) == (503, "not-ready")
        assert "nothing was changed" in refused.json()["detail"]
        assert first.get(f"{path}/digest").json() == there
    finally:
        s3.back()
    while (again := first.post(f"{path}/steps", json={"count": 1})).status_code == 503:
        assert again.json()["code"] == "not-ready"
    assert again.json()["step"] == 5
    assert first.delete(path).status_code == 204


def test_a_world_that_was_put_away_comes_back_through_another_front_end(
    fronts: Fronts, first: httpx.Client, second: httpx.Client
) -> None:
    assert first.post("/v1/worlds", json={"id": "sleeper", "time_step": 0.1, "ttl": 0.5}).status_code == 201
    path = fill(first, "sleeper")
    stepped = first.post(f"{path}/steps", json={"count": 3, "return": "digest"}).json()
    # nobody asks for it, so it is put away and its process ends; front ends leave it where it is
    assert fronts.cluster.has_worlds(0)
    assert second.get(f"{path}/digest").json() == {"step": 3, "sha256": stepped["digest"]}
    assert second.delete(path).status_code == 204


def test_a_node_is_emptied_and_another_one_dies(fronts: Fronts, first: httpx.Client, second: httpx.Client) -> None:
    path = make(first, "mover")
    process = fronts.cluster.only_world()
    before, after = fronts.cluster.node_of(process), fronts.cluster.add()
    with watch(second, path) as socket:
        socket.send(json.dumps({"type": "subscribe"}))
        heard(socket, "full")
        moved = first.post(f"{path}/steps", json={"count": 6, "return": "digest"}).json()
        # its worlds go to the other one while they are watched
        command = [sys.executable, "-m", "orca_crowd", "cluster", "drain", before, "--ray-address"]
        done = subprocess.run(
            [*command, fronts.cluster.address], env=quiet_environment(), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert "1 of 1 worlds have moved" in done.stdout
        assert heard(socket, "gap")["step"] == 6
        assert heard(socket, "full")["step"] == 6
        assert second.get(f"{path}/digest").json() == {"step": 6, "sha256": moved["digest"]}
        process = fronts.cluster.only_world()
        assert fronts.cluster.node_of(process) == after
        # and that one is lost without a word
        third = fronts.cluster.add()
        last = second.post(f"{path}/steps", json={"count": 3, "return": "digest"}).json()
        fronts.cluster.kill(after)
        assert heard(socket, "gap")["step"] == 9
        assert first.get(f"{path}/digest").json() == {"step": 9, "sha256": last["digest"]}
        process = fronts.cluster.only_world()
        assert fronts.cluster.node_of(process) == third
        assert second.post(f"{path}/steps", json={"count": 1}).json()["step"] == 10
    assert second.delete(path).status_code == 204


def test_a_front_end_outlives_its_cluster_and_says_so(fronts: Fronts, first: httpx.Client) -> None:
    path = make(first, "last")
    fronts.cluster.stop()
    until = time.monotonic() + 30
    while (ready := first.get("/readyz")).status_code == 200 and time.monotonic() < until:
        time.sleep(0.1)
    assert (ready.status_code, ready.json()["code"]) == (503, "not-ready")
    assert "cluster" in ready.json()["detail"]
    assert first.get("/healthz").status_code == 200
    assert first.get("/metrics").status_code == 200
    refused = first.post("/v1/worlds", json={"id": "more", "time_step": 0.1})
    assert (refused.status_code, refused.json()["code"]) == (503, "not-ready")
    # the world is kept, in the same file that any server reads
    assert (Path(fronts.data) / path.replace("/v1/", "")).with_suffix(".sqlite").exists()
