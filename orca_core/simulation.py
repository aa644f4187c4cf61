"""Simulation: a world and whatever guides its agents, stepped together: what the server, `run` and `solve` drive.

    from orca_core import World
    from orca_core.simulation import Simulation
    simulation = Simulation(World(time_step=0.25))
    simulation.world.step()

A world alone knows goals, which agents head for in a straight line. Guides stand above it: each looks at the whole
world once before a step and says what its agents want, and once after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from orca_core._jit import compile_all
from orca_core.cooperative.coordination import Coordination
from orca_core.cooperative.corridor_turns import CorridorTurns
from orca_core.guidance.deadlock import Deadlock
from orca_core.guidance.flow import Flow
from orca_core.guidance.follow import Follow
from orca_core.guidance.together import Together
from orca_core.guides import Guide
from orca_core.world import World

__all__ = ["GUIDES", "Simulation"]


class GuideMaker(Protocol):
    """How a kind of guide comes to a world."""

    name: str

    def of(self, world: World, kept: Mapping[str, NDArray[Any]]) -> Guide:
        """A guide for this world; `kept` is what one like it kept in a snapshot, empty for a new world."""


# in the order in which they are asked; a later one may change what an earlier one wants
GUIDES: tuple[GuideMaker, ...] = (Follow, Flow, Coordination, Together, CorridorTurns, Deadlock)


class Simulation:
    """A world with all its guides; one made of a world that a snapshot brought back goes on with the same bits."""

    def __init__(self, world: World) -> None:
        """Let the guides find what they need in the world and in what its snapshot kept for them."""
        compile_all()
        self.world = world
        world.guides = [maker.of(world, _part(world.kept_guidance, maker.name)) for maker in GUIDES]
        if world.options.cooperation is not None:
            world.hold = next(guide for guide in world.guides if isinstance(guide, Coordination)).hold


def _part(kept: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    prefix = f"{name}."
    return {key[len(prefix) :]: array for key, array in kept.items() if key.startswith(prefix)}
