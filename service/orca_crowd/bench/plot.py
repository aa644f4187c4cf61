"""Plot: time per agent and step over the number of agents, as SVG with matplotlib (of the bench extra)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

__all__ = ["draw", "series"]


def series(result: dict[str, Any]) -> dict[str, list[tuple[int, float, float, float]]]:
    """For each contender (agents, median, p10, p90) of the scenes without walls, in order of agents."""
    found: dict[str, list[tuple[int, float, float, float]]] = {}
    for entry in sorted(result["scenes"], key=lambda entry: int(entry["scene"]["agents"])):
        if entry["scene"]["walls"]:
            continue
        for name, figures in entry["contenders"].items():
            spread = figures["microseconds_per_agent_step"]
            point = (entry["scene"]["agents"], spread["median"], spread["p10"], spread["p90"])
            found.setdefault(name, []).append(point)
    return found


def draw(result: dict[str, Any], file: Path) -> None:
    """Write the picture; the folder is made if need be. Raises ImportError where matplotlib is not installed."""
    matplotlib = importlib.import_module("matplotlib")
    figures = importlib.import_module("matplotlib.figure")
    # the same result gives the same bytes
    matplotlib.rcParams["svg.hashsalt"] = "orca-crowd"
    figure = figures.Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for name, points in series(result).items():
        agents = [point[0] for point in points]
        middle = [point[1] for point in points]
        below = [point[1] - point[2] for point in points]
        above = [point[3] - point[1] for point in points]
        axes.errorbar(agents, middle, yerr=[below, above], marker="o", capsize=3, label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("agents")
    axes.set_ylabel("µs per agent and step")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
