"""The addon for Godot 3 in a real Godot 3 against a real server; what is right the Python client says."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orca_crowd.protocol.columns import VECTORS
from orca_crowd_client import Client
from tests.clients.godot.godot import ADDONS, Scenario
from tests.clients.python.flaky_proxy import FlakyProxy
from tests.support.exchanges.reading import exchanges
from tests.support.find_godot import Godot
from tests.support.imports import ROOT

PROJECT = ADDONS / "godot3"
RUNNER = "res://tests/runner.gd"

Start = Callable[..., Scenario]


@pytest.fixture
def start(godot: Godot, server: str, client: Client, tmp_path: Path) -> Start:
    """Starts a scenario; `exact` asks for all bits, `url` stands for the server's own."""

    def make(name: str, *, exact: bool = False, url: str = server) -> Scenario:
        named = {"ORCA_CROWD_SCENARIO": name, "ORCA_CROWD_URL": url, "ORCA_CROWD_EXACT": str(int(exact))}
        return Scenario(godot, PROJECT, RUNNER, tmp_path, **named)

    return make


def from_bits(text: str) -> Any:
    """Numbers from 16 hexadecimal digits each."""
    return np.frombuffer(bytes.fromhex(text), "<f8")


def test_a_client_that_is_too_old_is_told(start: Start) -> None:
    scenario = start("world")
    for path in sorted(scenario.project.rglob("request.gd")):
        source = path.read_text(encoding="utf-8")
        assert "godot3/0.1.0" in source
        path.write_text(source.replace("godot3/0.1.0", "godot3/0.0.9"), encoding="utf-8")
    with scenario:
        assert scenario.until("refused") == "client-too-old"


def test_every_call_of_a_world(start: Start, client: Client) -> None:
    with start("world", exact=True) as scenario:
        said = scenario.run()
    assert said["created"] == ["godot", {}, 0.1]
    # bits that JSON would lose, an id beyond 32 bits
    assert said["ids"]
    assert from_bits(said["position"])[:4].tobytes() == struct.pack("<4d", 0.1, -0.0, 10 / 3, 1e-300)
    assert said["chosen"] == {"ids": [7], "radius": [0.4], "status": ["moving"], "step": 0, "time": 0}
    assert said["set"] == {"ids": [7], "radius": [0.25], "status": ["no-goal"], "step": 0, "time": 0}
    assert (said["agent"], said["set_agent"], said["removed"], said["gone"]) == ("moving", 2, [7], "gone")
    # round one end of the wall
    assert said["paths"] > 2
    assert said["obstacle"] == {
        "id": 0,
        "points": [[1, 6], [3, 6]],
        "closed": False,
        "z_range": None,
        "open": False,
    }
    assert (said["obstacles"], said["area"], said["areas"], said["map"]) == (1, 0, 0.5, 1)
    # the world is where this client sees it, to the bit
    assert said["step"]["step"] == 5
    assert said["step"]["digest"] == said["digest"]["sha256"] == said["restored"]["sha256"]
    assert (said["update"], said["described"], said["worlds"]) == ("a name", 5, ["godot", "copy"])
    assert from_bits(said["velocity"]).tolist() == [1, 0.5]
    # a lease keeps others from stepping, over the stream too
    told = [said[name] for name in ("lease", "leased", "holder", "stream", "anybody")]
    assert told == ["me", "leased", 6, 7, 8]
    assert client.world("godot").digest().step == 8
    assert [world.id for world in client.worlds()] == ["godot"]


