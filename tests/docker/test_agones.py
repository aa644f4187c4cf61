"""The sidecar in a process of its own, between something that answers as the server does and one that notes calls."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import yaml

from tests.support.interface import environment_names
from tests.support.manifests import KUBERNETES

AGONES = KUBERNETES / "agones"


@contextmanager
def listening(answer: Callable[[str, str], int]) -> Iterator[int]:
    """Answer every request with the status that `answer(method, path)` gives; yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answer(self.command, self.path))
            self.end_headers()

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_ready_is_told_once_and_health_as_long_as_there_is_any() -> None:
    state = {"/healthz": 200, "/readyz": 503}
    calls: list[str] = []

    def of_agones(method: str, path: str) -> int:
        calls.append(f"{method} {path}")
        return 200

    with listening(lambda _, path: state[path]) as server, listening(of_agones) as agones:
        environment = {**os.environ, "ORCA_CROWD_PORT": str(server), "AGONES_SDK_HTTP_PORT": str(agones)}
        with subprocess.Popen([sys.executable, "-I", str(AGONES / "sidecar.py")], env=environment) as sidecar:
            try:
                # alive, and not ready yet
                until(lambda: "POST /health" in calls)
                assert "POST /ready" not in calls
                state["/readyz"] = 200
                until(lambda: "POST /ready" in calls)
                # ill: nothing more is said
                state["/healthz"] = 503
                time.sleep(2.5)
                said = len(calls)
                time.sleep(2.5)
                assert len(calls) == said
            finally:
                sidecar.kill()
    assert calls.count("POST /ready") == 1


def test_the_fleet_runs_it_beside_the_server() -> None:
    fleet = yaml.safe_load((AGONES / "fleet.yaml").read_text(encoding="utf-8"))["spec"]["template"]["spec"]
    server, sidecar = fleet["template"]["spec"]["containers"]
    assert fleet["container"] == server["name"] == fleet["ports"][0]["container"]
    assert sidecar["command"][-1] == "/agones/sidecar.py"
    assert {entry["name"] for entry in server["env"]} <= environment_names()
    assert server["securityContext"]["readOnlyRootFilesystem"] is True
    listed = yaml.safe_load((AGONES / "kustomization.yaml").read_text(encoding="utf-8"))
    assert listed["configMapGenerator"] == [{"name": "orca-crowd-agones", "files": ["sidecar.py"]}]
