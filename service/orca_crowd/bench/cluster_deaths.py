"""Deaths under load: how soon a world is back when its process or its node is killed, and whether anything was lost.

One client sends a goal and a step at a time and repeats what was interrupted under the same key; another reads digests
all the while. Both are held against the same steps on one machine: every digest that anybody was told must be the one
of its step, no step may be told after a later one, and none that was acknowledged may be missing.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpx

from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.bench.contenders import scene_columns
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import PATIENCE, Remote, columns_of
from orca_crowd.bench.start import child_environment
from orca_crowd.engine.ray.local import LocalNodes, process_of

__all__ = ["Load", "drained_node", "goal_of", "killed_node", "killed_process", "who"]

# steps that are acknowledged before the kill, and after it
BEFORE, AFTER = 30, 20
NAMESPACE = "orca-crowd"
# what a moment without the world is answered with
AWAY = (429, 502, 503, 504)
PAUSE = 0.005
# a world that is not back by then does not come back
RETURN_SECONDS = 150.0
# worlds that are made until one of them is on a node that will do
ATTEMPTS = 6


@dataclass
class Load:
    """What a writer and a reader were told: steps with their digests, in the order in which they were told."""

    acknowledged: list[tuple[float, int, str]] = field(default_factory=list)
    read: list[tuple[int, str]] = field(default_factory=list)

    def faults(self, scene: Scene) -> dict[str, int]:
        """How many acknowledged steps are missing or have other bits, and how many answers were of a past life."""
        world = World(time_step=scene.time_step, options=Options.service())
        world.add_agents({**scene_columns(scene), "goal": scene.goals})
        # with those who guide agents that stand in each other's way
        Simulation(world)
        expected = {0: world.digest()}
        for number in range(len(self.acknowledged)):
            world.set_agents([who(number, scene)], {"goal": [goal_of(number, scene)]})
            world.step()
            expected[world.step_count] = world.digest()
        told = [(step, digest) for _, step, digest in self.acknowledged]
        return {
            "lost": sum(step != number + 1 for number, (step, _) in enumerate(told)),
            "other_bits": sum(expected.get(step) != digest for step, digest in [*told, *self.read]),
            "of_the_past": sum(later[0] < earlier[0] for earlier, later in pairwise(self.read)),
        }


def who(number: int, scene: Scene) -> int:
    """The agent that is sent elsewhere before a step."""
    return number % scene.agents


def goal_of(number: int, scene: Scene) -> list[float]:
    """And where to."""
    found: list[float] = scene.goals[(7 * number) % scene.agents].tolist()
    return found


async def _write(remote: Remote, world: str, scene: Scene, load: Load, steps: Callable[[], bool]) -> None:
    """Send a goal and a step after the other, each again until it is acknowledged."""
    async with httpx.AsyncClient(base_url=f"http://{remote.address}", timeout=PATIENCE) as client:
        while steps():
            number = len(load.acknowledged)
            goal = {"op": "set_agents", "agents": [{"id": who(number, scene), "goal": goal_of(number, scene)}]}
            body = {"count": 1, "return": "digest", "key": f"step-{number}", "commands": [goal]}
            while True:
                answer = await client.post(f"/v1/worlds/{world}/steps", json=body)
                if answer.status_code == 200:
                    break
                if answer.status_code not in AWAY:
                    raise RuntimeError(f"a step was answered with {answer.status_code}: {answer.text}")
                await asyncio.sleep(PAUSE)
            told = answer.json()
            load.acknowledged.append((time.monotonic(), told["step"], told["digest"]))


async def _read(remote: Remote, world: str, load: Load) -> None:
    """Ask for the digest, again and again, until cancelled."""
    async with httpx.AsyncClient(base_url=f"http://{remote.address}", timeout=PATIENCE) as client:
        while True:
            answer = await client.get(f"/v1/worlds/{world}/digest")
            if answer.status_code == 200:
                told = answer.json()
                load.read.append((told["step"], told["sha256"]))
            await asyncio.sleep(PAUSE)


async def _under_load(
    remote: Remote, scene: Scene, kill: Callable[[int, str], None], may_go: Callable[[str], bool] = lambda _: True
) -> dict[str, Any]:
    """Seconds for which a world stood still when `kill` was given its process and its node, and what was wrong.

    `may_go`: whether a world on this node will do; RuntimeError where none was made on such a node.
    """
    world, before = await _made(remote, scene, may_go)
    await remote.call("POST", f"/v1/worlds/{world}/agents", {"columns": columns_of(scene)})
    load, back = Load(), float("inf")

    def more() -> bool:
        return sum(moment > back for moment, _, _ in load.acknowledged) < AFTER

    reading = asyncio.create_task(_read(remote, world, load))
    writing = asyncio.create_task(_write(remote, world, scene, load, more))
    try:
        async with asyncio.timeout(RETURN_SECONDS):
            while len(load.acknowledged) < BEFORE and not writing.done():
                await asyncio.sleep(PAUSE)
            begin = time.monotonic()
            await asyncio.to_thread(kill, *before)
            # processes of a node live on for a moment; what they acknowledge counts as well
            while not writing.done() and await asyncio.to_thread(_process, world) in (before[0], None):
                await asyncio.sleep(PAUSE)
            back = time.monotonic()
            await writing
    finally:
        for task in (reading, writing):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    moments = [begin, *(moment for moment, _, _ in load.acknowledged if moment > begin)]
    still = max(later - earlier for earlier, later in pairwise(moments))
    await remote.call("DELETE", f"/v1/worlds/{world}")
    return {"seconds": still, "acknowledged": len(load.acknowledged), **load.faults(scene)}


async def _made(remote: Remote, scene: Scene, may_go: Callable[[str], bool]) -> tuple[str, tuple[int, str]]:
    """A world on a node that will do, its process and its node."""
    for _ in range(ATTEMPTS):
        made = await remote.call("POST", "/v1/worlds", {"time_step": scene.time_step})
        world = str(made["id"])
        found = await asyncio.to_thread(process_of, world, NAMESPACE)
        if may_go(found[1]):
            return world, found
        await remote.call("DELETE", f"/v1/worlds/{world}")
    raise RuntimeError(f"none of {ATTEMPTS} worlds was on the node beside the head")


def _process(world: str) -> int | None:
    try:
        return process_of(world, NAMESPACE)[0]
    except ValueError:
        return None


async def killed_process(remote: Remote, scene: Scene) -> dict[str, Any]:
    """The process of a world is killed with SIGKILL."""
    return await _under_load(remote, scene, lambda process, _: os.kill(process, signal.SIGKILL))


async def killed_node(remote: Remote, scene: Scene, nodes: LocalNodes) -> dict[str, Any]:
    """All processes of the node that has a world are killed; it is not the head, which is spared."""
    return await _under_load(
        remote, scene, lambda _, node: nodes.kill(node), lambda node: node in nodes.beside_the_head
    )


async def drained_node(remote: Remote, scene: Scene, nodes: LocalNodes) -> dict[str, Any]:
    """The node that has a world is emptied by the command; it is not the head, which would take the cluster with it."""

    def drain(_: int, node: str) -> None:
        command = [sys.executable, "-m", "orca_crowd", "cluster", "drain", node, "--ray-address", nodes.address]
        done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the node was not emptied: {done.stderr.strip()}")

    return await _under_load(remote, scene, drain, lambda node: node in nodes.beside_the_head)
