"""The kernel benchmark: one step of a crowd on one core, ours beside RVO2 through pyrvo, as one plain result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from orca_crowd.bench.compare import Timings, in_turn, ratios, spread
from orca_crowd.bench.contenders import PEER, Contender, Ours, OursDirected, Peer
from orca_crowd.bench.machine import facts, one_core
from orca_crowd.bench.phases import watch
from orca_crowd.bench.scenes import Scene, crowding, preferred

__all__ = ["FORMAT", "Plan", "measure"]

# number of the layout of the result
FORMAT = 1
# steps before the first that counts: by then those who were put on top of each other have parted
WARM_UP = 20
# steps of one block: short enough that a pair of blocks sees the same machine, long enough for its caches to settle
BLOCK = 5
# the peer avoids when its crowd overlaps at most this share of what one that walks straight on does
AVOIDS = 0.5

Advance = Callable[[int], None]


class Plan:
    """What is to be run: scenes, steps from 20 on, and how often from the start."""

    def __init__(self, scenes: list[Scene], *, steps: int = 40, repeat: int = 3, peer: bool = True) -> None:
        """Steps are rounded up to whole blocks."""
        self.scenes = scenes
        self.block = min(BLOCK, steps)
        self.blocks = -(-steps // self.block)
        self.repeat = repeat
        self.peer = peer

    def work(self, scene: Scene) -> int:
        """Steps that a scene takes over all contenders, for a progress bar."""
        steps = WARM_UP + self.blocks * self.block
        return steps * (self.repeat * (4 if self.peer else 3) + 1)

    def contenders(self, scene: Scene) -> list[Contender]:
        """Fresh crowds of a scene."""
        found: list[Contender] = [Ours(scene, "service"), Ours(scene, "text"), OursDirected(scene, "service")]
        return [*found, Peer(scene)] if self.peer else found


def measure(plan: Plan, advance: Callable[[Scene, int], None] | None = None) -> dict[str, Any]:
    """Run the plan on one core; `advance(scene, steps)` reports progress. The result is ready for JSON."""
    machine = facts()
    with one_core() as core:
        scenes = [_scene(plan, scene, None if advance is None else _of(scene, advance)) for scene in plan.scenes]
    return {
        "benchmark": "kernel",
        "format": FORMAT,
        "machine": machine,
        "core": core,
        "peer": PEER if plan.peer else None,
        "warm_up": WARM_UP,
        "steps": plan.blocks * plan.block,
        "block": plan.block,
        "repeat": plan.repeat,
        "scenes": scenes,
    }


def _of(scene: Scene, advance: Callable[[Scene, int], None]) -> Advance:
    """Progress of one scene."""
    return lambda steps: advance(scene, steps)


def _scene(plan: Plan, scene: Scene, advance: Advance | None) -> dict[str, Any]:
    """All figures of one scene."""
    timings: list[Timings] = []
    contenders: list[Contender] = []
    for _ in range(plan.repeat):
        # the crowds of the last repeat go before new ones come: both would not fit a small machine
        contenders = []
        contenders = plan.contenders(scene)
        timings = timings or [Timings(contender.name) for contender in contenders]
        in_turn(contenders, timings, blocks=plan.blocks, block=plan.block, warm_up=WARM_UP, advance=advance)
    by_name = {timing.name: timing for timing in timings}
    result: dict[str, Any] = {
        "scene": scene.facts(),
        "contenders": {timing.name: timing.facts(scene.agents) for timing in timings},
        "crowds": _crowds(scene, contenders, WARM_UP + plan.blocks * plan.block),
    }
    if plan.peer:
        pairs = {name: ratios(timing, by_name[PEER]) for name, timing in by_name.items() if name != PEER}
        result["ratios"] = {name: {**spread(values), "pairs": values} for name, values in pairs.items()}
        crowds = result["crowds"]
        result["peer_avoids"] = crowds[PEER]["overlapping"] <= AVOIDS * crowds["straight on"]["overlapping"]
    result["phases"] = _phases(plan, scene, advance)
    return result


def _crowds(scene: Scene, contenders: list[Contender], steps: int) -> dict[str, dict[str, float]]:
    """How each crowd fares at the end, and how one that walks straight on does, which is what avoiding must beat."""
    found = {c.name: crowding(scene, c.positions(), c.velocities()) for c in contenders}
    for contender in contenders:
        if isinstance(contender, Peer):
            found[contender.name]["neighbours used"] = contender.neighbours()
    positions = scene.positions.copy()
    velocities = np.zeros_like(positions)
    for _ in range(steps):
        velocities = preferred(scene, positions)
        positions += velocities * scene.time_step
    found["straight on"] = crowding(scene, positions, velocities)
    return found


def _phases(plan: Plan, scene: Scene, advance: Advance | None) -> dict[str, float]:
    """Median µs per agent and step of each phase of a step with the options of the service."""
    ours = Ours(scene, "service")
    ours.run(WARM_UP)
    taken = watch(ours.world)
    ours.run(plan.blocks * plan.block)
    if advance is not None:
        advance(WARM_UP + plan.blocks * plan.block)
    return {phase: float(np.median(values)) / scene.agents * 1e6 for phase, values in taken.items()}
