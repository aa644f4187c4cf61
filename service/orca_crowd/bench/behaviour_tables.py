"""Tables of the behaviour benchmark: how each crowd fared, and the figures of pedestrians."""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.behaviour_bars import summary
from orca_crowd.bench.published import LEAST_SPECIFIC_FLOW, MOST_SPECIFIC_FLOW, sfpe_speed, weidmann_speed
from orca_crowd.bench.tables import Section

__all__ = ["behaviour_sections", "flow_rows", "scene_rows", "speed_rows", "system_rows"]


def behaviour_sections(result: dict[str, Any]) -> list[Section]:
    """Crowds, who runs what, flows, speeds."""
    found = [
        Section("How the crowds fare (arrived: all seeds together; overlap: the deepest):", scene_rows(result)),
        Section("Which system runs which scene, and who finds the ways:", system_rows(result)),
    ]
    if result["pedestrians"] is not None:
        walkers = result["pedestrians"]["walkers"]
        flows, speeds = flow_rows(result["pedestrians"]), speed_rows(result["pedestrians"])
        found.append(Section(f"Flow of {walkers} through a bottleneck, walkers for each second and metre:", flows))
        found.append(Section("Speed in a ring-shaped corridor, m/s (deepest overlap, m):", speeds))
        # results of earlier versions have none
        narrow = result["pedestrians"].get("narrow")
        if narrow is not None:
            title = f"Narrow discs of {2.0 * narrow['radius']:g} m on it, ours without slow_when_dense and with it:"
            found.append(Section(title, speed_rows(narrow)))
    return found


def scene_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows: one a scene and system."""
    table = [["scene", "who", "arrived", "last, s", "mean delay, s", "overlap, m", "stalled, s", "flow, 1/s", "µs"]]
    for entry in result["scenes"]:
        for name, system in entry["systems"].items():
            one = summary(system["runs"])
            table.append(
                [
                    entry["scene"],
                    name,
                    f"{one['arrived']} of {one['agents']}",
                    _number(one["last"], 1),
                    _number(one["delay"], 2),
                    _number(one["overlap"], 3),
                    _number(one["stalled"], 2),
                    _number(one["flow"], 2),
                    _number(one["microseconds_per_agent_step"], 2),
                ]
            )
    return table


def system_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows: who runs a scene with ways of its own or with ours, and why one does not."""
    names = list(dict.fromkeys(name for entry in result["scenes"] for name in (*entry["systems"], *entry["left_out"])))
    table = [["scene", *names]]
    for entry in result["scenes"]:
        cells = []
        for name in names:
            system = entry["systems"].get(name)
            if system is not None:
                cells.append("its own ways" if system["plans"] else "our waypoints")
            else:
                cells.append(f"left out: {entry['left_out'].get(name, 'it is not here')}")
        table.append([entry["scene"], *cells])
    return table


def flow_rows(pedestrians: dict[str, Any]) -> list[list[str]]:
    """Head and rows: specific flow by width, and what is published."""
    flows = pedestrians["bottleneck"]
    table = [["width, m", *flows, "published"]]
    for number, row in enumerate(next(iter(flows.values()), [])):
        cells = []
        for rows in flows.values():
            flow = rows[number]["flow"]
            cells.append("not all came through" if flow is None else f"{flow / row['width']:.2f}")
        table.append([f"{row['width']:g}", *cells, f"{LEAST_SPECIFIC_FLOW} to {MOST_SPECIFIC_FLOW}"])
    return table


def speed_rows(pedestrians: dict[str, Any]) -> list[list[str]]:
    """Head and rows: speed by density, and what is published."""
    speeds = pedestrians["ring"]
    table = [["walkers for each m²", *speeds, "Weidmann", "SFPE"]]
    for number, row in enumerate(next(iter(speeds.values()), [])):
        cells = [f"{rows[number]['speed']:.2f} ({rows[number]['overlap']:.3f})" for rows in speeds.values()]
        density = row["density"]
        table.append([f"{density:g}", *cells, f"{weidmann_speed(density):.2f}", f"{sfpe_speed(density):.2f}"])
    return table


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
