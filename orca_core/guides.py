"""Guides: whoever decides where agents want to go beside their goals, asked before a step and told of it after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["Guide", "Lender", "ask_guides", "withdraw_guides"]


class Guide(Protocol):
    """One kind of guidance in one world; see orca_core.simulation for who makes them."""

    @property
    def name(self) -> str:
        """Under which a snapshot holds what it keeps."""

    def guide(self, world: World) -> bool:
        """Before a step: write `guided` 1 and `steer_velocity` of the agents it guides, from the state of the world.

        Who guides anybody asks for these columns first (`agents.own("guided")`), and for all others in which it makes
        agents differ, here or in `conclude`: most worlds have no rows for them, see orca_core.columns. Asked for here
        the step is refused, with nothing changed, where memory cannot be had.
        Returns whether there are any; rows of others it leaves alone. Asked twice before the same step it says the
        same: what it remembers changes in `conclude` alone, so that a look at the coming step changes nothing.
        """

    def conclude(self, world: World) -> list[Event]:
        """After a step: look at what became of it, and say what happened."""

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """What it must know to go on from here, as arrays by name, for a snapshot; finite numbers alone."""


@runtime_checkable
class Lender(Protocol):
    """A guide that lets agents have other traits than clients said, for the length of a step."""

    def withdraw(self, world: World) -> None:
        """The step that was asked for is not taken: make everything again what clients said."""


def withdraw_guides(world: World) -> None:
    """After a look at the coming step: nothing of it stays."""
    for guide in world.guides:
        if isinstance(guide, Lender):
            guide.withdraw(world)


def ask_guides(world: World) -> bool:
    """Phase, by one: let the guides of a world say where agents want to go.

    Returns False where none of them has anything to say, and then the step is what it is without guides.
    """
    if not world.guides:
        return False
    agents = world.population.state
    agents.clear("guided")
    # every guide is asked: a later one may look at what an earlier one wants
    spoke = [guide.guide(world) for guide in world.guides]
    if not any(spoke):
        return False
    # the solver takes one velocity for all who do not head for their goal by themselves
    guided = agents["guided"]
    bound = np.logical_or(guided, agents["has_goal"])
    if not bound.all():
        np.copyto(agents["steer_velocity"], agents["preferred_velocity"], where=~bound[:, None])
    np.logical_and(agents["has_goal"], guided == 0, out=agents["heads_for_goal"].view(np.bool_))
    return True
