"""Report: a result as rows, for the terminal and for docs/performance.md between two markers."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = [
    "BARS",
    "crowd_rows",
    "machine_lines",
    "markdown",
    "phase_rows",
    "remarks",
    "rows",
    "show",
    "show_start",
    "start_markdown",
    "start_rows",
    "write_section",
]

# at most this share of the peer's time, by number of agents, in the plain scene
BARS = {10_000: 0.55, 100_000: 0.40}

# the contender whose ratio is held against the bars
JUDGED = "ours, service"


def _figure(spread: dict[str, float]) -> str:
    return f"{spread['median']:.3f} ({spread['p10']:.3f} to {spread['p90']:.3f})"


def bar_of(scene: dict[str, Any]) -> float | None:
    """The bar of a scene, None where it has none."""
    return None if scene["walls"] else BARS.get(scene["agents"])


def rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the main table: scene, contender, µs per agent and step, rate, share of the peer's time."""
    table = [["agents", "who", "µs per agent and step", "million agent-steps a second", "share of pyrvo's time"]]
    for entry in result["scenes"]:
        for name, figures in entry["contenders"].items():
            ratio = entry.get("ratios", {}).get(name)
            share = "" if ratio is None else _figure(ratio)
            bar = bar_of(entry["scene"])
            if ratio is not None and name == JUDGED and bar is not None:
                share += f", at most {bar:.2f}: " + ("reached" if ratio["median"] <= bar else "missed")
            table.append(
                [
                    entry["scene"]["name"],
                    name,
                    _figure(figures["microseconds_per_agent_step"]),
                    f"{figures['agent_steps_per_second'] / 1e6:.2f}",
                    share,
                ]
            )
    return table


def phase_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the phases: one column a scene, µs per agent and step."""
    entries = result["scenes"]
    table = [["phase", *(entry["scene"]["name"] for entry in entries)]]
    for phase in entries[0]["phases"]:
        table.append([phase, *(f"{entry['phases'][phase]:.4f}" for entry in entries)])
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


def machine_lines(result: dict[str, Any]) -> list[str]:
    """The machine and how it was measured, a fact a line."""
    machine = result["machine"]
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items() if number)
    core = result["core"]
    pinned = "not kept on one core (the system has no call for it)" if core is None else f"kept on core {core}"
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    lines = [
        f"{machine['processor']} ({machine['architecture']}), {machine['cores']} cores, {machine['system']}",
        f"Python {machine['python']}, {packages}",
        f"one process, {pinned}; steps {result['warm_up']} to {result['warm_up'] + result['steps']} in blocks of "
        f"{result['block']}, in turn, from the start {result['repeat']} times",
    ]
    if caches:
        lines.insert(1, caches)
    return lines


def remarks(result: dict[str, Any]) -> list[str]:
    """What a reader has to know before believing the figures."""
    found = []
    busy = [figures["wall_over_processor"] for entry in result["scenes"] for figures in entry["contenders"].values()]
    if busy and max(busy) > 1.05:
        found.append(
            f"The machine was busy: a step took up to {max(busy):.2f} times as long on the wall as on the processor. "
            "Caches were shared with others, so a quiet machine may give other figures."
        )
    for entry in result["scenes"]:
        if entry.get("peer_avoids") is False:
            found.append(f"With {entry['scene']['name']} agents pyrvo's crowd does not avoid: this comparison is void.")
    return found


def _draw(title: str, table: list[list[str]], console: Console) -> None:
    drawn = Table(*table[0], title=title, title_justify="left")
    for row in table[1:]:
        drawn.add_row(*row)
    console.print(drawn)


def show(result: dict[str, Any], console: Console) -> None:
    """The whole result as tables in the terminal."""
    _draw("A step on one core: median (10th to 90th percentile)", rows(result), console)
    _draw("Where a step of ours spends its time, µs per agent and step", phase_rows(result), console)
    _draw("The crowds after the last step", crowd_rows(result), console)
    for line in (*machine_lines(result), *remarks(result)):
        console.print(line, highlight=False)


def markdown(result: dict[str, Any], plot: str | None = None) -> str:
    """The result as Markdown; `plot` is the path of a picture as the document sees it."""
    parts = [*(f"- {line}" for line in machine_lines(result)), ""]
    for title, table in (
        ("A step on one core, median (10th to 90th percentile):", rows(result)),
        ("Where a step of ours (options of the service) spends its time, µs per agent and step:", phase_rows(result)),
        ("The crowds after the last step, and one that walks straight on:", crowd_rows(result)),
    ):
        parts += [title, "", *_table(table), ""]
    for remark in remarks(result):
        parts += [remark, ""]
    if plot is not None:
        parts += [f"![Time per agent and step over the number of agents]({plot})", ""]
    return "\n".join(parts)


def start_rows(result: dict[str, Any]) -> list[list[str]]:
    """Head and rows of the start: kernel cache, seconds to each of the two answers."""
    table = [["kernel cache", "/healthz, s", "/readyz, s"]]
    for kind, meaning in (("cold", "empty"), ("warm", "full")):
        answers = [[run[key] for run in result[kind]] for key in ("healthz_seconds", "readyz_seconds")]
        table.append([meaning, *(f"{median(values):.2f} (slowest {max(values):.2f})" for values in answers)])
    return table


def show_start(result: dict[str, Any], console: Console) -> None:
    """The start as a table in the terminal."""
    _draw("From the start of the process", start_rows(result), console)


def start_markdown(result: dict[str, Any]) -> str:
    """The start as Markdown."""
    return "\n".join(_table(start_rows(result)))


def _table(table: list[list[str]]) -> list[str]:
    return [_line(table[0]), _line(["---"] * len(table[0])), *map(_line, table[1:])]


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_section(document: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of `name` in a document; the rest keeps its bytes.

    Raises ValueError where the document has not exactly one pair of markers, and then writes nothing.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    old = document.read_text(encoding="utf-8")
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(begin) > old.index(end):
        raise ValueError(f"{document} needs exactly one line {begin} and, below it, one line {end}")
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    document.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
