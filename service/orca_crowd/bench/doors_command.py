"""The command `orca-crowd bench doors`."""

from __future__ import annotations

from typing import Annotated

import typer

from orca_crowd.bench.publishing import JsonFile, check_document, publish

__all__ = ["bench_doors"]


def bench_doors(
    agents: Annotated[int, typer.Option(min=1, max=100_000, help="Agents that follow ways.")] = 2_000,
    boxes: Annotated[int, typer.Option(min=1, max=100_000, help="Boxes of four edges, each a door.")] = 1_250,
    changes: Annotated[int, typer.Option(min=2, max=10_000, help="Doors that open or close.")] = 40,
    json_file: JsonFile = None,
    write_docs: Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md up to date.")] = False,
) -> None:
    """What a door costs the steps of a crowd that follows its ways."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.doors import DoorsPlan, measure_doors

    console = Console()
    plan = DoorsPlan(agents=agents, boxes=boxes, changes=changes)
    with console.status("starting") as status:
        result = measure_doors(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, None, write_docs)
