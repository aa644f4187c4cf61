"""The command `orca-crowd bench`: the project's measure, ours beside its peers in the same run.

What it needs beside the server is in the extra `bench` and in pyrvo, which `make bench` installs without its
dependencies. Nothing here is imported by the server.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["app"]

app = typer.Typer(
    help="Measure the library and the server.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

DOCUMENT = Path("docs/performance.md")
PLOT = Path("docs/images/kernel.svg")
AGENTS = (1_000, 10_000, 100_000)


def _refuse(message: str) -> typer.Exit:
    typer.echo(f"orca-crowd: {message}", err=True)
    return typer.Exit(2)


def _write_json(file: Path, result: dict[str, Any]) -> None:
    file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


@app.command("kernel")
def bench_kernel(
    agents: Annotated[
        list[int] | None, typer.Option(min=1, max=10_000_000, help="Agents of a scene; may be repeated.")
    ] = None,
    walls: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Segments of the scene with walls; 0 for none.")
    ] = 200,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Measured steps, from the 20th on.")] = 40,
    repeat: Annotated[int, typer.Option(min=1, max=1_000, help="How often each scene is run from its start.")] = 3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the whole result here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw time over agents here, .svg or .png.")] = None,
    write_docs: Annotated[
        bool, typer.Option("--write-docs", help="Bring docs/performance.md and its picture up to date.")
    ] = False,
) -> None:
    """A step of a crowd on one core, in turn with RVO2 through pyrvo."""
    if write_docs and not DOCUMENT.exists():
        raise _refuse(f"run --write-docs in the folder of the project: there is no {DOCUMENT} here")
    # one core for everybody, also for a peer built with OpenMP; read by such a library when it is imported
    os.environ.setdefault("OMP_NUM_THREADS", "1")

    from rich.console import Console

    from orca_crowd.bench import report
    from orca_crowd.bench.contenders import PEER, peer_available
    from orca_crowd.bench.kernel import Plan, measure
    from orca_crowd.bench.progress import tracked
    from orca_crowd.bench.scenes import scenes_for

    console = Console()
    peer = peer_available()
    if not peer:
        console.print(
            f"{PEER} is not installed, so ours is measured alone. `make bench` installs it; by hand: "
            "pip install --no-deps pyrvo==0.4.3 (its dependencies are a gigabyte of graphics that nothing here uses).",
            highlight=False,
        )
    plan = Plan(scenes_for(list(agents or AGENTS), walls), steps=steps, repeat=repeat, peer=peer)
    with tracked(console, [(scene, scene.name, plan.work(scene)) for scene in plan.scenes]) as advance:
        result = measure(plan, advance)
    report.show(result, console)
    if json_file is not None:
        _write_json(json_file, result)
    picture = plot if plot is not None else PLOT if write_docs else None
    if picture is not None:
        picture = _draw(result, picture)
    if write_docs:
        beside = None if picture is None else os.path.relpath(picture, DOCUMENT.parent).replace(os.sep, "/")
        report.write_section(DOCUMENT, "kernel", report.markdown(result, beside))
        console.print(f"{DOCUMENT} is up to date", highlight=False)


def _draw(result: dict[str, Any], file: Path) -> Path | None:
    """Draw, or say what is missing and return None."""
    from orca_crowd.bench.plot import draw

    try:
        draw(result, file)
    except ImportError:
        typer.echo("orca-crowd: no picture without matplotlib; pip install 'orca-crowd[bench]' brings it", err=True)
        return None
    return file


@app.command("start")
def bench_start(
    repeat: Annotated[int, typer.Option(min=1, max=100, help="How often each start is taken.")] = 3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the whole result here.")] = None,
    write_docs: Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md up to date.")] = False,
) -> None:
    """Seconds until a server answers /healthz and /readyz, with an empty kernel cache and with a full one."""
    if write_docs and not DOCUMENT.exists():
        raise _refuse(f"run --write-docs in the folder of the project: there is no {DOCUMENT} here")

    from rich.console import Console

    from orca_crowd.bench import report
    from orca_crowd.bench.machine import facts
    from orca_crowd.bench.start import measure_start

    console = Console()
    result = {**measure_start(repeat), "machine": facts()}
    report.show_start(result, console)
    if json_file is not None:
        _write_json(json_file, result)
    if write_docs:
        report.write_section(DOCUMENT, "start", report.start_markdown(result))
        console.print(f"{DOCUMENT} is up to date", highlight=False)
