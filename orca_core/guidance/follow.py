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
from orca_core.guidance.answers import POSTPONED, entered
from orca_core.guidance.batches import Batch, Batches
from orca_core.guidance.followers import NOBODY, NOT, Followers
from orca_core.guidance.led import Led
from orca_core.guidance.planner import Planner
from orca_core.guidance.planners import planner_for
from orca_core.guidance.planning import OUTCOMES, InlinePlanning, Planning, Question
from orca_core.guidance.watch import Watch
from orca_core.kernels.follow import ASKING, NEAREST, STOPPED, WAY, find_changed, follow, look_ahead, see_goals
from orca_core.kernels.orientation import WORK
from orca_core.kernels.sight import NEAR
from orca_core.kernels.status import ARRIVED, INSIDE_OBSTACLE, STALLED, UNREACHABLE
from orca_core.kernels.touched import find_touched
from orca_core.kernels.tree import STACK
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.statics import Statics
    from orca_core.world import World

__all__ = ["PLAN_SECONDS", "Follow"]

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

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
        self._sight: tuple[Any, ...] = ()
        dt, options = world.time_step, world.options
        self.delay = options.plan_delay_steps or max(1, math.ceil(PLAN_SECONDS / dt))
        self._ask_steps = max(1, math.ceil(ASK_SECONDS / dt))
        self._look_steps = max(1, math.ceil(LOOK_SECONDS / dt))
        settling = max(SETTLE_SECONDS, min(SETTLE_STEPS * dt, LONGEST_SETTLING))
        self._settle_steps = max(1, math.ceil(settling / dt))
        self._scratch = (np.empty(STACK, np.int64), np.empty(WORK), np.empty((NEAR, 4)))
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
            made._see_with(made._watch.current)
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
        self._look_at_geometry(world, rows)
        statics = world.statics()
        bare = not len(statics.walls) and not statics.boundaries.class_count
        self._look_at_goals(world, rows, bare=bare)
        before = known.standing.copy()
        batch = self._batches.take(world.step_count)
        if batch is not None:
            self._followers = entered(known, batch, self._planning.collect(batch.due))
        self.looks = 0 if bare else self._look_ahead(world, rows)
        if len(self._led):
            # who has all waypoints behind it goes straight again
            known = self._followers
            through = (known.standing == WAY) & (known.first == known.stop) & (known.wants == NOT) & (known.due == NOT)
            self._led.let_go(world.population.state, rows[through])
        self._ask(world, rows)
        return self._tell(world, rows, before)

    def _forget(self) -> None:
        """Nobody is guided any more."""
        self._planning.drop()
        self._followers, self._batches, self._watch, self._led = NOBODY, Batches(), Watch(), Led()
        self._planner, self._quiet_until = None, 0

    def _look_at_geometry(self, world: World, rows: Integers) -> None:
        """Where it is another, the ways that this touches are out of date, and so are all questions."""
        seen, change = self._watch.current, self._watch.look(world)
        statics = world.statics()
        if seen is not statics:
            self._see_with(statics)
            self._planner = None if self._planner is None else self._planner_after(world)
        if change is None:
            return
        known, step = self._followers, world.step_count
        touched = np.ones(len(known), np.uint8)
        if change.boxes is not None:
            agents = world.population.state
            touched[:] = 0
            find_touched(
                rows, agents["position"], known.radius, known.goal, known.standing, known.first, known.stop,
                known.points, change.boxes, change.gone, touched,
            )  # fmt: skip
        known.wants[(touched == 1) & (known.wants == NOT) & (known.due == NOT)] = step
        known.reason[known.standing <= WAY] = 0
        self._planner = self._planner_after(world)
        if step < self._quiet_until + self._settle_steps:
            # one change after the other: no time can be left, or nobody would ever be answered
            for batch in self._batches:
                self._planning.submit(batch.due, self._question(world, batch))
            return
        self._quiet_until = step + self._settle_steps
        asked = known.due != NOT
        known.wants[asked & (known.wants == NOT)] = step
        known.due[asked] = known.asked[asked] = NOT
        self._batches = Batches()
        self._planning.drop()
        self._planning.prepare(self._planner, np.unique(known.radius), _farthest(world, rows))

    def _see_with(self, statics: Statics) -> None:
        """Look past what stands now."""
        tree, index = statics.wall_tree, statics.boundaries.index
        self._sight = (
            statics.walls, tree.nodes, tree.leaves, tree.order, tree.boxes, statics.edges,
            statics.boundaries.edge_clearance, statics.boundaries.following, statics.boundaries.preceding,
            statics.boundaries.class_start, statics.class_clearance, index.nodes, index.node_start, index.leaves,
            index.order, index.boxes, *self._scratch,
        )  # fmt: skip

    def _look_at_goals(self, world: World, rows: Integers, *, bare: bool) -> None:
        """Whoever has a goal or a radius that its way is not for wants another way, unless it sees its goal."""
        known, agents = self._followers, world.population.state
        changed = np.zeros(len(known), np.uint8)
        if not find_changed(
            rows, agents["id"], known.id, agents["goal"], known.goal, agents["radius"], known.radius, changed
        ):
            return
        which = np.flatnonzero(changed)
        known.goal[which], known.radius[which] = agents["goal"][rows[which]], agents["radius"][rows[which]]
        # an old way is better than none while the new one is planned; that there was none says nothing any more
        known.avoid[which] = 0.0
        ended = which[known.standing[which] != WAY]
        known.standing[ended], known.has_nearest[ended], known.reason[which] = ASKING, 0, 0
        known.first[ended] = known.stop[ended]
        seen = np.ones(len(which), np.uint8)
        if not bare:
            see_goals(
                which, rows, agents["position"], agents["radius"], agents.dense("radius_class"), known.goal, seen,
                *self._sight,
            )  # fmt: skip
        straight, hidden = which[seen == 1], which[seen == 0]
        known.standing[straight], known.wants[straight] = WAY, NOT
        known.first[straight] = known.stop[straight]
        known.wants[hidden] = world.step_count

    def _look_ahead(self, world: World, rows: Integers) -> int:
        """Pass waypoints; whoever has lost sight of its next or stands still on the way wants another way."""
        known, agents = self._followers, world.population.state
        lost = np.zeros(len(known), np.uint8)
        looks = look_ahead(
            world.step_count, self._look_steps, world.time_step, rows, agents["position"], agents["radius"],
            agents.dense("radius_class"), agents["max_speed"], known.goal, known.standing, known.first, known.stop,
            known.points, lost, *self._sight,
        )  # fmt: skip
        status = agents["status"][rows]
        wanting: Flags = (lost != 0) | ((status == STALLED) & (known.first < known.stop))
        stopped = known.standing == STOPPED
        if stopped.any():
            # it was put somewhere else, from where there may be a way
            gone = agents["position"][rows] - known.place
            far = gone[:, 0] * gone[:, 0] + gone[:, 1] * gone[:, 1] > 4.0 * known.radius * known.radius
            wanting |= stopped & far
        known.wants[wanting & (known.wants == NOT)] = world.step_count
        return int(looks)

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
        """Lead these agents, which go straight, to their goals as if they had guidance `path`, until they see them.

        To be called after this guide has concluded a step. Who sees its goal is left alone.
        """
        agents, statics = world.population.state, world.statics()
        if self._watch.current is not statics:
            self._watch.look(world)
            self._see_with(statics)
        seen = np.ones(len(rows), np.uint8)
        see_goals(
            np.arange(len(rows)), rows, agents["position"], agents["radius"], agents.dense("radius_class"),
            np.ascontiguousarray(agents["goal"][rows]), seen, *self._sight,
        )  # fmt: skip
        if not seen.all():
            self._led.add(agents, rows[seen == 0])

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
            known.wants[which], (known.reason[which] == POSTPONED).astype(np.uint8),
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
            self._planner, batch.ids, batch.start, batch.goal, batch.radius, batch.avoid, batch.postponed,
            nearest=world.options.unreachable_goals == "nearest", expansions=world.options.plan_expansions,
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
            agents["radius"][these], np.zeros((len(these), 3)), zeros, nearest=False, expansions=0,
        )  # fmt: skip

    # answers

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
