"""Pedestrian figures that the field checks: the flow through a bottleneck, and speed against density in a corridor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from orca_crowd.bench.walkers import Ours, System
from orca_crowd.bench.walkers_pyrvo import Pyrvo
from orca_crowd.scenes.bottleneck import bottleneck
from orca_crowd.scenes.measure import Measure
from orca_crowd.scenes.ring import ring, tangents
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["PedestrianPlan", "measure_pedestrians", "measure_slowing", "ring_speed"]

# those who can be told a velocity; the others are told goals, and a ring has none
GUIDED = (Ours, Pyrvo)


@dataclass(frozen=True)
class PedestrianPlan:
    """Widths of bottlenecks, m, with so many walkers; densities of a ring, 1/m², after and for how many seconds."""

    widths: Sequence[float] = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4)
    walkers: int = 60
    seeds: Sequence[int] = (1, 2, 3)
    densities: Sequence[float] = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5)
    settle: float = 20.0
    seconds: float = 30.0
    # of a ring of narrow discs, m, in which `slow_when_dense` acts; broad ones overlap long before
    narrow: float = 0.12
    crowded: Sequence[float] = (2.0, 4.0, 6.0, 8.0, 10.0, 10.5, 11.0, 11.5, 12.0, 13.0)


def measure_pedestrians(
    plan: PedestrianPlan, systems: Sequence[System], *, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Flows by system and width, each the mean over the seeds, and speeds by system and density."""
    flows: dict[str, list[dict[str, Any]]] = {}
    for system in systems:
        for width in plan.widths:
            tell(f"bottleneck of {width} m: {system.name}")
            found = [_flow(system, bottleneck(plan.walkers, width, seed=seed)) for seed in plan.seeds]
            through = [flow for flow in found if flow is not None]
            flows.setdefault(system.name, []).append(
                {"width": width, "flow": fmean(through) if len(through) == len(found) else None}
            )
    speeds: dict[str, list[dict[str, Any]]] = {}
    for system in systems:
        if not isinstance(system, GUIDED):
            continue
        for density in plan.densities:
            tell(f"ring with {density:g} walkers for each m²: {system.name}")
            speed, overlap = ring_speed(system, ring(density, plan.seeds[0]), plan.settle, plan.seconds)
            speeds.setdefault(system.name, []).append({"density": density, "speed": speed, "overlap": overlap})
    return {
        "walkers": plan.walkers,
        "bottleneck": flows,
        "ring": speeds,
        "narrow": {"radius": plan.narrow, "ring": measure_slowing(plan, tell=tell)},
    }


def measure_slowing(
    plan: PedestrianPlan, *, tell: Callable[[str], None] = lambda _: None
) -> dict[str, list[dict[str, Any]]]:
    """Speeds of ours by density in a ring of narrow discs, without `slow_when_dense` and with it."""
    speeds: dict[str, list[dict[str, Any]]] = {"without": [], "with": []}
    for name, rows in speeds.items():
        for density in plan.crowded:
            tell(f"ring with {density:g} narrow walkers for each m², {name} slow_when_dense")
            scene = ring(density, plan.seeds[0], plan.narrow)
            scene = replace(scene, options={**scene.options, "slow_when_dense": name == "with"})
            speed, overlap = ring_speed(Ours(), scene, plan.settle, plan.seconds)
            rows.append({"density": density, "speed": speed, "overlap": overlap})
    return speeds


def _flow(system: System, scene: SceneData) -> float | None:
    """Walkers a second through the gate of a bottleneck; None where not all come through."""
    walkers = system.walkers(scene)
    try:
        measure, steps = Measure(scene, Waypoints(scene).lengths), 0
        while not measure.through and not measure.over:
            walkers.step()
            steps += 1
            measure.see(walkers.positions(), steps * scene.time_step)
        return measure.figures().flow if measure.through else None
    finally:
        walkers.close()


def ring_speed(system: Ours | Pyrvo, scene: SceneData, settle: float, seconds: float) -> tuple[float, float]:
    """Mean speed along the ring, m/s, over `seconds` after `settle`, and the deepest overlap meanwhile, m."""
    speeds = np.asarray(scene.columns["preferred_speed"], np.float64)[:, None]
    walkers = system.walkers(scene, wanted=lambda positions: tangents(positions) * speeds)
    measure = Measure(scene, np.zeros(scene.agents))
    for _ in range(round(settle / scene.time_step)):
        walkers.step()
    gone, steps = 0.0, round(seconds / scene.time_step)
    before = walkers.positions().copy()
    for step in range(steps):
        walkers.step()
        now = walkers.positions().copy()
        gone += float(np.einsum("ij,ij->i", now - before, tangents(before)).mean())
        measure.see(now, (step + 1) * scene.time_step)
        before = now
    return gone / (steps * scene.time_step), measure.figures().overlap
