"""How many processors this process may use: the quota of its control groups, then its affinity. A host may have many
more, and a worker too many for a quota only makes the others wait.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["available_processors"]


def available_processors(root: Path = Path("/")) -> int:
    """At least one. `root` is where /proc and /sys are looked for."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # a share of a processor is none for one more worker
    return max(1, min([allowed, *(int(quota) for quota in _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """The quota of each control group that this process is in, in processors; the tightest one counts."""
    for folder in _folders(root):
        try:
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            if quota != "max":
                yield int(quota) / int(period)
        except (OSError, ValueError, ZeroDivisionError):
            pass
        try:
            # the first version of control groups; -1 is no quota
            limit = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
            if limit > 0:
                yield limit / int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
        except (OSError, ValueError, ZeroDivisionError):
            pass


def _folders(root: Path) -> Iterator[Path]:
    """Folders of the control groups, from the top down: inside a container the top is usually its own group."""
    groups = root / "sys" / "fs" / "cgroup"
    paths = {"": "/", "cpu": "/"}
    try:
        for line in (root / "proc" / "self" / "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "" or "cpu" in controllers.split(","):
                paths["cpu" if controllers else ""] = path
    except (OSError, ValueError):
        pass
    for name, path in paths.items():
        here = groups / name
        yield here
        for part in Path(path).parts[1:]:
            here = here / part
            # above what a namespace shows there is nothing to read
            if part != "..":
                yield here
