"""What an operator of a cluster asks for: which node has which worlds, a node emptied before it goes, and the end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from orca_crowd.clock import SystemClock
from orca_crowd.cluster.asking import Asking
from orca_crowd.cluster.moving import Moved, NotMoved, homes_of_nodes, move
from orca_crowd.cluster.stopping import NotStopped
from orca_crowd.cluster.stopping import stop as stop_process
from orca_crowd.engine.ray.clerks import Clerk
from orca_crowd.engine.ray.cluster import ClusterError, Needs
from orca_crowd.engine.ray.names import is_shared
from orca_crowd.settings import Settings

__all__ = ["app"]

app = typer.Typer(
    name="cluster", help="Show the nodes of a cluster, empty one, or end all processes of worlds.", no_args_is_help=True
)

Address = Annotated[str | None, typer.Option(help="host:port of the head of the cluster; auto is this node's.")]
Namespace = Annotated[str | None, typer.Option(help="Namespace of the worlds, as of their front ends.")]

# processes that are on their way at once: each is there twice meanwhile
AT_ONCE = 4


@app.command()
def nodes(ray_address: Address = None, ray_namespace: Namespace = None) -> None:
    """Show every node with its worlds."""
    _with(ray_address, ray_namespace, lambda asking, _: _show(asking))


@app.command()
def drain(
    node: Annotated[str, typer.Argument(help="Id of the node, or its beginning; orca-crowd cluster nodes shows them.")],
    ray_address: Address = None,
    ray_namespace: Namespace = None,
) -> None:
    """Move all worlds of a node to others, while they are used; no new ones come there, and Ray lets the node end."""
    _with(ray_address, ray_namespace, lambda asking, settings: _drain(asking, settings, node))


@app.command()
def stop(
    forget: Annotated[bool, typer.Option("--forget", help="Also worlds that keep no journal, which are lost.")] = False,
    ray_address: Address = None,
    ray_namespace: Namespace = None,
) -> None:
    """End all processes of worlds; front ends come first, which would bring them back. Journals stay."""
    _with(ray_address, ray_namespace, lambda asking, _: _stop(asking, forget=forget))


def _with(address: str | None, namespace: str | None, work: Callable[[Asking, Settings], Awaitable[int]]) -> None:
    """Join the cluster for one command."""
    given = {"ray_address": address, "ray_namespace": namespace}
    settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]

    async def do() -> int:
        asking = Asking(Clerk(settings.ray_address, settings.ray_namespace), SystemClock())
        try:
            await asking.join()
            return await work(asking, settings)
        finally:
            await asking.close()

    if find_spec("ray") is None:
        print("orca-crowd: install what a cluster needs: pip install 'orca-crowd[ray]'", file=sys.stderr)  # noqa: T201
        raise typer.Exit(2)
    try:
        code = asyncio.run(do())
    except ClusterError as error:
        print(f"orca-crowd: start or name a cluster with --ray-address: {error}", file=sys.stderr)  # noqa: T201
        code = 1
    raise typer.Exit(code)


async def _show(asking: Asking) -> int:
    found = await homes_of_nodes(asking)
    table = Table("node", "address", "state", "worlds")
    for node in await asking.ask("nodes"):
        table.add_row(node.id, node.address, "alive" if node.alive else "dead", _told(found.get(node.id, {})))
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    return 0


async def _drain(asking: Asking, settings: Settings, beginning: str) -> int:
    matching = [node for node in await asking.ask("nodes") if node.id.startswith(beginning) and node.alive]
    if len(matching) != 1:
        print(f"orca-crowd: name one node: {len(matching)} begin with {beginning!r}", file=sys.stderr)  # noqa: T201
        return 2
    node = matching[0].id
    await asking.ask("take_no_more", node)
    homes = (await homes_of_nodes(asking)).get(node, {})
    needs = Needs(settings.world_processors, settings.world_memory, settings.placement)
    room, clock = asyncio.Semaphore(AT_ONCE), SystemClock()

    async def one(home: str) -> Moved | NotMoved:
        async with room:
            try:
                return await move(asking, clock, home, needs)
            except (NotMoved, ClusterError) as error:
                return NotMoved(str(error))

    moved = left = 0
    for done in asyncio.as_completed([one(home) for home in homes]):
        told = await done
        if isinstance(told, Moved):
            moved += told.worlds
            what = f"{told.home} with {told.worlds} worlds" if is_shared(told.home) else told.home
            typer.echo(f"{what}: on node {told.node[:12]}, stood still for {told.seconds:.2f} seconds")
        else:
            left += 1
            typer.echo(str(told), err=True)
    typer.echo(f"{moved} of {sum(map(len, homes.values()))} worlds have moved")
    return 1 if left else 0


async def _stop(asking: Asking, *, forget: bool) -> int:
    actors = sorted(await asking.ask("names"))
    room = asyncio.Semaphore(AT_ONCE)

    async def one(actor: str) -> int | NotStopped:
        async with room:
            try:
                return await stop_process(asking, actor, forget=forget)
            except NotStopped as error:
                return error

    ended = worlds = 0
    for done in asyncio.as_completed([one(actor) for actor in actors]):
        told = await done
        if isinstance(told, NotStopped):
            typer.echo(str(told), err=True)
        else:
            ended, worlds = ended + 1, worlds + told
    typer.echo(f"{ended} of {len(actors)} processes have ended, with {worlds} worlds")
    return 0 if ended == len(actors) else 1


def _told(homes: dict[str, list[str]]) -> str:
    """Worlds one after another, those of a shared process behind its name."""
    own = [home for home in homes if not is_shared(home)]
    shared = [f"{home}: {', '.join(worlds) or '-'}" for home, worlds in homes.items() if is_shared(home)]
    return "\n".join([", ".join(own), *shared] if own else shared)
