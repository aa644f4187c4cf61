"""What a stream of a real server shows of a world: areas, changed rows, integers, and steps that are still kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from orca_crowd_client import Backoff, Client, Frame, NotFound, Stream, World
from tests.clients.python.flaky_proxy import FlakyProxy

pytestmark = pytest.mark.usefixtures("sockets_collected")


@pytest.fixture(params=["msgpack", "json"])
def either(request: pytest.FixtureRequest, server: str, client: Client) -> Iterator[Client]:
    """A client in each encoding."""
    with Client(server, encoding=request.param) as other:
        yield other


def walkers(client: Client, count: int = 40) -> World:
    """A world in which every other agent walks along x at its own speed and the rest stand; ids from 1000 down."""
    world = client.create_world(time_step=0.5)
    row = np.arange(count)
    speed = np.where(row % 2 == 0, row / 16, 0.0)
    world.add_agents(
        id=(1000 - row).tolist(),
        position=np.stack([np.zeros(count), row * 3.0], axis=1),
        preferred_velocity=np.stack([speed, np.zeros(count)], axis=1),
        max_speed=10.0,
    )
    return world


def next_frame(stream: Stream, step: int) -> Frame:
    """The frame of a step; events are passed over."""
    for frame in stream.frames():
        if frame.step >= step:
            return frame
    raise AssertionError("the stream has ended")


def by_id(columns: Any, name: str = "position") -> dict[int, Any]:
    """Values by id."""
    return dict(zip(columns.ids.tolist(), columns[name].tolist(), strict=True))


@pytest.mark.parametrize("rows", ["changed", "all"])
def test_merged_frames_are_what_a_read_gives(either: Client, rows: Any) -> None:
    world = walkers(either)
    with world.stream(delivery="every", rows=rows, fields=["position", "velocity", "status"]) as stream:
        for step in range(6):
            frame = next_frame(stream, step)
            read = world.agents(fields=["position", "velocity", "status"])
            assert by_id(frame) == by_id(read)
            assert by_id(frame, "velocity") == by_id(read, "velocity")
            # nineteen walk and one is added, the others stand
            assert len(frame.changed) == (len(frame) if step == 0 or rows == "all" else 20 if step == 4 else 19)
            if step == 3:
                world.remove_agents([1000, 999])
                world.add_agents(id=[7], position=[(90.0, 90.0)])
            world.step()
        assert len(frame) == 39


def inside(world: World, test: Any) -> set[int]:
    """Ids of those whose position passes a test, from a read of all."""
    return {agent for agent, place in by_id(world.agents()).items() if test(*place)}


INTERESTS: list[tuple[dict[str, Any], Any]] = [
    ({"kind": "rectangle", "min": (1.0, 0.0), "max": (4.0, 200.0)}, lambda x, y: 1 <= x <= 4 and 0 <= y <= 200),
    ({"kind": "circle", "center": (0.0, 60.0), "radius": 30.0}, lambda x, y: np.hypot(x, y - 60) <= 30),
    ({"kind": "ids", "ids": np.array([990, 989, 970])}, None),
]


@pytest.mark.parametrize(("interest", "test"), INTERESTS, ids=["rectangle", "circle", "ids"])
def test_an_interest_shows_who_is_in_it(either: Client, interest: dict[str, Any], test: Any) -> None:
    world = walkers(either)
    with world.stream(delivery="every", interest=interest) as stream:
        before: set[int] = set()
        came = set()
        for step in range(8):
            frame = next_frame(stream, step)
            expected = {990, 989, 970} if test is None else inside(world, test)
            assert set(frame.ids.tolist()) == expected
            if step:
                assert set(frame.entered.tolist()) == expected - before
                assert set(frame.left.tolist()) == before - expected
            places = by_id(world.agents())
            assert by_id(frame) == {agent: places[agent] for agent in expected}
            came |= set(frame.entered.tolist()) | set(frame.left.tolist())
            before = expected
            world.step()
        assert bool(came) == (test is not None)


def test_around_an_agent_until_it_is_removed(client: Client) -> None:
    world = walkers(client)
    with world.stream(delivery="every", interest={"kind": "around", "id": 980, "radius": 10.0}) as stream:
        for step in range(6):
            frame = next_frame(stream, step)
            places = by_id(world.agents())
            if step < 4:
                x, y = places[980]
                near = {agent for agent, (a, b) in places.items() if np.hypot(a - x, b - y) <= 10}
                assert set(frame.ids.tolist()) == near
            else:
                assert len(frame) == 0
            if step == 3:
                world.remove_agents([980])
            world.step()
    with world.stream(interest={"kind": "around", "id": 5, "radius": 1.0}) as stream, pytest.raises(NotFound):
        stream.receive(timeout=10)


@pytest.mark.parametrize(("precision", "most"), [("int16", 0.002), ("int8", 0.51)])
def test_integers_are_near_what_a_read_gives(either: Client, precision: Any, most: float) -> None:
    world = walkers(either)
    fields = ["position", "velocity", "radius"]
    with world.stream(delivery="every", precision=precision, fields=fields) as stream:
        for step in range(130):
            # past the step at which the keyframe is renewed, with somebody who comes in between
            if step == 50:
                world.add_agents(id=[3], position=[(-20.0, 0.0)], preferred_velocity=(1.0, 0.0))
            frame = next_frame(stream, step)
            if step % 10 == 9:
                read = world.agents(fields=fields)
                assert frame.ids.tolist() == read.ids.tolist()
                assert np.abs(frame.position - read.position).max() <= most
                assert np.abs(frame.velocity - read.velocity).max() <= most
                assert frame.radius.dtype == "float32" or either.encoding.media_type.endswith("json")
            world.step()


@pytest.mark.parametrize("precision", ["float64", "int16"])
def test_a_cut_stream_goes_on_without_a_gap(server: str, client: Client, precision: Any) -> None:
    world = walkers(client)
    with FlakyProxy(server) as proxy, Client(proxy.url) as flaky:
        watched = flaky.world(world.id)
        options: dict[str, Any] = {"delivery": "every", "precision": precision}
        with watched.stream(**options, reconnect=Backoff(attempts=5, first=0.01)) as stream:
            steps = [next_frame(stream, 0).step]
            for turn in range(3):
                proxy.cut()
                world.step(4)
                world.add_agents(id=[turn], position=[(-50.0 - 5 * turn, 0.0)])
                world.remove_agents([1000 - turn])
                world.step()
                while steps[-1] < 5 * (turn + 1):
                    frame = next_frame(stream, steps[-1] + 1)
                    assert not frame.gap
                    assert not frame.full
                    steps.append(frame.step)
                read = world.agents()
                assert frame.ids.shape == read.ids.shape
                if precision == "float64":
                    assert by_id(frame) == by_id(read)
                else:
                    places = by_id(read)
                    assert (
                        max(np.abs(np.subtract(place, places[agent])).max() for agent, place in by_id(frame).items())
                        < 0.01
                    )
            assert steps == list(range(16))


def test_what_was_missed_comes_after_resume(client: Client) -> None:
    world = walkers(client)
    with world.stream(delivery="every") as stream:
        assert next_frame(stream, 0).full
        stream.unsubscribe()
        assert stream.ping("there", timeout=10) == "there"
        world.step(5)
        assert stream.ping(timeout=10)
        stream.resume()
        frames = [next_frame(stream, step) for step in range(1, 6)]
    assert [(frame.step, frame.gap, frame.full) for frame in frames] == [(step, False, False) for step in range(1, 6)]
    assert by_id(frames[-1]) == by_id(world.agents())
