"""Which engine a server has, by its settings."""

from __future__ import annotations

from orca_crowd.engine.inline import InlineEngine
from orca_crowd.engine.interface import Engine
from orca_crowd.engine.processes import ProcessEngine
from orca_crowd.settings import Settings

__all__ = ["make_engine"]


def make_engine(settings: Settings) -> Engine:
    """The engine named in the settings, not started yet."""
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
