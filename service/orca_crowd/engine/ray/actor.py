"""The actor of a world, or of several. A class that Ray makes in a worker process; it runs there what it is told to.

Nothing of the library is imported before the environment is set, since the compiler's module reads where its kernels
are kept when it is imported. What runs the world stands in a layer above this one and is therefore named, not imported.

`__init__` returns at once: as long as it runs, Ray lets every call fail as it does for an actor that is not there.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from orca_crowd.engine.ray.environment import at_usual_priority

__all__ = ["ActorOrder", "WorldActor", "WorldHost"]


@dataclass(frozen=True)
class ActorOrder:
    """What an actor is made with: the same again when Ray makes it anew after a death."""

    # what the process is called, see names.py, and which of its two places this is
    home: str
    place: str
    # `module:function`, called with this order, the address to serve on, whether it is made anew, and how it ends
    run: str
    settings: dict[str, Any]
    environment: dict[str, str]
    # it waits until it is told to take its worlds over
    waits: bool = False


class WorldHost(Protocol):
    """What runs worlds in this process; called from threads of Ray."""

    def describe(self, seconds: float, world: str | None) -> dict[str, Any]:
        """Where it serves and how far it is, as soon as that is settled, at most after so many seconds; and a world."""
        ...

    def worlds(self) -> dict[str, dict[str, Any]]:
        """The worlds that it has: the life of each, and whether it has a journal."""
        ...

    def hold(self, world: str, new: bool) -> bool:
        """Have a world from now on, `new` or from its journal; whether that can be."""
        ...

    def drop(self, world: str) -> None:
        """Have a world no longer that is at its end, or was not made."""
        ...

    def release(self) -> None:
        """Let go of the worlds: their journals are closed when this returns."""
        ...

    def take(self, let_go: bool) -> None:
        """Take the worlds over; `let_go`: whoever had them has let go."""
        ...


class WorldActor:
    """See the module; made by Ray."""

    def __init__(self, order: ActorOrder) -> None:
        """Begin to run worlds; they are there once `describe` says so."""
        import ray

        at_usual_priority()
        os.environ.update(order.environment)
        module, _, function = order.run.partition(":")
        run: Callable[..., WorldHost] = getattr(importlib.import_module(module), function)
        context = ray.get_runtime_context()
        self._host = run(
            order,
            str(ray.util.get_node_ip_address()),  # type: ignore[no-untyped-call]
            anew=context.was_current_actor_reconstructed,
            end=_end_for_good,
            other_lives=lambda name: _lives(name, context.namespace),
        )
        self._node = context.get_node_id()
        self._order = order

    def describe(self, seconds: float, world: str | None = None) -> dict[str, Any]:
        """Where it serves and how far that is, and what it has of a world."""
        return {**self._host.describe(seconds, world), "pid": os.getpid(), "node": self._node}

    def worlds(self) -> dict[str, Any]:
        """Where it serves and how far that is, and in `worlds` those that it has."""
        return {**self.describe(0.0), "worlds": self._host.worlds()}

    def order(self) -> ActorOrder:
        """What it was made with, for the process that is to take its worlds over."""
        return self._order

    def hold(self, world: str, new: bool) -> bool:
        """Have a world from now on; whether that can be."""
        return self._host.hold(world, new)

    def drop(self, world: str) -> None:
        """Have a world no longer."""
        self._host.drop(world)

    def release(self) -> None:
        """Let go of the worlds."""
        self._host.release()

    def take(self, let_go: bool) -> None:
        """Take the worlds over."""
        self._host.take(let_go)


def _lives(name: str, namespace: str) -> bool:
    """Whether there is an actor of this name, dead ones aside."""
    import ray

    try:
        ray.get_actor(name, namespace=namespace)
    except ValueError:
        return False
    return True


def _end_for_good() -> None:
    """End this actor, and have Ray make no other in its place."""
    import ray

    ray.kill(ray.get_runtime_context().current_actor, no_restart=True)
