"""The command `orca-crowd`.

Exit codes: 0 done, 2 wrong input, 1 anything else; errors on stderr, the first line says what to do.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orca_crowd.commands.interrupts import ended_quietly

# what a command needs takes a moment to load: Ctrl+C in that moment is an end like any other
with ended_quietly():
    import typer

    from orca_crowd import __version__
    from orca_crowd.bench import app as bench
    from orca_crowd.commands.cluster import app as cluster
    from orca_crowd.commands.kernel_cache import use_kernel_cache
    from orca_crowd.commands.keys import app as keys
    from orca_crowd.commands.run import run
    from orca_crowd.commands.solve import solve
    from orca_crowd.commands.sweep import sweep
    from orca_crowd.commands.view import view

if TYPE_CHECKING:
    from orca_crowd.settings import Settings

__all__ = ["app", "main"]

app = typer.Typer(
    name="orca-crowd",
    help="Steering as a service: ORCA crowds, exact to the bit.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(bench, name="bench")
app.add_typer(cluster, name="cluster")
app.add_typer(keys, name="keys")
app.command("run")(run)
app.command("solve")(solve)
app.command("sweep")(sweep)
app.command("view")(view)


def fail(message: str, code: int = 2) -> typer.Exit:
    """Say on stderr what to do, and make the exit to raise."""
    typer.echo(f"orca-crowd: {message}", err=True)
    return typer.Exit(code)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Steering as a service: ORCA crowds, exact to the bit."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand != "serve":
        # a server has a setting of its own for that
        use_kernel_cache()


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; any but loopback needs keys: orca-crowd keys create.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any free one.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Workers that compute steps; there is one server process.")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="Who computes: processes, inline, or ray, on a cluster.")] = None,
    ray_address: Annotated[
        str | None, typer.Option(help="With --engine ray: host:port of the head of the cluster; auto is this node's.")
    ] = None,
    world_processes: Annotated[
        int | None,
        typer.Option(min=0, max=10_000, help="With --engine ray: processes that all worlds share; 0 for one each."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="Folder that keeps worlds and keys; left out, one of yours for this port; none keeps nothing."
        ),
    ] = None,
) -> None:
    """Serve worlds over REST and WebSocket until SIGTERM or Ctrl+C.

    Every setting is also ORCA_CROWD_… in the environment.
    """
    from pydantic import ValidationError

    from orca_crowd.settings import Settings

    given = {
        name: value
        for name, value in (
            *(("host", host), ("port", port), ("workers", workers), ("engine", engine)),
            *(("ray_address", ray_address), ("world_processes", world_processes), ("data", data)),
        )
        if value is not None
    }
    try:
        settings = Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise fail(f"set {name} (or ORCA_CROWD_{name.upper()}) to something else: {first['msg']}") from None
    if not _is_loopback(settings.host) and not _has_keys(settings):
        raise fail(
            f"make a key first (orca-crowd keys create --scope admin), or listen on 127.0.0.1 instead of "
            f"{settings.host}: without keys this server must not be reached from outside"
        )
    if settings.engine == "ray" and find_spec("ray") is None:
        raise fail("install what a cluster needs (pip install 'orca-crowd[ray]'), or choose another --engine")
    if settings.store is not None and settings.engine != "ray":
        raise fail(f"give --data a folder, or choose --engine ray: {settings.store} keeps worlds of a cluster alone")
    if settings.kernel_cache is not None:
        # read by the compiler's module when it is first imported
        os.environ.setdefault("ORCA_CROWD_KERNEL_CACHE", str(settings.kernel_cache))
    use_kernel_cache()

    from orca_crowd.commands.serve import run

    raise typer.Exit(run(settings))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A journal: worlds/<id>.sqlite in the folder of a server.")],
    until: Annotated[int | None, typer.Option(min=0, help="The step to stop at; left out, the last.")] = None,
) -> None:
    """Carry out a journal again and compare every digest and state with what was recorded.

    Says the first step and agents that differ; the exit code is 1 then.
    """
    from orca_crowd.commands.replay import Unreadable, run

    try:
        code = run(file, until)
    except Unreadable as error:
        raise fail(str(error)) from None
    raise typer.Exit(code)


@app.command()
def load(
    file: Annotated[Path, typer.Argument(help="A MovingAI .map, or GeoJSON.")],
    world: Annotated[str, typer.Option(help="Id of the world.")],
    kind: Annotated[
        str, typer.Option("--as", help="What it becomes: walkable, obstacles, or grid, of the world.")
    ] = "walkable",
    cell_size: Annotated[float | None, typer.Option(help="Side of a cell of a .map; 1.")] = None,
    url: Annotated[str, typer.Option(help="The server.")] = "http://127.0.0.1:8000",
) -> None:
    """Upload a map to a world, as a walkable area, as obstacles or as its grid map.

    A server that wants a key gets the one in ORCA_CROWD_API_KEY.
    """
    from orca_crowd.commands.load import KINDS, Refused, upload

    if kind not in KINDS:
        raise fail(f"use {', '.join(f'--as {known}' for known in KINDS[:-1])} or --as {KINDS[-1]}, not --as {kind}")
    try:
        typer.echo(upload(file, world, kind, cell_size, url))
    except Refused as refusal:
        raise fail(str(refusal), refusal.exit_code) from None


def _has_keys(settings: Settings) -> bool:
    from contextlib import closing

    from orca_crowd.keys.store import KeyStore, KeyStoreError

    try:
        if settings.key_file is None or not settings.key_file.exists():
            return False
        with closing(KeyStore(settings.key_file)) as store:
            return store.used()
    except (KeyStoreError, OSError) as error:
        raise fail(f"the file of keys cannot be read: {error}") from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def main() -> None:
    """Run the command; anything unforeseen is one line and exit code 1, the whole of it with ORCA_CROWD_TRACEBACK=1."""
    try:
        with ended_quietly():
            app()
    except Exception as error:
        if os.environ.get("ORCA_CROWD_TRACEBACK"):
            raise
        typer.echo(f"orca-crowd: {type(error).__name__}: {error} (set ORCA_CROWD_TRACEBACK=1 to see where)", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
