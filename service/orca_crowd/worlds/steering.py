"""One step of a world that is forgotten again."""

from __future__ import annotations

from orca_core.world import World
from orca_crowd.engine.interface import Engine
from orca_crowd.protocol.commands import AddAgents, AddObstacles, AddWalkable, Command
from orca_crowd.protocol.steer import SteerRequest
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Session

__all__ = ["steer"]


async def steer(engine: Engine, settings: Settings, request: SteerRequest) -> dict[str, object]:
    """`{velocity, warnings}`; raises InvalidInput for what the library refuses."""

    def once() -> dict[str, object]:
        # gone after one step, so it is not worth sharing with workers
        world = World(time_step=request.time_step, options=request.options, seed=request.seed)
        session = Session("steer", world, settings)
        commands: list[Command] = [
            AddObstacles(request.obstacles),
            AddWalkable(request.areas),
            AddAgents(request.agents),
        ]
        results = [result for command in commands for result in session.apply([command]).results]
        session.advance(1)
        return {
            "velocity": world.column("velocity").copy(),
            "warnings": [warning for result in results for warning in result["warnings"]],
        }

    return await engine.compute(once)
