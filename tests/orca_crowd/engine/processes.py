"""Processes that tests start and lose: by themselves, and with all that they have started."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import psutil

from tests.orca_crowd.engine.support import alive, wait_until
from tests.support.imports import ROOT
from tests.support.live_server import child_environment

__all__ = ["alone", "begin", "descendants", "gone"]

COMMAND = [sys.executable, "-W", "error", "-m", "tests.orca_crowd.engine.alone"]


def begin(*arguments: str) -> subprocess.Popen[str]:
    """Start a function of `alone`; warnings are errors in it and in whoever it starts."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def alone(*arguments: str) -> list[dict[str, Any]]:
    """Run a function of `alone` to its end: what it has said; it has not complained but of workers lost."""
    process = begin(*arguments)
    said, complained = process.communicate(timeout=120)
    assert process.returncode == 0, complained
    for line in complained.splitlines():
        assert line.startswith("worker "), complained
    return [json.loads(line) for line in said.splitlines()]


def descendants(pid: int) -> list[int]:
    """Everybody that a process has started, and whom they have."""
    return [process.pid for process in psutil.Process(pid).children(recursive=True)]


def gone(pids: list[int], seconds: float) -> bool:
    """Whether none of them lives, at the latest after so many seconds."""
    return wait_until(lambda: not any(alive(pid) for pid in pids), seconds)
