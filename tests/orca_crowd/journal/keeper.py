"""Lives of the world `w` with its journal in a store: here, or in a process of its own that does what it reads.

A line each: `go <n>` carries out n turns, each a change and a step, and says the step and the digest after every one;
`state` says them as they are; `wait <seconds>` is how long the store is waited for. What is refused is said with its
code, and ends the turns. It says when it is there, and begins with the first line that it reads.
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
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Session
from orca_crowd.worlds.stored import StoredArchive
from tests.support.live_server import child_environment

__all__ = ["History", "Keeper", "Life", "keeper", "state", "turn"]

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


class History:
    """The digest at each step, whoever takes it."""

    def __init__(self) -> None:
        """Before the first one."""
        self._session = Session("w", World(time_step=0.25), SETTINGS)
        fill(self._session)
        self._digests = [self._session.world.digest()]

    def __getitem__(self, step: int) -> str:
        while len(self._digests) <= step:
            self._digests.append(turn(self._session)[1])
        return self._digests[step]


class Life:
    """One that begins here and now."""

    def __init__(self, url: str) -> None:
        """Take the world over, or make it."""
        self._archive = StoredArchive(url, SETTINGS, "w", SystemClock())
        self.epoch, _ = self._archive.claim()
        self.cut: str | None = None
        if self._archive.names():
            self.session, _, self.cut = self._archive.bring_back("w", World.restore)
            self.session.plan_with(None)
        else:
            self.session = Session("w", World(time_step=0.25), SETTINGS)
            self._archive.begin(self.session, FACTS)
            fill(self.session)

    def superseded(self) -> bool:
        """Whether it knows of another one."""
        return self._archive.superseded()

    def close(self) -> None:
        """Nothing of it stays on this machine."""
        if self.session.recorder is not None:
            self.session.recorder.file.close()
        self._archive.close()


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

    say("waits")
    sys.stdin.readline()
    life = Life(url)
    say({"epoch": life.epoch, "cut": life.cut, "state": state(life.session)})
    for line in sys.stdin:
        try:
            match line.split():
                case ["state"]:
                    say(state(life.session))
                case ["wait", seconds]:
                    trail.ANSWER_SECONDS = float(seconds)  # type: ignore[misc]
                case ["go", count]:
                    for _ in range(int(count)):
                        say(turn(life.session))
        except ApiError as refusal:
            say({"code": refusal.code, "detail": refusal.detail})


if __name__ == "__main__":
    _live(sys.argv[1])
