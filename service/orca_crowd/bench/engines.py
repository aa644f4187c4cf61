"""Engines: the one that was asked for, or the nearest there is."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from orca_crowd.engine.interface import Engine

__all__ = ["FALLBACK", "chosen", "event_loop", "running"]

FALLBACK = "inline"
# threads beside those that step; the benchmarks ask for one thing at a time
HELPERS = 2


def _class(name: str) -> Any:
    """The engine of a name: the class `NameEngine` of the module `engine.name`; None where there is none."""
    try:
        module = importlib.import_module(f"orca_crowd.engine.{name}")
    except ModuleNotFoundError:
        return None
    return getattr(module, f"{name.capitalize()}Engine", None)


def chosen(name: str) -> tuple[str, str | None]:
    """The name of an engine that there is, and a line about it where it is another one than was asked for."""
    if name.isidentifier() and _class(name) is not None:
        return name, None
    return FALLBACK, f"This version has no engine {name!r}; {FALLBACK} is measured in its place."


def event_loop() -> asyncio.AbstractEventLoop:
    """A new event loop of the kind that the server runs on: uvloop where there is one."""
    try:
        return cast(asyncio.AbstractEventLoop, importlib.import_module("uvloop").new_event_loop())
    except ModuleNotFoundError:
        return asyncio.new_event_loop()


@asynccontextmanager
async def running(name: str, workers: int) -> AsyncIterator[Engine]:
    """An engine with so many workers, closed at the end; one that has a `start` is started."""
    engine = _class(name)(workers=workers, helpers=HELPERS)
    try:
        started = getattr(engine, "start", lambda: None)()
        if inspect.isawaitable(started):
            await started
        yield engine
    finally:
        await engine.close()
