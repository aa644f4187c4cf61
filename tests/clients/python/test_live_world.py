"""The client against a real server: what is sent is there, bits included, and what is refused changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orca_crowd_client import (
    ApiError,
    AsyncClient,
    Client,
    Conflict,
    Gone,
    InvalidRequest,
    NotFound,
    Obstacle,
    WalkableArea,
    World,
    commands,
)
from tests.clients.python.flaky_proxy import FlakyProxy

SQUARE = {"type": "Polygon", "coordinates": [[[-9, -9], [9, -9], [9, 9], [-9, 9], [-9, -9]]]}
# legal coordinates that a careless encoding changes
AWKWARD = [0.1 + 0.2, 5572094.155411, 1e-310, 5e-324, -0.0, 1e9, -1e9, 1 / 3]
MAP = "type octile\nheight 3\nwidth 3\nmap\n...\n.@.\n...\n"


@pytest.fixture(params=["msgpack", "json"])
def either(request: pytest.FixtureRequest, server: str, client: Client) -> Any:
    """A client in each encoding."""
    with Client(server, encoding=request.param) as other:
        yield other


def test_bits_survive_there_and_back(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    sent = np.array([AWKWARD, AWKWARD[::-1]]).T
    ids = world.add_agents(position=sent, velocity=sent[::-1], radius=0.0).ids
    first = world.agents(fields=["position", "velocity"])
    assert first.position.tobytes() == sent.tobytes()
    assert first.velocity.tobytes() == sent[::-1].tobytes()
    # what was read and is written back is the same state
    before = world.digest().sha256
    world.set_agents(ids, position=first.position, velocity=first.velocity)
    assert world.digest().sha256 == before
    assert world.agents().position.tobytes() == sent.tobytes()


def test_the_digest_is_that_of_the_columns(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    world.add_agents(position=[(-3, 0.1), (3, 0), (0, 3)], goal=[(3, 0), (-3, 0), (0, -3)])
    world.step(30)
    agents = world.agents()
    state = np.hstack([agents.position, agents.velocity]).astype("<f8").tobytes()
    assert world.digest().sha256 == hashlib.sha256(state).hexdigest()
    assert agents.step == world.digest().step == 30


def test_both_encodings_see_the_same_world(server: str, make_world: Any) -> None:
    world = make_world()
    world.add_agents(position=[(-3, 0), (3, 0)], goal=[(3, 0), None], ids=[5, 2**53 - 1])
    world.step(3)
    fields = ["position", "velocity", "goal", "radius", "max_neighbors", "neighbor_distance", "status"]
    with Client(server, encoding="json") as other:
        one, two = world.agents(fields=fields), other.world(world.id).agents(fields=fields)
    assert one.ids.tolist() == two.ids.tolist() == [5, 2**53 - 1]
    for field in fields[:-1]:
        assert one[field].tobytes() == two[field].tobytes(), field
    assert one.status == two.status == ["moving", "no-goal"]
    assert one.max_neighbors.tolist() == [10, 10]
    assert one.neighbor_distance.tolist() == [7, 7]


def test_ways_for_somebody_who_steers_himself(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    world.add_obstacles([[(5, -3), (5, 3)], {"points": [(20, 0), (22, 0), (22, 2), (20, 2)], "closed": True}])
    found = world.paths([{"from": (0, 0), "to": (9, 0), "radius": 0.5}, {"from": (0, 0), "to": (21, 1)}])
    assert found.step == 0
    way, none = found.paths
    assert way.waypoints[0].tolist() == [0, 0]
    assert way.waypoints[-1].tolist() == [9, 0]
    assert way.length > 9.0
    assert not way.unfinished
    assert (none.waypoints, none.reason, none.unfinished) == (None, "goal-off-surface", False)
    assert none.nearest is not None


def test_an_agents_life(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    added = world.add_agents(position=[(0, 0), (5, 0)], goal=(9, 9), ids=[7, 3])
    assert (added.ids.tolist(), added.step, added.warnings) == ([7, 3], 0, ())
    assert world.add_agents([{"position": (0, 5)}]).ids.tolist() != [7]
    assert world.agents(ids=[3, 7]).position.tolist() == [[5, 0], [0, 0]]
    assert world.agent(7)["goal"] == [9, 9]
    assert world.set_agent(7, goal=None)["status"] == "no-goal"
    world.set_agents([7, 3], goal=[None, (1, 1)], radius=0.25)
    assert np.isnan(world.agents(fields=["goal"], ids=[7]).goal).all()
    assert world.agents(fields=["radius"]).radius.tolist() == [0.25, 0.25, 0.5]
    assert world.agents(precision="float32").position.tolist() == [[0, 0], [5, 0], [0, 5]]
    assert [len(world.agents(offset=1)), len(world.agents(limit=1))] == [2, 1]
    assert {"constraints", "program"} <= world.explain(3).keys()
    assert world.remove_agents([3]).removed.tolist() == [3]
    world.remove_agent(7)
    with pytest.raises(Gone, match="agent 7 was removed"):
        world.agent(7)
    with pytest.raises(NotFound):
        world.agent(12345)


def test_removing_more_agents_than_a_url_holds(make_world: Any) -> None:
    world = make_world()
    rows = np.stack(np.meshgrid(np.arange(50.0), np.arange(50.0)), axis=-1).reshape(-1, 2) * 3
    ids = world.add_agents(position=rows).ids
    assert world.remove_agents(ids[:-1]).removed.tolist() == ids[:-1].tolist()
    assert world.agents().ids.tolist() == [ids[-1]]


def test_geometry(either: Client, tmp_path: Path) -> None:
    world = either.create_world(time_step=0.1)
    wall, box = world.add_obstacles([[(0, 0), (1, -0.0)], Obstacle([(3, 3), (4, 3), (4, 4)], closed=True, id=9)]).ids
    assert [obstacle.id for obstacle in world.obstacles()] == [wall, box]
    assert world.obstacle(9).closed
    assert world.obstacle(int(wall)).points.tobytes() == np.array([[0, 0], [1, -0.0]]).tobytes()
    world.set_obstacle(9, [(3, 3), (5, 3)])
    assert world.obstacle(9).points.tolist() == [[3, 3], [5, 3]]
    world.remove_obstacle(9)
    with pytest.raises(Gone):
        world.obstacle(9)
    (area,) = world.add_walkable([WalkableArea(SQUARE, clearance=0.5)]).ids
    assert world.walkable_area(int(area)).clearance == 0.5
    world.set_walkable(int(area), SQUARE)
    assert [found.clearance for found in world.walkable()] == [0]
    world.remove_walkable(int(area))
    assert world.walkable() == []
    file = tmp_path / "ring.map"
    file.write_text(MAP, encoding="ascii")
    assert len(world.add_map(file, as_="walkable", cell_size=2).ids) == 1
    assert len(world.add_map(MAP, as_="obstacles").ids) == 2
    assert len(world.add_map(SQUARE, as_="walkable").ids) == 1
    with pytest.raises(InvalidRequest, match="line 5"):
        world.add_map(MAP.replace("...\n.@.", "..\n.@."), as_="obstacles")


def test_commands_are_all_or_nothing(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    done = world.commands(
        [
            commands.add_agents(position=[(0, 0), (5, 0)], ids=[1, 2]),
            commands.set_agents([1], goal=(9, 0)),
            commands.remove_agents([2]),
            commands.add_obstacles([[(50, 50), (51, 51)]]),
            commands.add_walkable([WalkableArea(SQUARE)]),
        ]
    )
    assert done.step == 0
    assert done.results[0]["ids"].tolist() == [1, 2]
    assert done.results[2]["removed"].tolist() == [2]
    obstacle, area = int(done.results[3]["ids"][0]), int(done.results[4]["ids"][0])
    world.commands(
        [
            commands.set_obstacle(obstacle, [(60, 60), (61, 61)]),
            commands.set_walkable(area, WalkableArea(SQUARE, clearance=0.25)),
        ]
    )
    assert world.walkable_area(area).clearance == 0.25
    before = (world.digest(), world.obstacles()[0].points.tolist())
    with pytest.raises(NotFound, match="agent 99") as refusal:
        world.commands([commands.remove_obstacle(obstacle), commands.set_agents([99], goal=(0, 0))])
    assert refusal.value.errors[0].item == 1
    assert (world.digest(), world.obstacles()[0].points.tolist()) == before
    world.commands([commands.remove_obstacle(obstacle), commands.remove_walkable(area)])
    assert (world.obstacles(), world.walkable()) == ([], [])


def test_steps(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    ids = world.add_agents(position=[(0, 0), (5, 5)], goal=[(0.1, 0), (50, 50)], ids=[4, 8]).ids
    stepped = world.step(expected_step=0, return_="digest")
    assert (stepped.step, stepped.digest) == (1, world.digest().sha256)
    assert [(event.kind, event.ids) for event in stepped.events] == [("arrived", (4,))]
    orders = [commands.set_agents(ids, preferred_velocity=[(0, -0.0), (1, 0)])]
    agents = world.step(2, commands=orders, return_="agents", fields=["velocity"], ids=[8]).agents
    assert agents is not None
    assert (agents.step, agents.ids.tolist(), agents.velocity.tolist()) == (3, [8], [[1, 0]])
    with pytest.raises(Conflict) as refusal:
        world.step(expected_step=0)
    assert refusal.value.code == "wrong-step"
    assert world.digest().step == 3


def test_a_lease_keeps_others_from_stepping(make_world: Any, client: Client) -> None:
    world = make_world()
    assert world.lease("me", 30).holder == "me"
    other = client.world(world.id)
    with pytest.raises(Conflict) as refusal:
        other.step()
    assert refusal.value.code == "leased"
    assert world.step().step == 1
    world.release_lease()
    assert other.step().step == 2


def test_worlds_and_their_descriptions(make_world: Any, client: Client) -> None:
    world = make_world(id="plaza", name="Plaza", options={"profile": "text"}, seed=3, defaults={"radius": 0.25})
    assert (world.id, world.description["profile"]) == ("plaza", "text")
    world.add_agents(position=(0, 0))
    assert world.agent(0)["radius"] == 0.25
    assert [found.id for found in client.worlds()] == ["plaza"]
    assert world.update(name="Agora", defaults={"radius": 0.75})["name"] == "Agora"
    assert client.world("plaza").describe()["defaults"] == {"radius": 0.75}
    with pytest.raises(Conflict):
        make_world(id="plaza")
    assert {"version", "limits", "options"} <= client.info().keys()
    world.delete()
    with pytest.raises(NotFound):
        world.describe()


def test_a_snapshot_goes_on_with_the_same_bits(make_world: Any, client: Client) -> None:
    world = make_world()
    world.add_agents(position=[(-3, 0), (3, 0), (0, 2)], goal=[(3, 0), (-3, 0), (0, -2)])
    world.step(7)
    copy = client.restore(world.snapshot(), id="copy")
    assert copy.digest() == world.digest()
    assert copy.step(20, return_="digest").digest == world.step(20, return_="digest").digest
    with pytest.raises(Conflict):
        client.restore(world.snapshot(), id="copy")
    with pytest.raises(InvalidRequest) as refusal:
        client.restore(world.snapshot()[:-3])
    assert refusal.value.code == "bad-snapshot"


def test_steering_for_a_world_of_ones_own(either: Client) -> None:
    columns = {"position": [(-1, 0.1), (1, 0)], "goal": [(5, 0), (-5, 0)], "radius": 0.4}
    velocity = either.steer(time_step=0.1, agents=columns, obstacles=[[(-9, 9), (9, 9)]], walkable=[SQUARE])
    world = either.create_world(time_step=0.1)
    world.add_obstacles([[(-9, 9), (9, 9)]])
    world.add_walkable([SQUARE])
    world.add_agents(**columns)
    world.step()
    assert velocity.tobytes() == world.agents().velocity.tobytes()


BAD: dict[str, Callable[[World], Any]] = {
    "nan": lambda world: world.add_agents(position=[(0, 0), (float("nan"), 0)]),
    "infinity": lambda world: world.add_agents(position=[(0, 0), (float("inf"), 0)]),
    "nan in an array": lambda world: world.set_agents([1, 2], velocity=np.array([[0, 0], [np.nan, 0]])),
    "string": lambda world: world.add_agents(position=[(0, 0), (9, 0)], radius=[0.5, "0.5"]),
    "boolean": lambda world: world.add_agents(position=[(0, 0), (9, 0)], radius=[0.5, True]),
    "negative": lambda world: world.set_agents([1, 2], radius=[0.5, -0.5]),
    "three numbers": lambda world: world.add_agents(position=[(0, 0), (9, 0, 0)]),
    "id twice": lambda world: world.add_agents(position=[(0, 9), (9, 9)], ids=[77, 77]),
    "id of a float": lambda world: world.add_agents(position=[(0, 9), (9, 9)], ids=[77, 78.0]),
    "misspelt in a row": lambda world: world.add_agents([{"position": (0, 9)}, {"position": (9, 9), "raduis": 1}]),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_input_is_refused_by_item_and_changes_nothing(either: Client, bad: Callable[[World], Any]) -> None:
    world = either.create_world(time_step=0.1)
    world.add_agents(position=[(0, 0), (5, 0)], ids=[1, 2])
    before = world.digest()
    with pytest.raises(InvalidRequest, match="422 invalid") as refusal:
        bad(world)
    fault = refusal.value.errors[0]
    assert fault.item == 1
    assert fault.field in ("position", "velocity", "radius", "id", "ids", "raduis")
    # and the world can still be read by everybody
    assert world.digest() == before
    assert len(world.agents()) == 2


def test_a_misspelt_column_is_refused_by_name(either: Client) -> None:
    world = either.create_world(time_step=0.1)
    with pytest.raises(InvalidRequest, match="raduis"):
        world.add_agents(position=[(0, 0)], raduis=1)
    assert len(world.agents()) == 0


def test_an_effect_whose_answer_was_lost_happens_once(server: str, client: Client) -> None:
    world = client.create_world(time_step=0.1)
    with FlakyProxy(server) as proxy, Client(proxy.url) as flaky:
        far = flaky.world(world.id)
        proxy.lose_answers(2)
        assert far.step(3).step == 3
        assert proxy.connections == 3
        proxy.lose_answers(1)
        done = far.commands([commands.add_agents(position=[(0, 0), (5, 0)])])
        assert done.results[0]["ids"].tolist() == [0, 1]
        proxy.lose_answers(1)
        assert len(far.agents()) == 2
    assert (world.digest().step, len(world.agents())) == (3, 2)


def test_a_key_answers_for_one_body_alone(make_world: Any) -> None:
    world = make_world()
    orders = [commands.add_agents(position=[(0, 0)])]
    first = world.commands(orders, key="mine")
    again = world.commands(orders, key="mine")
    assert first.results[0]["ids"].tolist() == again.results[0]["ids"].tolist()
    assert world.step(2, key="other").step == world.step(2, key="other").step == 2
    with pytest.raises(Conflict) as refusal:
        world.commands([commands.add_agents(position=[(9, 9)])], key="mine")
    assert refusal.value.code == "key-reused"
    assert len(world.agents()) == 1


async def test_asyncio_does_the_same(async_client: AsyncClient) -> None:
    world = await async_client.create_world(time_step=0.1)
    ids = (await world.add_agents(position=[(-3, 0.1), (3, 0)], goal=[(3, 0), (-3, 0)])).ids
    await world.set_agents(ids, radius=0.4)
    await world.add_obstacles([[(-1, 2), (1, 2)]])
    await world.commands([commands.set_agents(ids, max_speed=2)])
    stepped = await world.step(10, return_="agents")
    assert stepped.agents is not None
    assert stepped.agents.position.tobytes() == (await world.agents()).position.tobytes()
    copy = await async_client.restore(await world.snapshot())
    assert await copy.digest() == await world.digest()
    assert [found.id for found in await async_client.worlds()] == [world.id, copy.id]
    with pytest.raises(ApiError):
        await world.agent(99)
    await world.delete()
