"""Which engine a server has, by its settings."""

from __future__ import annotations

from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.interface import Engine
from orca_crowd.engine.processes import ProcessEngine
from orca_crowd.settings import Settings

__all__ = ["make_engine"]


def make_engine(settings: Settings, *, hosted: bool = False) -> Engine:
    """The engine named in the settings, not started yet; `hosted`: in a process of worlds of a cluster."""
    if settings.engine == "ray" and hosted:
        # it takes Ray itself, which no other engine does
        from orca_crowd.engine.ray.spread import SpreadEngine

        return SpreadEngine(
            workers=settings.workers,
            helpers=settings.helpers,
            actors=settings.spread_actors,
            split_agents=settings.spread_agents,
            deadline=settings.worker_seconds,
        )
    if settings.engine in ("inline", "ray"):
        # a front end of a cluster steps no world; what it computes itself, for `/v1/steer`, are single steps
        return InlineEngine(workers=settings.workers, helpers=settings.helpers, name=settings.engine)
    return ProcessEngine(
        workers=settings.workers,
        helpers=settings.helpers,
        split_agents=settings.split_agents,
        deadline=settings.worker_seconds,
        small_agents=settings.small_agents,
    )
