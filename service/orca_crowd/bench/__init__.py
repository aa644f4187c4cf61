"""The command `orca-crowd bench`: the project's measure, ours beside its peers in the same run.

What it needs beside the server is in the extra `bench` and in libraries of others, which `make bench` installs without
their dependencies. Nothing here is imported by the server.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orca_crowd.bench.cluster_command import bench_cluster
from orca_crowd.bench.doors_command import bench_doors
from orca_crowd.bench.publishing import JsonFile, Plot, WriteDocs, check_document, publish, refuse

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["app"]

app = typer.Typer(
    help="Measure the library and the server.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

AGENTS = (1_000, 1_064, 10_000, 100_000)
LARGE = (100_000, 1_000_000)
DETOUR = Path(".make/bench-node")

EngineName = Annotated[str, typer.Option(help="Who computes the steps; inline where this version has no such engine.")]
Workers = Annotated[int, typer.Option(min=1, max=256, help="Workers of the engine.")]


@app.command("kernel")
def bench_kernel(
    agents: Annotated[
        list[int] | None, typer.Option(min=1, max=10_000_000, help="Agents of a scene; may be repeated.")
    ] = None,
    walls: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Segments of the scene with walls; 0 for none.")
    ] = 200,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Measured steps of each scene.")] = 40,
    repeat: Annotated[int, typer.Option(min=1, max=1_000, help="How often each scene is run from its start.")] = 3,
    variants: Annotated[
        bool, typer.Option(help="Harder and easier scenes of the count nearest to 10,000, beside the plain one.")
    ] = True,
    detour: Annotated[Path, typer.Option(help="Folder into which npm has put recast-navigation.")] = DETOUR,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """A step of a crowd on one core, in turn with RVO2 (pyrvo), JuPedSim and Detour's crowd."""
    check_document(write_docs)
    # one core for everybody, also for a peer built with OpenMP; read by such a library when it is imported
    os.environ.setdefault("OMP_NUM_THREADS", "1")

    from rich.console import Console

    from orca_crowd.bench.kernel import VARIANTS, Plan, measure
    from orca_crowd.bench.peers import available, peers
    from orca_crowd.bench.progress import tracked
    from orca_crowd.bench.scenes import scenes_for, usual, variants_for

    console = Console()
    found, missing = available(peers(detour))
    for line in missing:
        console.print(line, highlight=False)
    counts = list(agents or AGENTS)
    plan = Plan(
        scenes_for(counts, walls),
        variants_for(usual(counts), walls) if variants else None,
        steps=steps,
        repeat=repeat,
        peers=found,
    )
    tasks: list[tuple[Any, str, int]] = [(scene, f"{scene.name} agents", plan.work(scene)) for scene in plan.scenes]
    if plan.variants:
        tasks.append((VARIANTS, "harder and easier scenes", plan.variants_work()))
    with tracked(console, tasks) as advance:
        result = measure(plan, advance)
    publish(result, console, json_file, plot, write_docs)


