"""Trajectories hold every bit of every position, in the columns and the frame rate that PedPy documents."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

from orca_crowd.running import trajectory
from orca_crowd.running.refusal import Unusable
from orca_crowd.running.trajectory import SUFFIXES, TrajectoryFile

IDS = np.array([9, 2**53 - 1], np.int64)
FRAMES = [np.array([[0.1, -0.0], [1e-300, 1e9]]), np.array([[0.1 + 0.2, 1.0 / 3.0], [5.0, -7.25]])]
EXPECTED = np.array([[i, f, x, y] for f, frame in enumerate(FRAMES) for i, (x, y) in zip(IDS, frame, strict=True)])


def read_csv(file: Path) -> NDArray[np.float64]:
    with file.open(encoding="ascii") as lines:
        head, *rows = csv.reader(lines)
    assert head == ["id", "frame", "x", "y"]
    assert all(re.fullmatch(r"\d+", cell) for row in rows for cell in row[:2])
    return np.array(rows, np.float64)


def read_txt(file: Path) -> NDArray[np.float64]:
    # as PedPy reads the archive's form: comments first, the rate a word of a line with `framerate`, the unit by x/m
    comments = [line for line in file.read_text("ascii").splitlines() if line.startswith("#")]
    (rate,) = [line for line in comments if "framerate" in line]
    assert [float(word) for word in rate.split() if re.fullmatch(r"[\d.e-]+", word)] == [2.5]
    assert any("x/m" in line for line in comments)
    return np.loadtxt(file, comments="#")


def read_parquet(file: Path) -> NDArray[np.float64]:
    table = pyarrow.parquet.read_table(file)
    assert [(field.name, str(field.type)) for field in table.schema] == [
        ("id", "int64"),
        ("frame", "int64"),
        ("x", "double"),
        ("y", "double"),
    ]
    assert float(table.schema.metadata[b"frame_rate"]) == 2.5
    return np.column_stack([table[name].to_numpy() for name in table.column_names])


READERS: dict[str, Callable[[Path], NDArray[np.float64]]] = {
    ".csv": read_csv,
    ".txt": read_txt,
    ".parquet": read_parquet,
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("rows", [1, trajectory.ROWS])
def test_what_was_written_is_read_again_to_the_bit(
    tmp_path: Path, suffix: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectory, "ROWS", rows)
    file = tmp_path / f"t{suffix}"
    with TrajectoryFile(file, 2.5) as output:
        for frame in FRAMES:
            output.add(IDS, frame)
        # nobody finds half a file
        assert not file.exists()
    found = READERS[suffix](file)
    assert found.tobytes() == EXPECTED.tobytes()
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_end_in_between_leaves_nothing_and_the_old_file(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t{suffix}"
    file.write_text("old", "ascii")

    def fail() -> None:
        with TrajectoryFile(file, 2.5) as output:
            output.add(IDS, FRAMES[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text("ascii") == "old"


def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="choose another --trajectory"):
        TrajectoryFile(tmp_path / "nowhere" / "t.csv", 1.0)
