"""The same clients through a front end of a cluster, whose processes, nodes and front ends are killed."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from tests.chaos.caller import Broken, Caller, Meeting
from tests.chaos.disk import lost
from tests.chaos.havoc import Held
from tests.chaos.ledger import Ledger
from tests.chaos.run import SETTINGS, Outcome, Plan, clients, free_port, make_worlds, verdicts
from tests.support.mortal_server import MortalServer
from tests.support.ray_cluster import RayCluster, ray_cluster

__all__ = ["run_on_a_cluster"]

NODES = 2
# errors that are told in the end
SHOWN = 3


class ClusterHavoc:
    """Kills whatever there is of a cluster but for its head, at moments that come from a seed."""

    def __init__(
        self, cluster: RayCluster, front: MortalServer, meeting: Meeting, seed: int, settings: dict[str, str]
    ) -> None:
        """The cluster has its nodes, and the front end runs."""
        self._cluster, self._front, self._meeting, self._settings = cluster, front, meeting, settings
        self._random = random.Random(seed)
        self._nodes = [cluster.add() for _ in range(NODES)]

    def during(self, plan: Plan) -> None:
        """Processes of worlds now and then, front ends as servers otherwise, and nodes instead of full disks."""
        begin = time.monotonic()
        nodes = [plan.seconds * (number + 0.4) / plan.fills for number in range(plan.fills)]
        next_front, next_process = self._after(plan.server_every), self._after(plan.worker_every)
        while not self._meeting.over.wait(0.02) and (now := time.monotonic() - begin) < plan.seconds:
            if nodes and now >= nodes[0]:
                nodes.pop(0)
                self.kill_a_node()
            elif now >= next_process:
                self.kill_a_process()
                next_process = time.monotonic() - begin + self._after(plan.worker_every)
            elif now >= next_front:
                self.kill_the_front_end()
                next_front = time.monotonic() - begin + self._after(plan.server_every)

    def _after(self, mean: float) -> float:
        return self._random.uniform(0.4, 1.6) * mean

    def kill_a_process(self) -> None:
        """SIGKILL to a process of worlds, or SIGSTOP for a while: it wakes up when they may be elsewhere."""
        processes = self._cluster.worlds()
        if not processes:
            return
        chosen = self._random.choice(processes)
        frozen = self._random.random() < 0.2
        with suppress(ProcessLookupError):
            os.kill(chosen, signal.SIGSTOP if frozen else signal.SIGKILL)
            self._meeting.count("processes of worlds frozen" if frozen else "processes of worlds killed")
            if frozen:
                self._meeting.over.wait(self._random.uniform(0.2, 12.0))
                os.kill(chosen, signal.SIGCONT)

    def kill_a_node(self) -> None:
        """A node with everything on it; another one takes its place."""
        self._nodes.append(self._cluster.add())
        self._cluster.kill(self._nodes.pop(0))
        self._meeting.count("nodes killed")

    def kill_the_front_end(self) -> None:
        """SIGKILL, and another one at the same address."""
        self._front.kill()
        self._meeting.count("front ends killed")
        for each in _tracebacks(self._front.log)[:SHOWN]:
            self._meeting.fault(f"the front end has said: {each}")
        self._front.start(**self._settings)


def run_on_a_cluster(plan: Plan, folder: Path, processes: int) -> Outcome:
    """The whole run in an empty folder; worlds share so many processes, or have one each where that is 0."""
    port = free_port()
    meeting = Meeting(f"127.0.0.1:{port}")
    settings = {
        **SETTINGS,
        "ORCA_CROWD_WORLD_PROCESSES": str(processes),
        "ORCA_CROWD_UNREACHABLE_SECONDS": "3",
        "ORCA_CROWD_WORLD_PROCESSORS": "0.01",
        "ORCA_CROWD_WORLD_MEMORY": "0",
    }
    with ray_cluster() as cluster:
        options = ("--port", str(port), "--engine", "ray", "--ray-address", cluster.address)
        front = MortalServer(folder, *options)
        try:
            front.start(**settings)
            havoc = ClusterHavoc(cluster, front, meeting, plan.seed, settings)
            maker = Caller(meeting, "maker", plan.seed)
            ledgers = make_worlds(maker, plan)
            first = Held.by(front.process.pid)
            with clients(meeting, plan, ledgers):
                havoc.during(plan)
            for process in cluster.worlds():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            havoc.kill_the_front_end()
            outcome = _judged(front, meeting, maker, ledgers, first)
            # an error that nobody caught is a fault, whatever came of it
            said = cluster.said()
            outcome.faults += [f"a process of worlds has said: {each}" for each in _tracebacks(said)[:SHOWN]]
            return outcome
        finally:
            front.close()


def _tracebacks(said: str) -> list[str]:
    """The lines around each error that nobody caught.

    A connection whose request was cancelled while it was being closed is closed by the collector, with a warning: what
    httpcore shields is not shielded from the cancellation of a task.
    """
    lines = said.splitlines()
    found = [
        "\n".join(lines[max(0, number - 2) : number + 40]) for number, line in enumerate(lines) if "Traceback" in line
    ]
    return [each for each in found if "ResourceWarning: unclosed resource <TCPTransport" not in each]


def _judged(front: MortalServer, meeting: Meeting, maker: Caller, ledgers: list[Ledger], first: Held) -> Outcome:
    """Every world against what was acknowledged."""
    try:
        lines, known = verdicts(front.data, meeting, maker, ledgers)
        meeting.faults += [f"{name} belongs to no world" for name in lost(front.data, known)]
    except Broken as error:
        lines = [f"the last front end has said: {front.log[-2000:]}"]
        meeting.faults.append(str(error))
    maker.close()
    return Outcome(meeting.faults, dict(meeting.counted), first, Held.by(front.process.pid), False, lines)
