"""Figures: success, flow time and calls of ECBS over agents, a picture each, a map beside the other (matplotlib)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orca_core.cooperative.variants import Variant
from orca_crowd.running.refusal import needed
from orca_crowd.sweeping.table import Point

__all__ = ["FIGURES", "check_figures", "draw_figures"]

# of a map's part, in inches
SIDE = 3.3
ACROSS = 4
COLOURS = {
    Variant.ORCA: "#8a94a6",
    Variant.ORCA_MAPF: "#c2338a",
    Variant.CORCA: "#e08a00",
    Variant.CORCA_MAPF: "#1d5fd1",
    Variant.LNS_ONLY: "#16957a",
}
MARKS = {
    Variant.ORCA: "o",
    Variant.ORCA_MAPF: "s",
    Variant.CORCA: "^",
    Variant.CORCA_MAPF: "D",
    Variant.LNS_ONLY: "v",
}

Numbers = Sequence[float]


def _instances(point: Point) -> Numbers:
    return [100.0 * line.solved for line in point.lines]


def _calls(point: Point) -> Numbers:
    # those who never call have nothing to show
    return point.column("ecbs_count") if point.variant.repairs else []


# name: its label, the figures of the runs at a point, and whether the axis is logarithmic below a thousand
FIGURES: dict[str, tuple[str, Callable[[Point], Numbers], bool]] = {
    "success-instances": ("instances solved, %", _instances, False),
    "success-agents": ("agents at their goals, %", lambda point: point.column("success_rate"), False),
    "flowtime": ("flow time, s", lambda point: point.column("flow_time"), False),
    "ecbs-calls": ("calls of ECBS a run", _calls, True),
}


def check_figures() -> None:
    """Unusable where matplotlib is not installed."""
    needed("matplotlib", "pictures")


def draw_figures(points: Sequence[Point], folder: Path, suffix: str) -> list[Path]:
    """Write every figure, .svg or .png; the files. The same points give the same bytes."""
    matplotlib = needed("matplotlib", "pictures")
    figures = needed("matplotlib.figure", "pictures")
    matplotlib.rcParams["svg.hashsalt"] = "orca-crowd"
    folder.mkdir(parents=True, exist_ok=True)
    maps = list(dict.fromkeys(point.map_name for point in points))
    wide = min(len(maps), ACROSS)
    tall = -(-len(maps) // wide)
    written = []
    for name, (label, figure_of, logarithmic) in FIGURES.items():
        figure = figures.Figure(figsize=(SIDE * wide + 0.4, SIDE * 0.85 * tall + 0.7), layout="constrained")
        parts = figure.subplots(tall, wide, squeeze=False).reshape(-1)
        for axes, map_name in zip(parts, maps, strict=False):
            _draw_map(axes, [point for point in points if point.map_name == map_name], figure_of)
            axes.set_title(map_name, fontsize="medium")
            _set_axes(axes, name, logarithmic)
        for axes in parts[len(maps) :]:
            axes.set_visible(False)
        for row in range(tall):
            parts[row * wide].set_ylabel(label)
        _add_legend(figure, parts)
        file = folder / f"{name}{suffix}"
        figure.savefig(file, dpi=150, metadata={"Date": None} if suffix == ".svg" else None)
        written.append(file)
    return written


def _draw_map(axes: Any, points: Sequence[Point], figure_of: Callable[[Point], Numbers]) -> None:
    """A line for each variant: the mean of the runs, and as a band the middle half of them."""
    for variant in Variant:
        found = [(point.agents, figure_of(point)) for point in points if point.variant is variant]
        # kinds of scenarios with as many agents come together
        by_agents: dict[int, list[float]] = {}
        for agents, numbers in found:
            by_agents.setdefault(agents, []).extend(numbers)
        across = sorted(agents for agents, numbers in by_agents.items() if numbers)
        if not across:
            continue
        means = [float(np.mean(by_agents[agents])) for agents in across]
        low, high = ([float(np.percentile(by_agents[agents], q)) for agents in across] for q in (25, 75))
        if figure_of is not _instances:
            # of solved or not there is no middle half
            axes.fill_between(across, low, high, color=COLOURS[variant], alpha=0.13, linewidth=0)
        axes.plot(across, means, marker=MARKS[variant], markersize=5, color=COLOURS[variant], label=str(variant))


def _set_axes(axes: Any, name: str, logarithmic: bool) -> None:
    axes.set_xlabel("agents")
    axes.grid(visible=True, alpha=0.3)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if logarithmic:
        # zero calls are the best there is, and have a place
        axes.set_yscale("symlog", linthresh=1.0)
        axes.set_ylim(bottom=-0.1)
    elif name.startswith("success"):
        axes.set_ylim(-3.0, 103.0)
    else:
        axes.set_ylim(bottom=0.0)


def _add_legend(figure: Any, parts: Any) -> None:
    """One for all maps."""
    shown: dict[str, Any] = {}
    for axes in parts:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    order = [str(variant) for variant in Variant if str(variant) in shown]
    figure.legend([shown[label] for label in order], order, loc="outside lower center", ncols=len(order), frameon=False)
