"""Report: every kind of result as lines, tables and remarks, the same for the terminal and for docs/performance.md."""

from __future__ import annotations

from statistics import median
from typing import Any

from rich.console import Console

from orca_crowd.bench import tables
from orca_crowd.bench.behaviour_tables import behaviour_sections
from orca_crowd.bench.tables import Section, bar_section, machine_lines, plain_number, spread_cell

__all__ = ["facts", "markdown", "remarks", "sections", "show"]

PICTURES = {
    "kernel": "Time per agent and step over the number of agents, and the variants beside the plain scene",
    "scale": "Bytes an agent and steps a second",
    "engine": "How long a tick over the socket takes, and how late steps are",
    "stream": "How long a tick of a game server takes, and how old a frame is",
    "behaviour": "Mean delay in each scene, flow through bottlenecks, and speed against density",
    "durability": "How long steps and commands take with each durability, and what a snapshot delays",
}


def show(result: dict[str, Any], console: Console) -> None:
    """The whole result in the terminal."""
    tables.show(console, sections(result), [*facts(result), *remarks(result)])


def markdown(result: dict[str, Any], picture: str | None = None) -> str:
    """The result as Markdown; `picture` is the path of its plot as the document sees it."""
    shown = None if picture is None else (PICTURES[result["benchmark"]], picture)
    return tables.markdown(facts(result), sections(result), remarks(result), shown)


def sections(result: dict[str, Any]) -> list[Section]:
    """The tables of a result."""
    kind = result["benchmark"]
    if kind == "kernel":
        return kernel_sections(result)
    if kind == "start":
        return [start_section(result)]
    if kind == "behaviour":
        return [*behaviour_sections(result), bar_section(result["bars"])]
    found = [Section("Measured, median (10th to 90th percentile):", figure_rows(result))]
    return [*found, bar_section(result["bars"])]


def facts(result: dict[str, Any]) -> list[str]:
    """The machine and how it was measured, a fact a line."""
    found = machine_lines(result["machine"])
    if result["benchmark"] == "kernel":
        core = result["core"]
        pinned = "not kept on one core (the system has no call for it)" if core is None else f"kept on core {core}"
        found.append(
            f"{pinned}; {result['steps']} steps in turn, in blocks of {_range(result, 'block')}, from the start "
            f"{_range(result, 'repeat')} times"
        )
    return [*found, *result.get("facts", [])]


def _range(result: dict[str, Any], name: str) -> str:
    """A number that may differ from scene to scene: `5`, or `5 to 20`."""
    numbers = [entry[name] for entry in result["scenes"]] or [result[name]]
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def remarks(result: dict[str, Any]) -> list[str]:
    """What a reader has to know before believing the figures."""
    found = list(result.get("remarks", []))
    if result["benchmark"] != "kernel":
        return found
    timed = [figures for entry in result["scenes"] for figures in entry["contenders"].values()]
    timed += result["variants"]
    found += tables.busy_line(max((figures["wall_over_processor"] for figures in timed), default=1.0))
    for entry in result["scenes"]:
        for peer, avoids in entry["avoids"].items():
            if not avoids:
                found.append(f"{entry['scene']['name']}: {peer}'s crowd does not avoid, so this comparison is void.")
        for peer, reason in entry["left_out"].items():
            found.append(f"{entry['scene']['name']}: {peer} is left out, {reason}.")
    return found


# a step on one core


def kernel_sections(result: dict[str, Any]) -> list[Section]:
    """Contenders, what they make of it, variants, phases, crowds."""
    return [
        Section("A step on one core, median (10th to 90th percentile):", contender_rows(result)),
        Section("Shares of the others' time, each the median over pairs of blocks side by side:", share_rows(result)),
        Section(f"Harder and easier than the plain scene ({result['repeat']} runs each):", variant_rows(result)),
        bar_section(result["bars"]),
        Section(
            "Where a step of ours (options of the service) spends its time, µs per agent and step:", phase_rows(result)
        ),
        Section("The crowds after the last step, and one that walks straight on:", crowd_rows(result)),
    ]


