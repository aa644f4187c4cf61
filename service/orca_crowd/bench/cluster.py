"""The cluster benchmark: two nodes of a real Ray cluster on this machine, worlds on them, and deaths among them."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orca_crowd.bench.cluster_deaths import drained_node, killed_node, killed_process
from orca_crowd.bench.cluster_division import congruence, division
from orca_crowd.bench.cluster_figures import cluster_bars, cluster_figures
from orca_crowd.bench.cluster_served import added_to_a_tick, worlds_in_real_time
from orca_crowd.bench.durability import distribution
from orca_crowd.bench.engine import at_rest
from orca_crowd.bench.engines import event_loop
from orca_crowd.bench.machine import busy_before, facts
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote, serving_process
from orca_crowd.worlds.scenes import SCENES

if TYPE_CHECKING:
    from orca_crowd.engine.ray.local import LocalNodes

__all__ = ["FORMAT", "ClusterPlan", "Run", "measure_cluster"]

FORMAT = 1
# processors that each of the two nodes says it has: worlds ask for little, and helpers for one each
PROCESSORS = 8
FIRST_ROUNDS = 5
# a machine that has much else to do takes its time to start processes
PATIENT = {"return_seconds": 300.0}
SHARING = "orca-crowd-shared"


@dataclass(frozen=True)
class ClusterPlan:
    """What is to be run, each part as large as it says; 0 or nothing leaves a part out."""

    congruence_steps: int = 100
    congruence_scenes: tuple[str, ...] = tuple(SCENES)
    congruence_actors: tuple[int, ...] = (1, 2, 3)
    way_rounds: int = 100
    way_rows: int = 50_000
    agents: tuple[int, ...] = (20_000, 50_000, 100_000)
    actors: int = 2
    steps: int = 40
    ticks: int = 500
    tick_agents: int = 10_000
    turns: int = 5
    worlds: int = 50
    world_processes: int = 4
    own_worlds: int = 20
    world_agents: int = 200
    rate: float = 10.0
    seconds: float = 20.0
    processes_killed: int = 3
    nodes_killed: int = 1
    killed_agents: int = 1_000
    nodes_drained: int = 1
    drained_agents: int = 10_000


class Run:
    """A plan on its way: what is known so far, and who hears of it."""

    def __init__(self, plan: ClusterPlan, tell: Callable[[str], None], keep: Callable[[dict[str, Any]], None]) -> None:
        """`tell` hears what is done, `keep` is given the whole result after each part."""
        machine = facts()
        self.plan = plan
        self.tell = tell
        self._keep = keep
        self.result: dict[str, Any] = {
            "benchmark": "cluster",
            "format": FORMAT,
            "machine": machine,
            "actors": plan.actors,
            "facts": [
                "two nodes of a Ray cluster on this machine, which share its cores with everything else here; all on "
                "the wall",
                "ticks and worlds in real time have durability `process`: with `power`, the default of a cluster, each "
                "step waits for the disk four times",
                f"in real time {plan.worlds} worlds share {plan.world_processes} processes, and {plan.own_worlds} have "
                "one each; all are watched, and a step is late by what passes from its deadline until its frame has "
                "been read",
                f"killed under load: a world of {plan.killed_agents:,} agents with durability `power` is sent a goal "
                "and a step at a time, and its digests are read meanwhile",
                f"emptied under load: the same with {plan.drained_agents:,} agents and `orca-crowd cluster drain`",
            ],
            "remarks": busy_before(machine),
            "congruence": [],
            "ways": {},
            "division": [],
            "tick": None,
            "realtime": [],
            "killed": {"process": [], "node": [], "drained": []},
            "failed": [],
        }

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """One part: what it has found is kept when it ends, and where it fails the others are run all the same."""
        self.tell(name)
        try:
            yield
        except Exception as error:
            self.result["failed"].append(name)
            self.result["remarks"].append(f"{name}: failed, {type(error).__name__}: {error}")
        self._keep(self.so_far())

    def so_far(self) -> dict[str, Any]:
        """The result as far as it is known. Ready for JSON."""
        result = self.result
        remarks = list(result["remarks"])
        for entry in [*result["congruence"], *result["division"]]:
            if not entry["same_bits"]:
                remarks.append(f"{entry['name']}: other bits than on one machine; these figures are void.")
        return {**result, "remarks": remarks, "figures": cluster_figures(result), "bars": cluster_bars(result)}


def measure_cluster(
    plan: ClusterPlan,
    tell: Callable[[str], None] = lambda _: None,
    keep: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """Run the plan; `tell` hears what is done, `keep` is given what is known after each part. Ready for JSON.

    A part that fails is named in `failed` and among the remarks; the others are run all the same.
    """
    from orca_crowd.engine.ray.local import local_nodes

    run = Run(plan, tell, keep)
    tell("two nodes")
    with local_nodes([PROCESSORS, PROCESSORS]) as nodes:
        _in_this_process(run)
        if (
            plan.ticks
            or plan.worlds
            or plan.own_worlds
            or plan.processes_killed
            or plan.nodes_killed
            or plan.nodes_drained
        ):
            with asyncio.Runner(loop_factory=event_loop) as runner:
                runner.run(_through_front_ends(run, nodes))
    return run.so_far()


def _in_this_process(run: Run) -> None:
    """What needs no server."""
    plan, result = run.plan, run.result
    if plan.congruence_steps:
        with run.part("congruence"):
            result["congruence"] = congruence(
                plan.congruence_scenes, plan.congruence_actors, plan.congruence_steps, run.tell
            )
    if plan.way_rounds:
        from orca_crowd.engine.ray.ways import WAYS, way_to_an_actor

        for way in WAYS:
            with run.part(f"{plan.way_rows:,} rows there and back: {way}"), way_to_an_actor(way, plan.way_rows) as call:
                result["ways"][way] = distribution(_rounds(call, plan.way_rounds))
    for agents in plan.agents:
        with run.part(f"{agents:,} agents, one actor and {plan.actors}"):
            result["division"].append(division(Scene(agents), plan.actors, plan.steps))


def _rounds(call: Callable[[], object], rounds: int) -> list[float]:
    found = []
    for number in range(FIRST_ROUNDS + rounds):
        begin = time.perf_counter()
        call()
        if number >= FIRST_ROUNDS:
            found.append(time.perf_counter() - begin)
    return found


async def _through_front_ends(run: Run, nodes: LocalNodes) -> None:
    """What goes through a front end, as a client sees it."""
    plan, result = run.plan, run.result
    with ExitStack() as servers:
        folder = servers.enter_context(tempfile.TemporaryDirectory(prefix="orca-crowd-cluster-"))
        run.tell("a front end")
        front = servers.enter_context(serving_process("ray", 1, ray_address=nodes.address, data=folder, **PATIENT))
        async with AsyncExitStack() as ends:
            remote = await ends.enter_async_context(Remote(front.address))
            # what passes between processes is looked at here, and not how long a disk takes
            quick = await ends.enter_async_context(Remote(front.address, "process"))
            scene = Scene(plan.killed_agents)
            if plan.ticks:
                with run.part(f"ticks of {plan.tick_agents:,} agents"), serving_process("inline", 1) as alone:
                    async with Remote(alone.address) as other:
                        taken = await added_to_a_tick(quick, other, Scene(plan.tick_agents), plan.ticks, plan.turns)
                    told = {name: distribution(values) for name, values in taken.items()}
                    result["tick"] = {"agents": plan.tick_agents, **told}
            for number in range(plan.processes_killed):
                with run.part(f"the process of a world is killed, {number + 1} of {plan.processes_killed}"):
                    result["killed"]["process"].append(await killed_process(remote, scene))
            for number in range(plan.nodes_killed):
                with run.part(f"a node is killed, {number + 1} of {plan.nodes_killed}"):
                    result["killed"]["node"].append(await killed_node(remote, scene, nodes))
                    nodes.add(PROCESSORS)
            for number in range(plan.nodes_drained):
                with run.part(f"a node is emptied, {number + 1} of {plan.nodes_drained}"):
                    moved = await drained_node(remote, Scene(plan.drained_agents), nodes)
                    result["killed"]["drained"].append(moved)
                    nodes.add(PROCESSORS)
            if plan.own_worlds:
                await _in_real_time(run, quick, plan.own_worlds, 0)
    if plan.worlds:
        # front ends of one namespace have one way to share processes
        sharing = {"ray_namespace": SHARING, "world_processes": plan.world_processes, "ray_address": nodes.address}
        with (
            tempfile.TemporaryDirectory(prefix="orca-crowd-cluster-") as folder,
            serving_process("ray", 1, data=folder, **sharing, **PATIENT) as front,
        ):
            async with Remote(front.address, "process") as remote:
                await _in_real_time(run, remote, plan.worlds, plan.world_processes)


async def _in_real_time(run: Run, remote: Remote, worlds: int, processes: int) -> None:
    """Worlds that share so many processes, or have one each."""
    plan = run.plan
    with run.part(f"{worlds} worlds in real time in {processes or worlds} processes"), at_rest():
        live = await worlds_in_real_time(remote, worlds, plan.world_agents, plan.rate, plan.seconds, run.tell)
        run.result["realtime"].append({**live, "processes": processes, "late": distribution(live["late"])})
