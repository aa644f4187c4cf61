"""A journal carried out again without a server, and what is said of it."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from orca_core.warmup import compile_all
from orca_crowd.journal.errors import BadJournal
from orca_crowd.journal.file import JournalFile
from orca_crowd.worlds.verdict import Verdict, replay

__all__ = ["Unreadable", "run"]


class Unreadable(Exception):
    """The file cannot be replayed; the message says what to do."""


def run(path: Path, until: int | None) -> int:
    """Replay a journal and print what came of it: 0 where it is as recorded, 1 where it is not."""
    if not path.is_file():
        raise Unreadable(f"name a journal: {path} is no file")
    compile_all()
    console = Console(stderr=True)
    columns = (TextColumn("step"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with tempfile.TemporaryDirectory(prefix="orca-crowd-") as folder:
        try:
            with closing(JournalFile(_copied(path, Path(folder)))) as file, Progress(*columns, console=console) as bar:
                task = bar.add_task("step", total=file.step)
                verdict = replay(file, until, lambda step, last: bar.update(task, completed=step, total=last))
        except BadJournal as error:
            raise Unreadable(f"take another file: {error}") from None
    print(_told(verdict))  # noqa: T201
    return 0 if verdict.difference is None and verdict.damage is None else 1


def _copied(path: Path, folder: Path) -> Path:
    """A copy, since opening a journal may write to it, and a running server may be using this one."""
    for each in (path, path.with_name(path.name + "-wal")):
        if each.exists():
            shutil.copy(each, folder / each.name)
    return folder / path.name


def _told(verdict: Verdict) -> str:
    """A few lines for people."""
    lines = [
        f"steps {verdict.first} to {verdict.last}, {verdict.changes} changes, "
        f"{verdict.digests} digests and {verdict.snapshots} states compared"
    ]
    difference = verdict.difference
    if difference is not None:
        lines.append(f"DIFFERENT: equal up to step {difference.equal}, not any more at step {difference.step}")
        if difference.state_step is not None:
            lines.append(f"in the state of step {difference.state_step}:")
            lines += [f"  {agent}" for agent in difference.agents]
    if verdict.damage is not None:
        lines.append(f"DAMAGED: {verdict.damage}")
    if difference is None and verdict.damage is None:
        lines.append(f"as recorded; sha256 {verdict.sha256}")
    return "\n".join(lines)
