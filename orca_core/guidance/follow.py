"""Follow: agents with guidance `path` go to their goals past walls, along ways that a planner found for them.

After each step the guide looks at what is in sight and asks for ways, a batch at a time; the answers enter the world
exactly `delay` steps later, however long planning took, so that the same orders give the same bits on every machine.
Until there is a way an agent goes straight. What is in sight is read off the walls and boundaries themselves: no
planner, and no library under it, decides a bit, except by ways that entered.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.guidance.batches import Batch, Batches
from orca_core.guidance.followers import NOBODY, NOT, UNKNOWN, Followers
from orca_core.guidance.led import STRAIGHT, Led, barred
from orca_core.guidance.outlook import Outlook
from orca_core.guidance.planner import Planner
from orca_core.guidance.planners import planned_on, planner_for
from orca_core.guidance.planning import OUTCOMES, FoundWays, InlinePlanning, Planning, Question
from orca_core.guidance.storeys import heights_at
from orca_core.guidance.watch import Watch
from orca_core.kernels.follow import ASKING, NEAREST, STOPPED, WAY, find_changed, follow
from orca_core.kernels.status import ARRIVED, INSIDE_OBSTACLE, STALLED, UNREACHABLE
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["PLAN_SECONDS", "Follow"]

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

POSTPONED, UNFINISHED = OUTCOMES.index("postponed"), OUTCOMES.index("unfinished")
PATH = COLUMNS["guidance"].choices.index("path")
# simulated seconds: between asking and answer, where a world does not say how many steps; between two questions of one
# agent; between two looks of one
PLAN_SECONDS = 0.03
ASK_SECONDS, LOOK_SECONDS = 1.0, 0.5
# after a change meshes are made ready before anybody asks: for so long, or so many steps if these are no longer
SETTLE_SECONDS, SETTLE_STEPS, LONGEST_SETTLING = 0.1, 6, 0.4
# questions in one step, and of those for whom there was no budget yet; who has waited longest comes first
ASKED_AT_ONCE, WAITING_AT_ONCE = 1024, 128


class Follow:
    """The guide; see the module. `planning` answers its questions and may be another between two steps."""

    name = "follow"

    def __init__(self, world: World, followers: Followers = NOBODY, batches: Batches | None = None) -> None:
        """Know of these; what they asked for is asked again."""
        self._followers = followers
        self._batches = batches or Batches()
        self._led = Led()
        # the world is looked at in every step, and kept from nobody who gives it back
        self._world = weakref.ref(world)
        self._watch = Watch()
        self._planner: Planner | None = None
        # after a change nobody asks before this step, while meshes are made ready beside the steps
        self._quiet_until = 0
        self._outlook: Outlook | None = None
        dt, options = world.time_step, world.options
        self.delay = options.plan_delay_steps or max(1, math.ceil(PLAN_SECONDS / dt))
        self._ask_steps = max(1, math.ceil(ASK_SECONDS / dt))
        self._look_steps = max(1, math.ceil(LOOK_SECONDS / dt))
        settling = max(SETTLE_SECONDS, min(SETTLE_STEPS * dt, LONGEST_SETTLING))
        self._settle_steps = max(1, math.ceil(settling / dt))
        # how many looks the last step took, for who measures
        self.looks = 0
        self._planning: Planning = InlinePlanning()

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> Follow:
        """A guide for this world; raises SnapshotError where what was kept does not agree with itself."""
        if not kept:
            return cls(world)
        made = cls(world, Followers.from_arrays(kept), Batches.from_arrays(kept, world.step_count))
        made._watch, made._led = Watch.of(world, kept), Led.of(kept)
        if made._watch.current is not None:
            made._outlook = Outlook(made._watch.current)
        made._quiet_until = int(kept["quiet_until"][0]) if "quiet_until" in kept else 0
        made.plan_with(world, made._planning)
        return made

    def plan_with(self, world: World, planning: Planning) -> None:
        """Have questions answered by somebody else from now on, those under way too."""
        self._planning = planning
        for batch in self._batches:
            planning.submit(batch.due, self._question(world, batch))

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """The followers, what they asked for, and the geometry as it was seen; nothing while there is nobody."""
        if not (len(self._followers) or len(self._batches) or len(self._led)):
            return {}
        quiet = {"quiet_until": np.array([self._quiet_until])} if self._quiet_until else {}
        told = {**self._followers.kept(), **self._batches.kept(), **self._watch.kept(self._world())}
        return {**told, **quiet, **self._led.kept()}

    # before a step

    def guide(self, world: World) -> bool:
        """Send everybody to its next waypoint; who has none left goes to its goal itself."""
        agents = world.population.state
        rows = self._rows(world)
        if not len(rows):
            return False
        known = self._present(world, rows)
        agents.own("guided")
        return bool(
            follow(
                world.time_step, rows, agents["position"], agents["max_speed"], agents["preferred_speed"],
                agents["goal"], known.goal, known.standing, known.first, known.stop, known.points, agents["guided"],
                agents["steer_velocity"],
            )
        )  # fmt: skip

    def _rows(self, world: World) -> Integers:
        """The agents that are guided here, ascending."""
        agents = world.population.state
        chosen = agents.told("guidance") == PATH
        if len(self._led):
            chosen = chosen | self._led.chosen(agents)
        return np.flatnonzero(chosen & (agents["has_goal"] == 1)) if chosen.any() else np.empty(0, np.int64)

    def _present(self, world: World, rows: Integers) -> Followers:
        """What is known of them."""
        ids = world.population.state["id"][rows]
        known = self._followers
        return known if len(known) == len(ids) and np.array_equal(known.id, ids) else known.aligned(ids)

    # after a step

    def conclude(self, world: World) -> list[Event]:
        """Look, let in the answers that are due, and ask."""
        rows = self._rows(world)
        if not len(rows):
            if len(self._followers) or len(self._batches):
                self._forget()
            return []
        known = self._followers = self._present(world, rows)
        outlook = self._look_at_geometry(world, rows)
        self._look_at_goals(world, rows, outlook)
        before = known.standing.copy()
        batch = self._batches.take(world.step_count)
        if batch is not None:
            self._enter(world, rows, batch, self._planning.collect(batch.due), outlook)
        self.looks = 0 if outlook.bare else self._look_ahead(world, rows, outlook)
        self._led.let_through(world.population.state, rows, self._followers)
        self._ask(world, rows)
        return self._tell(world, rows, before)

    def _forget(self) -> None:
        """Nobody is guided any more."""
        self._planning.drop()
        self._followers, self._batches, self._watch, self._led = NOBODY, Batches(), Watch(), Led()
        self._planner, self._quiet_until = None, 0

    def _look_at_geometry(self, world: World, rows: Integers) -> Outlook:
        """Where it is another, the ways that this touches are out of date, and so are all questions."""
        seen, change = self._watch.current, self._watch.look(world)
        statics, outlook = world.statics(), self._outlook
        known, step = self._followers, world.step_count
        if outlook is None or seen is not statics:
            outlook = self._outlook = Outlook(statics)
            self._planner = None if self._planner is None else self._planner_after(world)
            if not outlook.storeys:
                known.heights[:] = UNKNOWN
        if change is None:
            return outlook
        touched = outlook.touched(world, rows, known, change)
        known.wants[(touched == 1) & (known.wants == NOT) & (known.due == NOT)] = step
        known.reason[known.standing <= WAY] = 0
        self._planner = self._planner_after(world)
        if step < self._quiet_until + self._settle_steps:
            # one change after the other: no time can be left, or nobody would ever be answered
            for batch in self._batches:
                self._planning.submit(batch.due, self._question(world, batch))
            return outlook
        self._quiet_until = step + self._settle_steps
        asked = known.due != NOT
        known.wants[asked & (known.wants == NOT)] = step
        known.due[asked] = known.asked[asked] = NOT
        self._batches = Batches()
        self._planning.drop()
        self._planning.prepare(self._planner, outlook.discs(world, rows, known), _farthest(world, rows))
        return outlook

    def _look_at_goals(self, world: World, rows: Integers, outlook: Outlook) -> None:
        """Whoever has a goal or a radius that its way is not for, or is on another storey, wants another way, unless it
        sees its goal.
        """
        known, agents = self._followers, world.population.state
        changed = np.zeros(len(known), np.uint8)
        others = find_changed(
            rows, agents["id"], known.id, agents["goal"], known.goal, agents["radius"], known.radius, changed
        )
        climbed = outlook.climbed(world, rows, known)
        if climbed is not None:
            changed[climbed] = 1
        elif not others:
            return
        which = np.flatnonzero(changed)
        known.goal[which], known.radius[which] = agents["goal"][rows[which]], agents["radius"][rows[which]]
        # an old way is better than none while the new one is planned; that there was none says nothing any more
        known.avoid[which] = 0.0
        ended = which[known.standing[which] != WAY]
        known.standing[ended], known.has_nearest[ended], known.reason[which] = ASKING, 0, 0
        known.first[ended] = known.stop[ended]
        seen = outlook.goals_seen(world, rows, known, which)
        straight, hidden = which[seen == 1], which[seen == 0]
        known.standing[straight], known.wants[straight] = WAY, NOT
        known.first[straight] = known.stop[straight]
        known.wants[hidden] = world.step_count

    def _look_ahead(self, world: World, rows: Integers, outlook: Outlook) -> int:
        """Pass waypoints; whoever has lost sight of its next or stands still on the way wants another way."""
        known, agents = self._followers, world.population.state
        lost, looks = outlook.look_ahead(world, rows, known, self._look_steps)
        status = agents["status"][rows]
        wanting: Flags = (lost != 0) | ((status == STALLED) & (known.first < known.stop))
        stopped = known.standing == STOPPED
        if stopped.any():
            # it was put somewhere else, from where there may be a way
            gone = agents["position"][rows] - known.place
            far = gone[:, 0] * gone[:, 0] + gone[:, 1] * gone[:, 1] > 4.0 * known.radius * known.radius
            wanting |= stopped & far
        known.wants[wanting & (known.wants == NOT)] = world.step_count
        return looks

    def ask(self, world: World, rows: Integers, avoid: NDArray[np.float64] | None = None) -> None:
        """Have the agents at these rows find another way, round a disc each, (m, 3) of x, y and radius, if there is
        one; asked after the next step, or as soon as a second has gone by since they asked last.

        To be called after this guide has concluded a step. Agents that it does not guide are left alone.
        """
        ours = self._rows(world)
        if not len(ours):
            return
        known = self._followers = self._present(world, ours)
        which = np.searchsorted(ours, rows)
        held = np.flatnonzero((which < len(ours)) & (ours[np.minimum(which, max(len(ours) - 1, 0))] == rows))
        which = which[held]
        if avoid is not None:
            known.avoid[which] = np.broadcast_to(avoid, (len(rows), 3))[held]
        known.wants[which] = np.where(known.wants[which] == NOT, world.step_count, known.wants[which])

    def lead(self, world: World, rows: Integers) -> None:
        """Lead those of these agents, which go straight, who do not see their goals, as if they had guidance `path`,
        until they see them.
        """
        self._led.add(world.population.state, barred(world, rows))

    def _ask(self, world: World, rows: Integers) -> None:
        """Ask for those who want a way and have waited long enough, the longest waiting first."""
        known, step, agents = self._followers, world.step_count, world.population.state
        if step < self._quiet_until:
            return
        free = (known.wants != NOT) & (known.due == NOT)
        which = np.flatnonzero(free & ((known.asked == NOT) | (step - known.asked >= self._ask_steps)))
        if not len(which):
            return
        which = which[np.argsort(known.wants[which], kind="stable")]
        # of those who wait for a budget no more are asked for than have a chance; the others are heard first
        waiting = known.reason[which] == POSTPONED
        which = np.concatenate([which[~waiting][:ASKED_AT_ONCE], which[waiting][:WAITING_AT_ONCE]])
        which = which[np.argsort(known.wants[which], kind="stable")]
        here = agents["position"][rows[which]]
        known.leave_behind(which, here)
        batch = Batch(
            step + self.delay, known.id[which], here, known.goal[which], known.radius[which], known.avoid[which],
            heights_at(agents, rows[which]), known.wants[which], (known.reason[which] == POSTPONED).astype(np.uint8),
        )  # fmt: skip
        known.asked[which], known.due[which], known.wants[which] = step, batch.due, NOT
        known.place[which] = here
        self._batches.add(batch)
        self._planning.submit(batch.due, self._question(world, batch))

    def _question(self, world: World, batch: Batch) -> Question:
        """A batch with the planner for the geometry as it is."""
        if self._planner is None:
            self._planner = self._planner_after(world)
        return Question(
            self._planner, batch.ids, batch.start, batch.goal, batch.radius, batch.avoid, batch.heights,
            batch.postponed, nearest=world.options.unreachable_goals == "nearest",
            expansions=world.options.plan_expansions,
        )  # fmt: skip

    def _planner_after(self, world: World) -> Planner:
        """Who plans over what stands now, and knows what was found out before."""
        return planner_for(world.options, world.walkable_set, world.obstacle_set, world.grid_map, self._planner)

    def foresee(self, world: World) -> tuple[int, Question] | None:
        """After which step answers will be let in for those who were given another goal since the last one, and what
        will be asked for them; None where there is nobody. Nothing is changed, and no budget is taken.
        """
        rows = self._rows(world)
        known, agents = self._present(world, rows), world.population.state
        changed = np.zeros(len(known), np.uint8)
        if not find_changed(
            rows, agents["id"], known.id, agents["goal"], known.goal, agents["radius"], known.radius, changed
        ):
            return None
        these = rows[np.flatnonzero(changed)[:ASKED_AT_ONCE]]
        if self._planner is None or world.statics() is not self._watch.current:
            self._planner = self._planner_after(world)
        zeros = np.zeros(len(these), np.uint8)
        return max(world.step_count + 1, self._quiet_until) + self.delay, Question(
            self._planner, agents["id"][these], agents["position"][these], agents["goal"][these],
            agents["radius"][these], np.zeros((len(these), 3)), heights_at(agents, these), zeros, nearest=False,
            expansions=0,
        )  # fmt: skip

    # answers

    def _enter(self, world: World, rows: Integers, batch: Batch, found: FoundWays, outlook: Outlook) -> None:
        """Give those who asked what was found, unless they want something else meanwhile."""
        known = self._followers
        order = np.argsort(known.id, kind="stable")
        places = np.minimum(np.searchsorted(known.id, batch.ids, sorter=order), max(len(known) - 1, 0))
        which = order[places] if len(known) else np.empty(0, np.int64)
        held = np.flatnonzero((known.id[which] == batch.ids) & (known.due[which] == batch.due))
        which = which[held]
        known.due[which] = NOT
        same = (known.goal[which] == batch.goal[held]).all(axis=1) & (known.radius[which] == batch.radius[held])
        same &= outlook.alike(known.heights[which], batch.heights[held])
        held, which = held[same], which[same]

        # what is not known is asked again: at once where its turn had not come, else a second later
        outcome = found.outcome[held]
        later = (outcome == POSTPONED) | (outcome == UNFINISHED)
        again = which[later]
        known.wants[again] = batch.wants[held[later]]
        known.avoid[again] = batch.avoid[held[later]]
        known.asked[which[outcome == POSTPONED]] = NOT
        # that there is a way need not be found out again; who was told that there is none keeps its reason till then
        known.reason[again] = np.where(known.standing[again] > WAY, known.reason[again], outcome[later])

        held, which, outcome = held[~later], which[~later], outcome[~later]
        counts = found.count[held]
        stops = np.cumsum(found.count)
        parts = [found.waypoints[stops[j] - found.count[j] : stops[j]] for j in held]
        known.reason[which], known.nearest[which] = outcome, found.nearest[held]
        known.has_nearest[which] = found.has_nearest[held]
        known.standing[which] = np.where(outcome == 0, WAY, np.where(counts > 0, NEAREST, STOPPED))
        ascending = np.argsort(which, kind="stable")
        points = np.concatenate([np.empty((0, 2)), *(parts[j] for j in ascending)])
        self._followers = known.with_waypoints(which[ascending], counts[ascending], points)
        # on a grid map the cells decide what is free, which nobody sees from here; and who goes straight has a goal
        # that somebody else brings forward, near the corner that it is led round
        if planned_on(world.options, world.grid_map) is None:
            chosen = np.sort(which[outcome == 0])
            path = world.population.state.dense("guidance")[rows[chosen]] != STRAIGHT
            outlook.spread(world, rows, self._followers, chosen[path])

    def _tell(self, world: World, rows: Integers, before: NDArray[np.uint8]) -> list[Event]:
        """Write who has no way to its goal, and tell of those who have none since this step."""
        known, agents = self._followers, world.population.state
        ended = (known.standing == STOPPED) | (known.standing == NEAREST)
        if not ended.any():
            return []
        status = agents["status"]
        lasting = rows[ended]
        lasting = lasting[(status[lasting] != ARRIVED) & (status[lasting] != INSIDE_OBSTACLE)]
        status[lasting] = UNREACHABLE
        # whoever waits for another goal has not stalled
        agents["anchor"][lasting], agents["anchor_step"][lasting] = agents["position"][lasting], world.step_count
        fresh = np.flatnonzero(ended & (before != STOPPED) & (before != NEAREST))
        if not len(fresh):
            return []
        data = {
            "reason": [OUTCOMES[code] for code in known.reason[fresh].tolist()],
            "nearest": [point if there else None for point, there in zip(
                known.nearest[fresh].tolist(), known.has_nearest[fresh].tolist(), strict=True)],
        }  # fmt: skip
        return [Event("unreachable", world.step_count, known.id[fresh].tolist(), data)]

    # looking

    def shown(self, world: World, identifier: int) -> dict[str, Any]:
        """`path`, the waypoints (w, 2) that an agent has left before its goal, and `unreachable`, `{reason, nearest}`;
        None each where there is none.
        """
        return self._followers.shown(identifier, world.column("goal")[int(world.index_of([identifier])[0])])


def _farthest(world: World, rows: Integers) -> float:
    """The largest coordinate of these agents and of their goals."""
    agents = world.population.state
    return float(max(np.abs(agents["position"][rows]).max(), np.abs(agents["goal"][rows]).max()))
