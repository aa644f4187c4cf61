"""Phases: where a step of ours spends its time, by the names that `World.step` gives its phases."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from orca_core.world import World

__all__ = ["PHASES", "watch"]

# phase and who takes it, in the order of the step (advance holds solve); one that a world has not is passed over
PHASES: dict[str, tuple[str, str]] = {
    "prepare": ("_solver", "prepare"),
    "solve": ("_solver", "solve"),
    "advance": ("_solver", "advance"),
    "finish": ("_solver", "finish"),
}


def watch(world: World, clock: Callable[[], float] = time.process_time) -> dict[str, list[float]]:
    """Time every phase that this world has from now on; returns the lists (seconds) that grow by one entry a call.

    The phases of this one world are wrapped, so that the library itself carries no clock.
    """
    taken: dict[str, list[float]] = {}
    for phase, (owner_name, method) in PHASES.items():
        owner = getattr(world, owner_name, None)
        if not hasattr(owner, method):
            continue
        taken[phase] = []
        setattr(owner, method, _timed(getattr(owner, method), taken[phase], clock))
    return taken


def _timed(call: Callable[..., Any], taken: list[float], clock: Callable[[], float]) -> Callable[..., Any]:
    """The same call, its duration appended to `taken`."""

    def timed(*arguments: Any, **named: Any) -> Any:
        begin = clock()
        result = call(*arguments, **named)
        taken.append(clock() - begin)
        return result

    return timed
