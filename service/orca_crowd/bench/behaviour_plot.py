"""Picture of the behaviour benchmark: delays in the scenes, and pedestrians beside what is published of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from orca_crowd.bench.behaviour_bars import summary
from orca_crowd.bench.published import LEAST_SPECIFIC_FLOW, MOST_SPECIFIC_FLOW, sfpe_speed, weidmann_speed

__all__ = ["draw_behaviour", "draw_slowing", "draw_speeds"]

WIDTH, HEIGHT = 7.0, 4.6


def draw_behaviour(result: dict[str, Any], figure: Any) -> None:
    """Bars of delays by scene and system; flow over width; speed over density."""
    pedestrians = result["pedestrians"]
    # results of earlier versions have no narrow walkers
    narrow = None if pedestrians is None else pedestrians.get("narrow")
    columns = 1 if pedestrians is None else 3 if narrow is None else 4
    figure.set_size_inches(WIDTH if pedestrians is None else 0.77 * columns * WIDTH, HEIGHT)
    first, *others = figure.subplots(1, columns, squeeze=False)[0]
    names = list(dict.fromkeys(name for entry in result["scenes"] for name in entry["systems"]))
    places = np.arange(len(result["scenes"]))
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        for place, entry in zip(places, result["scenes"], strict=True):
            if name not in entry["systems"]:
                continue
            one = summary(entry["systems"][name]["runs"])
            whole = one["arrived"] == one["agents"]
            at = place + (number - 0.5 * (len(names) - 1)) * height
            # who does not bring everybody there is drawn hollow
            first.barh(
                at, max(one["delay"], 0.01), height, color=f"C{number}" if whole else "none", edgecolor=f"C{number}"
            )
        first.barh(0.0, 0.0, color=f"C{number}", label=name)
    first.set_yticks(places, [entry["scene"] for entry in result["scenes"]], fontsize="small")
    first.invert_yaxis()
    first.set_xscale("log")
    first.set_xlabel("mean delay, s (hollow: not all arrived)")
    first.legend(fontsize="small")
    if pedestrians is not None:
        _flows(others[0], pedestrians["bottleneck"], names)
        draw_speeds(others[1], pedestrians["ring"], names)
        if narrow is not None:
            draw_slowing(others[2], narrow)


def _flows(axes: Any, flows: dict[str, list[dict[str, Any]]], names: list[str]) -> None:
    widths = np.array([row["width"] for rows in flows.values() for row in rows])
    span = np.array([widths.min(), widths.max()])
    axes.fill_between(
        span, LEAST_SPECIFIC_FLOW * span, MOST_SPECIFIC_FLOW * span, alpha=0.2, color="grey", label="published"
    )
    for name, rows in flows.items():
        known = [(row["width"], row["flow"]) for row in rows if row["flow"] is not None]
        axes.plot(*zip(*known, strict=True), marker="o", color=f"C{names.index(name)}", label=name)
    axes.set_xlabel("width of a bottleneck, m")
    axes.set_ylabel("flow, walkers a second")
    axes.set_ylim(bottom=0.0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")


def draw_slowing(axes: Any, narrow: dict[str, Any]) -> None:
    """Speeds by density of narrow discs, without and with `slow_when_dense`, beside what is published of people."""
    _published(axes)
    for name, rows in narrow["ring"].items():
        points = [(row["density"], row["speed"]) for row in rows]
        line = "-" if name == "with" else ":"
        label = f"ours, discs of {2.0 * narrow['radius']:g} m, {name} slow_when_dense"
        axes.plot(*zip(*points, strict=True), marker="o", color="C0", linestyle=line, label=label)
    _label(axes)
    # room for the legend above the curves
    axes.set_ylim(0.0, 1.9)


def draw_speeds(axes: Any, speeds: dict[str, list[dict[str, Any]]], names: list[str]) -> None:
    """Speeds by density of each system, beside what is published of people."""
    _published(axes)
    for name, rows in speeds.items():
        points = [(row["density"], row["speed"]) for row in rows]
        axes.plot(*zip(*points, strict=True), marker="o", color=f"C{names.index(name)}", label=name)
    _label(axes)


def _published(axes: Any) -> None:
    densities = np.linspace(0.2, 5.4, 100)
    axes.plot(densities, [weidmann_speed(one) for one in densities], color="black", label="Weidmann 1993")
    sfpe = [sfpe_speed(one) for one in densities if one < 3.8]
    axes.plot(densities[: len(sfpe)], sfpe, color="black", linestyle="--", label="SFPE handbook")


def _label(axes: Any) -> None:
    axes.set_xlabel("walkers for each m²")
    axes.set_ylabel("speed, m/s")
    axes.set_ylim(bottom=0.0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")
