"""Machine: the facts that a figure means nothing without, and one core for whoever is measured."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["busy_before", "facts", "one_core", "others", "package_version"]

CPUINFO = Path("/proc/cpuinfo")
PACKAGES = ("orca-crowd", "numba", "llvmlite", "numpy", "pyrvo", "jupedsim", "eclipse-sumo")
# what share of a core others may take of all cores together before a machine counts as busy
BUSY_CORES = 0.2
# seconds for which others are watched; a load average would still tell of what we ourselves did a minute ago
WATCHED = 0.25
STAT = Path("/proc/stat")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def package_version(name: str) -> str | None:
    """The installed version of a distribution, None where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's name as the system gives it."""
    if CPUINFO.exists():
        for line in CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model"):
                return value.strip()
    return platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    """Size of each cache of the first core, by level and type."""
    found = {}
    for folder in sorted(CACHES.glob("index*")):
        level, kind, size = (
            (folder / name).read_text(encoding="utf-8").strip() if (folder / name).exists() else ""
            for name in ("level", "type", "size")
        )
        if level and size:
            found[f"L{level} {kind.lower()}".strip()] = size
    return found


def others() -> float | None:
    """How many cores are in use while this thread sleeps for a moment; None where the system does not tell."""

    def used() -> float:
        # user, nice, system, idle, waiting, interrupts, soft interrupts, stolen, in ticks since the start
        words = [int(word) for word in STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
        return (sum(words) - words[3] - words[4]) / os.sysconf("SC_CLK_TCK")

    if not STAT.exists():
        return None
    before, begin = used(), time.perf_counter()
    time.sleep(WATCHED)
    return (used() - before) / (time.perf_counter() - begin)


def facts() -> dict[str, Any]:
    """Processor, cores, system and versions, as plain values."""
    return {
        "processor": _processor(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "caches": _caches(),
        "system": f"{platform.system()} {platform.release()}",
        "python": sys.version.split()[0],
        "packages": {name: package_version(name) for name in PACKAGES},
        "others": others(),
    }


def busy_before(machine: dict[str, Any]) -> list[str]:
    """A line for a machine that had other work when its facts were taken; nothing for a quiet one."""
    used = machine["others"]
    if used is None or used <= BUSY_CORES:
        return []
    return [
        f"The machine was busy: others used {used:.1f} of its {machine['cores']} cores when the measurement began. "
        "What is on the wall is longer than on a quiet machine."
    ]


@contextmanager
def one_core() -> Iterator[int | None]:
    """Keep this process on one core for the block; yields its number, None where the system has no such call.

    The last allowed core is taken, since interrupts mostly go to the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)
