"""A run: worlds and their clients, havoc for some time, and the verdict over every world."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.actors import Churner, Commander, Reader, Stepper, make_world
from tests.chaos.caller import Broken, Caller, Meeting
from tests.chaos.disk import lost, lying, too_long
from tests.chaos.havoc import Havoc, Held, small_disk, survivors
from tests.chaos.havoc import family as family_of
from tests.chaos.ledger import Ledger
from tests.chaos.sockets import Controller, Staller
from tests.support.leaks import shared_memory
from tests.support.mortal_server import MortalServer

__all__ = ["SETTINGS", "Outcome", "Plan", "clients", "free_port", "make_worlds", "run", "verdicts"]

# small worlds are divided among workers too, snapshots and forgetting happen often, digests at every few steps
JOURNAL_BYTES = 6 * 2**20
SETTINGS = {
    "ORCA_CROWD_SMALL_AGENTS": "0",
    "ORCA_CROWD_SPLIT_AGENTS": "40",
    "ORCA_CROWD_SNAPSHOT_SECONDS": "0.3",
    "ORCA_CROWD_DIGEST_STEPS": "7",
    "ORCA_CROWD_JOURNAL_BYTES": str(JOURNAL_BYTES),
}
# a journal is as long as it may be and a snapshot longer; a log as long as makes it copied, and what came meanwhile
MOST_IN_A_FILE = JOURNAL_BYTES + 4 * 2**20
MOST_IN_A_LOG = 8 * 2**20
# what the last server may hold beyond the first: allocators keep what they had at the busiest moment
MORE_MEMORY = 64 * 2**20
MORE_THREADS = 8
MORE_DESCRIPTORS = 16
# how long a server is left alone before it is weighed
REST_SECONDS = 1.5


@dataclass(frozen=True)
class Plan:
    """How long, how much, and from which seed."""

    seconds: float
    seed: int = 1
    manual: int = 3
    server_every: float = 7.0
    worker_every: float = 2.0
    fills: int = 2


@dataclass
class Outcome:
    """What was wrong, and what was done."""

    faults: list[str]
    counted: dict[str, int]
    first: Held
    last: Held
    full: bool
    lines: list[str] = field(default_factory=list)


def run(plan: Plan, folder: Path) -> Outcome:
    """The whole run in an empty folder."""
    before = shared_memory()
    port = free_port()
    meeting = Meeting(f"127.0.0.1:{port}")
    with small_disk(folder / "data") as small:
        server = MortalServer(folder, "--port", str(port), "--engine", "processes", "--workers", "2")
        try:
            server.start(**SETTINGS)
            outcome = _with(server, plan, meeting, small=small)
        finally:
            server.close()
    outcome.faults += [f"left in /dev/shm: {name}" for name in sorted(shared_memory() - before)]
    return outcome


def _with(server: MortalServer, plan: Plan, meeting: Meeting, *, small: bool) -> Outcome:
    """Clients and havoc, then the verdict, with a server that runs."""
    maker = Caller(meeting, "maker", plan.seed)
    ledgers = make_worlds(maker, plan)
    time.sleep(REST_SECONDS)
    first = Held.by(server.process.pid)
    havoc = Havoc(server, meeting, plan.seed, small=small, settings=SETTINGS)
    with clients(meeting, plan, ledgers):
        havoc.during(plan.seconds, server_every=plan.server_every, worker_every=plan.worker_every, fills=plan.fills)
    havoc.kill_the_server()
    try:
        return _judged(server, meeting, maker, ledgers, first, small=small)
    except Broken as error:
        # what was counted and found before is told all the same
        told = [*meeting.faults, str(error), f"the last server has said: {server.log[-2000:]}"]
        disk = lying(server.data, [ledger.name for ledger in ledgers])
        return Outcome(told, dict(meeting.counted), first, first, small, disk)


def make_worlds(maker: Caller, plan: Plan) -> list[Ledger]:
    """Worlds that are stepped by hand, then one in real time, then one with a barrier."""
    made = [make_world(maker, {"id": f"manual-{n}", "time_step": 0.1, "seed": n}, 24) for n in range(plan.manual)]
    clock = {"mode": "realtime", "rate": 40.0}
    made.append(make_world(maker, {"id": "realtime", "time_step": 0.05, "clock": clock}, 30))
    clock = {"mode": "barrier", "timeout": 0.5}
    made.append(make_world(maker, {"id": "barrier", "time_step": 0.1, "clock": clock}, 20))
    return made


@contextmanager
def clients(meeting: Meeting, plan: Plan, ledgers: list[Ledger]) -> Iterator[None]:
    """Everybody who asks something of the server, during the block; after it every request has its answer."""
    *manual, live, barrier = ledgers
    actors = _actors(plan, meeting, manual, live, barrier)
    threads = [threading.Thread(target=_guarded, args=(meeting, actor), daemon=True) for actor in actors]
    for thread in threads:
        thread.start()
    yield
    # with nobody left to ask, every request has its answer
    meeting.over.set()
    for thread in threads:
        thread.join(180.0)
        if thread.is_alive():
            meeting.fault("a client had no answer after three minutes")


def _actors(plan: Plan, meeting: Meeting, ledgers: list[Ledger], live: Ledger, barrier: Ledger) -> list[Any]:
    """Everybody who asks something of the server."""
    actors: list[Any] = [Churner(meeting, "passing", plan.seed)]
    for number, ledger in enumerate(ledgers):
        seed = 100 * plan.seed + 10 * number
        actors.append(Stepper(meeting, ledger, f"stepper-{number}", seed))
        actors += [Commander(meeting, ledger, f"commander-{number}-{n}", seed + 1 + n) for n in range(2)]
        actors.append(Reader(meeting, ledger, f"reader-{number}", seed + 5))
    for n in range(2):
        actors.append(Controller(meeting, live, f"live-{n}", plan.seed + n, barrier=False))
        actors.append(Controller(meeting, barrier, f"barrier-{n}", plan.seed + n, barrier=True))
        actors.append(Staller(meeting, live.name, plan.seed + n))
    actors += [Reader(meeting, live, "reader-live", plan.seed), Reader(meeting, barrier, "reader-barrier", plan.seed)]
    return actors


def _guarded(meeting: Meeting, actor: Any) -> None:
    """A client's whole life in a thread; what ends it ends the run."""
    try:
        actor.run()
    except Exception as error:
        meeting.fault(f"{type(actor).__name__}: {type(error).__name__}: {error}")


