"""A server as a user starts it: the command in a process of its own, on a free port, ended by SIGTERM."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.imports import ROOT

__all__ = ["child_environment", "live_server"]

# the start of a server takes seconds; where it ends instead, that is seen at once
START_SECONDS = 150.0
STOP_SECONDS = 15.0


def child_environment() -> dict[str, str]:
    """The environment of a process that finds our packages and commands whether or not they are installed."""
    folders = [str(ROOT), str(ROOT / "service"), str(ROOT / "clients" / "python")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        # as the tests themselves do, so that a block of documentation cannot hide a warning
        "PYTHONWARNINGS": "error",
    }


@contextmanager
def live_server(folder: Path, *options: str) -> Iterator[str]:
    """Serve until the end of the block; yields `host:port` once the server is ready. Its log is `folder`/server.log."""
    log = folder / "server.log"
    command = [sys.executable, "-m", "orca_crowd", "serve", "--port", "0", *options]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=child_environment(), stdout=output, stderr=output)
    try:
        yield _ready_address(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
    assert code == 0, log.read_text(encoding="utf-8")


def _ready_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for the address that the server prints, then for readiness."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        said = log.read_text(encoding="utf-8")
        assert process.poll() is None, f"the server has ended with {process.returncode}: {said}"
        match = re.search(r"http://(\S+:\d+)", said)
        if match is not None:
            try:
                with urllib.request.urlopen(f"http://{match.group(1)}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return match.group(1)
            except urllib.error.HTTPError as refusal:
                # not ready yet, and its answer has to be closed
                refusal.close()
            except urllib.error.URLError:
                pass
        time.sleep(0.05)
    raise AssertionError(f"no server within {START_SECONDS} s: {log.read_text(encoding='utf-8')}")
