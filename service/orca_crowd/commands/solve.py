"""The command `orca-crowd solve`: the first agents of a scenario brought to their goals, and what is kept of it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from orca_crowd.solving.execution import Execution
    from orca_crowd.solving.kept import Kept

__all__ = ["solve"]

SILENT, SUMMARY, PARTS, STEPS = range(4)


def solve(
    map_file: Annotated[
        Path | None, typer.Option("--map", help="MovingAI .map: . G S are free, all else blocked.")
    ] = None,
    scenario: Annotated[Path | None, typer.Option("--scen", help="MovingAI .scen; its first agents are used.")] = None,
    configuration: Annotated[
        Path | None, typer.Option("--config", help="YAML file of parameters; see --write-config.")
    ] = None,
    variant: Annotated[str | None, typer.Option(help="orca, orca-mapf, corca, corca-mapf or lns-only.")] = None,
    agents: Annotated[
        int | None,
        typer.Option("-k", "--agentNum", "--agent-num", min=1, help="How many agents; not more than the scenario has."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="CSV of the figures: a header and a row.")
    ] = None,
    debug_log: Annotated[
        Path | None, typer.Option("--debugLog", "--debug-log", help="Trace of every step, for orca-crowd view.")
    ] = None,
    waypoint_file: Annotated[
        Path | None, typer.Option("--waypointFile", "--waypoint-file", help="The way of every agent as planned.")
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Print what every iteration of planning did.")] = False,
    screen: Annotated[
        int,
        typer.Option("-s", "--screen", min=0, max=3, help="0 silent, 1 the figures, 2 each part, 3 every 100 steps."),
    ] = SUMMARY,
    struck: Annotated[
        str | None,
        typer.Option(help="End at 'iteration N' or 'step N', where a former run's time limit struck."),
    ] = None,
    lifelong: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000_000, help="So many steps, in which whoever arrives gets a random goal."),
    ] = None,
    radii_file: Annotated[
        Path | None, typer.Option("--radii", help="Radii of the agents, a number a line; else that of --config.")
    ] = None,
    write_config: Annotated[
        Path | None, typer.Option("--write-config", help="Write every parameter with its default here, and exit.")
    ] = None,
) -> None:
    """Bring agents on a grid map to their goals in continuous space, and say how well it went.

    \b
    orca-crowd solve --write-config default.yml
    orca-crowd solve --map room.map --scen room.scen --config default.yml --variant corca-mapf -k 50 -o out.csv
    orca-crowd solve ... --debugLog run.log && orca-crowd view run.log --map room.map

    orca avoids; C- (corca) plans first and lets agents take turns in corridors; -mapf plans anew for those who stand.
    Two runs of one seed are the same to the byte but for columns of the clock. Exit code 0 whether or not all arrive.
    """
    from orca_core.cooperative.variants import Variant
    from orca_crowd.clock import SystemClock
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.solving.configuration import read_configuration
    from orca_crowd.solving.execution import Execution
    from orca_crowd.solving.kept import Kept
    from orca_crowd.solving.limit import parse_struck
    from orca_crowd.solving.radii import read_radii
    from orca_crowd.solving.task import read_task

    try:
        if write_config is not None:
            _write_defaults(write_config)
            return
        given = {"--map": map_file, "--scen": scenario, "--config": configuration, "--variant": variant, "-k": agents}
        missing = [option for option, value in given.items() if value is None]
        if missing or map_file is None or scenario is None or configuration is None or agents is None:
            raise Unusable(f"give {', '.join(missing)} too")
        if variant not in list(Variant):
            raise Unusable(f"use --variant {', '.join(list(Variant)[:-1])} or {list(Variant)[-1]}, not {variant}")
        config = read_configuration(configuration)
        inputs = (map_file, scenario, configuration, *([radii_file] if radii_file is not None else []))
        kept = Kept(Variant(variant), output, debug_log, waypoint_file, inputs)
        kept.check()
        if lifelong is not None and not Variant(variant).moves:
            raise Unusable("leave --lifelong out: with lns-only nobody takes a step")
        again = parse_struck(struck) if struck is not None else None
        task = read_task(map_file, scenario, agents)
        radii = read_radii(radii_file, task.instance, config) if radii_file is not None else None
        clock = SystemClock()
        execution = Execution(task, config, Variant(variant), clock, again=again, radii=radii, lifelong=lifelong)
        _run(execution, kept, screen, stats)
    except Unusable as error:
        typer.echo(f"orca-crowd: {error}", err=True)
        raise typer.Exit(2) from None


def _write_defaults(file: Path) -> None:
    """The file of defaults; one that is there may hold somebody's work and stays."""
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.solving.configuration import default_text

    try:
        with file.open("x", encoding="utf-8") as output:
            output.write(default_text())
    except FileExistsError:
        raise Unusable(f"choose another --write-config: {file} is there already") from None
    except OSError as error:
        raise Unusable(f"choose another --write-config: {file}: {error.strerror}") from None


def _run(execution: Execution, kept: Kept, screen: int, stats: bool) -> None:
    """Solve, write the files, say what came of it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    from orca_core import warmup
    from orca_crowd.solving.block import block
    from orca_crowd.solving.watching import Bar, Iterations, Reports

    task, watchers = execution.task, execution.watchers
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    if screen >= SUMMARY and task.other_map is not None:
        typer.echo(f"note: {task.scenario_file.name} names {task.other_map}, not {task.map_file.name}", err=True)
    with ExitStack() as ends:
        files = ends.enter_context(kept.opened())
        watchers += kept.watchers(files, execution.config.timestep)
        if stats:
            watchers.append(Iterations(typer.echo))
        if screen >= PARTS:
            watchers.append(Reports(lambda line: typer.echo(line, err=True), screen >= STEPS))
        # nothing is drawn where nobody looks, nor between the lines of a report
        shown = console.is_terminal and SILENT < screen < PARTS
        progress = ends.enter_context(Progress(*columns, console=console, disable=not shown, transient=True))
        compiling = progress.add_task("compiling", total=None)
        warmup.compile_all(lambda done, total, name: progress.update(compiling, completed=done, total=total))
        progress.remove_task(compiling)
        if shown:
            watchers.append(Bar(progress))
        outcome = execution.run()
        kept.write(files, outcome)
    if screen >= SUMMARY:
        typer.echo(block(outcome))
