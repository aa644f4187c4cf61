"""The command `orca-crowd bench cluster`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from orca_crowd.bench.publishing import JsonFile, check_document, publish, refuse

__all__ = ["bench_cluster"]


def bench_cluster(
    congruence: Annotated[
        int, typer.Option(min=0, max=100_000, help="Steps of each scene over one and several actors; 0 for none.")
    ] = 100,
    ways: Annotated[int, typer.Option(min=0, max=100_000, help="Rounds of each way to an actor; 0 for none.")] = 100,
    agents: Annotated[
        list[int] | None,
        typer.Option(min=0, max=10_000_000, help="Agents of a divided world; may be repeated, 0 for none."),
    ] = None,
    actors: Annotated[int, typer.Option(min=2, max=16, help="Actors that it is divided over.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="Measured steps of each of them.")] = 40,
    ticks: Annotated[int, typer.Option(min=0, max=1_000_000, help="Ticks through a front end; 0 for none.")] = 500,
    worlds: Annotated[int, typer.Option(min=0, max=10_000, help="Worlds in real time; 0 for none.")] = 50,
    seconds: Annotated[float, typer.Option(min=2.0, max=3_600.0, help="How long they run.")] = 20.0,
    processes: Annotated[int, typer.Option(min=0, max=1_000, help="Processes of worlds that are killed.")] = 3,
    nodes: Annotated[int, typer.Option(min=0, max=100, help="Nodes that are killed.")] = 1,
    json_file: JsonFile = None,
    write_docs: Annotated[bool, typer.Option("--write-docs", help="Bring docs/performance.md up to date.")] = False,
) -> None:
    """Two nodes of a Ray cluster on this machine: bits, what actors and front ends add, and what deaths cost."""
    check_document(write_docs)
    if find_spec("ray") is None:
        raise refuse("there is no Ray here; pip install 'orca-crowd[ray]' brings it")

    from rich.console import Console

    from orca_crowd.bench.cluster import ClusterPlan, measure_cluster

    console = Console()
    plan = ClusterPlan(
        congruence_steps=congruence,
        way_rounds=ways,
        agents=ClusterPlan.agents if agents is None else tuple(count for count in agents if count),
        actors=actors,
        steps=steps,
        ticks=ticks,
        worlds=worlds,
        watched=worlds,
        seconds=seconds,
        processes_killed=processes,
        nodes_killed=nodes,
    )
    with console.status("starting") as status:
        result = measure_cluster(plan, tell=lambda what: status.update(what))
    publish(result, console, json_file, None, write_docs)
