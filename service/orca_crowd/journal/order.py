"""What a record holds: a request that was accepted, and in whose name."""

from __future__ import annotations

from dataclasses import dataclass

from orca_core.cooperative.team_planning import TeamPlan
from orca_core.guidance.planning import FoundWays
from orca_crowd.protocol.commands import CommandRequest
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.steps import StepRequest

__all__ = ["KINDS", "BrokenOff", "Order", "Planned"]


@dataclass(frozen=True)
class BrokenOff:
    """No request but a mark: step requests that had begun before and had not ended were broken off.

    Without it the steps that others take meanwhile would be taken for theirs in a replay.
    """


# what was planned for agents, each with the step after which it was `due`
Planned = FoundWays | TeamPlan

# how a record names what it holds, for whoever looks into the file
KINDS: dict[type, str] = {
    CommandRequest: "commands",
    OwnRequest: "own",
    StepRequest: "steps",
    BrokenOff: "broken-off",
    FoundWays: "paths",
    TeamPlan: "plan",
}


@dataclass(frozen=True)
class Order:
    """A request and the controller that it came from, None where it has no name.

    A step request is recorded when it begins, with its commands; how far its steps went the progress of the journal
    tells. It is recorded once more when it goes on after it was broken off.

    Ways and plans that were made for agents are recorded when they enter, in the step that their record tells.
    """

    request: CommandRequest | OwnRequest | StepRequest | BrokenOff | FoundWays | TeamPlan
    controller: str | None = None

    @property
    def kind(self) -> str:
        """The word for the record."""
        return KINDS[type(self.request)]

    @property
    def in_step(self) -> bool:
        """Whether it takes effect within the last step before it, and not after that."""
        return isinstance(self.request, Planned)
