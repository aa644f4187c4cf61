"""Plot: the picture of a result, as SVG or PNG with matplotlib (of the bench extra)."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from orca_crowd.bench.behaviour_plot import draw_behaviour
from orca_crowd.bench.stream_figures import NAMES

__all__ = ["distributions", "draw", "drawable", "series"]

WIDTH, HEIGHT = 7.0, 3.6


def series(result: dict[str, Any]) -> dict[str, list[tuple[int, float, float, float]]]:
    """For each contender (agents, median, p10, p90) of the plain scenes, in order of agents."""
    found: dict[str, list[tuple[int, float, float, float]]] = {}
    for entry in sorted(result["scenes"], key=lambda entry: int(entry["scene"]["agents"])):
        if not entry["scene"]["plain"]:
            continue
        for name, figures in entry["contenders"].items():
            spread = figures["microseconds_per_agent_step"]
            point = (entry["scene"]["agents"], spread["median"], spread["p10"], spread["p90"])
            found.setdefault(name, []).append(point)
    return found


def distributions(result: dict[str, Any]) -> dict[str, list[float]]:
    """For each thing that an engine was asked for, its percentiles from 0 to 100, in ms."""
    found = {name: entry for name, entry in result["empty"].items() if "step" in name}
    if result["tick"] is not None:
        found[f"a tick of {result['tick']['agents']:,} agents"] = result["tick"]
    if result["realtime"] is not None:
        found[f"late, {result['realtime']['worlds']} worlds"] = result["realtime"]["late"]
    return {name: [seconds * 1e3 for seconds in entry["points"]] for name, entry in found.items()}


def drawable(result: dict[str, Any]) -> bool:
    """Whether there is a picture of this kind of result."""
    return result["benchmark"] in _DRAWERS


def draw(result: dict[str, Any], file: Path) -> None:
    """Write the picture; the folder is made if need be. Raises ImportError where matplotlib is not installed."""
    matplotlib = importlib.import_module("matplotlib")
    figures = importlib.import_module("matplotlib.figure")
    # the same result gives the same bytes
    matplotlib.rcParams["svg.hashsalt"] = "orca-crowd"
    figure = figures.Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    _DRAWERS[result["benchmark"]](result, figure)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def _draw_kernel(result: dict[str, Any], figure: Any) -> None:
    """Time over agents, and beside it the variants as multiples of the plain scene."""
    variants = result["variants"][1:]
    if variants:
        figure.set_figwidth(1.6 * WIDTH)
    left, *right = figure.subplots(1, 2 if variants else 1, squeeze=False)[0]
    for name, points in series(result).items():
        agents = [point[0] for point in points]
        middle = [point[1] for point in points]
        below = [point[1] - point[2] for point in points]
        above = [point[3] - point[1] for point in points]
        left.errorbar(agents, middle, yerr=[below, above], marker="o", capsize=3, label=name)
    left.set_xscale("log")
    left.set_ylim(bottom=0.0)
    left.set_xlabel("agents")
    left.set_ylabel("µs per agent and step")
    left.grid(visible=True, alpha=0.3)
    left.legend(fontsize="small")
    for axes in right:
        names = [entry["scene"]["name"] for entry in variants]
        axes.barh(names, [entry["ratio"]["median"] for entry in variants])
        axes.axvline(1.0, color="black", linewidth=1.0)
        axes.invert_yaxis()
        axes.set_xlabel("times the plain scene, per agent")


def _draw_scale(result: dict[str, Any], figure: Any) -> None:
    """Bytes an agent and steps a second, over agents."""
    left, right = figure.subplots(1, 2)
    worlds = sorted(result["worlds"], key=lambda world: int(world["agents"]))
    names = [f"{world['agents']:,}" for world in worlds]
    weighed = [world["bytes"] / world["agents"] if world.get("bytes") is not None else 0.0 for world in worlds]
    rates = [1.0 / float(np.median(world["step"])) for world in worlds]
    for axes, values, label in ((left, weighed, "bytes an agent"), (right, rates, "steps a second")):
        drawn = axes.bar(names, values)
        axes.bar_label(drawn, fmt="%.3g")
        axes.set_xlabel("agents")
        axes.set_ylabel(label)


def _draw_engine(result: dict[str, Any], figure: Any) -> None:
    """How long each thing takes, percentile by percentile."""
    axes = figure.add_subplot()
    for name, points in distributions(result).items():
        # what is known to be not late at all has no place on a logarithmic axis
        axes.plot(np.maximum(points, 1e-3), np.linspace(0.0, 100.0, len(points)), label=name)
    axes.set_xscale("log")
    axes.set_xlabel("ms")
    axes.set_ylabel("percentile")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")


def _draw_stream(result: dict[str, Any], figure: Any) -> None:
    """Ticks and bare steps percentile by percentile, a chart each number of agents, and the age of frames."""
    ticker = importlib.import_module("matplotlib.ticker")
    live = result["watched"]
    charts = [(f"{entry['agents']:,} agents, a tick", entry["ways"]) for entry in result["loops"]]
    if live is not None:
        title = f"{live['agents']:,} agents, {live['subscribers']} subscribers"
        charts.append((title, {"age of a frame": live["age"]}))
    figure.set_figwidth(max(1.0, 0.7 * len(charts)) * WIDTH)
    axes = figure.subplots(1, max(1, len(charts)), squeeze=False)[0]
    for chart, (title, entries) in zip(axes, charts, strict=False):
        for name, entry in entries.items():
            points = np.asarray(entry["points"]) * 1e3
            chart.plot(np.maximum(points, 1e-3), np.linspace(0.0, 100.0, len(points)), label=NAMES.get(name, name))
        chart.set_title(title, fontsize="medium")
        chart.set_xscale("log")
        # numbers as they are read, also where less than a power of ten is shown
        chart.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        chart.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        chart.xaxis.set_minor_formatter(ticker.NullFormatter())
        chart.set_xlabel("ms")
        chart.set_ylabel("percentile")
        chart.grid(visible=True, alpha=0.3)
        chart.legend(fontsize="small")


def _draw_durability(result: dict[str, Any], figure: Any) -> None:
    """Steps and commands by durability and ticks by what is beside them, percentile by percentile."""
    cost, snapshot = result["cost"], result["snapshot"]
    charts = [(f"a {what}", cost[what], 1e6, "µs") for what in ("step", "command") if cost is not None]
    if snapshot is not None:
        ticks = {"beside no snapshot": snapshot["alone"], "beside a snapshot": snapshot["beside"]}
        charts.append(("a tick, late by", ticks, 1e3, "ms"))
    figure.set_figwidth(max(1.0, 0.7 * len(charts)) * WIDTH)
    axes = figure.subplots(1, max(1, len(charts)), squeeze=False)[0]
    for chart, (title, entries, factor, unit) in zip(axes, charts, strict=False):
        for name, entry in entries.items():
            points = np.asarray(entry["points"]) * factor
            chart.plot(np.maximum(points, 1e-3), np.linspace(0.0, 100.0, len(points)), label=name)
        chart.set_title(title, fontsize="medium")
        chart.set_xscale("log")
        chart.set_xlabel(unit)
        chart.set_ylabel("percentile")
        chart.grid(visible=True, alpha=0.3)
        chart.legend(fontsize="small")


_DRAWERS = {
    "behaviour": draw_behaviour,
    "kernel": _draw_kernel,
    "scale": _draw_scale,
    "engine": _draw_engine,
    "stream": _draw_stream,
    "durability": _draw_durability,
}