@pytest.mark.parametrize("exact", [False, True])
def test_positions_of_a_stream_are_those_of_a_read(start: Start, client: Client, exact: bool) -> None:
    with start("watching", exact=exact) as scenario:
        said = scenario.run()
    assert said["greeting"] == ["watched", 0.1]
    assert said["full"] == [0, True, [0, 1, 2]]
    step, gap, ids, _, position, read, velocity, read_velocity, status = said["moved"]
    assert (step, gap, ids, status) == (20, False, [0, 1, 2], ["moving", "moving", "arrived"])
    assert (position, velocity) == (read, read_velocity)
    # they have moved, and past each other rather than through
    places = from_bits(position).reshape(-1, 2)
    assert places[0, 0] > -3
    assert places[1, 0] < 3
    assert said["row"] == [2, -1]
    assert said["came"] == [[0, 2, 3], [3], [1], 3]
    assert ["removed", [1]] in said["events"]
    assert ["arrived", [2]] in said["events"]
    assert said["radius"] == [0.5, 0.5, 0.5]
    assert (said["pong"], said["ended"]) == ("there", "closed")
    # the newest of those that were missed, over the state from before
    assert said["resumed"] == [24, False, 21]
    # more frames than a window, each newer than the one before
    assert said["credit"] == sorted(set(said["credit"]))
    # 64 bits where they were asked for, else what a Vector2 holds of them
    assert (from_bits(position).astype(np.float32) == from_bits(position)).all() != exact


def test_interest_changed_rows_and_integers(start: Start) -> None:
    with start("interest") as scenario:
        said = scenario.run()
    for step, (changed, circle, around, small) in enumerate(said["seen"], 1):
        # only the one who walks is told, and all are there
        assert changed["changed"] == [10], step
        assert changed["ids"] == [10, 20, 30]
        assert changed["position"] == [[2 * step, 0], [0, 20], [40, 0]]
        # in the circle while 3 <= x <= 9
        inside = 3 <= 2 * step <= 9
        assert circle["ids"] == ([10] if inside else [])
        assert (circle["entered"], circle["left"]) == ([10] if step == 2 else [], [10] if step == 5 else [])
        # whoever is near the walker
        near = {10} | ({20} if np.hypot(2 * step, 20) <= 31 else set()) | ({30} if 40 - 2 * step <= 31 else set())
        assert set(around["ids"]) == near
        assert np.abs(np.array(small["position"]) - changed["position"]).max() <= 0.01
    assert said["all"]["changed"] == [10, 20, 30]
    assert said["all"]["step"] == 6
    assert said["radius"] == [0.5, 0.5, 0.5]


def test_commands_with_keys_and_refusals(start: Start) -> None:
    with start("commands") as scenario:
        said = scenario.run()
    assert said["first"] == [0, [0, 1], [0]]
    assert said["again"] == said["rest"] == [0, 1]
    assert (said["reused"], said["count"]) == ("key-reused", 2)
    assert said["refused"][:3] == [422, "invalid", 1]
    assert "radius" in said["refused"][3]
    assert said["radius"] == [0.5]
    assert (said["missing"], said["unknown"], said["wrong"]) == ("not-found", "gravity", "wrong-step")
    assert said["loop"] == [[step, [0], [[0, -0.25 * step]]] for step in (1, 2, 3)]
    assert (said["closed"], said["error"]) == (4004, "not-found")


def test_controllers_of_one_world(start: Start) -> None:
    with start("controllers") as scenario:
        said = scenario.run()
    assert said["unregistered"] == "not-registered"
    assert said["registered"] == [{"controller": "blue", "owned": []}]
    assert said["owned"] == [{"controller": "blue", "owned": [0]}]
    assert (said["refused"], said["rest"], said["ours"]) == ("owned", "owned", True)
    # nobody steps alone
    assert (said["wrong"], said["red"]) == ("wrong-step", 1)
    assert said["answered"] == [False, [[1, 0], [0, 1]]]
    assert said["disowned"] == [{"controller": "blue", "owned": []}]
    assert said["replaced"] == ["replaced"]
    assert said["left"] is False


