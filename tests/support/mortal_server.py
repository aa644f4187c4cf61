"""A server that keeps its worlds, to be killed and started again on the same folder."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.live_server import STOP_SECONDS, _ready_address, child_environment

__all__ = ["MortalServer", "mortal_server"]


class MortalServer:
    """One folder of data, and the processes that serve it one after another."""

    def __init__(self, folder: Path, *options: str) -> None:
        """Start nothing yet."""
        self.data = folder / "data"
        self._log = folder / "server.log"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._client: httpx.Client | None = None

    @property
    def client(self) -> httpx.Client:
        """A client of the process that runs now."""
        assert self._client is not None, "the server does not run"
        return self._client

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process that runs now."""
        assert self._process is not None, "the server does not run"
        return self._process

    @property
    def log(self) -> str:
        """What the newest process has said."""
        return self._log.read_text(encoding="utf-8")

    def start(self, **environment: str) -> httpx.Client:
        """Begin to serve, and wait until it is ready."""
        command = [sys.executable, "-m", "orca_crowd", "serve", "--port", "0", "--data", str(self.data), *self._options]
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                command, env={**child_environment(), **environment}, stdout=output, stderr=output
            )
        address = _ready_address(self._process, self._log)
        self._client = httpx.Client(base_url=f"http://{address}", timeout=60)
        return self._client

    def kill(self) -> None:
        """SIGKILL: nothing of the process can prepare for it."""
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        self._ended()
        return self._code

    def wait(self) -> int:
        """Until it has ended by itself; the exit code."""
        self._ended()
        return self._code

    def restart(self, **environment: str) -> httpx.Client:
        """Kill it and start it again."""
        self.kill()
        return self.start(**environment)

    def _ended(self) -> None:
        self._code = self.process.wait(STOP_SECONDS)
        self._process = None
        if self._client is not None:
            self._client.close()
            self._client = None

    def close(self) -> None:
        """End whatever runs."""
        if self._process is not None:
            self.kill()


@contextmanager
def mortal_server(folder: Path, *options: str) -> Iterator[MortalServer]:
    """One that runs, and has ended after the block."""
    server = MortalServer(folder, *options)
    try:
        server.start()
        yield server
    finally:
        server.close()
