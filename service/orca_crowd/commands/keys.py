"""API keys: made, listed, revoked. A running server sees every change at once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from orca_crowd.keys.scopes import Scope
from orca_crowd.keys.store import KeyStore, KeyStoreError
from orca_crowd.settings import Settings

__all__ = ["app"]

app = typer.Typer(name="keys", help="Make, list and revoke API keys.", no_args_is_help=True)

# width of the table where nobody looks at it on a terminal
WIDE = 1000
# what a key's name, scope, days and state take of it, and one day
BESIDE = 48
DAY = 10

UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_557_600.0}

File = Annotated[
    Path | None, typer.Option(help="File of keys; left out, the one of the server with this --port and --data.")
]
Port = Annotated[int | None, typer.Option(help="Port of the server, where its folder goes by it; 8000.")]
Data = Annotated[str | None, typer.Option(help="Folder of the server, as given to orca-crowd serve.")]


@app.command()
def create(
    scope: Annotated[Scope, typer.Option(help="read sees, control changes worlds, admin makes and deletes them too.")],
    label: Annotated[str, typer.Option(help="For people: whose key it is.")] = "",
    world: Annotated[list[str] | None, typer.Option(help="Only for this world; may be given several times.")] = None,
    expires: Annotated[str | None, typer.Option(help="After how long it ends: 90m, 12h, 30d, 4w, 1y; never.")] = None,
    file: File = None,
    port: Port = None,
    data: Data = None,
) -> None:
    """Make a key and print it: the only time that it is shown.

    From the first key on the server lets nobody in without one.
    """
    now = time.time()
    ends = None if expires is None else now + _seconds(expires)
    with _store(file, port, data, make=True) as store:
        secret = store.create(scope=scope, now=now, label=label, worlds=world, expires=ends)
    typer.echo(secret.text())


@app.command(name="list")
def show(file: File = None, port: Port = None, data: Data = None) -> None:
    """List the keys: everything but the keys themselves."""
    with _store(file, port, data) as store:
        entries = store.entries()
    console = Console()
    # in a file or a pipe a key is one line; on a narrow terminal cells take more lines, and nothing is cut
    console.width = console.width if console.is_terminal else WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("name", "label", "scope", "worlds", "made", "ends", "state"):
        free = max(6, (console.width - BESIDE) // 2) if heading in ("label", "worlds") else None
        least = DAY if heading in ("made", "ends") else None
        table.add_column(heading, min_width=least, max_width=free, overflow="fold")
    for entry in entries:
        worlds = "all" if entry.worlds is None else ", ".join(entry.worlds)
        ends = "never" if entry.expires is None else _day(entry.expires)
        cells = (entry.name, entry.label, entry.scope, worlds, _day(entry.created), ends, entry.state(time.time()))
        # a label is anybody's text, and brackets in it are no markup
        table.add_row(*map(Text, cells))
    console.print(table)


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The eight letters behind orca_, as listed.")],
    file: File = None,
    port: Port = None,
    data: Data = None,
) -> None:
    """Make a key worthless at once."""
    with _store(file, port, data) as store:
        if not store.revoke(name, time.time()):
            raise _fail(f"name a key that is valid: {name} is none; orca-crowd keys list shows them")
    typer.echo(f"revoked {name}")


@contextmanager
def _store(file: Path | None, port: int | None, data: str | None, *, make: bool = False) -> Iterator[KeyStore]:
    given = {name: value for name, value in (("port", port), ("data", data), ("keys", file)) if value is not None}
    path = Settings(**given).key_file  # type: ignore[arg-type]
    if path is None:
        raise _fail("give the --file of the keys: a server with --data none or --port 0 has no folder for one")
    try:
        store = KeyStore(path, make=make)
    except (KeyStoreError, OSError) as error:
        raise _fail(str(error)) from None
    with closing(store):
        yield store


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d{1,6})([mhdwy])", text)
    if not found:
        raise _fail(f"use --expires with a number and m, h, d, w or y, as 30d, not {text}")
    return int(found[1]) * UNITS[found[2]]


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _fail(message: str) -> typer.Exit:
    typer.echo(f"orca-crowd: {message}", err=True)
    return typer.Exit(2)
