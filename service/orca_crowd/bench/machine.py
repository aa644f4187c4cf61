"""Machine: the facts that a figure means nothing without, and one core for whoever is measured."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["busy_before", "facts", "one_core", "package_version"]

CPUINFO = Path("/proc/cpuinfo")
PACKAGES = ("orca-crowd", "numba", "llvmlite", "numpy", "pyrvo", "jupedsim")
# a load average above this many for each core is other people's work
BUSY_LOAD = 0.5
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
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }


def busy_before(machine: dict[str, Any]) -> list[str]:
    """A line for a machine that had other work when its facts were taken; nothing for a quiet one."""
    load = machine["load_average"]
    if load is None or load[0] <= BUSY_LOAD * machine["cores_allowed"]:
        return []
    return [
        f"The machine was busy: its load average was {load[0]:.1f} when the measurement began, on "
        f"{machine['cores_allowed']} cores. What is on the wall is longer than on a quiet machine."
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
