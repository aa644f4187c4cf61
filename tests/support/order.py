"""In which order files of tests are handed to the processes that run them: the longest first, the rest as they stand.

The processes share the work file by file, since tests of one file share servers, clusters and browsers. Whoever began
a long file last would work on it alone, while the others have nothing more to do.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["LONGEST", "TOGETHER", "place_of", "share_of"]

# files and folders by how long they take, the longest first
LONGEST = (
    "tests/architecture/test_machine_code.py",
    "tests/determinism/test_matrix.py",
    "tests/orca_core/test_modes.py",
    "tests/orca_crowd/engine/ray",
    "tests/orca_crowd/engine/test_parent.py",
    "tests/orca_crowd/durability",
    "tests/chaos",
    "tests/orca_crowd/viewer",
    "tests/clients/godot",
    "tests/clients/typescript",
    "tests/orca_crowd/bench",
    "tests/orca_crowd/fuzz",
    "tests/orca_crowd/worlds/test_deaths.py",
    "tests/orca_crowd/test_prometheus.py",
    "tests/orca_crowd/engine",
    "tests/orca_crowd/commands",
    "tests/docs",
    "tests/orca_crowd/streaming",
)

# one process runs all of each line, at the place of the first
TOGETHER = (
    # kernels that check every index are compiled once: whoever wants them meanwhile would only wait
    ("tests/determinism/test_matrix.py", "tests/orca_core/test_modes.py"),
    # the machine has one cluster at a time
    ("tests/orca_crowd/engine/ray", "tests/orca_crowd/bench/test_cluster.py"),
)


def place_of(file: Path, root: Path) -> int:
    """Where a file stands in the order; those in no place of LONGEST come after all others, as they were collected."""
    name = file.relative_to(root).as_posix()
    return next((place for place, begin in enumerate(LONGEST) if _within(name, begin)), len(LONGEST))


def share_of(test: str) -> str:
    """What is handed over with a test (its node id), by a name: the file, or the first of what belongs together."""
    name = test.partition("::")[0]
    return next((parts[0] for parts in TOGETHER if any(_within(name, part) for part in parts)), name)


def _within(name: str, begin: str) -> bool:
    """Whether this is that file, or lies in that folder."""
    return name == begin or name.startswith(begin + "/")
