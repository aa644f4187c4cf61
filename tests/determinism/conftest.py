"""The determinism scene in other processes, under other settings of the compiler, all at once and in the background.

Two of them compile every kernel anew, which takes the better part of a minute; they run beside the other tests of this
folder, and whoever asks for a result waits for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# by name: what the environment of the process adds; None takes a variable away
VARIANTS: dict[str, dict[str, str | None]] = {
    # without optimisation numba's cache cannot hold what links a library from outside
    "unoptimised": {"NUMBA_OPT": "0", "ORCA_CROWD_KERNEL_CACHE": None},
    "generic processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "bounds checked": {"NUMBA_BOUNDSCHECK": "1"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    "compiled": {},
    "other hash seed": {"PYTHONHASHSEED": "1"},
    "no hash seed": {"PYTHONHASHSEED": "0"},
}

Outcomes = Callable[[str], dict[str, object]]


def start(changes: dict[str, str | None]) -> subprocess.Popen[str]:
    """A process that runs the scene; warnings end it, as they end a test."""
    environment = dict(os.environ)
    for name, value in changes.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-W", "error", "-m", "tests.determinism.scene"]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="session", autouse=True)
def variants() -> Iterator[Outcomes]:
    """What the scene comes to under a setting, by its name in VARIANTS."""
    running = {name: start(changes) for name, changes in VARIANTS.items()}

    def outcome_of(name: str) -> dict[str, object]:
        said, complained = running[name].communicate(timeout=280)
        assert running[name].returncode == 0, complained
        result = json.loads(said)
        assert isinstance(result, dict)
        return result

    try:
        yield outcome_of
    finally:
        for process in running.values():
            if process.poll() is None:
                process.kill()
            process.communicate()
