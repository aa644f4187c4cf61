"""Guides: they say what agents want before a step, hear what became of it, and are heard of nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import Options, World
from orca_core import simulation as simulations
from orca_core.report import Event
from orca_core.simulation import Simulation
from tests.support.worlds import agents


class Windmill:
    """Sends every agent with an even id round the origin, faster with every step that it has heard of."""

    name = "windmill"

    def __init__(self, heard: int) -> None:
        """Have heard of so many steps."""
        self.heard = heard

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Windmill:
        """Go on where a snapshot was made."""
        return cls(int(kept["heard"][0]) if kept else 0)

    def guide(self, world: World) -> bool:
        """Turn everybody a quarter to the left of where it stands."""
        agents = world.population.state
        even = agents["id"] % 2 == 0
        agents.own("guided")
        agents["guided"][even] = 1
        place = agents["position"][even]
        agents["steer_velocity"][even] = np.stack([-place[:, 1], place[:, 0]], 1) * (0.1 + 0.01 * self.heard)
        return bool(even.any())

    def conclude(self, world: World) -> list[Event]:
        """Count, and say so."""
        self.heard += 1
        return [Event("turned", world.step_count, [], {"heard": self.heard})]

    def kept(self) -> dict[str, NDArray[Any]]:
        """How many steps it has heard of."""
        return {"heard": np.array([self.heard], np.int64)}


@pytest.fixture
def windmill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every simulation guided by one."""
    monkeypatch.setattr(simulations, "GUIDES", (Windmill,))


def crowd() -> World:
    """Five agents, three of them with even ids, all with a goal."""
    world = World(time_step=0.25, options=Options.service(), seed=3)
    places = np.array([(2.0, 0.0), (0.0, 2.2), (-2.0, 0.1), (0.1, -2.0), (3.0, 3.0)])
    world.add_agents({**agents(places, radius=0.3), "goal": -places})
    return world


@pytest.mark.usefixtures("windmill")
def test_a_guide_decides_for_those_it_guides_and_for_nobody_else() -> None:
    world = Simulation(crowd()).world
    report = world.step()
    assert [event.kind for event in report.events] == ["turned"]
    # nobody is near enough to matter in the first step: each goes as it wants to
    expected = np.stack([-crowd().column("position")[:, 1], crowd().column("position")[:, 0]], 1) * 0.1
    assert np.array_equal(world.column("velocity")[::2], expected[::2])
    plain = crowd()
    plain.step()
    assert ((world.column("velocity")[1::2] * plain.column("velocity")[1::2]).sum(axis=1) > 0.5).all()
    # the goal is still what an agent is on its way to
    assert (world.column("has_goal") == 1).all()


@pytest.mark.usefixtures("windmill")
def test_a_snapshot_keeps_what_a_guide_keeps() -> None:
    world = Simulation(crowd()).world
    world.step(20)
    again = Simulation(World.restore(world.snapshot())).world
    world.step(20)
    again.step(20)
    assert again.digest() == world.digest()


@pytest.mark.usefixtures("windmill")
def test_looking_at_the_coming_step_changes_nothing() -> None:
    world, other = Simulation(crowd()).world, Simulation(crowd()).world
    for _ in range(12):
        seen = {identifier: world.explain(identifier)["program"]["velocity"] for identifier in world.ids.tolist()}
        world.step()
        other.step()
        assert [seen[identifier] for identifier in world.ids.tolist()] == world.column("velocity").tolist()
    assert world.digest() == other.digest()


@pytest.mark.usefixtures("windmill")
@pytest.mark.parametrize("split", [[], [1], [1, 2, 3]])
def test_no_split_changes_a_bit(split: list[int]) -> None:
    whole, cut = (Simulation(large()).world for _ in range(2))
    whole.step(10)
    cut.step(10, split=split)
    assert whole.digest() == cut.digest()


def large(options: Options | None = None) -> World:
    """Enough agents for several leaves."""
    world = World(time_step=0.1, options=options or Options.service())
    places = np.array([(x * 1.1 - 4.0, y * 1.1 - 2.0) for x in range(8) for y in range(5)])
    world.add_agents({**agents(places, radius=0.5), "goal": -places})
    return world


def test_without_guides_a_simulation_is_its_world() -> None:
    """With everything on that guides do, their counting alone shows in a snapshot."""
    plain, world = large(Options.text()), Simulation(large(Options.text())).world
    plain.step(30)
    world.step(30)
    assert plain.digest() == world.digest()
    assert plain.snapshot() == world.snapshot()
