"""A real Prometheus scrapes a server that wants keys, and answers what the dashboard asks."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.guarded import WORLD, Guarded, guarded_server
from tests.support.imports import ROOT

CONFIGURATION = """
global: {{scrape_interval: 500ms, scrape_timeout: 500ms}}
scrape_configs:
  - job_name: orca-crowd
    authorization: {{credentials_file: {key}}}
    static_configs:
      - targets: ["{target}"]
"""
# what the dashboard leaves to Grafana
VARIABLES = {"$__rate_interval": "5s", "$instance": ".*"}


@contextmanager
def prometheus(folder: Path, guarded: Guarded) -> Iterator[httpx.Client]:
    """One that scrapes the server with a key that reads."""
    (folder / "key").write_text(str(guarded.keys["read"]), encoding="ascii")
    configuration = folder / "prometheus.yml"
    target = guarded.server.client.base_url.netloc.decode()
    configuration.write_text(CONFIGURATION.format(key=folder / "key", target=target), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder / 'tsdb'}"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
            yield client
    finally:
        process.terminate()
        process.wait(20)


def until(client: httpx.Client, query: str, wanted: float) -> float:
    """The value of a query, once it is as large as that."""
    deadline = time.monotonic() + 40
    found: list[Any] = []
    while time.monotonic() < deadline:
        try:
            found = client.get("/api/v1/query", params={"query": query}).json()["data"]["result"]
        except (httpx.TransportError, KeyError, ValueError):
            found = []
        if found and float(found[0]["value"][1]) >= wanted:
            return float(found[0]["value"][1])
        time.sleep(0.2)
    raise AssertionError(f"{query} is {found} and not {wanted}")


def test_a_real_prometheus_scrapes_and_answers_what_the_dashboard_asks(tmp_path: Path) -> None:
    if shutil.which("prometheus") is None:
        pytest.skip("needs Debian's package prometheus")
    with guarded_server(tmp_path) as guarded, prometheus(tmp_path, guarded) as client:
        until(client, "up", 1)
        for _ in range(4):
            guarded.ask("control", "POST", f"/v1/worlds/{WORLD}/steps", json={"count": 10}).raise_for_status()
            guarded.ask("wrong", "GET", "/v1/worlds")
            time.sleep(0.6)
        until(client, "orca_crowd_steps_total", 40)
        until(client, 'orca_crowd_keys_refused_total{reason="wrong"}', 4)
        until(client, 'orca_crowd_step_seconds_count{size="100"}', 4)
        until(client, "orca_crowd_journal_bytes", 4096)

        # every expression is understood, and most of them have something to say about a server like this
        panels = json.loads((ROOT / "docs" / "grafana" / "orca-crowd.json").read_text(encoding="utf-8"))["panels"]
        expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
        empty = []
        for expression in expressions:
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            answer = client.get("/api/v1/query", params={"query": expression}).json()
            assert answer["status"] == "success", (expression, answer)
            if not answer["data"]["result"]:
                empty.append(expression)
        assert len(empty) <= 3, empty

        # without a key it is told so, and shows it
        assert guarded.ask("none", "GET", "/metrics").status_code == 401
