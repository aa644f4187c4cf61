"""Progress: one bar for each scene while it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

__all__ = ["tracked"]


@contextmanager
def tracked(console: Console, tasks: Sequence[tuple[Any, str, int]]) -> Iterator[Callable[[Any, int], None]]:
    """Show a bar for each (key, name, total); yields `advance(key, amount)`.

    Bars are drawn only when something advances, never by a second thread, which would take its share of the core.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bars:
        known = {key: bars.add_task(name, total=total) for key, name, total in tasks}

        def advance(key: Any, amount: int) -> None:
            bars.update(known[key], advance=amount, refresh=True)

        yield advance
