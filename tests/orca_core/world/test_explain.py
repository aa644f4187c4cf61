"""Explain: what it says is what the next step does, and asking changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core import NotFound, Options, WalkableArea, World
from tests.oracles.neighbours import nearest_agents
from tests.support.worlds import agents, wall, world_of


def crowded(options: Options) -> World:
    """A dense crowd between walls, on a walkable area."""
    generator = np.random.default_rng(5)
    world = world_of(generator.uniform(-4.0, 4.0, (30, 2)), options=options, time_step=0.1, max_neighbors=8,
                     goal=generator.uniform(-4.0, 4.0, (30, 2)))  # fmt: skip
    world.add_obstacles([wall((-5.0, 0.0), (-1.0, 0.0)), wall((1.0, 0.0), (5.0, 0.0))])
    world.add_walkable([WalkableArea(((np.array([(-6, -6), (6, -6), (6, 6), (-6, 6)]),),), clearance=0.1)])
    return world


def test_the_velocity_it_tells_is_the_one_the_step_gives() -> None:
    world = crowded(Options.text())
    for _ in range(6):
        told = [world.explain(identifier)["program"]["velocity"] for identifier in world.ids]
        world.step()
        assert world.column("velocity").tolist() == told


@pytest.mark.parametrize("options", [Options.text(), Options.service()])
def test_asking_changes_nothing(options: Options) -> None:
    world, silent = crowded(options), crowded(options)
    for _ in range(5):
        before = world.snapshot()
        for identifier in world.ids:
            world.explain(identifier)
        assert world.snapshot() == before
        world.step()
        silent.step()
    assert world.snapshot() == silent.snapshot()


def test_neighbours_and_constraints_come_in_their_order_with_their_sources() -> None:
    world = crowded(Options.text())
    world.step(3)
    for row, identifier in enumerate(world.ids.tolist()):
        told = world.explain(identifier)
        wanted = nearest_agents(world.column("position"), row, float(world.column("neighbor_distance")[row]), 8)
        assert [one["id"] for one in told["neighbors"]] == [int(world.ids[index]) for _, index in wanted]
        assert [one["distance"] for one in told["neighbors"]] == [squared**0.5 for squared, _ in wanted]
        kinds = [one["kind"] for one in told["constraints"]]
        assert kinds == sorted(kinds, key=["obstacle", "boundary", "agent"].index)
        assert [one["source"] for one in told["constraints"] if one["kind"] == "agent"] == [
            one["id"] for one in told["neighbors"]
        ]
        assert {one["source"] for one in told["constraints"] if one["kind"] == "obstacle"} <= {0, 1}
        for one in told["constraints"]:
            assert np.hypot(*one["normal"]) == pytest.approx(1.0)
            distance = np.dot(np.subtract(told["program"]["velocity"], one["point"]), one["normal"])
            assert one["signed_distance"] == pytest.approx(distance, abs=1e-12)


def test_the_stage_of_the_program_is_told() -> None:
    free = world_of([(0.0, 0.0)], preferred_velocity=(1.0, 0.0), options=Options.text())
    program = free.explain(0)["program"]
    assert (program["status"], program["first_failure"], program["deepest_violation"]) == ("feasible", None, 0.0)
    assert program["velocity"] == [1.0, 0.0]
    # head-on at a stand: the text's well-known end
    pair = world_of([(-5.0, 0.0), (5.0, 0.0)], goal=np.array([(5.0, 0.0), (-5.0, 0.0)]), options=Options.text(),
                    preferred_speed=1.0)  # fmt: skip
    pair.step(80)
    told = pair.explain(0)
    assert told["preferred_velocity"] == [1.0, 0.0]
    assert np.abs(told["program"]["velocity"]).max() < 1e-3
    assert [one["kind"] for one in told["constraints"]] == ["agent"]
    # more overlapping neighbours than one velocity can leave
    heap = world_of([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.1), (0.0, -0.3)], options=Options.text())
    program = heap.explain(0)["program"]
    assert program["status"] == "relaxed"
    assert 0 <= program["first_failure"] < 3
    assert program["deepest_violation"] > 0.0
    # two walls that leave no room
    squeezed = world_of([(0.0, 0.0)], walls=[wall((-5.0, 0.4), (5.0, 0.4)), wall((-5.0, -0.4), (5.0, -0.4))])
    assert squeezed.explain(0)["program"]["status"] == "hard-relaxed"


def test_values_are_plain_and_unknown_ids_are_errors() -> None:
    def plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(one) for key, one in value.items())
        if isinstance(value, list):
            return all(plain(one) for one in value)
        return value is None or type(value) in (bool, int, float, str)

    world = crowded(Options.service())
    world.add_agents(agents([(3.0, 3.0)]))
    assert plain(world.explain(30))
    with pytest.raises(NotFound):
        world.explain(31)


def test_shares_and_reasons_are_told() -> None:
    """Of everybody within sight: what part the agent takes and why, or why it does not look at it at all."""
    world = world_of(
        [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (-2.0, 0.0), (0.0, -2.0), (2.0, 2.0), (-2.0, 2.0), (-2.0, -2.0)],
        options=Options.text(),
        weight=np.array([0.2, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        locked=np.array([False, False, True, *[False] * 5]),
        priority=np.array([0, 0, 0, 1, -1, 0, 0, 0]),
        layer=np.array([1, 1, 1, 1, 1, 2, 1, 1]),
        mask=np.array([1, 1, 1, 1, 1, 1, 2, 1]),
        elevation=np.array([*[0.0] * 7, 3.0]),
    )
    told = world.explain(0)
    shares = {one["source"]: (one["responsibility"], one["why"]) for one in told["constraints"]}
    assert shares == {
        1: (0.2 / (0.2 + 0.8), "weight"), 2: (1.0, "locked"), 3: (1.0, "priority"), 6: (1.0, "one-sided"),
    }  # fmt: skip
    assert [(one["id"], one["why"]) for one in told["unheeded"]] == [(4, "priority"), (5, "mask"), (7, "height")]
    assert told["unheeded"][0]["distance"] == 2.0
    world.set_agents([1, 2], {"avoidance": [False, True], "locked": [False, False]})
    assert {one["id"]: one["why"] for one in world.explain(0)["unheeded"]}[1] == "avoidance"
    group = {"group": np.full(2, 9), "group_mode": ["ignore", "ignore"]}
    world.set_agents([0, 2], group)
    assert {one["id"]: one["why"] for one in world.explain(0)["unheeded"]}[2] == "group"
    # the plain rule, and what is no agent
    plain = world_of([(0.0, 0.0), (2.0, 0.0)], walls=[wall((0.0, 1.0), (2.0, 1.0))])
    assert [(one["kind"], one["responsibility"], one["why"]) for one in plain.explain(0)["constraints"]] == [
        ("obstacle", 1.0, None), ("agent", 0.5, "weight"),
    ]  # fmt: skip
    assert plain.explain(0)["unheeded"] == []


def test_a_locked_agent_solves_nothing() -> None:
    world = world_of([(0.0, 0.0), (1.2, 0.0)], velocity=np.array([(2.5, 0.5), (0.0, 0.0)]),
                     goal=(9.0, 0.0), locked=np.array([True, False]), walls=[wall((0.0, 1.0), (2.0, 1.0))])  # fmt: skip
    told = world.explain(0)
    assert (told["constraints"], told["neighbors"]) == ([], [])
    assert [(one["id"], one["why"]) for one in told["unheeded"]] == [(1, "locked")]
    assert (told["program"]["status"], told["program"]["velocity"]) == ("locked", [2.5, 0.5])
    assert told["next"] == {"velocity": [2.5, 0.5], "coasts": False, "turns_aside": False, "parts": False}
    world.step()
    assert world.column("velocity")[0].tolist() == [2.5, 0.5]
