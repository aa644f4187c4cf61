"""The behaviour benchmark: how the crowds of the scenes fare with us and with what users would take instead.

Every system is given the same places, goals, walls, radius and preferred speed, and else what its users give it.
All are measured by the same code from where everybody is after each 0.1 s, one after the other in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orca_crowd.bench.behaviour_bars import behaviour_bars, behaviour_figures
from orca_crowd.bench.behaviour_scenes import SCENES
from orca_crowd.bench.machine import busy_before, facts, one_core
from orca_crowd.bench.pedestrians import PedestrianPlan, measure_pedestrians
from orca_crowd.bench.walkers import Ours, System
from orca_crowd.bench.walkers_detour import Detour
from orca_crowd.bench.walkers_jupedsim import JuPedSim
from orca_crowd.bench.walkers_pyrvo import Pyrvo
from orca_crowd.scenes.measure import Measure
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.waypoints import Waypoints

__all__ = ["FORMAT", "BehaviourPlan", "measure_behaviour", "peers_of_scenes", "run_scene"]

FORMAT = 1


def peers_of_scenes(detour: Path) -> list[System]:
    """Every other system there might be; `detour` is the folder into which npm has put recast-navigation."""
    return [Pyrvo(), JuPedSim(), Detour(detour)]


@dataclass(frozen=True)
class BehaviourPlan:
    """What is measured: scenes by name with seeds, beside which peers, and the figures of pedestrians."""

    peers: Sequence[System] = ()
    scenes: Mapping[str, Callable[[int], SceneData]] = field(default_factory=lambda: SCENES)
    seeds: Sequence[int] = (1, 2, 3)
    pedestrians: PedestrianPlan | None = field(default_factory=PedestrianPlan)


def measure_behaviour(plan: BehaviourPlan, *, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Take everything in turn; `tell` hears what is done. Ready for JSON."""
    machine = facts()
    systems: list[System] = [Ours(), *plan.peers]
    scenes = []
    with one_core():
        for name, build in plan.scenes.items():
            entry: dict[str, Any] = {"scene": name, "seeds": list(plan.seeds), "systems": {}, "left_out": {}}
            for seed in plan.seeds:
                scene = build(seed)
                lengths = Waypoints(scene).lengths
                entry["agents"], entry["time_limit"] = scene.agents, scene.time_limit
                for system in systems:
                    refused = system.refuses(scene)
                    if refused is not None:
                        entry["left_out"][system.name] = refused
                        continue
                    tell(f"{name}, seed {seed}: {system.name}")
                    runs = entry["systems"].setdefault(system.name, {"plans": system.plans, "runs": []})["runs"]
                    runs.append(run_scene(system, scene, lengths))
            scenes.append(entry)
        pedestrians = None
        if plan.pedestrians is not None:
            pedestrians = measure_pedestrians(plan.pedestrians, systems, tell=tell)
    result: dict[str, Any] = {
        "benchmark": "behaviour",
        "format": FORMAT,
        "machine": machine,
        "scenes": scenes,
        "pedestrians": pedestrians,
        "facts": [
            f"seeds {', '.join(map(str, plan.seeds))}; discs of 0.25 m that prefer 1.3 m/s, a step of 0.1 s; whoever "
            "has not arrived counts with the delay that it has when the time is up",
        ],
        "remarks": busy_before(machine),
    }
    return {**result, "figures": behaviour_figures(result), "bars": behaviour_bars(result)}


def run_scene(system: System, scene: SceneData, lengths: Any) -> dict[str, Any]:
    """One crowd from its start until all have arrived or the time is up; `lengths` (n,) are those of the free paths."""
    walkers = system.walkers(scene)
    try:
        measure, seconds, steps = Measure(scene, lengths), 0.0, 0
        while not measure.over:
            seconds += walkers.step()
            steps += 1
            measure.see(walkers.positions(), steps * scene.time_step)
    finally:
        walkers.close()
    return {
        **measure.figures().as_mapping(),
        "steps": steps,
        "microseconds_per_agent_step": seconds / max(1, steps * scene.agents) * 1e6,
    }
