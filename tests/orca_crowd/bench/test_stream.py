"""Every part of the stream's benchmark runs against the real thing, and what it says is held to the bars."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from orca_crowd.bench.audience import Head
from orca_crowd.bench.peer_sumo import SumoPeer
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, serving, serving_process
from orca_crowd.bench.start import child_environment
from orca_crowd.bench.stream import StreamPlan, measure_stream
from orca_crowd.bench.stream_audience import audience, idle_bytes
from orca_crowd.bench.stream_encode import encode_seconds
from orca_crowd.bench.stream_loop import POST, SOCKET, Loop
from tests.orca_crowd.bench.results import stream_result


def test_the_whole_plan_runs_against_a_real_server() -> None:
    told: list[str] = []
    plan = StreamPlan(
        "inline",
        2,
        agents=(30,),
        ticks=4,
        subscribers=3,
        watched_agents=20,
        rate=50.0,
        seconds=1.0,
        idle=5,
        encodes=3,
        encoded_agents=40,
    )
    result = measure_stream(plan, told.append)
    assert json.loads(json.dumps(result)) == result
    assert told == [
        "encoding 40 agents",
        "5 subscribers at rest",
        "the tight loop of 30 agents",
        "3 subscribers of 20 agents at 50 Hz",
    ]
    (loop,) = result["loops"]
    # whatever way a tick takes, the crowd is at the same bits
    assert loop["same_bits"]
    assert result["remarks"] == [line for line in result["remarks"] if "void" not in line]
    assert {entry["count"] for entry in loop["ways"].values()} == {4}
    live = result["watched"]
    # half of the frames, if the machine is very busy
    assert live["frames"] > 0.5 * 3 * 50.0
    assert live["frames"] == live["age"]["count"]
    assert live["age"]["points"][0] >= 0.0
    assert 0.0 < live["busy"] < 1.0
    # no bar is about worlds as small as these, but for memory
    assert [entry["name"] for entry in result["bars"]] == ["a subscriber at rest"]


def test_parts_can_be_left_out() -> None:
    result = measure_stream(StreamPlan("inline", 1, ticks=0, subscribers=0, idle=0, encodes=0))
    assert result["figures"] == result["bars"] == []
    assert len(result["facts"]) == 1


@pytest.mark.skipif(SumoPeer().missing() is not None, reason="installed by `make bench` only")
def test_the_real_sumo_walks_in_turn_with_us() -> None:
    plan = StreamPlan(
        "inline", 1, ticks=0, subscribers=0, idle=0, encodes=0, peer=SumoPeer(), peer_agents=20, peer_blocks=2
    )
    peer = measure_stream(plan)["peer"]
    assert {name: len(values) for name, values in peer.items() if name != "agents"} == {
        "ours": 2,
        "steer": 2,
        "steer_on_one_core": 2,
        "watch": 2,
    }
    assert min(min(values) for values in peer.values() if isinstance(values, list)) > 0.0


@pytest.mark.skipif(SumoPeer().missing() is not None, reason="installed by `make bench` only")
def test_persons_of_sumo_go_on() -> None:
    with SumoPeer().persons(15) as theirs:
        before = theirs.positions()
        for _ in range(10):
            theirs.steer()
        moved = np.linalg.norm(theirs.positions() - before, axis=1)
    assert len(before) == 15
    # a second at 1.3 m/s, less where somebody waits
    assert 0.5 < np.median(moved) < 1.5


def test_a_missing_sumo_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "traci", None)
    line = SumoPeer().missing()
    assert line is not None
    assert "pip install --no-deps eclipse-sumo==" in line
    assert "\n" not in line


async def test_subscribers_that_fail_are_told_with_their_words() -> None:
    with serving_process("inline", 1, sockets=3) as server:
        async with Remote(server.address) as remote:
            world = await remote.create(Scene(3))
            failed = pytest.raises(RuntimeError, match="the subscribers failed: ConnectionError")
            with failed, audience(server.address, world, 4):
                pass
            with audience(server.address, world, 2) as people:
                assert [len(reader["steps"]) for reader in people.finish()["readers"]] == [0, 0]


async def test_memory_is_that_of_the_server_and_for_each() -> None:
    with serving_process("inline", 1) as server:
        async with Remote(server.address) as remote:
            found = await idle_bytes(remote, Scene(10), server.process, 40)
    if found is None:
        pytest.skip("the system does not tell what a process holds")
    # a socket is some kilobytes whatever it is made of, and no part of a server's hundred megabytes
    assert 1_000 < found["bytes"] < 1_000_000


async def test_a_step_that_was_not_seen_is_counted() -> None:
    with serving("inline", 1) as address:
        async with Remote(address) as remote:
            world = await remote.create(Scene(4))
            # `every: 3` leaves two of three steps out, which is what a reader who missed them would see
            command = [sys.executable, "-m", "orca_crowd.bench.audience"]
            plan = {"address": address, "world": world, "subscribers": 1}
            plan["subscribe"] = {"type": "subscribe", "every": 3, "delivery": "every"}
            with subprocess.Popen(
                [*command, json.dumps(plan)], env=child_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            ) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == b"ready\n"
                for _ in range(6):
                    await remote.call("POST", f"/v1/worlds/{world}/steps", {"count": 1})
                answer, _ = child.communicate(b"\n")
    (reader,) = msgspec.msgpack.decode(answer)["readers"]
    assert np.frombuffer(reader["steps"], "<i8").tolist() == [3, 6]
    assert reader["missed"] == 4


def test_a_frame_is_encoded_whole() -> None:
    taken, size = encode_seconds(Scene(50), 3)
    assert len(taken) == 3
    # ids, and two vectors in float32
    assert size > 50 * (8 + 8 + 8)
    assert Head("full").type == "full"


def test_a_loop_sends_what_it_wants_and_takes_what_came() -> None:
    scene = Scene(3)
    loop = Loop(scene, np.arange(3, dtype="<i8").tobytes())
    first = loop.message(type="step")
    loop.take({"agents": {"position": scene.goals.tobytes(), "velocity": bytes(48)}})
    loop.think()
    assert (loop.wanted == 0.0).all()
    assert loop.message(type="step") != first


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, []),
        ({"more": 1.6e-3}, ["a tick of 1,000 agents beyond the bare step, median"]),
        ({"age": 0.06}, ["age of a frame, 99th percentile"]),
        ({"missed": 1}, ["steps given up or missed"]),
        ({"bytes": 50_000.0}, ["a subscriber at rest"]),
        ({"encode": 2e-4}, ["a frame of 10,000 agents"]),
        ({"share": 0.06}, ["a tick of 1,000 agents, share of SUMO's time"]),
    ],
)
def test_the_bars_are_as_promised(change: dict[str, Any], missed: list[str]) -> None:
    bars = stream_result(**change)["bars"]
    assert len(bars) == 9
    assert [entry["name"] for entry in bars if not entry["reached"]] == missed


def test_both_ways_are_among_the_figures() -> None:
    names = [entry["name"] for entry in stream_result()["figures"]]
    for way in (SOCKET, POST):
        assert f"1,000 agents: beyond the bare step, {way}, 99th percentile" in names
    assert len(names) == len(set(names))


def test_the_document_has_a_place_for_it() -> None:
    text = (Path(__file__).parents[3] / "docs" / "performance.md").read_text(encoding="utf-8")
    assert text.count("<!-- begin stream -->") == text.count("<!-- end stream -->") == 1
