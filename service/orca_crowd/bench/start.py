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

__all__ = ["measure_start", "once", "until_answer"]

# who has not answered by then has failed
PATIENCE = 120.0
PAUSE = 0.02


def _free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
    port = _free_port()
    environment = {**os.environ, "ORCA_CROWD_KERNEL_CACHE": cache}
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", str(port)]
    begin = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            healthy = until_answer(f"http://127.0.0.1:{port}/healthz", begin, server)
            ready = until_answer(f"http://127.0.0.1:{port}/readyz", begin, server)
        finally:
            server.terminate()
    return {"healthz_seconds": healthy, "readyz_seconds": ready}


def measure_start(repeat: int = 3) -> dict[str, Any]:
    """Cold (empty kernel cache, all is compiled) and warm (with what the cold start left), `repeat` times each."""
    result: dict[str, Any] = {"benchmark": "start", "format": 1, "cold": [], "warm": []}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="orca-crowd-start-") as cache:
            result["cold"].append(once(cache))
            result["warm"].append(once(cache))
    return result