def verdicts(data: Path, meeting: Meeting, maker: Caller, ledgers: list[Ledger]) -> tuple[list[str], list[str]]:
    """Every world against what was acknowledged; a line for each, and those that there are."""
    lines = []
    for ledger in ledgers:
        path = f"/v1/worlds/{ledger.name}"
        if "clock" in ledger.made:
            maker.send("PATCH", path, {"clock": {"mode": "manual"}})
        last = maker.send("GET", f"{path}/digest").json()
        shown = maker.send("GET", path).json()
        size = (data / "worlds" / f"{ledger.name}.sqlite").stat().st_size
        lines.append(
            f"{ledger.name}: {len(ledger.changes)} changes, {last['step']} steps, {len(ledger.arrivals)} digests told, "
            f"{len(ledger.reads)} read, a journal of {size >> 10} KiB"
        )
        # the change of the clock has a place of its own
        if "clock" in ledger.made:
            ledger.change({"sequence": shown["sequence"], "results": []}, last["step"], "commands", {"commands": []})
        meeting.faults += ledger.verdict({**last, "sequence": shown["sequence"]})
        if "clock" not in ledger.made and last["step"] != ledger.steps_asked:
            meeting.faults.append(f"{ledger.name}: {ledger.steps_asked} steps were asked for, {last['step']} taken")
    known = sorted(world["id"] for world in maker.send("GET", "/v1/worlds").json()["worlds"])
    if known != sorted(ledger.name for ledger in ledgers):
        meeting.faults.append(f"the worlds are {known}")
    return lines, known


def _judged(
    server: MortalServer, meeting: Meeting, maker: Caller, ledgers: list[Ledger], first: Held, *, small: bool
) -> Outcome:
    """Every world against what was acknowledged, and the last server against the first."""
    lines, known = verdicts(server.data, meeting, maker, ledgers)
    lines += lying(server.data, known)
    meeting.faults += [f"{name} belongs to no world" for name in lost(server.data, known)]
    meeting.faults += too_long(server.data, MOST_IN_A_FILE, MOST_IN_A_LOG)
    maker.close()
    time.sleep(REST_SECONDS)
    last_held = Held.by(server.process.pid)
    for name, more in (("memory", MORE_MEMORY), ("threads", MORE_THREADS), ("descriptors", MORE_DESCRIPTORS)):
        if getattr(last_held, name) > getattr(first, name) + more:
            meeting.faults.append(f"{name} grew from {getattr(first, name):,} to {getattr(last_held, name):,}")
    people = family_of(server.process.pid)
    if server.stop() != 0:
        meeting.faults.append(f"the last server did not end well: {server.log[-2000:]}")
    meeting.faults += [f"process {each} outlived the last server" for each in survivors(people)]
    return Outcome(meeting.faults, dict(meeting.counted), first, last_held, small, lines)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