@app.command("scale")
def bench_scale(
    agents: Annotated[
        list[int] | None, typer.Option(min=1, max=100_000_000, help="Agents of a world; may be repeated.")
    ] = None,
    engine: EngineName = "processes",
    workers: Workers = 2,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Measured steps, from the 20th on.")] = 20,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """One large world: memory, steps, snapshot, and everything that is done to all its agents at once."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.scale import measure_scale

    console = Console()
    name = _engine(engine, console)
    with console.status("starting") as status:
        result = measure_scale(
            list(agents or LARGE), engine=name, workers=workers, steps=steps, tell=lambda what: status.update(what)
        )
    publish(result, console, json_file, plot, write_docs)


@app.command("engine")
def bench_engine(
    engine: EngineName = "processes",
    workers: Workers = 2,
    rounds: Annotated[int, typer.Option(min=0, max=1_000_000, help="Empty steps; 0 for none.")] = 2_000,
    agents: Annotated[
        list[int] | None,
        typer.Option(min=1, max=10_000_000, help="Agents with which one worker meets several; may be repeated."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Measured steps of each of them.")] = 40,
    ticks: Annotated[int, typer.Option(min=0, max=1_000_000, help="Ticks over the socket; 0 for none.")] = 500,
    worlds: Annotated[int, typer.Option(min=0, max=10_000, help="Worlds in real time; 0 for none.")] = 200,
    watched: Annotated[int, typer.Option(min=1, max=1_000, help="How many of them are watched over a socket.")] = 20,
    seconds: Annotated[float, typer.Option(min=2.0, max=3_600.0, help="How long they run.")] = 20.0,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """The engine's own cost, several workers against one, ticks over the socket, many worlds in real time."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.engine import EnginePlan, measure_engine

    console = Console()
    plan = EnginePlan(
        engine=_engine(engine, console),
        workers=workers,
        rounds=rounds,
        agents=tuple(agents) if agents else EnginePlan.agents,
        steps=steps,
        ticks=ticks,
        worlds=worlds,
        watched=watched,
        seconds=seconds,
    )
    with console.status("starting") as status:
        result = measure_engine(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, plot, write_docs)


@app.command("stream")
def bench_stream(
    engine: EngineName = "processes",
    workers: Workers = 2,
    agents: Annotated[
        list[int] | None, typer.Option(min=1, max=1_000_000, help="Agents of a tight loop; may be repeated.")
    ] = None,
    ticks: Annotated[int, typer.Option(min=0, max=1_000_000, help="Ticks of each tight loop; 0 for none.")] = 300,
    subscribers: Annotated[
        int, typer.Option(min=0, max=10_000, help="Subscribers of a world in real time; 0 for none.")
    ] = 100,
    seconds: Annotated[float, typer.Option(min=0.5, max=3_600.0, help="How long they watch.")] = 20.0,
    idle: Annotated[int, typer.Option(min=0, max=10_000, help="Subscribers at rest; 0 for none.")] = 1_000,
    encodes: Annotated[int, typer.Option(min=0, max=1_000_000, help="Frames that are encoded; 0 for none.")] = 1_000,
    sumo: Annotated[bool, typer.Option(help="Ticks in turn with SUMO's, if it is there.")] = True,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """The tight loop of a game server, frames to many subscribers, their memory, ticks in turn with SUMO's."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.peer_sumo import SumoPeer
    from orca_crowd.bench.stream import StreamPlan, measure_stream

    console = Console()
    peer = SumoPeer() if sumo else None
    missing = peer.missing() if peer is not None else None
    if missing is not None:
        console.print(missing, highlight=False)
    plan = StreamPlan(
        engine=_engine(engine, console),
        workers=workers,
        agents=tuple(agents) if agents else StreamPlan.agents,
        ticks=ticks,
        subscribers=subscribers,
        seconds=seconds,
        idle=idle,
        encodes=encodes,
        peer=peer if missing is None else None,
    )
    with console.status("starting") as status:
        result = measure_stream(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, plot, write_docs)


@app.command("viewer")
def bench_viewer(
    agents: Annotated[int, typer.Option(min=1, max=1_000_000, help="Agents of the crowd that is looked at.")] = 20_000,
    frames: Annotated[int, typer.Option(min=10, max=100_000, help="Frames taken of each look.")] = 60,
    browser: Annotated[Path | None, typer.Option(help="Chromium's program; left out, that on the path.")] = None,
    json_file: JsonFile = None,
    write_docs: Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md up to date.")] = False,
) -> None:
    """What a frame of the page takes of the browser's main thread, in Chromium without a window."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.viewer import browser_program, measure_viewer

    program = str(browser) if browser is not None else browser_program()
    if program is None:
        raise refuse("there is no Chromium on the path: install one, or name it with --browser /path/to/chromium")
    console = Console()
    with console.status("starting") as status:
        result = measure_viewer(program, agents=agents, frames=frames, tell=lambda what: status.update(what))
    publish(result, console, json_file, None, write_docs)


@app.command("durability")
def bench_durability(
    rounds: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Steps and commands of each durability; 0 for none.")
    ] = 2_000,
    repeat: Annotated[int, typer.Option(min=0, max=1_000, help="Recoveries of each world; 0 for none.")] = 3,
    snapshots: Annotated[
        int, typer.Option(min=0, max=100_000, help="Snapshots of 100,000 agents beside ticks; 0 for none.")
    ] = 60,
    folder: Annotated[Path | None, typer.Option(help="Where journals are made; where the system keeps such.")] = None,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """What a journal costs a step and a command, how soon a world is back, what a snapshot delays."""
    check_document(write_docs)
    if folder is not None and not folder.is_dir():
        raise refuse(f"make the folder {folder} first, or leave --folder out")

    from rich.console import Console

    from orca_crowd.bench.durability import DurabilityPlan, measure_durability

    console = Console()
    plan = DurabilityPlan(rounds=rounds, repeat=repeat, snapshots=snapshots, folder=folder)
    with console.status("starting") as status:
        result = measure_durability(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, plot, write_docs)


app.command("cluster")(bench_cluster)
app.command("doors")(bench_doors)


@app.command("start")
def bench_start(
    repeat: Annotated[int, typer.Option(min=1, max=100, help="How often each start is taken.")] = 3,
    json_file: JsonFile = None,
    write_docs: Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md up to date.")] = False,
) -> None:
    """Seconds until a server answers /healthz and /readyz, with an empty kernel cache and with a full one."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.start import measure_start

    publish(measure_start(repeat), Console(), json_file, None, write_docs)


@app.command("behaviour")
def bench_behaviour(
    scenes: Annotated[
        list[str] | None, typer.Option("--scene", help="Scenes whose names begin so; may be repeated. Left out: all.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1_000, help="How many crowds of each scene.")] = 3,
    pedestrians: Annotated[bool, typer.Option(help="Flow through bottlenecks, and speed against density.")] = True,
    detour: Annotated[Path, typer.Option(help="Folder into which npm has put recast-navigation.")] = DETOUR,
    json_file: JsonFile = None,
    plot: Plot = None,
    write_docs: WriteDocs = False,
) -> None:
    """How crowds fare in the scenes, with us and with RVO2 (pyrvo), JuPedSim and Detour's crowd."""
    check_document(write_docs)

    from rich.console import Console

    from orca_crowd.bench.behaviour import BehaviourPlan, measure_behaviour, peers_of_scenes
    from orca_crowd.bench.behaviour_scenes import SCENES
    from orca_crowd.bench.pedestrians import PedestrianPlan
    from orca_crowd.bench.peers import available

    wanted = [name for name in SCENES if not scenes or name.startswith(tuple(scenes))]
    if not wanted:
        raise refuse(f"there is no such scene; there are {'; '.join(SCENES)}")
    console = Console()
    found, missing = available(peers_of_scenes(detour))
    for line in missing:
        console.print(line, highlight=False)
    plan = BehaviourPlan(
        peers=found,
        scenes={name: SCENES[name] for name in wanted},
        seeds=tuple(range(1, seeds + 1)),
        pedestrians=PedestrianPlan(seeds=tuple(range(1, seeds + 1))) if pedestrians else None,
    )
    with console.status("starting") as status:
        result = measure_behaviour(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, plot, write_docs)


@app.command("compare")
def bench_compare(
    old: Annotated[Path, typer.Argument(help="A result that --json wrote.")],
    new: Annotated[Path, typer.Argument(help="A later one of the same benchmark.")],
) -> None:
    """Two results side by side, figure by figure: old, new, and new / old."""
    from rich.console import Console

    from orca_crowd.bench import tables
    from orca_crowd.bench.difference import Incomparable, compared, read_result

    try:
        section, lines = compared(read_result(old), read_result(new))
    except Incomparable as error:
        raise refuse(str(error)) from None
    tables.show(Console(), [section], lines)


def _engine(name: str, console: Console) -> str:
    """The engine that there is, and a line where it is another one than was asked for."""
    from orca_crowd.bench.engines import chosen

    found, line = chosen(name)
    if line is not None:
        console.print(line, highlight=False)
    return found
