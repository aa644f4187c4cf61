"""Folder: what a sweep keeps: a row and a record for each run, until there are all of them; then the table.

    sweep.json          which configuration and which version of the library its runs were made with
    runs/MAP/NAME.csv   the row of a run, as orca-crowd solve -o writes it; there only when the run is over
    runs/MAP/NAME.json  how it ended
    failed/MAP/NAME.txt why a run was not made; it is tried again

One sweep at a time has the folder. Runs of two configurations or versions in one table would compare what cannot be
compared, so a folder is refused to any but the ones it began with.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import json
import os
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any

from orca_core.cooperative.config import Config
from orca_crowd import __version__
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.files_written import write_whole
from orca_crowd.sweeping.job import Job

__all__ = ["Folder", "library_digest"]


def library_digest() -> str:
    """Digest (sha256, hex) of every source of the library, which is what decides how a run goes."""
    digest = hashlib.sha256()
    root = Path(str(files("orca_core")))
    for source in sorted(root.rglob("*.py")):
        digest.update(source.relative_to(root).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


class Folder:
    """The folder of a sweep, held until the end of the block."""

    def __init__(self, path: Path, config: Config) -> None:
        """Make or open it; Unusable where it cannot be had, or where it is that of another configuration or version."""
        self.path = path
        about = {"config": asdict(config), "version": __version__, "library": library_digest()}
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = (path / ".lock").open("w")
        except OSError as error:
            raise Unusable(f"choose another --out: {path}: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._claim(about)
            # halves of files from a sweep that was killed
            for left in path.rglob("*.part"):
                left.unlink(missing_ok=True)
        except BlockingIOError:
            self._lock.close()
            raise Unusable(f"wait, or choose another --out: a sweep is under way in {path}") from None
        except BaseException:
            self._lock.close()
            raise

    def _claim(self, about: dict[str, Any]) -> None:
        """Say what it is of, or see that it is of the same."""
        file = self.path / "sweep.json"
        if not file.exists():
            write_whole(file, json.dumps(about, indent=1) + "\n")
            return
        try:
            former = json.loads(file.read_text("utf-8"))
        except (ValueError, OSError) as error:
            raise Unusable(f"choose another --out: {file} cannot be read ({error})") from None
        if former == about:
            return
        changed = [key for key, value in about["config"].items() if former.get("config", {}).get(key) != value]
        what = f"another configuration ({', '.join(changed)})" if changed else "another version of the library"
        raise Unusable(f"choose another --out: {self.path} holds runs of {what}")

    def __enter__(self) -> Folder:
        """Already held."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let it go."""
        self._lock.close()

    def row_file(self, job: Job) -> Path:
        """Where the row of a run is, once it is over."""
        return self.path / "runs" / f"{job.name}.csv"

    def record_file(self, job: Job) -> Path:
        """Where it says how the run ended."""
        return self.row_file(job).with_suffix(".json")

    def failure_file(self, job: Job) -> Path:
        """Where it says why the run was not made."""
        return self.path / "failed" / f"{job.name}.txt"

    def has(self, job: Job) -> bool:
        """Whether the run is over, with the limit that is asked for now."""
        if not self.row_file(job).is_file():
            return False
        return bool(self.record(job).get("time_limit") == job.time_limit)

    def record(self, job: Job) -> dict[str, Any]:
        """How a run ended; empty where that cannot be read."""
        try:
            found = json.loads(self.record_file(job).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def row(self, job: Job) -> dict[str, str]:
        """The row of a run that is over."""
        with self.row_file(job).open(encoding="utf-8", newline="") as file:
            return next(csv.DictReader(file))

    def begin(self, job: Job) -> None:
        """Make room for a run."""
        self.row_file(job).parent.mkdir(parents=True, exist_ok=True)

    def fail(self, job: Job, reason: str) -> None:
        """Keep why a run was not made."""
        file = self.failure_file(job)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, reason.rstrip() + os.linesep)

    def forget_failure(self, job: Job) -> None:
        """It was made after all."""
        self.failure_file(job).unlink(missing_ok=True)
