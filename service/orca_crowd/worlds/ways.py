"""The ways of the agents of one world, as its session sees them: who plans them, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orca_core.cooperative.coordination import Coordination
from orca_core.cooperative.team_planning import TeamPlan, TeamQuestion, planned
from orca_core.guidance.flow import Flow
from orca_core.guidance.follow import Follow
from orca_core.guidance.planning import answered
from orca_core.world import World
from orca_crowd.journal.order import Planned
from orca_crowd.journal.recorder import Recorder
from orca_crowd.worlds.events import foretold
from orca_crowd.worlds.planning import (
    FieldWorkshop,
    LivePlanning,
    LiveWays,
    PlannerPool,
    ReplayedPlanning,
    ReplayedWays,
)

__all__ = ["Ways"]


class Ways:
    """Knows the guide of a guided world and not the world: that is given back at once when nobody has it any more."""

    def __init__(self, world: World) -> None:
        """Until told otherwise ways are planned in the midst of the steps."""
        self._guide = next(guide for guide in world.guides if isinstance(guide, Follow))
        self._fields = next(guide for guide in world.guides if isinstance(guide, Flow))
        self._team = next(guide for guide in world.guides if isinstance(guide, Coordination))
        self._replayed: ReplayedWays | None = None
        self._replayed_plans: ReplayedPlanning[TeamQuestion, TeamPlan] | None = None
        self._live: LiveWays | None = None
        # who hears, in a thread, of what will be found out
        self.tell: Callable[[list[dict[str, Any]]], None] = lambda _: None

    def plan_with(self, world: World, pool: PlannerPool | None, recorder: Recorder | None) -> None:
        """Have ways planned in these threads from now on, and recorded; None: they come from the journal."""
        self._replayed = self._replayed_plans = self._live = None
        if pool is not None:
            self._live = LiveWays(pool, recorder, answered)
            self._guide.plan_with(world, self._live)
            self._team.plan_with(world, LivePlanning(pool, recorder, planned))
            # fields come out the same whenever they are made, and are in no journal
            self._fields.make_in(FieldWorkshop(pool))
        else:
            self._replayed, self._replayed_plans = ReplayedWays(answered), ReplayedPlanning(planned)
            self._guide.plan_with(world, self._replayed)
            self._team.plan_with(world, self._replayed_plans)

    def foresee(self, world: World) -> None:
        """Tell in a thread, as soon as it is known, of goals given since the last step to which there is no way."""
        coming = self._guide.foresee(world) if self._live is not None else None
        if coming is not None and self._live is not None:
            tell = self.tell
            self._live.foresee(*coming, lambda found: tell(foretold(found)))

    def expect(self, found: Planned) -> None:
        """What the journal has for a step that is not taken yet."""
        if isinstance(found, TeamPlan):
            if self._replayed_plans is not None:
                self._replayed_plans.expect(found)
        elif self._replayed is not None:
            self._replayed.expect(found)

    def show(self, world: World, agent: dict[str, Any]) -> dict[str, Any]:
        """An agent as it is shown, with its way where it has guidance `path`, where it goes next with `cooperative`,
        and why there is none for these and `flow`.
        """
        if agent["guidance"] == "straight":
            return agent
        if agent["guidance"] == "flow":
            return {**agent, **self._fields.shown(world, agent["id"])}
        if agent["guidance"] == "cooperative":
            return {**agent, **self._team.shown(world, agent["id"])}
        shown = self._guide.shown(world, agent["id"])
        # a list in every encoding, as all of one agent is
        return {**agent, **shown, "path": None if shown["path"] is None else shown["path"].tolist()}
