"""What it costs that a world is divided over actors, beside the same division over worker processes of one machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from orca_core.simulation import Simulation
from orca_core.world import World
from orca_crowd.bench.compare import Timings, in_turn
from orca_crowd.bench.dispatch import ThroughEngine
from orca_crowd.bench.engines import event_loop, running
from orca_crowd.bench.scenes import Scene
from orca_crowd.scenes.play import scene_world
from orca_crowd.worlds.scenes import SCENES

if TYPE_CHECKING:
    from orca_crowd.engine.ray.spread import SpreadEngine

__all__ = ["congruence", "division", "spread_engine"]

BLOCK = 5
# how long helpers may take to come up: they may have to compile every kernel
PATIENCE = 600.0


@contextmanager
def spread_engine(actors: int, split_agents: int = 1) -> Iterator[SpreadEngine]:
    """An engine over so many actors, all of them there; raises RuntimeError where they do not come."""
    from orca_crowd.engine.ray.spread import SpreadEngine

    engine = SpreadEngine(workers=1, helpers=1, actors=actors, split_agents=split_agents, deadline=PATIENCE)
    try:
        engine.crew.wake()
        end = time.monotonic() + PATIENCE
        while len(engine.crew.ready()) < actors - 1:
            if time.monotonic() > end:
                raise RuntimeError(f"the cluster has no room for {actors - 1} helpers")
            time.sleep(0.05)
        yield engine
    finally:
        asyncio.run(engine.close())


def congruence(
    scenes: Sequence[str], actors: Sequence[int], steps: int, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Scenes of the server for so many steps, inline and over so many actors: whether all digests are the same."""
    found: dict[str, dict[str, Any]] = {}
    for name in scenes:
        scene = SCENES[name]
        tell(f"scene {name}, inline")
        snapshot = scene_world(scene.build()).snapshot()
        found[name] = {"scene": name, "snapshot": snapshot, "inline": _digests(World.restore(snapshot), steps)}
    for count in actors:
        with spread_engine(count) as engine:
            for name, entry in found.items():
                tell(f"scene {name}, {count} actors")
                entry[str(count)] = _digests(engine.restore(entry["snapshot"]), steps)
    return [
        {
            "name": f"scene {name}",
            "agents": World.restore(entry["snapshot"]).agent_count,
            "same_bits": all(entry[str(count)] == entry["inline"] for count in actors),
        }
        for name, entry in found.items()
    ]


def _digests(world: World, steps: int) -> list[str]:
    """The digest after each step."""
    # whoever guides its agents is part of its steps from now on
    Simulation(world)
    found = []
    for _ in range(steps):
        world.step()
        found.append(world.digest())
    return found


def division(scene: Scene, actors: int, steps: int) -> dict[str, Any]:
    """Steps of a crowd inline, over worker processes and over actors, as many of either, in turn; seconds, and bits."""
    with spread_engine(actors) as spread, asyncio.Runner(loop_factory=event_loop) as runner:
        loop = runner.get_loop()
        workers = running("processes", actors, split_agents=1)
        alone = running("inline", 1)
        try:
            crowds = [
                ThroughEngine(scene, loop.run_until_complete(alone.__aenter__()), 1, loop),
                ThroughEngine(scene, loop.run_until_complete(workers.__aenter__()), actors, loop),
                ThroughEngine(scene, spread, actors, loop),
            ]
            names = ("inline", "processes", "ray")
            timings = [Timings(name) for name in names]
            in_turn(crowds, timings, blocks=-(-steps // BLOCK), block=BLOCK, warm_up=scene.warm_up)
            same = len({crowd.world.digest() for crowd in crowds}) == 1
        finally:
            loop.run_until_complete(workers.__aexit__(None, None, None))
            loop.run_until_complete(alone.__aexit__(None, None, None))
    by_name = {timing.name: timing.wall for timing in timings}
    return {
        "name": f"{scene.agents:,} agents",
        "agents": scene.agents,
        "actors": actors,
        "seconds": by_name,
        "added": [ray - processes for ray, processes in zip(by_name["ray"], by_name["processes"], strict=True)],
        "times_as_fast": [inline / ray for inline, ray in zip(by_name["inline"], by_name["ray"], strict=True)],
        "same_bits": same,
    }
