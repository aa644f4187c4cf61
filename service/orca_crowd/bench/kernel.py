"""The kernel benchmark: one step of a crowd on one core, ours beside the libraries of others, as one plain result.

Two parts. Scenes in which everybody takes the same crowd in turn; and variants, harder and easier than the plain scene,
in which ours alone is held against itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import ExitStack
from typing import Any

import numpy as np

from orca_crowd.bench.bars import kernel_bars
from orca_crowd.bench.compare import Timings, in_turn, ratios, spread
from orca_crowd.bench.contenders import Contender, Ours, OursDirected
from orca_crowd.bench.figures import kernel_figures
from orca_crowd.bench.machine import facts, one_core
from orca_crowd.bench.peers import Peer
from orca_crowd.bench.phases import watch
from orca_crowd.bench.scenes import Scene, crowding, preferred

__all__ = ["FORMAT", "PROFILE", "VARIANTS", "Plan", "measure"]

# number of the layout of the result
FORMAT = 3
# steps of one block: short enough that a pair of blocks sees the same machine. Whoever comes next finds caches and
# branch predictors as another left them, and what the first steps pay for that is not what a step costs. Where a step
# is short they are much of a block of five, so small crowds take longer blocks, and start as much oftener
BLOCK = 5
LONG_BLOCK = 20
SHORT_FROM = 20_000
# a peer avoids when its crowd overlaps at most this share of what one that walks straight on does
AVOIDS = 0.5
# whose phases are shown and whose variants are taken: what a server does
PROFILE = "service"
# the key of the variants among those of the scenes, for progress
VARIANTS = "variants"

Advance = Callable[[int], None]


class Plan:
    """What is to be run: scenes, variants of a plain one, measured steps, and how often from the start."""

    def __init__(
        self,
        scenes: list[Scene],
        variants: list[Scene] | None = None,
        *,
        steps: int = 40,
        repeat: int = 3,
        peers: list[Peer] | None = None,
    ) -> None:
        """Steps are rounded up to whole blocks. The variants begin with the plain scene they are held against.

        `repeat` is for crowds that are measured in short blocks; others start as often as gives as many blocks.
        """
        self.scenes = scenes
        self.variants = variants or []
        self.short = min(BLOCK, steps)
        self.asked = steps
        self.repeat = repeat
        self.peers = peers or []

    def block(self, scene: Scene) -> int:
        """Steps of one block."""
        return self.short if scene.agents >= SHORT_FROM else min(LONG_BLOCK, self.asked)

    def blocks(self, scene: Scene) -> int:
        """Blocks of one repeat."""
        return -(-self.asked // self.block(scene))

    def steps(self, scene: Scene) -> int:
        """Measured steps of one repeat."""
        return self.blocks(scene) * self.block(scene)

    def repeats(self, scene: Scene) -> int:
        """How often a scene is run from its start."""
        return self.repeat * self.block(scene) // self.short

    @property
    def variant_blocks(self) -> int:
        """Blocks of one repeat of the variants, which are short: these crowds change while they are measured."""
        return -(-self.asked // self.short)

    def takes(self, scene: Scene) -> list[Peer]:
        """The peers that can take a scene."""
        return [peer for peer in self.peers if peer.refuses(scene) is None]

    def work(self, scene: Scene) -> int:
        """Steps that a scene takes over all contenders, for a progress bar."""
        return (scene.warm_up + self.steps(scene)) * (self.repeats(scene) * (3 + len(self.takes(scene))) + 1)

    def variants_work(self) -> int:
        """The same of the variants."""
        measured = self.variant_blocks * self.short
        return self.repeat * sum(scene.warm_up + measured for scene in self.variants)

    def ours(self, scene: Scene) -> list[Contender]:
        """Fresh crowds of ours."""
        return [Ours(scene, PROFILE), Ours(scene, "text"), OursDirected(scene, PROFILE)]


def measure(plan: Plan, advance: Callable[[Hashable, int], None] | None = None) -> dict[str, Any]:
    """Run the plan on one core; `advance(scene or VARIANTS, steps)` reports progress. The result is ready for JSON."""
    machine = facts()
    for peer in plan.peers:
        machine["packages"].update(getattr(peer, "versions", dict)())
    with one_core() as core:
        scenes = [_scene(plan, scene, _of(scene, advance)) for scene in plan.scenes]
        variants = _variants(plan, _of(VARIANTS, advance)) if plan.variants else []
    result: dict[str, Any] = {
        "benchmark": "kernel",
        "format": FORMAT,
        "machine": machine,
        "core": core,
        "peers": [peer.name for peer in plan.peers],
        "steps": plan.asked,
        "block": plan.short,
        "repeat": plan.repeat,
        "scenes": scenes,
        "variants": variants,
    }
    return {**result, "figures": kernel_figures(result), "bars": kernel_bars(result)}


def _of(key: Hashable, advance: Callable[[Hashable, int], None] | None) -> Advance | None:
    """Progress of one scene."""
    return None if advance is None else lambda steps: advance(key, steps)


def _scene(plan: Plan, scene: Scene, advance: Advance | None) -> dict[str, Any]:
    """All figures of one scene."""
    taking = plan.takes(scene)
    timings: list[Timings] = []
    crowds: dict[str, dict[str, float]] = {}
    repeats, blocks, block = plan.repeats(scene), plan.blocks(scene), plan.block(scene)
    for number in range(repeats):
        with ExitStack() as ends:
            contenders = plan.ours(scene)
            for peer in taking:
                crowd = peer.crowd(scene)
                ends.callback(getattr(crowd, "close", lambda: None))
                contenders.append(crowd)
            timings = timings or [Timings(contender.name) for contender in contenders]
            in_turn(contenders, timings, blocks=blocks, block=block, warm_up=scene.warm_up, advance=advance)
            if number == repeats - 1:
                crowds = _crowds(scene, contenders, scene.warm_up + plan.steps(scene))
    by_name = {timing.name: timing for timing in timings}
    names = [peer.name for peer in taking]
    straight = crowds["straight on"]["overlapping"]
    return {
        "scene": scene.facts(),
        "block": block,
        "repeat": repeats,
        "contenders": {timing.name: timing.facts(scene.agents) for timing in timings},
        "crowds": crowds,
        "ratios": {name: _shares(by_name, by_name[name], names) for name in names},
        "avoids": {name: crowds[name]["overlapping"] <= AVOIDS * straight for name in names},
        "left_out": {peer.name: peer.refuses(scene) for peer in plan.peers if peer not in taking},
        "phases": _phases(plan, scene, advance),
    }


def _shares(timings: dict[str, Timings], theirs: Timings, peers: list[str]) -> dict[str, Any]:
    """Time of each of ours over that of one peer, pair by pair."""
    pairs = {name: ratios(timing, theirs) for name, timing in timings.items() if name not in peers}
    return {name: {**spread(values), "pairs": values} for name, values in pairs.items()}


def _crowds(scene: Scene, contenders: list[Contender], steps: int) -> dict[str, dict[str, float]]:
    """How each crowd fares at the end, and how one that walks straight on does, which is what avoiding must beat."""
    found = {c.name: crowding(scene, c.positions(), c.velocities()) for c in contenders}
    for contender in contenders:
        neighbours = getattr(contender, "neighbours", None)
        if neighbours is not None:
            found[contender.name]["neighbours used"] = neighbours()
    positions = scene.positions.copy()
    velocities = np.zeros_like(positions)
    for _ in range(steps):
        velocities = preferred(scene, positions)
        positions += velocities * scene.time_step
    found["straight on"] = crowding(scene, positions, velocities)
    return found


def _phases(plan: Plan, scene: Scene, advance: Advance | None) -> dict[str, float]:
    """Mean µs per agent and step of each phase of a step, as far as the world has such phases."""
    ours = Ours(scene, PROFILE)
    ours.run(scene.warm_up)
    taken = watch(ours.world)
    steps = plan.steps(scene)
    ours.run(steps)
    if advance is not None:
        advance(scene.warm_up + steps)
    return {phase: sum(seconds) / steps / scene.agents * 1e6 for phase, seconds in taken.items() if seconds}


def _variants(plan: Plan, advance: Advance | None) -> list[dict[str, Any]]:
    """Each variant beside the plain scene, the first of them, in the same turns.

    A variant changes while it runs (a cluster spreads), so its ratio is that of whole runs, one a repeat, and the
    costliest block stands beside it.
    """
    timings = [Timings(scene.name) for scene in plan.variants]
    runs: list[list[float]] = [[] for _ in plan.variants]
    for _ in range(plan.repeat):
        crowds: list[Contender] = [Ours(scene, PROFILE) for scene in plan.variants]
        in_turn(
            crowds,
            timings,
            blocks=plan.variant_blocks,
            block=plan.short,
            warm_up=[scene.warm_up for scene in plan.variants],
            advance=advance,
        )
        whole = [float(np.mean(timing.processor[-plan.variant_blocks :])) for timing in timings]
        per_agent = [mean / scene.agents for mean, scene in zip(whole, plan.variants, strict=True)]
        for run, mine in zip(runs, per_agent, strict=True):
            run.append(mine / per_agent[0])
    return [
        {
            "scene": scene.facts(),
            **timing.facts(scene.agents),
            "worst_block": max(timing.processor) / scene.agents * 1e6,
            "ratio": {**spread(run), "runs": run},
        }
        for scene, timing, run in zip(plan.variants, timings, runs, strict=True)
    ]
