"""The start is taken of a real server; one that ends or is no server is told at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from orca_crowd.bench import start


def test_a_server_that_ends_is_told_with_its_exit_code() -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server:
        server.wait()
        with pytest.raises(RuntimeError, match="exit code 3"):
            start.until_answer("http://127.0.0.1:9/healthz", time.perf_counter(), server)


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "PATIENCE", 0.1)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as server:
        try:
            with pytest.raises(RuntimeError, match="did not answer 200"):
                start.until_answer("http://127.0.0.1:9/healthz", time.perf_counter(), server)
        finally:
            server.kill()


def test_a_server_is_healthy_before_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    # the cache of the tests is full, so this is a warm start
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    taken = start.once(os.environ["ORCA_CROWD_KERNEL_CACHE"])
    assert 0.0 < taken["healthz_seconds"] <= taken["readyz_seconds"]
