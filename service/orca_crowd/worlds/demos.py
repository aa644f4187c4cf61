"""Demo worlds that anybody can start with one call: a scene, run by the server's clock, with new goals where it has
any.

Goals come from a writer of the server's own, which goes through the same queue as everybody else's commands.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial

import numpy as np

from orca_crowd.engine.interface import Engine
from orca_crowd.errors import ApiError
from orca_crowd.protocol.agents import Agents
from orca_crowd.protocol.commands import AddAgents, AddObstacles, AddWalkable, SetAgents
from orca_crowd.protocol.worlds import ClockBody, DefaultsBody, NewWorld, OptionsBody
from orca_crowd.scenes.scene import NextGoals, Scene, SceneData
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.registry import Registry
from orca_crowd.worlds.runner import Runner
from orca_crowd.worlds.scenes import SCENES

__all__ = ["Demos"]

log = logging.getLogger("orca_crowd")

# a demo that nobody watches goes away after so many seconds
DEMO_TTL = 300.0
# events of agents that want a new goal
WANTING = ("arrived", "stalled")


class Demos:
    """Starts scenes and keeps the tasks that give their agents new goals."""

    def __init__(self, registry: Registry, engine: Engine) -> None:
        """Nothing runs before `start`."""
        self._registry = registry
        self._engine = engine
        self._guides: set[asyncio.Task[None]] = set()

    def scenes(self) -> list[Scene]:
        """What can be started."""
        return list(SCENES.values())

    async def start(self, name: str) -> tuple[Runner, SceneData]:
        """Make the world of a scene and let it run; 404 where there is no such scene."""
        if name not in SCENES:
            raise ApiError("not-found", f"there is no demo {name[:64]!r}; there are {', '.join(SCENES)}")
        scene = SCENES[name]
        data = await self._engine.serve(scene.build)
        runner = await self._registry.create(
            NewWorld(
                name=scene.title,
                time_step=data.time_step,
                options=OptionsBody.model_validate(dict(data.options)),
                defaults=DefaultsBody.model_validate(dict(data.defaults)),
                seed=data.seed,
                ttl=DEMO_TTL,
                durability="none",
            )
        )
        # the whole scene is there before the first step
        columns = {column: values for column, values in data.columns.items() if column != "id"}
        count = len(columns["position"])
        ids = np.asarray(data.columns["id"], np.int64)
        given = {column: np.ones(count, np.bool_) for column in columns}
        agents = AddAgents(Agents(count, ids, None, columns, given))
        await runner.apply([AddObstacles(list(data.obstacles)), AddWalkable(list(data.walkable)), agents])
        if data.next_goals is not None:
            guide = asyncio.create_task(self._guide(runner, data.next_goals), name=f"guide of demo {runner.name}")
            self._guides.add(guide)
            guide.add_done_callback(self._ended)
        await runner.retime(ClockBody(mode="realtime", rate=data.rate))
        return runner, data

    async def close(self) -> None:
        """End the guides; their worlds are ended by the registry."""
        for guide in self._guides:
            guide.cancel()
        if self._guides:
            await asyncio.wait(self._guides)

    def _ended(self, guide: asyncio.Task[None]) -> None:
        self._guides.discard(guide)
        if not guide.cancelled() and guide.exception() is not None:
            log.error("the guide of a demo failed", exc_info=guide.exception())

    async def _guide(self, runner: Runner, next_goals: NextGoals) -> None:
        """Send whoever has arrived or stalled somewhere else, until the world ends."""
        waiting: dict[int, None] = {}
        newest: list[Publication] = []
        wake = asyncio.Event()

        def listen(publication: Publication) -> None:
            wanting = [
                identifier for event in publication.events if event["kind"] in WANTING for identifier in event["ids"]
            ]
            if wanting:
                waiting.update(dict.fromkeys(wanting))
                newest[:] = [publication]
                wake.set()

        def ended(kind: str, reason: str) -> None:
            wake.set()

        runner.listeners.add(listen)
        runner.endings.add(ended)
        runner.attendants += 1
        try:
            while True:
                await wake.wait()
                wake.clear()
                if runner.state != "ready":
                    return
                publication = newest[0]
                rows = np.flatnonzero(np.isin(publication.ids, np.fromiter(waiting, np.int64, len(waiting))))
                waiting.clear()
                ids, positions = publication.ids[rows], publication.columns["position"][rows]
                goals = dict(await self._engine.serve(partial(next_goals, ids, positions, publication.step)))
                given = {column: np.ones(len(ids), np.bool_) for column in goals}
                try:
                    await runner.apply([SetAgents(Agents(len(ids), ids, None, goals, given))])
                except ApiError:
                    # somebody has taken one of the agents away, or the queue is full: who still wants a goal asks again
                    continue
        finally:
            runner.attendants -= 1
            runner.listeners.discard(listen)
            runner.endings.discard(ended)
