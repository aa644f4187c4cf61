"""The tight loop of a game server: preferred velocities of all agents there, a step, positions and velocities back.

Each tick is taken over the socket, over POST steps, and as the bare step of the same crowd, in turn, so that the three
see the same machine: what a tick takes beyond the bare step is formed of each such triple. The bare step is World.step
in this thread, or through an engine of as many workers as the server has, whichever is quicker.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from orca_core.options import PROFILES
from orca_core.world import World
from orca_crowd.bench.contenders import fill
from orca_crowd.bench.dispatch import PROFILE
from orca_crowd.bench.engines import running
from orca_crowd.bench.lean import LeanHttp, LeanSocket
from orca_crowd.bench.scenes import Scene, preferred
from orca_crowd.bench.serving import Remote, decoded

__all__ = ["ENGINE", "HERE", "POST", "SOCKET", "Loop", "tight_loop"]

Floats = NDArray[np.float64]
# the ways in which a tick is taken
SOCKET, POST = "over the socket", "over POST steps"
HERE, ENGINE = "in this thread", "through an engine"


def step_message(ids: bytes, wanted: Floats, **more: Any) -> bytes:
    """One step with the preferred velocities of all before it, and all positions and velocities in its answer."""
    directed = {"op": "set_agents", "ids": ids, "columns": {"preferred_velocity": wanted.tobytes()}}
    return msgspec.msgpack.encode({**more, "commands": [directed], "return": "agents"})


class Loop:
    """A game server's side of one world: what it sends, what it gets, and what is to be sent next."""

    def __init__(self, scene: Scene, ids: bytes) -> None:
        """A crowd of a scene whose agents have these ids, a bin of int64."""
        self.scene = scene
        self.positions: Floats = scene.positions
        self.velocities: Floats = np.zeros_like(scene.positions)
        self.wanted = preferred(scene, scene.positions)
        self._ids = ids

    def message(self, **more: Any) -> bytes:
        """The bytes of a tick."""
        return step_message(self._ids, self.wanted, **more)

    def take(self, answer: dict[str, Any]) -> None:
        """Positions and velocities (n, 2) as arrays."""
        agents = answer["agents"]
        self.positions, self.velocities = (
            np.frombuffer(agents[name], "<f8").reshape(-1, 2) for name in ("position", "velocity")
        )

    def tick(self, stream: LeanSocket) -> None:
        """One step over the socket, from the arrays that are sent to the arrays that come back."""
        stream.send(self.message(type="step"))
        answer = decoded(stream.receive())
        while answer["type"] != "stepped":
            # events of the world are for everybody who listens
            answer = decoded(stream.receive())
        self.take(answer)

    def think(self) -> None:
        """Where everybody wants to go next; a game's own business, and not timed."""
        self.wanted = preferred(self.scene, self.positions)


async def tight_loop(remote: Remote, scene: Scene, ticks: int, *, engine: str, workers: int) -> dict[str, Any]:
    """Seconds of every tick by each way, of the bare step by each, and whether all of them had the same bits."""
    worlds = [await remote.create_with_ids(scene) for _ in range(2)]
    loops = [Loop(scene, ids) for _, ids in worlds]
    over_socket, over_post = loops
    wanted = preferred(scene, scene.positions)
    alone = World(time_step=scene.time_step, options=PROFILES[PROFILE])
    path = f"/v1/worlds/{worlds[1][0]}/steps"
    taken: dict[str, list[float]] = {SOCKET: [], POST: [], HERE: [], ENGINE: []}
    async with running(engine, workers) as own:
        through = await own.serve(lambda: own.create(time_step=scene.time_step, options=PROFILES[PROFILE], seed=0))
        for world in (alone, through):
            fill(world, scene, {"preferred_velocity": wanted})
        with LeanSocket(remote.address, worlds[0][0]) as stream, LeanHttp(remote.address) as http:

            async def by_socket() -> None:
                over_socket.tick(stream)

            async def by_post() -> None:
                over_post.take(http.post(path, over_post.message()))

            async def here() -> None:
                alone.step()

            async def by_engine() -> None:
                await own.compute(through.step)

            ways = list(zip(taken, (by_socket, by_post, here, by_engine), strict=True))
            for number in range(scene.warm_up + ticks):
                shift = number % len(ways)
                for name, way in ways[shift:] + ways[:shift]:
                    seconds = await _seconds(way)
                    if number >= scene.warm_up:
                        taken[name].append(seconds)
                for loop in loops:
                    loop.think()
                for world in (alone, through):
                    positions = np.asarray(world.column("position"), np.float64)
                    world.set_agents(world.ids, {"preferred_velocity": preferred(scene, positions)})
        ends = [alone.column("position"), through.column("position"), *(loop.positions for loop in loops)]
        same = all(np.array_equal(ends[0], other) for other in ends[1:])
    for identifier, _ in worlds:
        await remote.call("DELETE", f"/v1/worlds/{identifier}")
    bare = min((HERE, ENGINE), key=lambda name: float(np.median(taken[name])))
    return {"agents": scene.agents, "seconds": taken, "bare": bare, "same_bits": same}


async def _seconds(way: Callable[[], Awaitable[None]]) -> float:
    begin = time.perf_counter()
    await way()
    return time.perf_counter() - begin
