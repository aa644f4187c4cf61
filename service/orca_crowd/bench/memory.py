"""Memory: what a process and its children hold, shared pages counted once. Linux tells; elsewhere nobody knows."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["family", "peak", "reset_peak", "resident"]

PROC = Path("/proc")
# how the paths of files begin that have no name (memfd)
ANONYMOUS_FILE = "/memfd:"


def family(root: int) -> list[int]:
    """A process and all its descendants."""
    parents: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                # the name stands in parentheses and may hold anything; the parent is the second word behind it
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                # it has ended meanwhile
                continue
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def _lines(process: int, file: str) -> list[str]:
    """The lines of a file of a process; none where it has ended meanwhile."""
    try:
        return (PROC / str(process) / file).read_text().splitlines()
    except OSError:
        return []


def _bytes(lines: list[str], *names: str) -> int:
    """The sum of fields in kB, in bytes."""
    found = (line.split() for line in lines)
    return sum(int(words[1]) * 1024 for words in found if words and words[0].rstrip(":") in names)


def _shared(process: int) -> int:
    """Bytes of what a process may write and shares by mapping it: files, and shared memory of a name or of none."""
    total, counts = 0, False
    for line in _lines(process, "smaps"):
        words = line.split()
        if not words[0].endswith(":"):
            # a new mapping: range, permissions, offset, device, inode, path
            path = words[5] if len(words) > 5 else ""
            counts = words[1].startswith("rw") and words[1].endswith("s") and not path.startswith(ANONYMOUS_FILE)
        elif counts and words[0] == "Pss:":
            total += int(words[1]) * 1024
    return total


def _anonymous_files(processes: list[int]) -> int:
    """Bytes of the anonymous files that are open in a family, each once: reserved, whether or not they are touched."""
    sizes: dict[tuple[int, int], int] = {}
    for process in processes:
        try:
            for descriptor in (PROC / str(process) / "fd").iterdir():
                if os.readlink(descriptor).startswith(ANONYMOUS_FILE):
                    facts = descriptor.stat()
                    sizes[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
        except OSError:
            # it has ended meanwhile, or closed one
            continue
    return sum(sizes.values())


def resident(root: int | None = None) -> int | None:
    """Bytes that this process (or `root`) and its children hold; a page that several share counts for its share.

    Pages of programs and libraries are left out: how many of them are ours depends on who else runs them.
    """
    if not PROC.exists():
        return None
    processes = family(root if root is not None else os.getpid())
    private = sum(_bytes(_lines(process, "smaps_rollup"), "Pss_Anon") for process in processes)
    return private + sum(map(_shared, processes)) + _anonymous_files(processes)


def peak(root: int | None = None) -> int | None:
    """The sum of the highest bytes in memory of each since the last `reset_peak`; shared pages count for each."""
    if not PROC.exists():
        return None
    return sum(_bytes(_lines(process, "status"), "VmHWM") for process in family(root or os.getpid()))


def reset_peak(root: int | None = None) -> None:
    """Let the highest be what it is now, where the system can."""
    if not PROC.exists():
        return
    for process in family(root if root is not None else os.getpid()):
        try:
            (PROC / str(process) / "clear_refs").write_text("5")
        except OSError:
            continue
