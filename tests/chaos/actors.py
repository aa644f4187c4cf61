"""Clients over REST: who gives orders, who steps, who reads, who makes worlds and deletes them again."""

from __future__ import annotations

from typing import Any

from tests.chaos.caller import Broken, Caller, Meeting
from tests.chaos.ledger import Ledger
from tests.chaos.orders import batch

__all__ = ["Churner", "Commander", "Reader", "Stepper", "make_world"]

# refusals of orders that name what is not there any more
GONE = frozenset({"not-found", "gone", "owned", "exists"})
HASTY = 0.03


def make_world(caller: Caller, made: dict[str, Any], agents: int) -> Ledger:
    """A world and its first agents, however often it takes."""
    answer = caller.send("POST", "/v1/worlds", made)
    # made by a try whose answer was lost
    if answer.status_code not in (201, 409):
        raise Broken(f"a world could not be made: {answer.text}")
    ledger = Ledger(made["id"], made)
    rows = [{"position": [3.0 * (n % 8) - 10.0, 3.0 * (n // 8) - 10.0], "goal": [0.0, 0.0]} for n in range(agents)]
    order(caller, ledger, [{"op": "add_agents", "agents": rows}])
    caller.meeting.count("worlds made")
    return ledger


def order(caller: Caller, ledger: Ledger, commands: list[dict[str, Any]], controller: str | None = None) -> None:
    """A batch with its key, until it is acknowledged or refused."""
    body = {"commands": commands, "key": caller.key()}
    hasty = caller.random.random() < HASTY
    answer = caller.send("POST", f"/v1/worlds/{ledger.name}/commands", body, hasty=hasty)
    if answer.status_code == 200:
        told = answer.json()
        ledger.change(told, told["step"], "commands", body, controller)
        caller.meeting.count("commands acknowledged", len(commands))
    elif answer.json()["code"] in GONE:
        caller.meeting.count("orders refused")
    else:
        raise Broken(f"{body} was answered with {answer.text}")


class Commander:
    """Gives orders to a world, one after another, sometimes under a name that owns agents."""

    def __init__(self, meeting: Meeting, ledger: Ledger, name: str, seed: int) -> None:
        """Be `name`, which is a controller too."""
        self._caller = Caller(meeting, name, seed, name)
        self._ledger, self._name = ledger, name

    def run(self) -> None:
        """Until the run is over; what was begun is finished."""
        caller = self._caller
        try:
            while not caller.meeting.over.wait(caller.random.uniform(0.0, 0.08)):
                order(caller, self._ledger, batch(caller.random, self._ledger), self._name)
        finally:
            caller.close()


class Stepper:
    """The one who steps a world by hand: it knows which step comes next and says so."""

    def __init__(self, meeting: Meeting, ledger: Ledger, name: str, seed: int) -> None:
        """Go on from the first step."""
        self._caller = Caller(meeting, name, seed)
        self._ledger = ledger

    def run(self) -> None:
        """Until the run is over."""
        caller, ledger, step = self._caller, self._ledger, 0
        try:
            while not caller.meeting.over.wait(caller.random.uniform(0.0, 0.04)):
                step = self._steps(step)
            ledger.read(caller.send("GET", f"/v1/worlds/{ledger.name}/digest").json())
        finally:
            caller.close()

    def _steps(self, step: int) -> int:
        caller, ledger = self._caller, self._ledger
        count = caller.random.choice((1, 1, 1, 2, 5, 40))
        body: dict[str, Any] = {"count": count, "expected_step": step, "key": caller.key(), "return": "digest"}
        if caller.random.random() < 0.3:
            body["commands"] = batch(caller.random, ledger)
        answer = caller.send("POST", f"/v1/worlds/{ledger.name}/steps", body, hasty=caller.random.random() < HASTY)
        told = answer.json()
        if answer.status_code == 200:
            if told["step"] != step + count:
                raise Broken(f"{count} steps from {step} of {ledger.name} ended at {told['step']}")
            if "commands" in body:
                # they took effect at the step that was expected, also where the steps were broken off
                ledger.change(told, step, "commands", body)
                caller.meeting.count("commands acknowledged", len(body["commands"]))
            ledger.stepped(told, count)
            caller.meeting.count("steps acknowledged", count)
            return step + count
        if told["code"] not in GONE:
            raise Broken(f"{body} in {ledger.name} was answered with {answer.text}")
        caller.meeting.count("orders refused")
        return step


class Reader:
    """Reads digests of a world, and remembers them."""

    def __init__(self, meeting: Meeting, ledger: Ledger, name: str, seed: int) -> None:
        """Read nothing yet."""
        self._caller = Caller(meeting, name, seed)
        self._ledger = ledger

    def run(self) -> None:
        """Until the run is over."""
        caller = self._caller
        try:
            while not caller.meeting.over.wait(caller.random.uniform(0.05, 0.3)):
                self._ledger.read(caller.send("GET", f"/v1/worlds/{self._ledger.name}/digest").json())
                caller.meeting.count("digests read")
        finally:
            caller.close()


class Churner:
    """Makes worlds, uses them for a moment, checks what became of them, and deletes them."""

    def __init__(self, meeting: Meeting, name: str, seed: int) -> None:
        """Make nothing yet."""
        self._caller = Caller(meeting, name, seed)
        self._name = name

    def run(self) -> None:
        """Until the run is over; the last world is deleted too."""
        caller, number = self._caller, 0
        try:
            while not caller.meeting.over.is_set():
                number += 1
                self._one({"id": f"{self._name}-{number}", "time_step": 0.1, "seed": number})
                caller.meeting.over.wait(caller.random.uniform(0.0, 0.3))
        finally:
            caller.close()

    def _one(self, made: dict[str, Any]) -> None:
        caller = self._caller
        ledger = make_world(caller, made, 12)
        path = f"/v1/worlds/{made['id']}"
        for _ in range(3):
            order(caller, ledger, batch(caller.random, ledger))
            body = {"count": 3, "expected_step": ledger.step, "key": caller.key(), "return": "digest"}
            answer = caller.send("POST", f"{path}/steps", body)
            if answer.status_code != 200:
                raise Broken(f"{body} in {made['id']} was answered with {answer.text}")
            ledger.stepped(answer.json(), 3)
            caller.meeting.count("steps acknowledged", 3)
        for line in ledger.verdict(caller.send("GET", f"{path}/digest").json()):
            raise Broken(line)
        gone = caller.send("DELETE", path)
        # deleted by a try whose answer was lost
        if gone.status_code not in (204, 404):
            raise Broken(f"{made['id']} could not be deleted: {gone.text}")
