"""Whatever was acknowledged is there after SIGKILL, to the bit: changes, steps, answers, owners, clocks, names."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.support.mortal_server import MortalServer, mortal_server

SQUARE = {"type": "Polygon", "coordinates": [[[-20, -20], [20, -20], [20, 20], [-20, 20]]]}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """One on an empty folder."""
    with mortal_server(tmp_path, "--engine", "inline") as running:
        yield running


def make(client: httpx.Client, name: str = "w", agents: int = 40, **members: Any) -> None:
    """A world of some agents on their way across."""
    random = np.random.default_rng(7)
    positions = random.uniform(-15.0, 15.0, (agents, 2))
    columns = {"position": positions.tolist(), "goal": (-positions).tolist(), "radius": [0.3] * agents}
    assert client.post("/v1/worlds", json={"id": name, "time_step": 0.1, **members}).status_code == 201
    assert client.post(f"/v1/worlds/{name}/agents", json={"columns": columns}).status_code == 201


def digest(client: httpx.Client, name: str = "w") -> dict[str, Any]:
    """Step and digest of a world."""
    shown: dict[str, Any] = client.get(f"/v1/worlds/{name}/digest").raise_for_status().json()
    return shown


def test_a_killed_server_comes_back_with_the_bits_that_were_acknowledged(server: MortalServer) -> None:
    client = server.client
    make(client)
    url = "/v1/worlds/w"
    client.post(f"{url}/walkable", json={"areas": [{"geometry": SQUARE}]}).raise_for_status()
    client.post(f"{url}/obstacles", json={"obstacles": [{"points": [[-3, 0], [3, 0]]}]}).raise_for_status()
    client.post(f"{url}/steps", json={"count": 30}).raise_for_status()
    client.patch(f"{url}/agents/3", json={"goal": None, "preferred_velocity": [0.3, -0.0]}).raise_for_status()
    client.delete(f"{url}/agents?ids=5,6").raise_for_status()
    client.patch(url, json={"name": "a name", "defaults": {"radius": 0.2}}).raise_for_status()
    client.post(f"{url}/steps", json={"count": 7}).raise_for_status()
    before, world = digest(client), client.get(url).json()
    agents = client.get(f"{url}/agents").json()

    client = server.restart()
    assert digest(client) == before
    assert client.get(url).json() == world
    assert client.get(f"{url}/agents").json() == agents
    # an id that was used is never given again, and one that was removed is gone
    assert client.get(f"{url}/agents/5").status_code == 410
    assert client.post(f"{url}/agents", json={"agents": [{"position": [0, 9]}]}).json()["ids"] == [40]

    # it goes on as one that was never interrupted
    client.delete(f"{url}/agents/40").raise_for_status()
    client.post(f"{url}/steps", json={"count": 20}).raise_for_status()
    forked = client.post(f"{url}/fork", json={"step": 30, "id": "other"}).raise_for_status().json()
    assert forked["step"] == 30
    for _ in range(2):
        after = digest(client)
        client = server.restart()
        assert digest(client) == after


def test_the_same_key_has_one_effect_across_the_death_of_the_server(server: MortalServer) -> None:
    client = server.client
    make(client)
    url = "/v1/worlds/w"
    add = {"commands": [{"op": "add_agents", "agents": [{"position": [17, 17]}]}], "key": "add"}
    step = {"count": 5, "key": "step", "return": "agents", "commands": [{"op": "remove_agents", "ids": [0]}]}
    answers = [
        client.post(f"{url}/commands", json=add).raise_for_status().json(),
        client.post(f"{url}/steps", json=step).raise_for_status().json(),
    ]
    client = server.restart()
    assert client.post(f"{url}/commands", json=add).json() == answers[0]
    assert client.post(f"{url}/steps", json=step).json() == answers[1]
    assert client.post(f"{url}/commands", json={**add, "commands": []}).status_code == 409
    assert client.get(url).json()["agents"] == 40
    assert digest(client)["step"] == 5


def test_refused_changes_leave_nothing_in_the_journal(server: MortalServer) -> None:
    client = server.client
    make(client)
    before = client.get("/v1/worlds/w").json()["sequence"]
    bad = {"commands": [{"op": "remove_agents", "ids": [1]}, {"op": "remove_agents", "ids": [777]}]}
    for _ in range(3):
        assert client.post("/v1/worlds/w/commands", json=bad).status_code == 404
    with closing(sqlite3.connect(server.data / "worlds" / "w.sqlite")) as journal:
        assert journal.execute("SELECT count(*) FROM records").fetchone() == (before,)
    client = server.restart()
    assert client.get("/v1/worlds/w").json()["agents"] == 40


@pytest.mark.parametrize(("restart", "mode"), [("running", "realtime"), ("paused", "manual")])
def test_a_realtime_world_runs_on_or_waits_as_configured(server: MortalServer, restart: str, mode: str) -> None:
    client = server.client
    make(client, clock={"mode": "realtime", "rate": 50})
    while digest(client)["step"] < 5:
        pass
    client = server.restart(ORCA_CROWD_RESTART=restart)
    back = client.get("/v1/worlds/w").json()
    assert back["clock"]["mode"] == mode
    assert back["step"] >= 5
    if mode == "realtime":
        while digest(client)["step"] < back["step"] + 5:
            pass


def test_a_world_without_a_journal_is_gone_and_a_deleted_one_stays_deleted(server: MortalServer) -> None:
    client = server.client
    make(client, "kept")
    make(client, "lost", durability="none")
    make(client, "deleted")
    client.delete("/v1/worlds/deleted").raise_for_status()
    client = server.restart()
    assert [world["id"] for world in client.get("/v1/worlds").json()["worlds"]] == ["kept"]
    assert sorted(path.name for path in (server.data / "worlds").iterdir() if "deleted" in path.name) == []


def test_a_world_is_not_made_over_the_journal_of_another(server: MortalServer) -> None:
    make(server.client)
    assert server.client.post("/v1/worlds", json={"id": "w", "time_step": 0.1}).status_code == 409


def test_the_end_by_sigterm_leaves_whole_files(server: MortalServer) -> None:
    client = server.client
    make(client)
    client.post("/v1/worlds/w/steps", json={"count": 11}).raise_for_status()
    before = digest(client)
    assert server.stop() == 0
    # the log has been copied: one file a world, and nothing beside it
    assert [path.name for path in (server.data / "worlds").iterdir()] == ["w.sqlite"]
    assert digest(server.start()) == before


def test_a_journal_moved_elsewhere_goes_on_there(server: MortalServer, tmp_path: Path) -> None:
    client = server.client
    make(client)
    client.post("/v1/worlds/w/steps", json={"count": 9}).raise_for_status()
    before = digest(client)
    assert server.stop() == 0

    # one file is the whole world, whatever else the folder held
    other = MortalServer(tmp_path / "elsewhere", "--engine", "inline")
    (other.data / "worlds").mkdir(parents=True)
    shutil.copy(server.data / "worlds" / "w.sqlite", other.data / "worlds")
    with closing(other):
        moved = other.start()
        assert digest(moved) == before
        moved.post("/v1/worlds/w/steps", json={"count": 5}).raise_for_status()
        here = server.start()
        here.post("/v1/worlds/w/steps", json={"count": 5}).raise_for_status()
        assert digest(moved) == digest(here)


def test_two_servers_do_not_share_a_folder(server: MortalServer, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    second = MortalServer(other, "--engine", "inline")
    second.data = server.data
    with pytest.raises(AssertionError, match=r"ended with 2.*choose another --data: another server uses"):
        second.start()
    second.process.wait()


def test_limits_and_the_level_of_detail_come_back(server: MortalServer) -> None:
    client, url = server.client, "/v1/worlds/w"
    make(client, options={"avoidance_model": "rvo", "slow_when_dense": True}, defaults={"max_acceleration": 2.0})
    client.patch(f"{url}/agents/3", json={"max_turning_rate": 1.0, "quality": "few"}).raise_for_status()
    client.post(f"{url}/steps", json={"count": 10}).raise_for_status()
    detail = {"distance": 4.0, "every": 3, "neighbors": 2, "points": [[0.0, 0.0]], "boxes": []}
    client.patch(url, json={"level_of_detail": detail}).raise_for_status()
    client.post(f"{url}/steps", json={"count": 10}).raise_for_status()
    before, world, agent = digest(client), client.get(url).json(), client.get(f"{url}/agents/3").json()
    assert world["options"]["level_of_detail"] == detail

    client = server.restart()
    assert digest(client) == before
    assert client.get(url).json() == world
    assert client.get(f"{url}/agents/3").json() == agent
    # a moment before the change is without it, and the same moment with it goes on to the same bits
    for step, expected in ((5, None), (20, detail)):
        name = f"at{step}"
        client.post(f"{url}/fork", json={"step": step, "id": name}).raise_for_status()
        assert client.get(f"/v1/worlds/{name}").json()["options"]["level_of_detail"] == expected
    for name in ("w", "at20"):
        client.post(f"/v1/worlds/{name}/steps", json={"count": 15}).raise_for_status()
    assert digest(client) == digest(client, "at20")