def contender_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the contenders: scene, who, time of a step, rate."""
    table = [["agents", "who", "µs per agent and step", "ms a step", "million agent-steps a second"]]
    for entry in result["scenes"]:
        for name, figures in entry["contenders"].items():
            table.append(
                [
                    entry["scene"]["name"],
                    name,
                    spread_cell(figures["microseconds_per_agent_step"]),
                    plain_number(figures["milliseconds_per_step"]),
                    f"{figures['agent_steps_per_second'] / 1e6:.2f}",
                ]
            )
    return table


def share_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the shares: one column a peer; empty where there was none."""
    peers = result["peers"]
    table = [["agents", "who", *(f"share of {peer}'s time" for peer in peers)]]
    for entry in result["scenes"]:
        for name in entry["contenders"]:
            cells = [entry["ratios"].get(peer, {}).get(name) for peer in peers]
            if any(cells):
                shown = [spread_cell(cell) if cell is not None else "" for cell in cells]
                table.append([entry["scene"]["name"], name, *shown])
    return table


def variant_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the variants: which steps count, time, and times the plain scene."""
    table = [["agents", "steps", "µs per agent and step", "costliest block", "times the plain scene"]]
    for number, entry in enumerate(result["variants"]):
        scene, first = entry["scene"], entry["scene"]["warm_up"]
        runs = entry["ratio"]["runs"]
        ratio = f"{entry['ratio']['median']:.3f} ({min(runs):.3f} to {max(runs):.3f})"
        table.append(
            [
                scene["name"],
                f"{first} to {first + result['steps']}",
                spread_cell(entry["microseconds_per_agent_step"]),
                f"{entry['worst_block']:.3f}",
                ratio if number else "",
            ]
        )
    return table


def phase_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the phases: one column a scene."""
    entries = result["scenes"]
    table = [["phase", *(entry["scene"]["name"] for entry in entries)]]
    for phase in dict.fromkeys(phase for entry in entries for phase in entry["phases"]):
        table.append([phase, *(f"{entry['phases'].get(phase, 0.0):.4f}" for entry in entries)])
    return table


def crowd_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of how the crowds fare at the end."""
    table = [["agents", "crowd", "overlapping", "neighbours", "progress"]]
    for entry in result["scenes"]:
        for name, crowd in entry["crowds"].items():
            used = f" (used: {crowd['neighbours used']:.2f})" if "neighbours used" in crowd else ""
            table.append(
                [
                    entry["scene"]["name"],
                    name,
                    f"{100.0 * crowd['overlapping']:.1f} %",
                    f"{crowd['neighbours']:.2f}{used}",
                    f"{100.0 * crowd['progress']:.0f} %",
                ]
            )
    return table


# the other kinds


def figure_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the figures of a result; one that was taken once has no spread."""
    table = [["what", "", "unit"]]
    for figure in result["figures"]:
        values = {plain_number(figure[key]) for key in ("median", "p10", "p90")}
        middle = plain_number(figure["median"])
        spread = f"{middle} ({plain_number(figure['p10'])} to {plain_number(figure['p90'])})"
        table.append([figure["name"], middle if len(values) == 1 else spread, figure["unit"]])
    return table


def start_section(result: dict[str, Any]) -> Section:
    """The start: kernel cache, seconds to each of the two answers."""
    table = [["kernel cache", "/healthz, s", "/readyz, s"]]
    for kind, meaning in (("cold", "empty"), ("warm", "full")):
        answers = [[run[key] for run in result[kind]] for key in ("healthz_seconds", "readyz_seconds")]
        table.append([meaning, *(f"{median(values):.2f} (slowest {max(values):.2f})" for values in answers)])
    return Section("From the start of the process, median:", table)
