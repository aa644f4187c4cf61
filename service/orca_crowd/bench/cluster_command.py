"""The command `orca-crowd bench cluster`."""

from __future__ import annotations

import signal
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orca_crowd.bench.publishing import JsonFile, check_document, publish, refuse, write_json

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["bench_cluster"]

# what a shell says of a command that was interrupted
INTERRUPTED = 130


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
    worlds: Annotated[
        int, typer.Option(min=0, max=10_000, help="Worlds in real time that share processes; 0 for none.")
    ] = 50,
    world_processes: Annotated[int, typer.Option(min=1, max=1_000, help="How many processes they share.")] = 4,
    own_worlds: Annotated[
        int, typer.Option(min=0, max=10_000, help="Worlds in real time with a process each; 0 for none.")
    ] = 20,
    seconds: Annotated[float, typer.Option(min=2.0, max=3_600.0, help="How long they run.")] = 20.0,
    processes: Annotated[int, typer.Option(min=0, max=1_000, help="Processes of worlds that are killed.")] = 3,
    nodes: Annotated[int, typer.Option(min=0, max=100, help="Nodes that are killed.")] = 1,
    drains: Annotated[int, typer.Option(min=0, max=100, help="Nodes that are emptied.")] = 1,
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
        world_processes=world_processes,
        own_worlds=own_worlds,
        seconds=seconds,
        processes_killed=processes,
        nodes_killed=nodes,
        nodes_drained=drains,
    )
    shown = _Shown(console, json_file)
    try:
        with console.status("starting") as status:

            def tell(what: str) -> None:
                # whoever ends it wants what was measured, and no cluster left behind; Ray sets a handler of its own
                signal.signal(signal.SIGTERM, signal.default_int_handler)
                status.update(what)

            result = measure_cluster(plan, tell=tell, keep=shown.keep)
    except KeyboardInterrupt:
        if shown.result is None:
            raise typer.Exit(INTERRUPTED) from None
        remark = "Interrupted: what is missing was not measured."
        result = {**shown.result, "remarks": [*shown.result["remarks"], remark]}
        publish(result, console, json_file, None, False)
        raise typer.Exit(INTERRUPTED) from None
    publish(result, console, json_file, None, write_docs and not result["failed"])
    if result["failed"]:
        raise refuse(f"not measured: {', '.join(result['failed'])}")


class _Shown:
    """Shows what is new after each part, and keeps all of it in the file at once."""

    def __init__(self, console: Console, json_file: Path | None) -> None:
        """Nothing is measured yet."""
        self.result: dict[str, Any] | None = None
        self._console = console
        self._file = json_file
        self._names = {"what"}
        self._failed = 0
        self._begin = time.monotonic()

    def keep(self, result: dict[str, Any]) -> None:
        """What is known now."""
        self.result = result
        from orca_crowd.bench.report import figure_rows

        for name, value, unit in figure_rows(result):
            if name not in self._names:
                self._names.add(name)
                self._console.print(f"{time.monotonic() - self._begin:5.0f} s  {name}: {value} {unit}", highlight=False)
        for name in result["failed"][self._failed :]:
            self._console.print(f"failed: {name}", highlight=False)
        self._failed = len(result["failed"])
        if self._file is not None:
            write_json(result, self._file)
