"""What the clients of one world were told: every acknowledged change, every digest, and how far the world was.

Nothing of it comes from the server's files. Held against a world that is made here from the same orders, it says
whether anything that was acknowledged is missing, and whether anything has happened that nobody was told of.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orca_core.options import Options
from orca_core.world import World
from orca_crowd.protocol.bodies import decode, encode
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.protocol.controllers import OwnRequest
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Session

__all__ = ["Acknowledged", "Ledger"]


@dataclass(frozen=True)
class Acknowledged:
    """A change with its place in the order, the steps taken before it, in whose name it came, and what it brought."""

    sequence: int
    step: int
    kind: str
    body: dict[str, Any]
    controller: str | None
    results: list[dict[str, Any]]


@dataclass
class Ledger:
    """One world as its clients know it. Many threads write, one reads in the end."""

    name: str
    made: dict[str, Any]
    changes: list[Acknowledged] = field(default_factory=list)
    # digests right after a step, and digests that were read at some moment of a step
    arrivals: list[tuple[int, str]] = field(default_factory=list)
    reads: list[tuple[int, str]] = field(default_factory=list)
    step: int = 0
    steps_asked: int = 0
    alive: set[int] = field(default_factory=set)
    obstacles: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def change(
        self, answer: dict[str, Any], step: int, kind: str, body: dict[str, Any], controller: str | None = None
    ) -> None:
        """A change was acknowledged; `step` is the number of steps before it."""
        with self.lock:
            self.changes.append(
                Acknowledged(answer["sequence"], step, kind, body, controller, answer.get("results", []))
            )
            self.step = max(self.step, step)
            if kind == "commands":
                for command, result in zip(body["commands"], answer["results"], strict=True):
                    self._follow(command, result)

    def _follow(self, command: dict[str, Any], result: dict[str, Any]) -> None:
        if command["op"] == "add_agents":
            self.alive.update(result["ids"])
        elif command["op"] == "remove_agents":
            self.alive.difference_update(command["ids"])
        elif command["op"] == "add_obstacles":
            self.obstacles.update(result["ids"])
        elif command["op"] == "remove_obstacle":
            self.obstacles.discard(command["id"])

    def stepped(self, answer: dict[str, Any], count: int) -> None:
        """Steps were acknowledged, with the digest after the last."""
        with self.lock:
            self.steps_asked += count
            self.step = max(self.step, answer["step"])
            if "digest" in answer:
                self.arrivals.append((answer["step"], answer["digest"]))

    def read(self, answer: dict[str, Any]) -> None:
        """A digest was read: `{step, sha256}`."""
        with self.lock:
            self.step = max(self.step, answer["step"])
            self.reads.append((answer["step"], answer["sha256"]))

    def seen(self, step: int) -> None:
        """A watcher was told of this step."""
        with self.lock:
            self.step = max(self.step, step)

    # the verdict

    def verdict(self, last: dict[str, Any]) -> list[str]:
        """What is wrong with a world whose digest is `last` in the end; nothing where all is as acknowledged."""
        changes = sorted(self.changes, key=lambda change: change.sequence)
        numbers = [change.sequence for change in changes]
        if numbers != list(range(1, len(numbers) + 1)):
            odd = sorted(set(range(1, max(numbers, default=0) + 1)) ^ set(numbers))
            return [f"{self.name}: places {odd[:9]} of the order belong to nobody, or to two"]
        if last["step"] < self.step:
            return [f"{self.name}: step {self.step} was acknowledged, and the world is at {last['step']}"]
        if last.get("sequence", len(numbers)) != len(numbers):
            return [f"{self.name}: {len(numbers)} changes were acknowledged, the world has {last['sequence']}"]
        return self._replayed(changes, last)

    def _replayed(self, changes: list[Acknowledged], last: dict[str, Any]) -> list[str]:
        """The same orders at the same steps, in a world of our own."""
        settings = Settings()
        world = World(
            time_step=self.made["time_step"],
            options=Options.from_mapping(self.made.get("options", {})),
            seed=self.made.get("seed", 0),
        )
        session = Session(self.name, world, settings)
        wrong: list[str] = []
        arrived: dict[int, str] = {}
        known: dict[int, set[str]] = defaultdict(set)
        wanted = {step for step, _ in [*self.arrivals, *self.reads]}

        def advance(step: int) -> None:
            while world.step_count < step:
                session.advance(1)
                if world.step_count in wanted:
                    arrived[world.step_count] = world.digest()
                    known[world.step_count].add(arrived[world.step_count])

        known[0].add(world.digest())
        for change in changes:
            if change.step < world.step_count:
                return [*wrong, f"{self.name}: change {change.sequence} has an earlier step than the one before it"]
            advance(change.step)
            results = self._carried_out(session, change, settings)
            if results != change.results:
                wrong.append(f"{self.name}: change {change.sequence} brought {change.results}, replayed {results}")
            if change.step in wanted:
                known[change.step].add(world.digest())
        advance(last["step"])
        wrong += [f"{self.name}: another digest after step {s}" for s, told in self.arrivals if arrived.get(s) != told]
        wrong += [f"{self.name}: a state at step {s} that never was" for s, told in self.reads if told not in known[s]]
        if world.digest() != last["sha256"]:
            wrong.append(f"{self.name}: the end at step {last['step']} has other bits than what was acknowledged")
        return wrong

    @staticmethod
    def _carried_out(session: Session, change: Acknowledged, settings: Settings) -> Any:
        if change.kind == "own":
            ids = np.array(change.body["ids"], np.int64)
            answer = session.own(OwnRequest(ids, True, None, b""), str(change.controller))
        else:
            request = parse_commands({"commands": change.body["commands"]}, settings)
            answer = session.answer(request, change.controller)
        return decode(encode({"results": answer["results"]}, "json"), "json")["results"]
