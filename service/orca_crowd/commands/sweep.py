"""The command `orca-crowd sweep`: many runs over processes, kept one by one, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from orca_core.cooperative.config import Config
    from orca_crowd.sweeping.crew import Made
    from orca_crowd.sweeping.folder import Folder
    from orca_crowd.sweeping.job import Job
    from orca_crowd.sweeping.plan_file import SweepPlan

__all__ = ["sweep"]


def sweep(
    plan_file: Annotated[Path | None, typer.Argument(metavar="[PLAN]", help="YAML file that says which runs.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder that keeps everything; begin again to go on.")] = None,
    maps: Annotated[Path | None, typer.Option(help="Folder of the maps that the plan names; beside the plan.")] = None,
    map_files: Annotated[
        list[Path] | None, typer.Option("--map", help="Without a plan: a map; may be repeated.")
    ] = None,
    scenarios: Annotated[
        list[Path] | None,
        typer.Option("--scen", help="Without a plan: a scenario of one of the maps; may be repeated."),
    ] = None,
    agents: Annotated[
        list[int] | None,
        typer.Option("-k", "--agentNum", "--agent-num", min=1, help="How many agents; may be repeated; as planned."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", help="A variant; may be repeated; as planned, else all but lns-only."),
    ] = None,
    configuration: Annotated[
        Path | None, typer.Option("--config", help="Parameters; as planned, else defaults.")
    ] = None,
    procs: Annotated[int, typer.Option(min=1, max=1024, help="Runs at a time, a process each.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many runs.")] = None,
    figures: Annotated[str, typer.Option(help="Figures as png or svg, or none.")] = "png",
) -> None:
    """Run maps, scenarios, numbers of agents and variants over processes; make a table and figures of them.

    \b
    orca-crowd sweep --map room.map --scen room-even-1.scen -k 20 -k 40 --out rooms --procs 2
    orca-crowd sweep curves.yml --maps maps --out curves --procs 8
    orca-crowd sweep curves.yml --maps maps --out curves --procs 8 --limit 8

    What is over stays over: after an interruption, kill -9 too, the same command goes on. Exit code 1 where a run could
    not be made, which is not where agents did not arrive.
    """
    from orca_core.cooperative.config import Config
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.solving.configuration import read_configuration
    from orca_crowd.sweeping.figures import check_figures
    from orca_crowd.sweeping.folder import Folder

    try:
        if out is None:
            raise Unusable("give --out, the folder that keeps the runs")
        if figures not in ("png", "svg", "none"):
            raise Unusable(f"use --figures png, svg or none, not {figures}")
        if figures != "none":
            check_figures()
        plan = _plan(plan_file, maps, map_files or [], scenarios or [], agents, variants)
        file = configuration or plan.config
        config = read_configuration(file) if file is not None else Config()
        jobs = plan.jobs[:limit]
        _check(jobs)
        with Folder(out, config) as folder:
            failed = _make(folder, config, jobs, procs)
            _show(folder, jobs, figures)
    except Unusable as error:
        typer.echo(f"orca-crowd: {error}", err=True)
        raise typer.Exit(2) from None
    if failed:
        typer.echo(f"orca-crowd: see {out / 'failed'}: {failed} runs could not be made", err=True)
        raise typer.Exit(1)


def _plan(
    plan_file: Path | None,
    maps: Path | None,
    map_files: list[Path],
    scenarios: list[Path],
    agents: Sequence[int] | None,
    names: Sequence[str] | None,
) -> SweepPlan:
    """What is to be run, by a plan or by options."""
    from orca_core.cooperative.variants import Variant
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.sweeping.plan_file import paired, read_plan, variant_of

    try:
        variants = [variant_of(name) for name in names] if names else None
    except ValueError as error:
        raise Unusable(f"--variant {error}") from None
    if plan_file is not None:
        if map_files or scenarios:
            raise Unusable("give a plan, or --map and --scen, not both")
        return read_plan(plan_file, maps, agents, variants)
    missing = [name for name, given in (("--map", map_files), ("--scen", scenarios), ("-k", agents)) if not given]
    if missing or not agents:
        raise Unusable(f"name a plan, or give {', '.join(missing)} too")
    return paired(map_files, scenarios, agents, variants or [one for one in Variant if one.moves])


def _check(jobs: Sequence[Job]) -> None:
    """Read every scenario with as many agents as it will have, before the first run: hours later is too late."""
    from orca_crowd.solving.task import read_task

    most: dict[tuple[Path, Path], int] = {}
    for job in jobs:
        key = (job.map_file, job.scenario_file)
        most[key] = max(most.get(key, 0), job.agents)
    for (map_file, scenario), count in most.items():
        read_task(map_file, scenario, count)


def _make(folder: Folder, config: Config, jobs: Sequence[Job], procs: int) -> int:
    """Make what is not there yet; how many could not be made."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from orca_crowd.sweeping.crew import Crew

    missing = [job for job in jobs if not folder.has(job)]
    if len(missing) < len(jobs):
        typer.echo(f"{len(jobs) - len(missing)} of {len(jobs)} runs are there already", err=True)
    if not missing:
        return 0
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    failed, done = 0, 0
    with (
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
        Crew(folder, config, missing, procs) as crew,
    ):
        bar = progress.add_task("runs", total=len(jobs), completed=len(jobs) - len(missing))
        seats = [progress.add_task("compiling", total=None) for _ in range(min(procs, len(missing)))]
        for made in crew.made():
            if made.answer is None:
                progress.reset(seats[made.seat], description=made.job.name, total=None)
                continue
            done += 1
            failed += "refused" in made.answer
            progress.advance(bar)
            if not console.is_terminal:
                typer.echo(f"{len(jobs) - len(missing) + done} of {len(jobs)}: {_said(made)}", err=True)
    return failed


def _said(made: Made) -> str:
    """A run that is over, in a line."""
    answer = made.answer or {}
    if "refused" in answer:
        return f"{made.job.name} FAILED: {answer['refused']}"
    return f"{made.job.name} {answer['ended']} in {answer['seconds']:.1f} s"


def _show(folder: Folder, jobs: Sequence[Job], figures: str) -> None:
    """The table, what it comes to, and the figures."""
    from orca_crowd.solving.files_written import write_whole
    from orca_crowd.sweeping.figures import draw_figures
    from orca_crowd.sweeping.table import line_text, lines_of, points_of, table_text

    lines = lines_of(folder, jobs)
    points = points_of(lines)
    write_whole(folder.path / "sweep.csv", table_text(lines))
    write_whole(folder.path / "summary.md", line_text(points))
    typer.echo(line_text(points), nl=False)
    if figures != "none" and points:
        draw_figures(points, folder.path / "figures", f".{figures}")
