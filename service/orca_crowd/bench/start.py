"""The start benchmark: seconds from the start of `orca-crowd serve` until /healthz and /readyz answer 200."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

from orca_crowd.bench.figures import start_figures
from orca_crowd.bench.machine import facts

__all__ = ["child_environment", "free_port", "measure_start", "once", "until_answer"]

# who has not answered by then has failed
PATIENCE = 120.0
PAUSE = 0.02


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def child_environment(cache: str | None = None) -> dict[str, str]:
    """The environment of a process that finds what this one finds; `cache` is its folder for compiled kernels."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return environment if cache is None else {**environment, "ORCA_CROWD_KERNEL_CACHE": cache}


def until_answer(url: str, begin: float, server: subprocess.Popen[bytes]) -> float:
    """Seconds since `begin` until the address answers 200; raises RuntimeError when the server ends or is too slow."""
    while time.perf_counter() - begin < PATIENCE:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with exit code {server.returncode} before {url} answered")
        try:
            with urllib.request.urlopen(url, timeout=5.0) as answer:
                if answer.status == 200:
                    return time.perf_counter() - begin
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(PAUSE)
    raise RuntimeError(f"{url} did not answer 200 within {PATIENCE:g} s")


def once(cache: str) -> dict[str, float]:
    """Start a server once, with this folder for compiled kernels, and stop it again."""
    port = free_port()
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", str(port)]
    begin = time.perf_counter()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=child_environment(cache), stdout=quiet, stderr=quiet) as server:
        try:
            healthy = until_answer(f"http://127.0.0.1:{port}/healthz", begin, server)
            ready = until_answer(f"http://127.0.0.1:{port}/readyz", begin, server)
        finally:
            server.terminate()
    return {"healthz_seconds": healthy, "readyz_seconds": ready}


def measure_start(repeat: int = 3) -> dict[str, Any]:
    """Cold (empty kernel cache, all is compiled) and warm (with what the cold start left), `repeat` times each."""
    result: dict[str, Any] = {"benchmark": "start", "format": 1, "machine": facts(), "cold": [], "warm": []}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="orca-crowd-start-") as cache:
            result["cold"].append(once(cache))
            result["warm"].append(once(cache))
    return {**result, "figures": start_figures(result)}
