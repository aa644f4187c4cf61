"""Ticks of ours and of SUMO's in turn: the same number of agents steered and seen over a socket."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from orca_crowd.bench.lean import LeanSocket
from orca_crowd.bench.peer_sumo import SumoPeer
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote
from orca_crowd.bench.stream_loop import Loop

__all__ = ["beside_sumo"]

# ticks of one contender before it is the other's turn: the first after a pause finds the caches as the other left them
BLOCK = 5


async def beside_sumo(remote: Remote, peer: SumoPeer, scene: Scene, blocks: int) -> dict[str, Any]:
    """Seconds a tick of each block: ours, SUMO's, SUMO's with both ends on one core, and SUMO's that only watches."""
    world, ids = await remote.create_with_ids(scene)
    loop = Loop(scene, ids)
    found: dict[str, list[float]] = {"ours": [], "steer": [], "steer_on_one_core": [], "watch": []}

    def ours() -> float:
        begin = time.perf_counter()
        loop.tick(stream)
        seconds = time.perf_counter() - begin
        loop.think()
        return seconds

    with LeanSocket(remote.address, world) as stream, peer.persons(scene.agents) as theirs:
        for _ in range(scene.warm_up):
            ours()
        for _ in range(blocks):
            found["ours"].append(_block(ours))
            found["steer"].append(_block(theirs.steer))
            with theirs.on_one_core():
                found["steer_on_one_core"].append(_block(theirs.steer))
            found["watch"].append(_block(theirs.watch))
    await remote.call("DELETE", f"/v1/worlds/{world}")
    return {"agents": scene.agents, **found}


def _block(tick: Callable[[], float]) -> float:
    """Seconds of a tick, the middle one of a block."""
    return median(tick() for _ in range(BLOCK))
