"""Trajectories for analysis: columns `id`, `frame`, `x`, `y`, a row an agent and recorded frame, frame by frame.

These are the columns of pedestrian dynamics. PedPy takes them as `TrajectoryData(data, frame_rate)` from a .csv or a
.parquet that pandas has read, and reads a .txt, the form of the Pedestrian Dynamics Data Archive, with
`load_trajectory`. Frames count from 0; the frame rate is 1 / (time_step × every) a second, which a .txt has in its
first line and a .parquet among its metadata as `frame_rate`. Coordinates are in metres and keep all their bits.

A file is written under another name and takes its own at the end, so nobody finds half of one.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_crowd.running.refusal import Unusable, needed

__all__ = ["SUFFIXES", "TrajectoryFile"]

# rows of a .parquet that are written together
ROWS = 1 << 18


class _Form(Protocol):
    """How rows are written."""

    def add(self, ids: NDArray[np.int64], frame: int, positions: NDArray[np.float64]) -> None:
        """One frame."""

    def close(self) -> None:
        """After the last one."""


class TrajectoryFile:
    """A file of one of SUFFIXES, open for frames; left early by an exception it is gone again."""

    def __init__(self, file: Path, frame_rate: float) -> None:
        """Open it; Unusable where it cannot be written or a library is missing."""
        self._file = file
        self._part = file.with_name(f"{file.name}.part")
        try:
            self._form: _Form = _FORMS[file.suffix.lower()](self._part, frame_rate)
        except OSError as error:
            raise Unusable(f"choose another --trajectory: {file}: {error.strerror}") from None
        self._frame = 0

    def __enter__(self) -> TrajectoryFile:
        """Already open."""
        return self

    def add(self, ids: NDArray[np.int64], positions: NDArray[np.float64]) -> None:
        """The next frame: ids (n,) and positions (n, 2)."""
        self._form.add(ids, self._frame, positions)
        self._frame += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Finish the file and give it its name, or take it away."""
        self._form.close()
        if kind is None:
            os.replace(self._part, self._file)
        else:
            self._part.unlink()


class _Text:
    """Rows as lines, each number as the shortest decimal that is read as the same number."""

    def __init__(self, file: Path, head: str, separator: str) -> None:
        self._separator = separator
        self._output: IO[str] = file.open("w", encoding="ascii", newline="\n")
        self._output.write(head)

    def add(self, ids: NDArray[np.int64], frame: int, positions: NDArray[np.float64]) -> None:
        between = self._separator
        rows = zip(ids.tolist(), positions.tolist(), strict=True)
        self._output.writelines(f"{i}{between}{frame}{between}{x!r}{between}{y!r}\n" for i, (x, y) in rows)

    def close(self) -> None:
        self._output.close()


class _Parquet:
    """Rows in groups; int64 and float64."""

    def __init__(self, file: Path, frame_rate: float) -> None:
        arrow, parquet = needed("pyarrow", "trajectories"), needed("pyarrow.parquet", "trajectories")
        whole, number = arrow.int64(), arrow.float64()
        fields = [("id", whole), ("frame", whole), ("x", number), ("y", number)]
        self._arrow = arrow
        self._schema = arrow.schema(fields, metadata={"frame_rate": repr(frame_rate)})
        self._writer: Any = parquet.ParquetWriter(file, self._schema)
        self._held: list[tuple[NDArray[Any], ...]] = []
        self._count = 0

    def add(self, ids: NDArray[np.int64], frame: int, positions: NDArray[np.float64]) -> None:
        self._held.append((ids.copy(), np.full(len(ids), frame), positions[:, 0].copy(), positions[:, 1].copy()))
        self._count += len(ids)
        if self._count >= ROWS:
            self._write()

    def close(self) -> None:
        self._write()
        self._writer.close()

    def _write(self) -> None:
        if self._held:
            columns = [self._arrow.array(np.concatenate(parts)) for parts in zip(*self._held, strict=True)]
            self._writer.write_table(self._arrow.Table.from_arrays(columns, schema=self._schema))
        self._held, self._count = [], 0


_FORMS: dict[str, Any] = {
    ".csv": lambda file, rate: _Text(file, "id,frame,x,y\n", ","),
    ".txt": lambda file, rate: _Text(file, f"# framerate: {rate!r}\n# id frame x/m y/m\n", " "),
    ".parquet": _Parquet,
}
SUFFIXES = tuple(_FORMS)
