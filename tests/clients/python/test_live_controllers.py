"""Several controllers of one world on a real server: ownership, the barrier clock, the order of all changes, leases."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from orca_crowd_client import (
    AsyncClient,
    AsyncStream,
    AsyncWorld,
    Backoff,
    Client,
    Conflict,
    Event,
    Forbidden,
    Stepped,
    Stream,
    commands,
)
from tests.clients.python.flaky_proxy import FlakyProxy

pytestmark = pytest.mark.usefixtures("sockets_collected")


@asynccontextmanager
async def controller(world: AsyncWorld, name: str, *, watch: bool = False) -> AsyncIterator[AsyncStream]:
    """A stream that is registered."""
    async with world.stream(watch=watch) as stream:
        assert (await stream.register(name)).results[0]["controller"] == name
        yield stream


def east(*ids: int) -> list[commands.Command]:
    """An order to walk east."""
    return [commands.set_agents(ids, preferred_velocity=(1.0, 0.0))]


async def barrier(client: AsyncClient, timeout: float = 30.0) -> AsyncWorld:
    """A barrier world with two agents."""
    world = await client.create_world(time_step=0.1, clock={"mode": "barrier", "timeout": timeout})
    await world.add_agents(position=[(0.0, 0.0), (9.0, 0.0)])
    return world


async def test_nobody_else_orders_what_is_owned(async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    await world.add_agents(position=[(0.0, 0.0), (9.0, 0.0)])
    async with controller(world, "blue") as blue, controller(world, "red") as red:
        owned = await blue.own([0])
        assert owned.results[0]["owned"].tolist() == [0]
        with pytest.raises(Forbidden, match="owned"):
            await red.command(east(1, 0))
        with pytest.raises(Forbidden):
            await red.own([1, 0])
        with pytest.raises(Forbidden):
            await world.set_agents([0], radius=0.2)
        # a call says in whose name it comes
        world.controller = "blue"
        changed = await world.set_agents([0], radius=0.2)
        assert changed.sequence is not None
        assert owned.sequence is not None
        assert changed.sequence > owned.sequence
        assert (await blue.command(east(0))).sequence == changed.sequence + 1
        disowned = await blue.disown([0])
        assert disowned.results[0]["owned"].tolist() == []
        assert (await red.command(east(0))).step == 0


async def test_a_name_has_one_socket(async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    await world.add_agents(position=(0.0, 0.0))
    async with controller(world, "npc") as older:
        await older.own([0])
        async with world.stream(watch=False) as newer:
            # what is owned is owned by the name
            assert (await newer.register("npc")).results[0]["owned"].tolist() == [0]
            with pytest.raises(Conflict, match="replaced"):
                await older.receive(timeout=10)
            with pytest.raises(Conflict, match="not-registered"):
                await older.disown([0])
            assert (await newer.unregister()).results[0]["owned"].tolist() == [0]


async def test_a_barrier_waits_for_all(async_client: AsyncClient) -> None:
    world = await barrier(async_client)
    async with controller(world, "blue") as blue, controller(world, "red") as red:
        waiting = asyncio.create_task(blue.ready(1, commands=east(0), return_="agents", fields=["velocity"]))
        with pytest.raises(Conflict, match="wrong-step"):
            await red.ready(3)
        assert (await world.describe())["step"] == 0
        stepped = await red.ready(commands=east(1), return_="digest")
        told = await waiting
        assert isinstance(told, Stepped)
        assert (told.step, stepped.step) == (1, 1)
        assert told.agents is not None
        assert told.agents.velocity.tolist() == [[1, 0], [1, 0]]
        assert stepped.digest == (await world.digest()).sha256
        assert {told.sequence, stepped.sequence} == {2, 3}
        with pytest.raises(Conflict, match="wrong-clock"):
            await blue.step()


async def test_a_barrier_that_waits_too_long_says_for_whom(async_client: AsyncClient) -> None:
    world = await barrier(async_client, timeout=0.2)
    async with controller(world, "blue", watch=True) as blue, controller(world, "red"):
        assert (await blue.ready()).step >= 1
        async with asyncio.timeout(30):
            async for item in blue:
                if isinstance(item, Event) and item.kind == "barrier-timeout":
                    assert "red" in item.data["controllers"]
                    break


def test_a_controller_comes_back_after_a_cut(server: str, client: Client) -> None:
    world = client.create_world(time_step=0.1, clock={"mode": "barrier", "timeout": 60.0})
    world.add_agents(position=[(0.0, 0.0), (9.0, 0.0)])
    with (
        FlakyProxy(server) as proxy,
        Client(proxy.url) as flaky,
        flaky.world(world.id).stream(watch=False, reconnect=Backoff(attempts=9, first=0.01)) as stream,
    ):
        stream.register("npc")
        stream.own([0])
        stepped = [stream.ready(commands=east(0)).step]
        for _ in range(3):
            # the answer is lost, the step taken, and not taken again
            proxy.lose_answers(1)
            stepped.append(stream.ready(commands=east(0), timeout=30).step)
        proxy.cut()
        assert stream.disown([0]).results[0]["owned"].tolist() == []
    assert stepped == [1, 2, 3, 4]
    assert world.describe()["step"] == 4


def test_controllers_in_threads(client: Client) -> None:
    world = client.create_world(time_step=0.1, clock={"mode": "barrier", "timeout": 60.0})
    world.add_agents(position=[(0.0, 9.0 * agent) for agent in range(3)])
    registered = threading.Barrier(3)
    taken: list[list[int]] = [[], [], []]

    def control(agent: int) -> None:
        with world.stream(watch=False) as stream:
            stream.register(f"team-{agent}")
            stream.own([agent])
            # nobody begins before all are there, or steps would not wait for them
            registered.wait(30)
            for step in range(1, 11):
                taken[agent].append(stream.ready(step, commands=east(agent), timeout=30).step)
            registered.wait(30)

    threads = [threading.Thread(target=control, args=(agent,)) for agent in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == [list(range(1, 11))] * 3
    assert world.agents().velocity.tolist() == [[1, 0]] * 3


def test_the_lease_counts_on_a_stream(client: Client) -> None:
    world, other = client.create_world(time_step=0.1), None
    world.lease("me", 60)
    other = client.world(world.id)
    with world.stream(watch=False) as mine, other.stream(watch=False) as theirs:
        assert step_of(mine) == 1
        with pytest.raises(Conflict, match="leased"):
            step_of(theirs)
        with pytest.raises(Conflict, match="leased"):
            other.lease("them", 60)
        world.release_lease()
        assert step_of(theirs) == 2
        assert step_of(mine) == 3


def step_of(stream: Stream) -> int:
    """Take a step; its number."""
    return stream.step(timeout=30).step
