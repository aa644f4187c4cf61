"""One world and its rules: commands and steps in, results out. Synchronous, one caller at a time, no clock, no sockets.

Whatever changes a world, over REST or a socket, alone, in a batch or before steps, passes through `_accept`: there it
gets its place in the one order of all changes, and what is repeated in that order, each change at its step, is the same
world again. A refusal (ApiError or OrcaError) has changed nothing and has no place; any other exception means that the
world cannot be trusted any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import Gone, NotFound
from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.errors import ApiError
from orca_crowd.journal.order import BrokenOff, Order, Planned
from orca_crowd.journal.recorder import Recorder, Snapshot
from orca_crowd.protocol import commands as c
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.protocol.geometry import area_map, obstacle_map
from orca_crowd.protocol.steps import Selection, StepRequest
from orca_crowd.settings import Settings
from orca_crowd.worlds.answers import AnswerMemory
from orca_crowd.worlds.changes import Changes
from orca_crowd.worlds.description import Facts
from orca_crowd.worlds.events import travelling
from orca_crowd.worlds.open_requests import OpenRequests
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.view import AgentView, select
from orca_crowd.worlds.ways import Ways

__all__ = ["Accepted", "Session"]


@dataclass(frozen=True)
class Accepted:
    """A change that has taken effect: steps taken before it, its place in the order of all changes, a result each.

    `sequence` is None where there was nothing to change: steps without commands have no place of their own.
    """

    step: int
    sequence: int | None
    results: list[dict[str, Any]]
    # of a step request that was broken off by the end of the server: how many steps are left, and what happened before
    left: int | None = None
    events: Sequence[dict[str, Any]] = ()

    def answer(self) -> dict[str, Any]:
        """As it travels: `{step, sequence, results}`."""
        return {"step": self.step, "sequence": self.sequence, "results": self.results}

    def single(self) -> dict[str, Any]:
        """As the call of one command answers: its result, with `step` and `sequence`."""
        return {**self.results[0], "step": self.step, "sequence": self.sequence}


class Session:
    """Owns a World; see the module."""

    def __init__(self, name: str, world: World, settings: Settings) -> None:
        """Take an empty or a restored world; `recorder` may be set before anything else is called."""
        self.name = name
        self.world = Simulation(world).world
        self.ways = Ways(self.world)
        self.recorder: Recorder | None = None
        self._settings = settings
        self._answers = AnswerMemory(count=settings.remembered_answers, size=settings.remembered_bytes)
        self._view = AgentView()
        self._changes = Changes(name, world, settings, self._view.forget)
        self._open = OpenRequests()
        # requests were broken off, which the journal does not know yet; steps were taken that nobody was told of
        self._untold = self._moved = False
        self._sequence = 0
        self._counts: Counter[str] = Counter()

    @classmethod
    def checked(cls, name: str, world: World, settings: Settings) -> Session:
        """A session over a world from elsewhere, which must keep the limits as any other."""
        session = cls(name, world, settings)
        session._changes.check_limits()
        return session

    # changes

    def _accept(self, order: Order, change: Callable[[], list[dict[str, Any]]]) -> Accepted:
        """Let a change take effect and give it its place; the one path of everything that changes the world."""
        with self._recording(order):
            results = change()
        self._sequence += 1
        return Accepted(self.world.step_count, self._sequence, results)

    def _recording(self, order: Order) -> AbstractContextManager[None]:
        return nullcontext() if self.recorder is None else self.recorder.recording(self.world.step_count, order)

    def _once(self, key: str | None, digest: bytes, change: Callable[[], Accepted]) -> dict[str, Any]:
        """A change with its key: `{step, sequence, results}`, the same again for the same key and body."""
        known = self._answers.find(key, digest)
        if known is not None:
            return known
        answer = change().answer()
        self._answers.keep(key, digest, answer)
        return answer

    def answer(self, request: c.CommandRequest, controller: str | None = None) -> dict[str, Any]:
        """A batch with its key."""
        return self._once(request.key, request.digest, lambda: self._change(request, controller, batch=True))

    def apply(self, commands: Sequence[c.Command], controller: str | None = None) -> Accepted:
        """All commands in order or none, as orders of `controller`; the items of a refusal are those of the request."""
        return self._change(c.CommandRequest(list(commands), None, b""), controller, batch=False)

    def _change(self, request: c.CommandRequest, controller: str | None, *, batch: bool) -> Accepted:
        """In a batch a refusal names the command, otherwise there is one and its items are the request's."""
        return self._accept(
            Order(request, controller), lambda: self._changes.apply(request.commands, controller, batch=batch)
        )

    def own(self, request: OwnRequest, controller: str) -> dict[str, Any]:
        """Let agents belong to a controller, or give them back, all of them or none; the result is what it owns."""
        return self._once(request.key, request.digest, lambda: self._own(request, controller))

    def _own(self, request: OwnRequest, controller: str) -> Accepted:
        ownership = self._changes.ownership

        def change() -> list[dict[str, Any]]:
            self.world.index_of(request.ids)
            (ownership.give if request.give else ownership.take_back)(request.ids, controller)
            return [{"controller": controller, "owned": ownership.owned(controller)}]

        return self._accept(Order(request, controller), change)

    def owned(self, controller: str) -> NDArray[np.int64]:
        """The agents of a controller, int64 (n,), ascending."""
        return self._changes.ownership.owned(controller)

    # steps

    def begin(self, request: StepRequest, controller: str | None = None) -> dict[str, Any] | Accepted:
        """Before the first step of a request: the answer if it is known by its key, else its commands take effect.

        Raises a refusal, and then nothing has happened.
        """
        known = self._answers.find(request.key, request.digest)
        if known is not None:
            return known
        broken_off = self._open.find(request)
        if broken_off is not None:
            self.check_room()
            with self._recording(Order(request, controller)):
                self._open.go_on(broken_off, request, self.world.step_count)
            accepted: Accepted = broken_off.accepted
            return replace(accepted, left=broken_off.left, events=list(broken_off.events))
        if request.expected_step is not None and request.expected_step != self.world.step_count:
            raise ApiError(
                "wrong-step",
                f"world {self.name!r} has taken {self.world.step_count} steps, not {request.expected_step}",
                more={"step": self.world.step_count},
            )
        self.check_room()
        return self._begin(request, controller)

    def _begin(self, request: StepRequest, controller: str | None) -> Accepted:
        order, ids = Order(request, controller), request.selection.ids
        # what the answer will need is checked now, while the request can still be refused whole
        if request.commands is not None:
            commands = request.commands
            accepted = self._accept(order, lambda: self._changes.apply(commands, controller, ids, batch=True))
        else:
            if ids is not None:
                self.world.index_of(ids)
            accepted = Accepted(self.world.step_count, None, [])
            if request.key is not None:
                with self._recording(order):
                    pass
        self._open.add(request, accepted, self.world.step_count + request.count)
        return accepted

    def check_room(self) -> None:
        """Refuse with 507 while steps could not be recorded; called before any of them."""
        if self.recorder is None:
            return
        self.recorder.ready()
        if self._untold:
            with self._recording(Order(BrokenOff())):
                self._untold = False

    def interrupt(self, request: StepRequest, left: int) -> None:
        """A request was refused in the midst of its steps: sent again with its key it goes on where it was."""
        self._untold |= self._open.interrupt(request, left)

    def advance(self, count: int) -> list[dict[str, Any]]:
        """Take steps; their events as maps, with arrays for columns. `record` keeps how far the world is now."""
        events = [travelling(event) for event in self.world.step(count).events]
        self._moved = True
        for event in events:
            self._counts[event["kind"]] += max(1, len(event["ids"]))
        self._open.happened(events, self._settings.events_per_answer + 1)
        return events

    def finish(self, request: StepRequest, accepted: Accepted, events: list[dict[str, Any]]) -> dict[str, Any]:
        """After the last step of a request: its answer."""
        shown = events[: self._settings.events_per_answer]
        answer: dict[str, Any] = {"step": self.world.step_count, "time": self.world.time}
        if accepted.sequence is not None:
            answer["sequence"] = accepted.sequence
        if request.returns == "digest":
            answer["digest"] = self.world.digest()
        elif request.returns == "agents":
            answer["agents"] = self._selected(request.selection)
        answer["events"] = shown
        if len(events) > len(shown):
            answer["events_left_out"] = True
        if request.commands is not None:
            answer["results"] = accepted.results
        self._open.end(request)
        self._answers.keep(request.key, request.digest, answer)
        return answer

    def record(self, seconds: float) -> None:
        """Steps that took so long are done: keep it before anybody is told; 507 where that cannot be."""
        if self.recorder is not None:
            self.recorder.stepped(self.world, seconds)

    def keep(self, **facts: Any) -> None:
        """What the world is besides its state has changed; 507 where that cannot be kept."""
        if self.recorder is not None:
            self.recorder.set_facts(**facts)

    def snapshot_due(self, *, stepped: bool) -> Snapshot | None:
        """The state and what is remembered of it, where the journal wants it now."""
        if self.recorder is None or not self.recorder.due(self.world, stepped=stepped):
            return None
        return self.recorder.capture(self.world, self.memory())

    # what a journal brings back

    def memory(self) -> dict[str, Any]:
        """What must be known of a world beside its state for it to go on as if nothing had happened."""
        opened = self._open.kept(self.world.step_count)
        return {
            "sequence": self._sequence,
            "answers": self._answers.kept(),
            "ownership": self._changes.ownership.kept(),
            "geometry": self._changes.geometry,
            "open": [
                (
                    each.request,
                    (each.accepted.step, each.accepted.sequence, each.accepted.results),
                    left,
                    each.events,
                    each.due is None,
                )
                for each, left in opened
            ],
        }

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Know what `memory` told."""
        self._sequence = memory["sequence"]
        for key, digest, answer in memory["answers"]:
            self._answers.keep(key, digest, answer)
        self._changes.ownership.put_back_kept(memory["ownership"])
        self._changes.geometry = memory.get("geometry", 0)
        opened = [
            (request, Accepted(*accepted), left, events, broken)
            for request, accepted, left, events, broken in memory["open"]
        ]
        self._open.put_back(opened, self.world.step_count)
        self._end_due()

    def repeat(self, order: Order) -> None:
        """Carry out an order that was accepted before, whatever its key; a refusal is the one of that time."""
        request, controller = order.request, order.controller
        if isinstance(request, Planned):
            self.ways.expect(request)
            return
        if isinstance(request, BrokenOff):
            self._open.break_off(self.world.step_count)
            return
        if isinstance(request, StepRequest):
            broken_off = self._open.find(request)
            if broken_off is not None:
                self._open.go_on(broken_off, request, self.world.step_count)
                self._end_due()
            else:
                self._begin(request, controller)
            return
        accepted = (
            self._own(request, str(controller))
            if isinstance(request, OwnRequest)
            else self._change(request, controller, batch=True)
        )
        self._answers.keep(request.key, request.digest, accepted.answer())

    def repeat_steps(self, target: int, steps: int) -> None:
        """Take up to `steps` steps toward a step, and end the requests that ended on the way."""
        now = self.world.step_count
        due = self._open.next_due(now)
        self.advance(min(steps, (due if due is not None and due < target else target) - now))
        self._end_due()

    def _end_due(self) -> None:
        for each in self._open.due(self.world.step_count):
            self.finish(each.request, each.accepted, each.events)

    def break_off(self) -> None:
        """The journal ends here: requests that have not ended wait for being sent again."""
        self._untold = self._open.break_off(self.world.step_count)

    def plan_with(self, pool: PlannerPool | None) -> None:
        """Have ways planned in these threads from now on, and recorded; None: they come from the journal."""
        self.ways.plan_with(self.world, pool, self.recorder)

    def _selected(self, selection: Selection) -> dict[str, Any]:
        """The chosen agents after the last step; one that was removed by a command in between is left out."""
        try:
            chosen = select(self.world, selection)
        except (Gone, NotFound):
            ids = selection.ids if selection.ids is not None else self.world.ids
            chosen = select(self.world, replace(selection, ids=ids[np.isin(ids, self.world.ids)]))
        return {name: value for name, value in chosen.items() if name not in ("step", "time")}

    # what is seen

    def facts(self) -> Facts:
        """What is shown without asking."""
        world = self.world
        return Facts(
            step=world.step_count,
            time=world.time,
            sequence=self._sequence,
            agents=world.agent_count,
            obstacles=self._changes.obstacles,
            walkable=self._changes.areas,
            geometry=self._changes.geometry,
            defaults=dict(world.defaults),
            level_of_detail=world.options.as_mapping()["level_of_detail"],
            time_step=world.time_step,
            profile=world.options.profile,
        )

    def agent(self, identifier: int) -> dict[str, Any]:
        """One agent with its effective values, and its way where it has guidance `path`; raises NotFound or Gone."""
        return self.ways.show(self.world, self.world.agent(identifier))

    def agents(self, selection: Selection) -> dict[str, Any]:
        """`{step, time, ids, …columns}`."""
        return select(self.world, selection)

    def obstacles(self) -> dict[str, Any]:
        """`{step, obstacles}`."""
        return {"step": self.world.step_count, "obstacles": [obstacle_map(one) for one in self.world.obstacles()]}

    def walkable(self) -> dict[str, Any]:
        """`{step, areas}`."""
        return {"step": self.world.step_count, "areas": [area_map(area) for area in self.world.walkable()]}

    def obstacle(self, identifier: int) -> dict[str, Any]:
        """One obstacle; raises NotFound or Gone."""
        return obstacle_map(self.world.obstacle_set.get(identifier))

    def area(self, identifier: int) -> dict[str, Any]:
        """One walkable area; raises NotFound or Gone."""
        return area_map(self.world.walkable_set.get(identifier))

    def publications(self, events: list[dict[str, Any]], listening: bool) -> list[Publication]:
        """What is to be told after a call: nothing where nobody listens or nothing has changed."""
        changes = self._changes
        told = []
        if listening and (self._moved or changes.touched or events):
            told = [self._publication(events, changes.removed)]
        if listening and changes.touched and not self._moved:
            self.ways.foresee(self.world)
        self._moved, changes.touched, changes.removed = False, False, []
        return told

    def whole(self) -> Publication:
        """The state now, for a watcher who joins."""
        return self._publication([], [])

    def take_counts(self) -> Counter[str]:
        """Agents named in events since the last call, by kind."""
        counts, self._counts = self._counts, Counter()
        return counts

    def _publication(self, events: list[dict[str, Any]], removed: list[int]) -> Publication:
        ids, columns = self._view.take(self.world)
        return Publication(self.name, self.world.step_count, self.world.time, ids, columns, events, removed)
