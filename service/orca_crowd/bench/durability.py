"""The durability benchmark: what it costs that nothing is lost, and how soon everything is back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.durability_cost import DURABILITIES, NONE, cost_seconds
from orca_crowd.bench.durability_figures import durability_bars, durability_figures
from orca_crowd.bench.durability_recovery import recovery_seconds
from orca_crowd.bench.durability_snapshot import snapshot_seconds
from orca_crowd.bench.machine import busy_before, facts
from orca_crowd.bench.scenes import Scene
from orca_crowd.settings import Settings
from orca_crowd.worlds.archive import Archive

__all__ = ["FORMAT", "DurabilityPlan", "measure_durability"]

FORMAT = 1
# points of a distribution that the result keeps
POINTS = 101


@dataclass(frozen=True)
class DurabilityPlan:
    """What is to be run, each part as large as it says; 0 leaves a part out."""

    rounds: int = 2_000
    agents: int = 1_000
    # agents of a world that comes back, and the commands in its journal
    commands: tuple[int, int] = (10_000, 10_000)
    # agents of a world that comes back after steps, and how many it took
    stepped: tuple[int, int] = (100_000, 60)
    repeat: int = 3
    snapshots: int = 60
    snapshot_agents: int = 100_000
    # where journals are made; a folder of the system's for what is temporary where it is None
    folder: Path | None = None


def measure_durability(plan: DurabilityPlan, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run the plan; `tell` hears what is done. Ready for JSON."""
    machine = facts()
    result: dict[str, Any] = {
        "benchmark": "durability",
        "format": FORMAT,
        "machine": machine,
        "facts": [
            "journals as the server keeps them, its settings as they are without any; everything on the wall, in the "
            "benchmark's own process",
        ],
        "remarks": busy_before(machine),
        "cost": None,
        "recovery": [],
        "snapshot": None,
    }
    with _archive(plan.folder) as archive:
        if plan.rounds:
            tell(f"steps and commands of {plan.agents:,} agents with each durability in turn")
            result["cost"] = _told(cost_seconds(archive, Scene(plan.agents), plan.rounds), plan)
        for name, agents, commands, steps in (
            ("commands", *plan.commands, 100),
            ("steps", plan.stepped[0], 0, plan.stepped[1]),
        ):
            if agents and plan.repeat:
                tell(f"recovery of {agents:,} agents after {name}")
                found = recovery_seconds(archive, Scene(agents), commands, steps, plan.repeat)
                result["recovery"].append({"after": name, "agents": agents, "commands": commands, **found})
        if plan.snapshots:
            tell(f"snapshots of {plan.snapshot_agents:,} agents beside ticks")
            found = snapshot_seconds(archive, Scene(plan.snapshot_agents), plan.snapshots)
            result["snapshot"] = {
                "agents": plan.snapshot_agents,
                "bytes": found["bytes"],
                **{name: distribution(found[name]) for name in ("capture", "alone", "beside")},
            }
    for entry in result["recovery"]:
        if not entry["same_bits"]:
            result["remarks"].append(f"{entry['agents']:,} agents came back with other bits: these figures are void.")
    return {**result, "figures": durability_figures(result), "bars": durability_bars(result)}


def _told(seconds: dict[str, dict[str, NDArray[np.float64]]], plan: DurabilityPlan) -> dict[str, Any]:
    """Each durability by its distributions; `more` is what it took beyond the one without a journal, round by round."""
    told: dict[str, Any] = {"agents": plan.agents}
    for what, by_durability in seconds.items():
        bare = by_durability[NONE]
        told[what] = {name: distribution(values) for name, values in by_durability.items()}
        told[f"more_{what}"] = {name: distribution(by_durability[name] - bare) for name in DURABILITIES if name != NONE}
    return told


def distribution(seconds: Any) -> dict[str, Any]:
    """Median, 99th percentile, spread, and enough points to draw it."""
    values = np.asarray(seconds, dtype=np.float64)
    low, middle, high, tail = np.percentile(values, [10.0, 50.0, 90.0, 99.0]).tolist()
    return {
        "median": middle,
        "p10": low,
        "p90": high,
        "p99": tail,
        "max": float(values.max()),
        "count": len(values),
        "points": np.percentile(values, np.linspace(0.0, 100.0, POINTS)).tolist(),
    }


@contextmanager
def _archive(folder: Path | None) -> Iterator[Archive]:
    """An archive in a fresh folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="orca-crowd-durability-", dir=folder) as made:
        archive = Archive(Path(made), Settings(data=made))
        archive.open()
        with closing(archive):
            yield archive
