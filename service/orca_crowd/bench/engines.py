"""Engines: the one that was asked for, or the nearest there is, as a server makes and starts it."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from pydantic import ValidationError

from orca_crowd.engine.choice import make_engine
from orca_crowd.engine.interface import Engine
from orca_crowd.settings import Settings

__all__ = ["FALLBACK", "chosen", "event_loop", "running"]

FALLBACK = "inline"
# threads beside those that step; the benchmarks ask for one thing at a time
HELPERS = 2


def _settings(name: str, workers: int, **more: int) -> Settings:
    """The settings of a server with this engine; raises ValidationError where there is none of the name."""
    return Settings.model_validate({"engine": name, "workers": workers, "helpers": HELPERS, **more})


def chosen(name: str) -> tuple[str, str | None]:
    """The name of an engine that there is, and a line about it where it is another one than was asked for."""
    try:
        _settings(name, 1)
    except ValidationError:
        return FALLBACK, f"This version has no engine {name!r}; {FALLBACK} is measured in its place."
    return name, None


def event_loop() -> asyncio.AbstractEventLoop:
    """A new event loop of the kind that the server runs on: uvloop where there is one."""
    try:
        return cast(asyncio.AbstractEventLoop, importlib.import_module("uvloop").new_event_loop())
    except ModuleNotFoundError:
        return asyncio.new_event_loop()


@asynccontextmanager
async def running(name: str, workers: int, **more: int) -> AsyncIterator[Engine]:
    """An engine with so many workers and `more` settings, warm, closed at the end."""
    engine = make_engine(_settings(name, workers, **more))
    try:
        await asyncio.to_thread(engine.start)
        yield engine
    finally:
        await engine.close()
