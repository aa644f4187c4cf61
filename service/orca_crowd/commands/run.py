"""The command `orca-crowd run`: a scene stepped here, without a server, and what is kept of it."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

    from orca_crowd.running.recording import Recording
    from orca_crowd.running.scene import RunScene
    from orca_crowd.running.simulation import Simulation

__all__ = ["run"]

# steps where nobody said how many, and after which waiting for the last to arrive ends
STEPS = 1_000
LONGEST = 100_000
ANIMATIONS = (".gif", ".html")


def run(
    scene: Annotated[str | None, typer.Argument(help="A built-in scene (see --list), or a JSON file.")] = None,
    names: Annotated[bool, typer.Option("--list", help="List the built-in scenes and exit.")] = False,
    steps: Annotated[
        int | None,
        typer.Option(min=0, max=1_000_000_000, help="How many steps; 1,000 if neither this nor --seconds is given."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0.0, help="The same in seconds of the world.")] = None,
    until_arrived: Annotated[
        bool,
        typer.Option(
            "--until-arrived", help="End when everybody with a goal has arrived, and after 100,000 steps at the latest."
        ),
    ] = False,
    every: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000_000,
            help="Keep every K-th step; left out: every step, of which an animation takes 200 (.gif) or 600 (.html).",
        ),
    ] = None,
    profile: Annotated[str | None, typer.Option(help="Options: service or text; as the scene says.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**53 - 1, help="Seed of the world; as the scene says.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="PNG of where everybody went; needs the extra pictures.")] = None,
    animation: Annotated[
        Path | None,
        typer.Option(help=".html that plays by itself, or .gif, which needs the extra pictures."),
    ] = None,
    trajectory: Annotated[
        Path | None,
        typer.Option(help="id, frame, x, y as .csv, .txt or .parquet, which needs the extra trajectories."),
    ] = None,
    snapshot: Annotated[
        Path | None, typer.Option(help="The world at the end, as POST /v1/worlds/restore takes it.")
    ] = None,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print the digest of the end and nothing else on stdout.")
    ] = False,
) -> None:
    """Step a scene without a server, and keep pictures or trajectories of it.

    \b
    orca-crowd run circle --until-arrived --picture circle.png
    orca-crowd run den312d --seconds 60 --animation hall.html
    orca-crowd run scene.json --steps 500 --every 5 --trajectory scene.parquet

    A scene file is JSON with the bodies of the REST calls: time_step, options, seed, defaults, agents or columns,
    obstacles, walkable, and map ({"file": "hall.map", "as": "walkable", "cell_size": 1}). The frame rate of a
    trajectory is 1 / (time_step x every) a second. One core computes; the bits are those of a server. Extras:
    pip install "orca-crowd\\[pictures,trajectories]".
    """
    from orca_crowd.running.refusal import Unusable

    if names:
        _list()
        return
    if scene is None:
        raise _refuse("name a scene: one of --list, or a JSON file")
    length = Length(steps, seconds, until_arrived)
    kept = Kept(every, picture, animation, trajectory, snapshot)
    try:
        length.check()
        kept.check()
        _run(_scene(scene, profile, seed), length, kept, digest)
    except Unusable as error:
        raise _refuse(str(error)) from None


@dataclass(frozen=True)
class Length:
    """How long a scene is stepped."""

    steps: int | None
    seconds: float | None
    until_arrived: bool

    def check(self) -> None:
        """Unusable where two answers are given."""
        from orca_crowd.running.refusal import Unusable

        if self.steps is not None and self.seconds is not None:
            raise Unusable("give --steps or --seconds, not both")

    def most(self, time_step: float) -> int:
        """The number of steps, at the latest; a step that is begun is taken."""
        if self.seconds is not None:
            # a second of steps of 0.1 s is ten of them, whatever the last bit says
            return math.ceil(self.seconds / time_step * (1.0 - 1e-12))
        if self.steps is not None:
            return self.steps
        return LONGEST if self.until_arrived else STEPS


@dataclass(frozen=True)
class Kept:
    """The files that are to be written."""

    every: int | None
    picture: Path | None
    animation: Path | None
    trajectory: Path | None
    snapshot: Path | None

    @property
    def drawn(self) -> bool:
        """Whether somebody has to remember who was where."""
        return self.picture is not None or self.animation is not None

    def check(self) -> None:
        """Unusable for a file that could not be written, before anything is computed."""
        from orca_crowd.running import gif, picture
        from orca_crowd.running.refusal import Unusable, needed
        from orca_crowd.running.trajectory import SUFFIXES

        allowed = (("picture", (".png",)), ("animation", ANIMATIONS), ("trajectory", SUFFIXES), ("snapshot", None))
        for option, suffixes in allowed:
            file: Path | None = getattr(self, option)
            if file is None:
                continue
            if suffixes is not None and file.suffix.lower() not in suffixes:
                raise Unusable(f"name the --{option} {' or '.join(suffixes)}, not {file.name}")
            if not file.parent.is_dir():
                raise Unusable(f"make the folder {file.parent} first, or choose another --{option}")
            if file.is_dir():
                raise Unusable(f"choose another --{option}: {file} is a folder")
        if self.picture is not None:
            picture.check_picture()
        if self.animation is not None and self.animation.suffix.lower() == ".gif":
            gif.check_gif()
        if self.trajectory is not None and self.trajectory.suffix.lower() == ".parquet":
            needed("pyarrow", "trajectories")


def _refuse(message: str) -> typer.Exit:
    typer.echo(f"orca-crowd: {message}", err=True)
    return typer.Exit(2)


def _list() -> None:
    from orca_crowd.worlds.scenes import SCENES

    for scene in SCENES.values():
        typer.echo(f"{scene.name:10} {scene.description}")


def _scene(name: str, profile: str | None, seed: int | None) -> RunScene:
    """The scene of this name or in this file."""
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.running.scene import built_in
    from orca_crowd.running.scene_file import read_scene
    from orca_crowd.worlds.scenes import SCENES

    if profile is not None and profile not in ("service", "text"):
        raise Unusable(f"use --profile service or --profile text, not {profile}")
    if name in SCENES:
        return built_in(name).changed(profile, seed)
    file = Path(name)
    if not file.exists() and file.suffix.lower() != ".json":
        raise Unusable(f"name a JSON file or a built-in scene ({', '.join(SCENES)}): there is no {name!r}")
    return read_scene(file).changed(profile, seed)


def _run(scene: RunScene, length: Length, kept: Kept, digest_alone: bool) -> None:
    """Step the scene, write the files, say what came of it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from orca_crowd.running.recording import Recording, check_size
    from orca_crowd.running.refusal import Unusable
    from orca_crowd.running.simulation import Simulation
    from orca_crowd.running.trajectory import TrajectoryFile

    simulation = Simulation(scene)
    world = simulation.world
    if length.until_arrived and not simulation.goals:
        raise Unusable("leave --until-arrived out: nobody in this scene has a goal")
    if length.until_arrived and scene.next_goals is not None:
        raise Unusable(f"use --steps or --seconds: who arrives in {scene.name} is sent on")
    every, most = kept.every or 1, length.most(scene.time_step)
    if kept.drawn:
        check_size(world.agent_count, 2 + most // every)
    recording = Recording.of(world, scene.name, scene.attribution) if kept.drawn else None
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with ExitStack() as ends:
        # nothing is drawn where nobody looks
        progress = ends.enter_context(Progress(*columns, console=console, disable=not console.is_terminal))
        file = None
        if kept.trajectory is not None:
            file = ends.enter_context(TrajectoryFile(kept.trajectory, 1.0 / (scene.time_step * every)))
        _compile(progress)

        def keep() -> None:
            if recording is not None:
                recording.add(world)
            if file is not None:
                file.add(world.ids, world.column("position"))

        keep()
        bar = progress.add_task(scene.name, total=most)
        spent = 0.0
        while world.step_count < most and not (length.until_arrived and simulation.everybody_arrived):
            begin = time.perf_counter()
            simulation.step()
            spent += time.perf_counter() - begin
            if world.step_count % every == 0:
                keep()
            progress.update(bar, completed=world.step_count)
        if recording is not None:
            # the end is seen even between two steps that are kept
            if recording.steps[-1] != world.step_count:
                recording.add(world)
            progress.update(bar, description="drawing")
            _draw(recording, kept)
    if kept.snapshot is not None:
        kept.snapshot.write_bytes(world.snapshot())
    typer.echo(world.digest() if digest_alone else _summary(simulation, spent))


def _compile(progress: Progress) -> None:
    """Compile before the first step, so that no step is blamed for it."""
    from orca_core import warmup

    bar = progress.add_task("compiling", total=None)
    warmup.compile_all(lambda done, total, name: progress.update(bar, completed=done, total=total))
    progress.remove_task(bar)


def _draw(recording: Recording, kept: Kept) -> None:
    """The picture and the animation."""
    from orca_crowd.running import gif, page, picture

    if kept.picture is not None:
        picture.draw_picture(recording, kept.picture)
    if kept.animation is not None:
        kind, write = (gif, gif.draw_gif) if kept.animation.suffix.lower() == ".gif" else (page, page.write_page)
        # whoever said how many steps are kept gets all of them
        write(recording if kept.every is not None else recording.thinned(kind.MOST_FRAMES), kept.animation)


def _summary(simulation: Simulation, spent: float) -> str:
    """What came of it, a line a fact."""
    world, counts, scene = simulation.world, simulation.counts, simulation.scene
    rate = world.agent_count * world.step_count / spent if spent > 0.0 else 0.0
    arrived = f"{simulation.arrived:,} of {simulation.goals:,} with a goal"
    if scene.next_goals is not None:
        arrived = f"{counts['arrived']:,} times, and sent on"
    overlaps = f"{counts['overlap']:,}" + (f", the deepest {simulation.deepest:.4g} m" if counts["overlap"] else "")
    facts = {
        "scene": f"{scene.name}, {world.agent_count:,} agents, profile {world.options.profile}, seed {world.seed}",
        "steps": f"{world.step_count:,} of {world.time_step:g} s, {world.time:,.1f} s in all",
        "speed": f"{rate:,.0f} agent-steps a second, {spent:.3f} s on one core",
        "arrived": arrived,
        "overlaps": overlaps,
        "digest": world.digest(),
    }
    if counts["non-finite"]:
        facts["stopped"] = f"{counts['non-finite']:,} with a result that is not finite"
    return "\n".join(f"{name:9} {fact}" for name, fact in facts.items())
