"""What a journal costs: the same steps and the same commands in worlds of each durability, in turn."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from orca_core.world import World
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import columns_of
from orca_crowd.protocol.commands import CommandRequest, parse_commands
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.session import Accepted, Session

__all__ = ["DURABILITIES", "NONE", "PROCESS", "close", "cost_seconds", "crowd"]

NONE: Final = "none"
PROCESS: Final = "process"
DURABILITIES: Final = (NONE, PROCESS, "power")
# rounds that are not counted: files grow, caches fill
WARM = 20


def crowd(archive: Archive, scene: Scene, name: str, durability: str) -> Session:
    """A session with the scene's agents, which keeps a journal unless its durability is `none`."""
    session = Session(name, World(time_step=scene.time_step), Settings())
    if durability != NONE:
        described: dict[str, Any] = {"name": None, "ttl": None, "clock": {"mode": "manual"}}
        archive.begin(session, {"id": name, **described, "durability": durability})
    session.answer(_request({"op": "add_agents", "columns": columns_of(scene)}))
    return session


def close(archive: Archive, session: Session) -> None:
    """Close its journal, if it has one, and remove it."""
    if session.recorder is not None:
        session.recorder.file.close()
        archive.delete(session.name)


def cost_seconds(archive: Archive, scene: Scene, rounds: int) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Seconds of a step and of a command with one agent, (rounds,), by what was done and by durability."""
    sessions = {durability: crowd(archive, scene, f"cost-{durability}", durability) for durability in DURABILITIES}
    found = {what: {name: np.empty(rounds) for name in DURABILITIES} for what in ("step", "command")}
    goals = scene.goals
    for number in range(-WARM, rounds):
        one = number % scene.agents
        command = _request({"op": "set_agents", "agents": [{"id": one, "goal": goals[one - 1].tolist()}]})
        # whoever comes first finds caches as another left them, so everybody does once
        order = DURABILITIES[number % 3 :] + DURABILITIES[: number % 3]
        for durability in order:
            taken = _step(sessions[durability]), _command(sessions[durability], command)
            if number >= 0:
                found["step"][durability][number], found["command"][durability][number] = taken
    digests = {session.world.digest() for session in sessions.values()}
    for session in sessions.values():
        close(archive, session)
    if len(digests) != 1:
        raise RuntimeError("worlds of different durability have different bits")
    return found


def _step(session: Session) -> float:
    """Seconds of a step as the server takes it; a snapshot that is due is written afterwards, as by its helper."""
    request = parse_step({}, Settings())
    begin = time.perf_counter()
    accepted = session.begin(request)
    assert isinstance(accepted, Accepted)
    events = session.advance(1)
    session.record(0.0005)
    session.finish(request, accepted, events)
    snapshot = session.snapshot_due(stepped=True)
    seconds = time.perf_counter() - begin
    if snapshot is not None and session.recorder is not None:
        session.recorder.write(snapshot)
    return seconds


def _command(session: Session, request: CommandRequest) -> float:
    begin = time.perf_counter()
    session.answer(request)
    return time.perf_counter() - begin


def _request(command: dict[str, Any]) -> CommandRequest:
    return parse_commands({"commands": [command]}, Settings())
