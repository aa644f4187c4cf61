"""Tables: head and rows of cells, in the terminal and as Markdown, and a document's section between two markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = [
    "Section",
    "bar_section",
    "busy_line",
    "machine_lines",
    "markdown",
    "plain_number",
    "show",
    "spread_cell",
    "write_section",
]

# a step that took so many times as long on the wall as on the processor was not alone on its core
BUSY = 1.05


@dataclass(frozen=True)
class Section:
    """A table with its title; the first row is the head."""

    title: str
    rows: list[list[str]]

    @property
    def empty(self) -> bool:
        """Whether there is nothing but the head."""
        return len(self.rows) < 2


def spread_cell(spread: dict[str, float], digits: int = 3) -> str:
    """`0.512 (0.498 to 0.530)`: median, 10th and 90th percentile."""
    return f"{spread['median']:.{digits}f} ({spread['p10']:.{digits}f} to {spread['p90']:.{digits}f})"


def plain_number(value: float) -> str:
    """A number with about three digits that count, and commas from a thousand on."""
    if abs(value) >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 10.0 else f"{value:.3f}"


def bar_section(bars: Sequence[dict[str, Any]]) -> Section:
    """What the project holds itself to, and how far it got."""
    rows = [["what", "value", "bar", ""]]
    for bar in bars:
        unit = f" {bar['unit']}" if bar["unit"] else ""
        rows.append(
            [
                bar["name"],
                f"{plain_number(bar['value'])}{unit}",
                f"at {'least' if bar['at_least'] else 'most'} {bar['limit']:,g}{unit}",
                "reached" if bar["reached"] else "missed",
            ]
        )
    return Section("What the project holds itself to:", rows)


def machine_lines(machine: dict[str, Any]) -> list[str]:
    """The machine, a fact a line."""
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items() if number)
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    return [
        f"{machine['processor']} ({machine['architecture']}), {machine['cores']} cores, {machine['system']}",
        *([caches] if caches else []),
        f"Python {machine['python']}, {packages}",
    ]


def busy_line(worst: float) -> list[str]:
    """What a reader has to know of a machine that had other work to do; nothing where it had not."""
    if worst <= BUSY:
        return []
    return [
        f"The machine was busy: a step took up to {worst:.2f} times as long on the wall as on the processor. "
        "Caches were shared with others; a quiet machine gives better figures to all."
    ]


def show(console: Console, sections: Sequence[Section], lines: Sequence[str]) -> None:
    """Tables and lines in the terminal."""
    for section in sections:
        if section.empty:
            continue
        drawn = Table(*section.rows[0], title=section.title, title_justify="left")
        for row in section.rows[1:]:
            drawn.add_row(*row)
        console.print(drawn)
    for line in lines:
        console.print(line, highlight=False)


def markdown(
    facts: Sequence[str],
    sections: Sequence[Section],
    remarks: Sequence[str] = (),
    picture: tuple[str, str] | None = None,
) -> str:
    """Facts as a list, tables, remarks, and a picture: what it shows and its path as the document sees it."""
    parts = [*(f"- {line}" for line in facts), ""] if facts else []
    for section in sections:
        if not section.empty:
            head, *rows = section.rows
            parts += [section.title, "", _line(head), _line(["---"] * len(head)), *map(_line, rows), ""]
    for remark in remarks:
        parts += [remark, ""]
    if picture is not None:
        parts += [f"![{picture[0]}]({picture[1]})", ""]
    return "\n".join(parts)


def _line(cells: Sequence[str]) -> str:
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