def test_a_connection_that_is_cut(start: Start, server: str, client: Client) -> None:
    with FlakyProxy(server) as proxy, start("resume", exact=True, url=proxy.url) as scenario:
        scenario.until("cut")
        proxy.cut()
        client.world("cut").step(5)
        scenario.until("again")
        scenario.until("owns")
        scenario.until("cut")
        proxy.cut()
        said = scenario.run()
    assert said["owns"] == [{"controller": "npc", "owned": [0]}]
    # one effect, and no step left out
    assert said["asked"] == 9
    assert [frame[0] for frame in said["frames"]] == list(range(10))
    assert not any(gap for *_, gap in said["frames"])
    assert [frame[1] for frame in said["frames"]] == [True] + [False] * 9
    assert said["position"] == said["last"] == client.world("cut").agents().position.tobytes().hex()


def test_the_exchanges_of_the_conformance_folder(godot: Godot, tmp_path: Path) -> None:
    folder = ROOT / "clients" / "conformance"
    named = {"ORCA_CROWD_SCENARIO": "conformance", "ORCA_CROWD_EXCHANGES": str(folder)}
    with Scenario(godot, PROJECT, RUNNER, tmp_path, **named) as scenario:
        scenario.run()
    read = scenario.every["read"]
    packed = [entry for name in ("to-server", "from-server") for entry in exchanges(f"{name}.json") if "bytes" in entry]
    assert read == [[entry["name"], entry["message"]["type"], True] for entry in packed]
    frames = iter(scenario.every["frame"])
    for entry in exchanges("streams.json"):
        for message in entry["messages"] if entry["subprotocol"].endswith("msgpack") else []:
            name, shown = next(frames)
            assert name == entry["name"]
            assert isinstance(shown, dict), shown
            by_id = {agent["id"]: agent for agent in message["after"]}
            ids = [int(text) for text in shown["ids"]]
            assert sorted(ids) == sorted(by_id)
            for field, column in shown["columns"].items():
                assert column == told([by_id[agent][field] for agent in ids], field), (name, field)
    assert next(frames, None) is None


def told(rows: list[Any], field: str) -> list[str] | str:
    """A column as the scenario prints it: words, or the bits of its numbers, NaN for what is not there."""
    if rows and isinstance(rows[0], str | bool):
        return rows
    width = 2 if field in VECTORS else 1
    empty = [float("nan")] * width
    numbers = [number for row in rows for number in (empty if row is None else row if width == 2 else [row])]
    return struct.pack(f"<{len(numbers)}d", *numbers).hex()


def test_the_readme_begins_with_lines_that_work(godot: Godot, server: str, client: Client, tmp_path: Path) -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    block = re.match(r"```gdscript\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert len([line for line in block[1].splitlines() if line.strip()]) <= 10
    scenario = Scenario(godot, PROJECT, "res://readme.tscn", tmp_path)
    # a scene with the script on its only node, as a user makes it, and this server in the place of the default one
    node = '[gd_scene load_steps=2 format=2]\n\n[ext_resource path="res://readme.gd" type="Script" id=1]\n\n'
    node += '[node name="Crowd" type="Node2D"]\nscript = ExtResource( 1 )\n'
    (scenario.project / "readme.tscn").write_text(node, encoding="utf-8")
    (scenario.project / "readme.gd").write_text(block[1], encoding="utf-8")
    addon = scenario.project / "addons" / "orca_crowd" / "client.gd"
    source = addon.read_text(encoding="utf-8")
    assert "http://127.0.0.1:8000" in source
    addon.write_text(source.replace("http://127.0.0.1:8000", server), encoding="utf-8")
    with scenario:
        first = positions_of(scenario.printed("[0, 1]"))
        for _ in range(5):
            last = positions_of(scenario.printed("[0, 1]"))
    # both walk toward where the other began
    assert first[0][0] < last[0][0]
    assert first[1][0] > last[1][0]


def positions_of(line: str) -> list[tuple[float, float]]:
    """The vectors in a line that GDScript printed."""
    return [(float(x), float(y)) for x, y in re.findall(r"\(([-\d.e]+), ([-\d.e]+)\)", line)]
