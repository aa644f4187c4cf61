"""Damaged files, full disks and failed worlds: each costs what it must and nothing else."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.orca_crowd.durability.test_return import digest, make
from tests.support.mortal_server import MortalServer, mortal_server

# what tells when a request came, when the disk had it, and when it was answered
CALLS = "fsync,fdatasync,read,recvfrom,write,writev,sendto,sendmsg"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """One on an empty folder."""
    with mortal_server(tmp_path, "--engine", "inline") as running:
        yield running


def test_a_damaged_file_makes_its_world_failed_and_no_other(server: MortalServer) -> None:
    client = server.client
    for name in ("good", "bad"):
        make(client, name)
    good = digest(client, "good")
    server.kill()
    worlds = server.data / "worlds"
    for end in ("-wal", "-shm"):
        (worlds / f"bad.sqlite{end}").unlink(missing_ok=True)
    (worlds / "bad.sqlite").write_bytes(b"not a journal any more")

    client = server.start()
    assert digest(client, "good") == good
    shown = client.get("/v1/worlds/bad").json()
    assert shown["state"] == "failed"
    assert "journal" in shown["reason"]
    refused = client.post("/v1/worlds/bad/steps", json={})
    assert (refused.status_code, refused.json()["code"]) == (503, "world-failed")
    # it can be asked for again, and deleted with its file
    assert client.post("/v1/worlds/bad/restore").json()["state"] == "failed"
    assert client.delete("/v1/worlds/bad").status_code == 204
    assert not (worlds / "bad.sqlite").exists()


@pytest.fixture
def small_server(tmp_path: Path) -> Iterator[MortalServer]:
    """One whose folder is a file system of four megabytes; mounting it needs root."""
    server = MortalServer(tmp_path, "--engine", "inline")
    server.data.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(server.data)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        server.start()
        yield server
    finally:
        server.close()
        subprocess.run(["umount", "--lazy", str(server.data)], check=True)


def fill(folder: Path) -> Path:
    """Take all the room that is left, to the last page, though a server takes some at the same time."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for piece in (bytes(65_536), bytes(4096)):
            with suppress(OSError):
                while file.write(piece) == len(piece):
                    pass
    return ballast


def test_a_full_disk_refuses_changes_and_goes_on_being_read(small_server: MortalServer) -> None:
    client = small_server.client
    make(client)
    client.post("/v1/worlds/w/steps", json={"count": 3}).raise_for_status()
    ballast = fill(small_server.data)

    # whatever could be recorded last is acknowledged, and a log that is copied gives room for more, which is taken
    # too; from then on nothing is taken and nothing changes
    acknowledged = digest(client)["step"]
    refused = 0
    while refused < 5:
        answer = client.post("/v1/worlds/w/steps", json={"count": 1})
        if answer.status_code == 200:
            refused, acknowledged = 0, answer.json()["step"]
            assert acknowledged < 1000
        else:
            assert (answer.status_code, answer.json()["code"]) == (507, "no-room")
            refused += 1
            time.sleep(0.05)
        fill(small_server.data)
    before = digest(client)
    add = client.post("/v1/worlds/w/agents", json={"agents": [{"position": [0, 0]}] * 2000})
    assert (add.status_code, add.json()["code"]) == (507, "no-room")
    new = client.post("/v1/worlds", json={"id": "new", "time_step": 0.1})
    assert new.status_code == 507
    assert digest(client) == before
    assert client.get("/v1/worlds/w/agents").status_code == 200
    assert client.get("/v1/worlds/new").status_code == 404

    # with room again it goes on, and all that was acknowledged survives
    ballast.unlink()
    client.post("/v1/worlds/w/steps", json={"count": 2}).raise_for_status()
    after = digest(client)
    assert after["step"] >= acknowledged + 2
    assert digest(small_server.restart()) == after


def test_a_realtime_world_stands_still_while_the_disk_is_full(small_server: MortalServer) -> None:
    client = small_server.client
    make(client, clock={"mode": "realtime", "rate": 100})
    ballast = fill(small_server.data)
    stood = _standing(client, small_server.data)
    ballast.unlink()
    deadline = time.monotonic() + 20.0
    while digest(client)["step"] < stood + 5:
        assert time.monotonic() < deadline, small_server.log
    assert "stands still" in small_server.log


def _standing(client: httpx.Client, folder: Path) -> int:
    """The step at which a world has stopped: not before all the room is taken that a log gives back."""
    deadline, last = time.monotonic() + 20.0, -1
    while (step := digest(client)["step"]) != last:
        assert time.monotonic() < deadline
        last = step
        fill(folder)
        time.sleep(0.3)
    return last


def test_a_world_that_nobody_uses_is_put_away_and_comes_back_on_use(server: MortalServer) -> None:
    client = server.client
    make(client, ttl=1.0)
    client.post("/v1/worlds/w/steps", json={"count": 4}).raise_for_status()
    before = digest(client)
    deadline = time.monotonic() + 20.0
    while client.get("/v1/worlds").json()["worlds"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert (server.data / "worlds" / "w.sqlite").exists()
    assert digest(client) == before
    client.post("/v1/worlds/w/steps", json={}).raise_for_status()
    assert client.post("/v1/worlds", json={"id": "w", "time_step": 0.1}).status_code == 409


@pytest.mark.parametrize(("durability", "synced"), [("process", False), ("power", True)])
def test_with_power_the_disk_has_it_before_the_answer(tmp_path: Path, durability: str, synced: bool) -> None:
    """The system calls of the server between the request and its answer, as the kernel saw them."""
    if subprocess.run(["which", "strace"], capture_output=True, check=False).returncode != 0:
        pytest.skip("tracing system calls needs strace")
    with mortal_server(tmp_path, "--engine", "inline") as server:
        make(server.client, durability=durability)
        trace = tmp_path / "trace"
        tracer = subprocess.Popen(
            ["strace", "-fqq", "-s", "64", "-e", f"trace={CALLS}", "-o", str(trace), "-p", str(server.process.pid)],
            stderr=subprocess.PIPE,
        )
        try:
            time.sleep(1.0)
            mark = {"commands": [{"op": "add_agents", "agents": [{"position": [9, 9]}]}]}
            server.client.post("/v1/worlds/w/commands", json=mark).raise_for_status()
            time.sleep(0.5)
        finally:
            tracer.terminate()
            tracer.communicate()
        lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = next(number for number, line in enumerate(lines) if "POST /v1/worlds/w/commands" in line)
    answered = next(number for number, line in enumerate(lines) if number > asked and "HTTP/1.1 200" in line)
    between = [line for line in lines[asked:answered] if "sync(" in line]
    assert bool(between) == synced, between
