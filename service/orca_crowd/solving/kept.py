"""Kept: the files that a run writes, all of them or none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orca_core.cooperative.variants import Variant
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.execution import Watcher
from orca_crowd.solving.files_written import FilesWritten, write_whole
from orca_crowd.solving.outcome import Outcome
from orca_crowd.solving.row import row_text
from orca_crowd.solving.watching import Traced, Waypoints

__all__ = ["Kept", "struck_file", "throughput_file"]


def struck_file(output: Path) -> Path:
    """Where it stands what the time limit struck, beside the row, whose columns have no room for it."""
    return output.with_name(f"{output.name}.struck")


def throughput_file(output: Path) -> Path:
    """Where the throughput of a lifelong run stands, beside the row for the same reason."""
    return output.with_name(f"{output.name}.throughput")


@dataclass(frozen=True)
class Kept:
    """The row, the trace and the waypoints of a run; `inputs` are files that none of them may be."""

    variant: Variant
    output: Path | None
    trace: Path | None
    waypoints: Path | None
    inputs: tuple[Path, ...]

    def check(self) -> None:
        """Unusable for a file with nothing to be written to it."""
        if self.trace is not None and not self.variant.moves:
            raise Unusable("leave --debugLog out: with lns-only nobody takes a step")
        if self.waypoints is not None and not self.variant.plans:
            raise Unusable(f"leave --waypointFile out: {self.variant} plans no ways")

    def opened(self) -> FilesWritten:
        """All of them, open; Unusable where one cannot be written."""
        named = (("-o", self.output), ("--debugLog", self.trace), ("--waypointFile", self.waypoints))
        return FilesWritten(named, self.inputs)

    def watchers(self, files: FilesWritten, time_step: float) -> list[Watcher]:
        """Who writes to them on the way."""
        found: list[Watcher] = []
        if self.trace is not None:
            found.append(Traced(files[self.trace], time_step))
        if self.waypoints is not None:
            found.append(Waypoints(files[self.waypoints]))
        return found

    def write(self, files: FilesWritten, outcome: Outcome) -> None:
        """What is known at the end."""
        if self.output is None:
            return
        files[self.output].write(row_text(outcome))
        # first of all, so that a row that has its name has these beside it; those of a former run go
        throughput = outcome.metrics.throughput
        struck = None if outcome.struck is None else str(outcome.struck)
        figure = None if throughput is None else repr(throughput)
        for beside, said in ((struck_file(self.output), struck), (throughput_file(self.output), figure)):
            if said is not None:
                write_whole(beside, f"{said}\n")
            else:
                beside.unlink(missing_ok=True)
