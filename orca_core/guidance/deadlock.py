"""Deadlock: what undoes the knots that half-planes cannot, one option a means; a guide like any other, asked last.

It looks at every agent in every step (one pass over `waiting`), and at more only where somebody has waited. All that it
does is to replace preferred velocities for a while: no half-plane is taken away or moved, and no disc made smaller. See
docs/guidance.md for what each means does, and what it cannot do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.blocking import detect_blocked
from orca_core.guidance.replanning import lead_round_walls, replan_jams
from orca_core.guidance.right_of_way import share_right_of_way, those_who_ask
from orca_core.guidance.settling import SETTLING, settle_crowds
from orca_core.guidance.swapping import swap_wishes
from orca_core.guidance.trouble import LONGEST, PATIENCE, Trouble, deciding_columns, steps_of
from orca_core.kernels.right_of_way import NONE, yield_way
from orca_core.kernels.status import ARRIVED, ARRIVED_CROWDED, BLOCKED, MOVING, STALLED
from orca_core.kernels.waiting import tally_waiting
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.options import Options
    from orca_core.state import AgentState
    from orca_core.world import World

__all__ = ["Deadlock"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# seconds between two decisions; who was to let others pass goes on doing so between them
DECISION = 0.2
# by how much the preferred speed of a blocked agent rises in a second, as a share of it, and to how many times it
RISE = 0.5
HIGHEST = 4.0
NOBODY = np.empty(0, np.int64)
NOWHERE = np.empty((0, 2))


class Deadlock:
    """The deadlock layer of one world. All that it remembers from step to step is in the columns of the agents."""

    name = "deadlock"

    def __init__(self) -> None:
        """Know nobody yet."""
        self._trouble = Trouble()
        # between the two halves of a step: whose wishes were replaced, by row, and what they had wanted; whose statuses
        # are this guide's
        self._replaced = NOBODY
        self._wanted = NOWHERE
        self._settled = self._blocked = NOBODY
        # nobody was in trouble after the last step, and no command brings anybody into it
        self._calm = False
        # after how many steps of the world anybody had waited for how many at the most
        self._longest = (-1, 0)

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Deadlock:
        """A layer for this world; what it knows of the agents is in their columns."""
        return cls()

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """Nothing beside the columns of the agents."""
        return {}

    def guide(self, world: World) -> bool:
        """Say what those want who are in trouble: to rest, to push, or to let others pass."""
        options, agents = world.options, world.population.state
        self._settled = self._blocked = self._replaced = NOBODY
        self._wanted = NOWHERE
        if not _any_on(options):
            return False
        self._make_room(world)
        if self._calm:
            return False
        status = agents["status"]
        self._settled, self._blocked = np.flatnonzero(status == ARRIVED_CROWDED), np.flatnonzero(status == BLOCKED)
        yielding = np.flatnonzero(agents.told("yielding"))
        pushing = _pushing(agents, world.time_step) if options.bias_blocked else NOBODY
        swapping = agents.told("swapping").any()
        if len(self._settled):
            # who rests wants nothing
            agents.own("guided")
            agents["steer_velocity"][self._settled] = 0.0
            agents["guided"][self._settled] = 1
        if len(yielding) or len(pushing) or swapping:
            self._replace(world, yielding, pushing)
        return bool(len(self._settled) or len(self._replaced))

    def _make_room(self, world: World) -> None:
        """Have rows for all that this step may write of who waits: before anything has changed, so that it may fail."""
        options, agents, dt = world.options, world.population.state, world.time_step
        agents.own("waiting")
        step, longest = self._longest
        if step != world.step_count:
            longest = int(agents["waiting"].max(initial=0))
        # nobody waits for more than one step more after this one
        if longest + 1 >= steps_of(PATIENCE, dt):
            agents.own("blocked_by", *(("right_since",) if options.courtesy or options.back_out else ()))
        # and nobody begins a swap who has not had the right of way before
        if options.back_out and (agents.told("attempts") > 0).any():
            agents.own("swapping")

    def _replace(self, world: World, yielding: Integers, pushing: Integers) -> None:
        """Replace what these want."""
        agents, dt = world.population.state, world.time_step
        firsts = _rows_of(agents["id"], agents["yields_to"][yielding])
        # who was removed is past
        yielding, firsts = yielding[firsts >= 0], firsts[firsts >= 0]
        wish = self._trouble.look(world)
        # what is wanted in a swap is wanted as a goal is
        swapping = swap_wishes(world, wish)
        self._replaced = np.union1d(np.union1d(yielding, pushing), swapping)
        self._wanted = wish[self._replaced]
        agents.own("guided")
        agents["steer_velocity"][swapping] = wish[swapping]
        waited = (agents["waiting"][pushing] - steps_of(PATIENCE, dt)) * dt
        agents["steer_velocity"][pushing] = wish[pushing] * np.minimum(1.0 + RISE * waited, HIGHEST)[:, None]
        yield_way(
            yielding, firsts, agents.dense("yielding"), agents["position"], agents["radius"], agents["has_goal"],
            agents["preferred_speed"], agents["max_speed"], wish, agents["steer_velocity"],
        )  # fmt: skip
        agents["guided"][self._replaced] = 1

    def conclude(self, world: World) -> list[Event]:
        """Count who waits, and decide now and then who settles, who is blocked and who goes first."""
        options, agents, dt = world.options, world.population.state, world.time_step
        if not _any_on(options):
            return []
        if len(self._replaced):
            # waiting is for what an agent wanted itself
            agents["steer_velocity"][self._replaced] = self._wanted
        heads, given = deciding_columns(agents)
        agents.own("waiting")
        most = tally_waiting(
            agents.count, dt, steps_of(LONGEST, dt), agents["position"], agents["velocity"], agents["status"],
            agents["goal"], given, heads, agents["preferred_speed"], agents["max_speed"], agents["waiting"],
        )  # fmt: skip
        self._longest = (world.step_count, most)
        status = agents["status"]
        if len(self._settled):
            still = self._settled[status[self._settled] != ARRIVED]
            status[still] = ARRIVED_CROWDED
            agents["waiting"][still] = 0
        quiet = most < steps_of(SETTLING, dt) and not len(self._settled) and not len(self._replaced)
        if quiet and (self._calm or not (agents.told("right_since") >= 0).any()):
            if not self._calm:
                agents.clear("blocked_by", "yields_to", "yielding")
            self._calm = True
            return []
        self._calm = False
        events = []
        every = max(1, int(DECISION / dt))
        if world.step_count % every == 0:
            events = self._decide(world, every)
        # a status that the step has written over holds on
        here = self._blocked[agents["blocked_by"][self._blocked] >= 0]
        status[here[(status[here] == MOVING) | (status[here] == STALLED)]] = BLOCKED
        return events

    def _decide(self, world: World, every: int) -> list[Event]:
        """Look at who is near whom, as is done in one of so many steps."""
        options, agents, trouble = world.options, world.population.state, self._trouble
        wish = trouble.look(world)
        trouble.sort(world)
        events = settle_crowds(world, trouble) if options.settle_crowds else []
        wish[agents["status"] == ARRIVED_CROWDED] = 0.0
        swap_wishes(world, wish)
        blocked, told = detect_blocked(world, trouble)
        if options.courtesy or options.back_out:
            told += share_right_of_way(world, trouble, those_who_ask(world, trouble, blocked))
        if options.replan_jams:
            replan_jams(world, blocked, every)
            lead_round_walls(world, every)
        return events + told


def _any_on(options: Options) -> bool:
    return (
        options.settle_crowds
        or options.detect_blocked
        or options.bias_blocked
        or options.courtesy
        or options.back_out
        or options.replan_jams
    )


def _pushing(agents: AgentState, time_step: float) -> Integers:
    """The rows of those who are blocked, have waited long and yield to nobody."""
    if not agents.owns("blocked_by"):
        return NOBODY
    waited = agents["waiting"] > steps_of(PATIENCE, time_step)
    return np.flatnonzero(waited & (agents["blocked_by"] >= 0) & (agents["yielding"] == NONE))


def _rows_of(ids: Integers, wanted: Integers) -> Integers:
    """The rows of these ids, -1 for who is not here any more."""
    order = np.argsort(ids, kind="stable")
    rows: Integers = order[np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)]
    return np.where(ids[rows] == wanted, rows, -1)
