"""Agents and walls that come, go, move and come back: nothing of what was removed is left, nothing is mixed up."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core import AlreadyExists, Gone, InvalidInput, NotFound, World
from orca_core.identifiers import MAXIMUM_IDENTIFIER
from orca_core.state import FIELDS
from tests.support.worlds import PROFILES, agents, wall, world_of


@pytest.mark.parametrize("profile", PROFILES)
def test_a_removed_agent_is_felt_no_more(profile: str) -> None:
    """From the step of its removal on, the bits are those of a world that never had it."""
    world = world_of([(0.0, 0.0), (-3.0, 0.0)], options=PROFILES[profile],
                     preferred_velocity=np.array([[0.0, 0.0], [1.0, 0.0]]))  # fmt: skip
    world.step(2)
    fresh = world_of(world.column("position")[1:], options=PROFILES[profile], velocity=world.column("velocity")[1:],
                     preferred_velocity=(1.0, 0.0))  # fmt: skip
    world.remove_agents([0])
    for _ in range(20):
        world.step()
        fresh.step()
        assert world.digest() == fresh.digest()
    assert world.column("velocity")[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("profile", PROFILES)
def test_an_agent_that_was_moved_away_leaves_nothing_where_it_was(profile: str) -> None:
    world = world_of([(0.0, 0.0), (-3.0, 0.0)], options=PROFILES[profile],
                     preferred_velocity=np.array([[0.0, 0.0], [1.0, 0.0]]))  # fmt: skip
    world.set_agents([0], {"position": [(50.0, 50.0)]})
    alone = world_of([(-3.0, 0.0)], options=PROFILES[profile], preferred_velocity=(1.0, 0.0))
    world.step(40)
    alone.step(40)
    assert (world.column("position")[1] == alone.column("position")[0]).all()
    assert world.column("position")[0].tolist() == [50.0, 50.0]


def test_a_teleport_is_taken_to_the_bit_and_keeps_the_velocity() -> None:
    world = world_of([(0.0, 0.0), (3.1, 0.2)], velocity=(1.0, 0.0))
    place = [0.1 + 0.2, -1e-310]
    world.set_agents([0], {"position": [place]})
    assert world.column("position")[0].tolist() == place
    assert world.column("velocity")[0].tolist() == [1.0, 0.0]
    # onto another: they part
    notices = world.set_agents([0], {"position": [(3.0, 0.2)]})
    assert [notice.code for notice in notices] == ["overlapping"]
    world.step(10)
    assert np.hypot(*(world.column("position")[0] - world.column("position")[1])) >= 1.0 - 1e-6


def test_minus_zero_and_the_smallest_numbers_come_back_as_they_went_in() -> None:
    values = [[0.1 + 0.2, 5572094.155411], [1e-310, -0.0], [-0.0, 5e-324]]
    world = world_of(values, velocity=np.array(values))
    for name in ("position", "velocity"):
        assert world.column(name).tobytes() == np.array(values).tobytes()
    world.set_agents(world.ids, {"position": world.column("position").copy()})
    assert world.column("position").tobytes() == np.array(values).tobytes()
    assert World.restore(world.snapshot()).column("position").tobytes() == np.array(values).tobytes()


def test_ids_are_never_given_twice() -> None:
    world = world_of([(0, 0), (5, 0), (10, 0)], goal=(1.0, 2.0))
    a, b, c = world.ids.tolist()
    others = [world.agent(a), world.agent(c)]
    world.remove_agents([b])
    (d,) = world.add_agents({"position": [(5.0, 0.0)]}).ids.tolist()
    assert d not in (a, b, c)
    for ask in (
        lambda: world.agent(b),
        lambda: world.set_agents([b], {"goal": [(0, 0)]}),
        lambda: world.remove_agents([b]),
        lambda: world.explain(b),
        lambda: world.index_of([b]),
    ):
        with pytest.raises(Gone, match=str(b)):
            ask()
    with pytest.raises(AlreadyExists, match=str(b)):
        world.add_agents({"position": [(1.0, 1.0)], "id": [b]})
    with pytest.raises(NotFound, match="99"):
        world.agent(99)
    assert [world.agent(a), world.agent(c)] == others
    # the new one starts with defaults and nothing else
    fresh = World(time_step=0.25)
    fresh.add_agents({"position": [(5.0, 0.0)], "id": [d]})
    assert world.agent(d) == fresh.agent(d)
    assert world.ids.tolist() == [a, c, d], "index order is the order of creation"


def test_ids_of_the_client_and_of_the_world_do_not_clash() -> None:
    world = World(time_step=0.25)
    world.add_agents({"position": [(0, 0), (5, 0)], "id": [1, MAXIMUM_IDENTIFIER]})
    given = world.add_agents({"position": np.arange(8.0).reshape(4, 2) * 9}).ids.tolist()
    assert given == [0, 2, 3, 4]
    mixed = world.add_agents(
        {"position": np.arange(6.0).reshape(3, 2) * -9, "id": [5, 0, 0]}, given={"id": np.array([True, False, False])}
    )
    assert mixed.ids.tolist() == [5, 6, 7]
    for wrong in ([-1], [MAXIMUM_IDENTIFIER + 1], [8, 8]):
        with pytest.raises(InvalidInput) as refused:
            world.add_agents({"position": np.zeros((len(wrong), 2)), "id": wrong})
        assert refused.value.problems[0].field == "id"


def test_ids_of_walls_and_areas_are_not_given_twice_either() -> None:
    world = World(time_step=0.25)
    first, second = world.add_obstacles([wall((0, 0), (1, 0)), wall((0, 1), (1, 1))]).ids.tolist()
    world.remove_obstacle(first)
    (third,) = world.add_obstacles([wall((0, 2), (1, 2))]).ids.tolist()
    assert third not in (first, second)
    for ask in (lambda: world.remove_obstacle(first), lambda: world.set_obstacle(first, wall((0, 0), (1, 1)))):
        with pytest.raises(Gone):
            ask()
    with pytest.raises(NotFound):
        world.remove_obstacle(77)
    assert [one.id for one in world.obstacles()] == [second, third]


def test_a_long_life_keeps_a_small_state() -> None:
    """Thousands come and go; what is kept of them is an interval, and arrays grow and are given up again."""
    world = world_of([(0.0, 0.0)])
    size = len(world.snapshot())
    for _ in range(200):
        added = world.add_agents(agents(np.zeros((50, 2)), max_neighbors=0))
        world.step()
        world.remove_agents(added.ids)
    assert world.agent_count == 1
    assert world.add_agents({"position": [(9.0, 9.0)]}).ids.tolist() == [10_001]
    world.remove_agents([10_001])
    assert len(world.snapshot()) < size + 200
    world.step()


def test_the_state_grows_between_two_steps_as_far_as_it_must() -> None:
    world = world_of([(0.0, 0.0)], options=PROFILES["text"])
    generator = np.random.default_rng(1)
    for count in (15, 16, 100, 1000):
        before = {field.name: world.column(field.name).copy() for field in FIELDS}
        world.add_agents(agents(generator.uniform(10.0, 90.0, (count, 2)), max_neighbors=3))
        for name, values in before.items():
            if name not in ("neighbor_reach", "on_surface"):
                assert (world.column(name)[: len(values)] == values).all(), name
        world.step()
    assert world.agent_count == 1132
    world.remove_agents(world.ids[1:])
    world.step()
    assert world.column("position").tolist() == [[0.0, 0.0]]
