"""The command `orca-crowd view`: a trace as a page that plays it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["view"]

# the radius of an agent where a configuration does not say another
USUAL = 0.3


def view(
    trace: Annotated[Path | None, typer.Argument(help="A trace, as --debugLog of orca-crowd solve writes it.")] = None,
    log: Annotated[Path | None, typer.Option("--log", help="The same.")] = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", help="The map it was made on, for walls and corridors.")
    ] = None,
    scenario: Annotated[Path | None, typer.Option("--scen", help="The scenario, for goals; wants --map.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page; the trace with .html behind.")
    ] = None,
    radius: Annotated[
        float | None, typer.Option(min=0.001, max=1e6, help="Of all agents, which a trace does not say; 0.3.")
    ] = None,
    radii_file: Annotated[
        Path | None, typer.Option("--radii", help="The radius of each instead, the file that solve had.")
    ] = None,
    cell_size: Annotated[float, typer.Option(min=0.001, max=1e6, help="Side of a cell of the map.")] = 1.0,
) -> None:
    """Write one HTML file, with nothing to fetch, that plays a trace: who waits for whom, where and why.

    \b
    orca-crowd solve ... --debugLog run.log
    orca-crowd view run.log --map room.map --scen room.scen -o run.html

    A trace that is too large for a page is thinned, and the page says so.
    """
    from rich.console import Console
    from rich.progress import Progress

    from orca_core import warmup
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.solving.files_written import FilesWritten
    from orca_crowd.solving.page import MOST_ROWS, page
    from orca_crowd.solving.radii import radii_of_trace
    from orca_crowd.solving.task import read_map, read_rows
    from orca_crowd.solving.trace_file import read_trace

    console = Console(stderr=True)
    try:
        if (trace is None) == (log is None):
            raise Unusable("name one trace: orca-crowd view run.log")
        file = trace or log
        assert file is not None
        if scenario is not None and map_file is None:
            raise Unusable("give the --map that belongs to --scen too")
        if radius is not None and radii_file is not None:
            raise Unusable("leave --radius or --radii out: one says it for all, the other for each")
        written = output or file.with_name(f"{file.name}.html")
        inputs = [path for path in (file, map_file, scenario, radii_file) if path is not None]
        with FilesWritten([("-o", written)], inputs) as files:
            grid = read_map(map_file) if map_file is not None else None
            rows = read_rows(scenario, grid) if scenario is not None and grid is not None else None
            with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
                bar = progress.add_task("reading", total=1.0)
                traces = read_trace(file, MOST_ROWS, lambda done: progress.update(bar, completed=done))
                radii = [USUAL if radius is None else radius] * len(traces.ids)
                if radii_file is not None:
                    radii = radii_of_trace(radii_file, traces.ids)
                goals = None
                if rows is not None:
                    if max(traces.ids) >= len(rows):
                        raise Unusable(
                            f"choose another --scen: it has {len(rows)} agents, and the trace number {max(traces.ids)}"
                        )
                    goals = [rows[agent].goal for agent in traces.ids]
                progress.update(bar, description="drawing", total=None)
                if grid is not None:
                    # corridors are found by a kernel
                    warmup.compile_all(lambda done, total, name: progress.update(bar, completed=done, total=total))
                text = page(file.stem, traces, radii=radii, cell_size=cell_size, grid=grid, goals=goals)
            files[written].write(text)
    except Unusable as error:
        typer.echo(f"orca-crowd: {error}", err=True)
        raise typer.Exit(2) from None
    thinned = "" if len(traces.steps) == traces.total else f", {len(traces.steps):,} of {traces.total:,} steps"
    typer.echo(f"{written}: {len(traces.ids):,} agents{thinned}, {written.stat().st_size / 1e6:.2f} MB")
