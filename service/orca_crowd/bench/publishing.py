"""Publishing: a result shown, kept, drawn and written into the document, and what the commands have in common."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["JsonFile", "Plot", "WriteDocs", "check_document", "publish", "refuse", "write_json"]

DOCUMENT = Path("docs/performance.md")
PLOTS = Path("docs/images")

JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the whole result here.")]
Plot = Annotated[Path | None, typer.Option(help="Draw a picture here, .svg or .png.")]
WriteDocs = Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md and its picture up to date.")]


def refuse(message: str) -> typer.Exit:
    """What to raise where a command cannot do what it was asked; says why."""
    typer.echo(f"orca-crowd: {message}", err=True)
    return typer.Exit(2)


def check_document(write_docs: bool) -> None:
    """Refuse before anything is measured for a document that is not there."""
    if write_docs and not DOCUMENT.exists():
        raise refuse(f"run --write-docs in the folder of the project: there is no {DOCUMENT} here")


def publish(
    result: dict[str, Any], console: Console, json_file: Path | None, plot: Path | None, write_docs: bool
) -> None:
    """Show a result, keep it, draw it, and bring the document up to date, as far as that was asked for."""
    from orca_crowd.bench import report
    from orca_crowd.bench.plot import drawable
    from orca_crowd.bench.tables import write_section

    kind = result["benchmark"]
    report.show(result, console)
    if json_file is not None:
        write_json(result, json_file)
    picture = plot if plot is not None else PLOTS / f"{kind}.svg" if write_docs and drawable(result) else None
    if picture is not None:
        picture = _draw(result, picture)
    if write_docs:
        beside = None if picture is None else os.path.relpath(picture, DOCUMENT.parent).replace(os.sep, "/")
        write_section(DOCUMENT, kind, report.markdown(result, beside))
        console.print(f"{DOCUMENT} is up to date", highlight=False)


def write_json(result: dict[str, Any], file: Path) -> None:
    """Keep a result; the file is a whole one whoever looks."""
    beside = file.with_name(file.name + ".new")
    beside.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    beside.replace(file)


def _draw(result: dict[str, Any], file: Path) -> Path | None:
    """Draw, or say what is missing and return None."""
    from orca_crowd.bench.plot import draw

    try:
        draw(result, file)
    except ImportError:
        typer.echo("orca-crowd: no picture without matplotlib; pip install 'orca-crowd[bench]' brings it", err=True)
        return None
    return file
