"""One life of the world `w` with its journal in a store, in a process of its own that does what it reads.

A line each: `go <n>` carries out n turns, each a change and a step, and says the step and the digest after every one;
`state` says them as they are. What is refused is said with its code, and ends the turns. Where another process has the
world that is said, and the process ends. The first line says when it may begin: two that read it together race.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from orca_core.world import World
from orca_crowd.clock import SystemClock
from orca_crowd.errors import ApiError
from orca_crowd.journal import trail
from orca_crowd.journal.errors import Superseded
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Session
from orca_crowd.worlds.stored import StoredArchive
from tests.support.live_server import child_environment

__all__ = ["Keeper", "history", "keeper"]

FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "power"}
COUNT = 6
SETTINGS = Settings(digest_steps=5, snapshot_seconds=1.0)


def fill(session: Session) -> None:
    """Agents that are in each other's way."""
    agents = [{"id": 1 + n, "position": [n, (n * n) % 5], "goal": [-n, 0]} for n in range(COUNT)]
    session.answer(parse_commands({"commands": [{"op": "add_agents", "agents": agents}]}, SETTINGS))


def turn(session: Session) -> tuple[int, str]:
    """What is done at this step, whoever does it: a change, which does no more when it is done twice, and the step."""
    step = session.world.step_count
    change = {"op": "set_agents", "ids": [1 + step % COUNT], "columns": {"goal": [[step % 7, 3.0 - step % 4]]}}
    session.answer(parse_commands({"commands": [change]}, SETTINGS))
    session.check_room()
    session.advance(1)
    session.record(0.01)
    snapshot = session.snapshot_due(stepped=True)
    if snapshot is not None and session.recorder is not None:
        session.recorder.write(snapshot)
    return state(session)


def state(session: Session) -> tuple[int, str]:
    """The step and the digest."""
    return session.world.step_count, session.world.digest()


def history(turns: int) -> list[str]:
    """The digest after so many turns, from none on."""
    session = Session("w", World(time_step=0.25), SETTINGS)
    fill(session)
    return [session.world.digest(), *(turn(session)[1] for _ in range(turns))]


class Keeper:
    """The process, as a test speaks with it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """It waits for its beginning."""
        self.process = process

    def tell(self, line: str) -> None:
        """Have it do something."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def heard(self) -> Any:
        """The next thing it says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the process has ended with {self.process.wait()}"
        return json.loads(line)

    def asked(self, line: str) -> Any:
        """Have it do something, and hear of it."""
        self.tell(line)
        return self.heard()


@contextmanager
def keeper(url: str, environment: Mapping[str, str]) -> Iterator[Keeper]:
    """A process that has ended after the block."""
    process = subprocess.Popen(
        [sys.executable, __file__, url],
        env={**child_environment(), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Keeper(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()


def _live(url: str) -> None:
    def say(told: Any) -> None:
        print(json.dumps(told), flush=True)

    # nobody waits longer in a test
    trail.ANSWER_SECONDS = 1.5  # type: ignore[misc]
    archive = StoredArchive(url, SETTINGS, "w", SystemClock())
    say("waits")
    sys.stdin.readline()
    epoch, _ = archive.claim()
    cut: str | None = None
    if archive.names():
        session, _, cut = archive.bring_back("w", World.restore)
        session.plan_with(None)
    else:
        session = Session("w", World(time_step=0.25), SETTINGS)
        archive.begin(session, FACTS)
        fill(session)
    say({"epoch": epoch, "cut": cut, "state": state(session)})
    for line in sys.stdin:
        try:
            match line.split():
                case ["state"]:
                    say(state(session))
                case ["go", count]:
                    for _ in range(int(count)):
                        say(turn(session))
        except ApiError as refusal:
            say({"code": refusal.code, "detail": refusal.detail})
        except Superseded as other:
            say({"superseded": str(other), "known": archive.superseded()})
            return


if __name__ == "__main__":
    _live(sys.argv[1])
