"""A disk that holds a fraction of what is written to it in time: what is not needed any more gives its room back."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from orca_crowd.journal.log import CHECKPOINT_BYTES
from tests.support.mortal_server import MortalServer

DISK_MEGABYTES = 16
JOURNAL_BYTES = 2**20
SETTINGS = {"ORCA_CROWD_JOURNAL_BYTES": str(JOURNAL_BYTES)}
AGENTS = 2500
ROUNDS, COMMANDS, PASSING = 2, 150, 10
# of an agent in the record of a command: its id, its goal, and what says which of them were given
RECORD_BYTES = 8 + 16 + 3


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """One whose folder is a small file system; mounting it needs root."""
    server = MortalServer(tmp_path, "--engine", "inline")
    server.data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(server.data)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        server.start(**SETTINGS)
        yield server
    finally:
        server.close()
        subprocess.run(["umount", "--lazy", str(server.data)], check=True)


def make(client: httpx.Client, name: str, agents: int) -> None:
    client.post("/v1/worlds", json={"id": name, "time_step": 0.1}).raise_for_status()
    positions = [[3.0 * (n % 40), 3.0 * (n // 40)] for n in range(agents)]
    client.post(f"/v1/worlds/{name}/agents", json={"columns": {"position": positions}}).raise_for_status()


def test_what_is_not_needed_any_more_gives_its_room_back(server: MortalServer) -> None:
    client = server.client
    make(client, "kept", AGENTS)
    ids = list(range(AGENTS))
    for number in range(ROUNDS):
        for command in range(COMMANDS):
            goals = [[float(number), float(command)]] * AGENTS
            body = {"commands": [{"op": "set_agents", "ids": ids, "columns": {"goal": goals}}]}
            answer = client.post("/v1/worlds/kept/commands", json=body)
            assert answer.status_code == 200, answer.text
            if command % (COMMANDS // PASSING) == 0:
                make(client, f"passing-{number}-{command}", 50)
                client.delete(f"/v1/worlds/passing-{number}-{command}").raise_for_status()
        told = client.get("/v1/worlds/kept/digest").json()
        server.kill()
        client = server.start(**SETTINGS)
        assert client.get("/v1/worlds/kept/digest").json() == told
    # more went through it than it holds, and twice as much with what the log had of it
    assert ROUNDS * COMMANDS * AGENTS * RECORD_BYTES > DISK_MEGABYTES * 2**20
    sizes = {path.name: path.stat().st_size for path in (server.data / "worlds").iterdir()}
    assert set(sizes) <= {"kept.sqlite", "kept.sqlite-wal", "kept.sqlite-shm", "kept.reserve"}
    # with a snapshot that was written before the oldest was forgotten
    assert sizes["kept.sqlite"] < 3 * JOURNAL_BYTES
    assert sizes.get("kept.sqlite-wal", 0) < 2 * CHECKPOINT_BYTES
