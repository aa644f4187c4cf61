"""What all sockets of a server use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from orca_crowd.clock import Clock
from orca_crowd.settings import Settings
from orca_crowd.streaming.statistics import StreamStatistics

__all__ = ["Offload", "Shared"]

Result = TypeVar("Result")


class Offload(Protocol):
    """Runs a call in a helper thread."""

    def __call__(self, call: Callable[[], Result], /) -> Awaitable[Result]:
        """What the call returns."""
        ...


@dataclass
class Shared:
    """Clock, settings, helper threads, counts; `orders` keeps tasks that outlive the socket they came from."""

    clock: Clock
    settings: Settings
    offload: Offload
    statistics: StreamStatistics = field(default_factory=StreamStatistics)
    orders: set[asyncio.Task[Any]] = field(default_factory=set)
