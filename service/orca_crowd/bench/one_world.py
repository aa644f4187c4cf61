"""One world of many agents, measured in a process of its own: `python -m orca_crowd.bench.one_world PLAN`.

PLAN is JSON: {agents, steps, engine, workers}. The last line of stdout is the result. A process of its own, because
memory that another world has left behind would be counted or would be there already.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from orca_core import warmup
from orca_core.options import PROFILES
from orca_core.world import World
from orca_crowd.bench.engines import event_loop, running
from orca_crowd.bench.memory import peak, reset_peak, resident
from orca_crowd.bench.scenes import Scene, preferred
from orca_crowd.engine.interface import Engine
from orca_crowd.protocol.frames import MSGPACK_SUBPROTOCOL, encode_columns
from orca_crowd.worlds.view import AgentView

__all__ = ["measure_world"]

PROFILE = "service"
# agents of the world that is stepped before anything is measured, so that code and threads are there
FIRST = 64
# how often what is not a step is done
TIMES = 3


def defaults_of(scene: Scene) -> dict[str, float | int]:
    """The numbers of a scene, as defaults of a world: nobody sends the same number a million times."""
    return {
        "radius": scene.radius,
        "max_speed": scene.max_speed,
        "preferred_speed": scene.preferred_speed,
        "time_horizon": scene.horizon,
        "obstacle_horizon": scene.horizon,
        "neighbor_distance": scene.neighbor_distance,
        "max_neighbors": scene.max_neighbors,
    }


async def measure_world(plan: dict[str, Any], tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """All measurements of one world; seconds and bytes. `tell` hears what is done."""
    warmup.compile_all()
    async with running(plan["engine"], plan["workers"]) as engine:
        await _first(engine)
        return await _measured(engine, plan, tell)


async def _first(engine: Engine) -> None:
    """A small world and its end."""
    scene = Scene(FIRST)
    world = await engine.serve(lambda: _world(engine, scene))
    await engine.serve(lambda: world.add_agents({"position": scene.positions, "goal": scene.goals}))
    await engine.compute(lambda: world.step(3))
    await engine.serve(world.snapshot)


def _world(engine: Engine, scene: Scene) -> World:
    """An empty world with the scene's numbers as defaults."""
    world = engine.create(time_step=scene.time_step, options=PROFILES[PROFILE], seed=0)
    world.set_defaults(defaults_of(scene))
    return world


async def _measured(engine: Engine, plan: dict[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
    scene = Scene(plan["agents"])
    world = await engine.serve(lambda: _world(engine, scene))
    await engine.compute(world.step)
    # drawn before the empty world is weighed and dropped before the full one is
    columns = {"position": scene.positions, "goal": scene.goals}
    drawn = sum(array.nbytes for array in columns.values())
    gc.collect()
    empty = resident()
    result: dict[str, Any] = {"agents": scene.agents, "workers": plan["workers"], "engine": plan["engine"]}

    tell("creating")
    result["create"] = [await _seconds(lambda: engine.serve(lambda: world.add_agents(columns)))]

    tell("stepping")
    warm_up = scene.warm_up
    await engine.compute(lambda: world.step(warm_up))
    reset_peak()
    low = peak()
    result["step"] = [await _seconds(lambda: engine.compute(world.step)) for _ in range(plan["steps"])]
    gc.collect()
    full, highest = resident(), peak()
    if empty is not None and full is not None:
        # the columns that were sent are the client's, and are there both times
        result["bytes"] = full - empty
        # the highest counts pages of libraries too, so it is taken from what it was before the steps
        result["peak_bytes"] = None if highest is None or low is None else full - empty + max(0, highest - low)
    result["drawn_bytes"] = drawn

    tell("reading and writing")
    view = AgentView()
    await engine.serve(lambda: view.take(world))
    frames: list[bytes] = []

    def encode() -> None:
        _, shown = view.take(world)
        moving = {name: shown[name] for name in ("position", "velocity")}
        frames[:] = [encode_columns(moving, "float32", MSGPACK_SUBPROTOCOL).data]

    result["frame"] = [await _seconds(lambda: engine.serve(encode)) for _ in range(TIMES)]
    result["frame_bytes"] = len(frames[0])
    wanted = preferred(scene, world.column("position"))

    def direct() -> None:
        world.set_agents(world.ids, {"preferred_velocity": wanted})

    result["set_agents"] = [await _seconds(lambda: engine.serve(direct)) for _ in range(TIMES)]
    result["digest"] = [await _seconds(lambda: engine.serve(world.digest)) for _ in range(TIMES)]

    snapshots: list[bytes] = []

    def snapshot() -> None:
        snapshots[:] = [world.snapshot()]

    result["snapshot"] = [await _seconds(lambda: engine.serve(snapshot)) for _ in range(TIMES)]
    result["snapshot_bytes"] = len(snapshots[0])
    result["restore"] = [await _seconds(lambda: engine.serve(lambda: engine.restore(snapshots[0])))]
    return result


async def _seconds(call: Callable[[], Awaitable[Any]]) -> float:
    """How long the event loop waits for something."""
    begin = time.perf_counter()
    await call()
    return time.perf_counter() - begin


def main() -> None:
    """Measure what the command line says."""

    def tell(what: str) -> None:
        print(what, file=sys.stderr, flush=True)  # noqa: T201

    with asyncio.Runner(loop_factory=event_loop) as runner:
        found = runner.run(measure_world(json.loads(sys.argv[1]), tell))
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
