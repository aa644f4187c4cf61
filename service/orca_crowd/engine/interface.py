"""The interface of an engine: it makes worlds and runs calls away from the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from orca_core.options import Options
from orca_core.world import World

__all__ = ["Engine", "StepFailed"]

Result = TypeVar("Result")


class StepFailed(RuntimeError):
    """A step that could not be computed, in words that clients may read; its world has not moved."""


class Engine(Protocol):
    """Who computes. The bits of a world do not depend on which engine it is, nor on how many workers it has."""

    name: str

    @property
    def hung(self) -> int:
        """How many workers were given up since they did not answer in time."""
        ...

    def start(self) -> None:
        """Bring up whoever computes and wait until they can; called once, away from the event loop."""
        ...

    def create(self, *, time_step: float, options: Options, seed: int) -> World:
        """Make an empty world; called away from the event loop."""
        ...

    def restore(self, data: bytes) -> World:
        """Make the world of a snapshot; called away from the event loop; raises SnapshotError."""
        ...

    async def compute(self, call: Callable[[], Result], *, brief: bool = False) -> Result:
        """Run steps; as many at a time as there are workers, the others wait.

        `brief`: it takes well below a millisecond and waits for nobody, so that it may be done in one go with others.
        """
        ...

    async def serve(self, call: Callable[[], Result]) -> Result:
        """Run anything else that is too long for the event loop: decode, apply, read, encode. No step delays it."""
        ...

    @property
    def restarts(self) -> int:
        """How many workers were lost and replaced."""
        ...

    @property
    def cold(self) -> int:
        """How many workers had to load or compile their kernels themselves, though they should have come with them."""
        ...

    async def close(self) -> None:
        """Let running calls end, take no new ones, and leave no thread behind."""
        ...
