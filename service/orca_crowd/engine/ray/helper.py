"""A helper: a Ray actor that moves a share of a big world's agents, on whichever node Ray has found room for it.

Ray starts it, starts it again when it or its node is lost, and ends it with the process that made it. What it is told
of that world comes over a direct socket, and is gone with it: a helper that was started again knows nothing and is told
everything, and its share of the step under way was moved by the world itself.

As with the actor of a world, nothing of the library is imported before the environment is set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import ray

from orca_crowd.engine.ray.environment import at_usual_priority

__all__ = ["Helper", "hire"]

# what a helper takes over from the environment of the process that asks for it
PASSED_ON = ("ORCA_CROWD_KERNEL_CACHE", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")


class Helper:
    """The actor. Its kernels are compiled before it says where it listens."""

    def __init__(self, key: bytes, environment: Mapping[str, str]) -> None:
        """`key` is what a world that connects must know."""
        at_usual_priority()
        os.environ.update(environment)
        from orca_crowd.engine.ray.attending import begin

        self._listening = begin(str(ray.util.get_node_ip_address()), key)  # type: ignore[no-untyped-call]

    def address(self) -> tuple[str, int]:
        """Host and port of its socket."""
        host, port = self._listening.getsockname()[:2]
        return str(host), int(port)

    def process(self) -> int:
        """The number of its process, for whoever watches it."""
        return os.getpid()


def hire(key: bytes) -> Any:
    """Ask Ray for a helper on a node as far from the others as can be; it comes when there is a processor for it."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    actor = ray.remote(num_cpus=1, max_restarts=-1, scheduling_strategy="SPREAD")(Helper)
    return actor.remote(key, environment)
