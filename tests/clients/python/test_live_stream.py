"""Streams of a real server: joining late, losing nothing, seeing gaps, surviving cuts, and great crowds."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from orca_crowd_client import (
    AsyncClient,
    Backoff,
    Client,
    Event,
    Frame,
    InvalidRequest,
    NotFound,
    WorldGone,
    commands,
)
from tests.clients.python.flaky_proxy import FlakyProxy

STEPS = 1000

pytestmark = pytest.mark.usefixtures("sockets_collected")


@pytest.fixture(params=["msgpack", "json"])
def either(request: pytest.FixtureRequest, server: str, client: Client) -> Iterator[Client]:
    """A client in each encoding."""
    with Client(server, encoding=request.param) as other:
        yield other


def crowd(client: Client, count: int = 20, **members: Any) -> Any:
    """A world with agents on a ring who want across."""
    world = client.create_world(**{"time_step": 0.1, **members})
    turn = np.arange(count) * (2 * np.pi / count) + 0.001
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * count / 4
    world.add_agents(position=ring, goal=-ring)
    return world


def test_a_frame_is_what_a_read_gives(either: Client) -> None:
    world = crowd(either)
    fields = ["position", "velocity", "goal", "status", "max_neighbors"]
    with world.stream(fields=fields) as stream:
        for step in range(4):
            frame = stream.receive(timeout=10)
            assert isinstance(frame, Frame)
            read = world.agents(fields=fields)
            assert (frame.step, frame.time, frame.full, frame.gap) == (step, read.time, step == 0, False)
            assert frame.ids.tolist() == read.ids.tolist()
            for field in ("position", "velocity", "goal", "max_neighbors"):
                assert frame[field].tobytes() == read[field].tobytes()
            assert frame.status == read.status
            world.step()
        assert stream.hello["world"] == world.id
        assert stream.hello["time_step"] == 0.1


def test_whoever_joins_late_begins_with_the_whole_state_of_now(either: Client) -> None:
    world = crowd(either)
    with world.stream() as stream:
        stream.receive(timeout=10)
    for number in range(10):
        world.step(10)
        world.set_agents([number], radius=0.3)
    with world.stream() as stream:
        frame = stream.receive(timeout=10)
    assert isinstance(frame, Frame)
    assert (frame.full, frame.step) == (True, 100)
    assert frame.position.tobytes() == world.agents().position.tobytes()


def test_float32_and_every_third_step(either: Client) -> None:
    world = crowd(either)
    with world.stream(fields=["position"], precision="float32", every=3, delivery="every") as stream:
        world.step(9)
        frames = [stream.receive(timeout=10) for _ in range(4)]
        assert [frame.step for frame in frames] == [0, 3, 6, 9]
        assert not any(frame.gap for frame in frames if isinstance(frame, Frame))
        read = world.agents(precision="float32")
        assert isinstance(frames[-1], Frame)
        assert np.array_equal(frames[-1].position, read.position)


def test_delivery_every_leaves_nothing_out(client: Client) -> None:
    world = crowd(client)
    stepping = threading.Thread(target=lambda: [world.step(10) for _ in range(STEPS // 10)])
    with world.stream(fields=["position"], delivery="every") as stream:
        stepping.start()
        steps = []
        for frame in stream.frames():
            steps.append(frame.step)
            assert not frame.gap
            if frame.step == STEPS:
                break
    stepping.join()
    assert steps == list(range(STEPS + 1))


def test_delivery_latest_shows_what_it_left_out(client: Client) -> None:
    world = crowd(client)
    with world.stream(fields=["position"]) as stream:
        first = stream.receive(timeout=10)
        # nobody reads meanwhile
        world.step(STEPS)
        seen: list[Frame] = [first] if isinstance(first, Frame) else []
        for frame in stream.frames():
            seen.append(frame)
            if frame.step == STEPS:
                break
    # a window of old ones at most, then the newest; whatever was left out between two frames is marked
    assert len(seen) < 20
    for before, frame in itertools.pairwise(seen):
        assert frame.since == before.step
        assert frame.gap == (frame.step - before.step > 1)
    assert any(frame.gap for frame in seen)


def test_agents_that_come_and_go(either: Client) -> None:
    world = crowd(either, 4)
    with world.stream(delivery="every") as stream:
        assert [stream.receive(timeout=10).step for _ in range(1)] == [0]
        (new,) = world.add_agents(position=(50, 50)).ids
        world.remove_agents([1])
        world.step()
        items = []
        while not (isinstance(items[-1] if items else None, Frame) and items[-1].step == 1):
            items.append(stream.receive(timeout=10))
        frame = items[-1]
        assert frame.ids.tolist() == [0, 2, 3, int(new)]
        assert frame.position.tobytes() == world.agents().position.tobytes()
        entered = [agent for item in items if isinstance(item, Frame) for agent in item.entered.tolist()]
        left = [agent for item in items if isinstance(item, Frame) for agent in item.left.tolist()]
        assert (entered, left) == ([int(new)], [1])
        removed = [item for item in items if isinstance(item, Event)]
        assert [(event.kind, event.ids) for event in removed] == [("removed", (1,))]


def test_the_tight_loop_of_a_game(either: Client) -> None:
    world = crowd(either, 10)
    mine = [3, 5]
    with world.stream(watch=False) as socket:
        for step in range(1, 6):
            orders = [commands.set_agents(mine, preferred_velocity=[(1, 0), (0, 1)])]
            stepped = socket.step(
                commands=orders, return_="agents", fields=["velocity"], ids=mine, expected_step=step - 1
            )
            assert stepped.agents is not None
            assert stepped.step == stepped.agents.step == step
            assert stepped.agents.ids.tolist() == mine
            assert stepped.agents.velocity.tobytes() == world.agents(ids=mine).velocity.tobytes()
        assert socket.step(return_="digest").digest == world.digest().sha256
        added = socket.command([commands.add_agents(position=(80, 80))])
        assert added.results[0]["ids"].tolist() == [10]
        with pytest.raises(InvalidRequest) as refusal:
            socket.command([commands.add_agents(position=[(90, 90)], radius=[-1])])
        assert refusal.value.errors[0].item == 0
        # and the socket is unharmed
        assert socket.step().step == 7


async def test_a_burst_of_acknowledgements_loses_none(async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    async with world.stream() as stream:
        orders = [[commands.add_agents(position=(3 * number, 0), id=number)] for number in range(200)]
        done = await asyncio.gather(*(stream.command(order, timeout=30) for order in orders))
    assert [answer.results[0]["ids"].tolist() for answer in done] == [[number] for number in range(200)]
    assert len(await world.agents()) == 200


async def test_watching_and_stepping_over_one_socket(async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    await world.add_agents(position=[(0, 0), (5, 0)], goal=[(1, 0), (9, 0)])
    seen: list[int] = []
    events: list[str] = []
    async with world.stream(delivery="every") as stream, asyncio.timeout(60):

        async def watch() -> None:
            async for item in stream:
                if isinstance(item, Frame):
                    seen.append(item.step)
                else:
                    events.append(item.kind)
                if seen and seen[-1] == 50:
                    return

        watching = asyncio.create_task(watch())
        for step in range(50):
            assert (await stream.step(expected_step=step)).step == step + 1
        await watching
    assert seen == list(range(51))
    assert events.count("arrived") == 2


async def test_a_cut_connection_is_survived(server: str, async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    await world.add_agents(position=[(0, 0), (5, 0)], goal=[(9, 0), (-9, 0)])
    with FlakyProxy(server) as proxy:
        async with (
            AsyncClient(proxy.url) as flaky,
            flaky.world(world.id).stream(reconnect=Backoff(attempts=5, first=0.01)) as stream,
        ):
            assert (await stream.receive(timeout=10)).step == 0
            proxy.cut()
            await world.step(5)
            # what was missed is still kept: one frame brings it, and leaves out four steps
            frame = await stream.receive(timeout=30)
            assert isinstance(frame, Frame)
            assert (frame.step, frame.since, frame.gap) == (5, 0, True)
            assert frame.position.tobytes() == (await world.agents()).position.tobytes()
            # what is asked while the connection breaks has one effect
            for step in range(6, 9):
                asking = asyncio.create_task(stream.step())
                await asyncio.sleep(0)
                proxy.cut()
                assert (await asking).step == step
    assert (await world.digest()).step == 8


def test_a_deleted_world_ends_its_stream(either: Client) -> None:
    world = crowd(either)
    with world.stream() as stream:
        stream.receive(timeout=10)
        world.delete()
        with pytest.raises(WorldGone):
            for _ in stream:
                pass
    with pytest.raises(NotFound), world.stream():
        pass


def test_a_refused_subscription_leaves_the_socket_open(either: Client) -> None:
    world = crowd(either)
    with world.stream(fields=["raduis"]) as stream:
        with pytest.raises(InvalidRequest):
            stream.receive(timeout=10)
        stream.subscribe(fields=["radius"])
        frame = stream.receive(timeout=10)
        assert isinstance(frame, Frame)
        assert set(frame.radius.tolist()) == {0.5}


def test_a_crowd_of_50000_fits_the_default_limits(client: Client) -> None:
    world = client.create_world(time_step=0.1)
    side = np.arange(224.0) * 3
    positions = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)[:50_000]
    world.add_agents(position=positions, max_neighbors=0)
    fields = ["position", "velocity", "goal", "radius", "max_speed", "neighbor_distance", "status"]
    with world.stream(fields=fields) as stream:
        frames = stream.frames()
        full = next(frames)
        assert full.position.tobytes() == positions.tobytes()
        assert stream.step(timeout=60).step == 1
        frame = next(frames)
        assert (frame.step, frame.gap, len(frame)) == (1, False, 50_000)
