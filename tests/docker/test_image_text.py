"""What the Dockerfile, the context and the compose file promise: two stages, no shell, no root, nothing writable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from orca_crowd.settings import Settings
from tests.support.imports import ROOT
from tests.support.manifests import DOCKER, instructions

LINES = instructions((DOCKER / "Dockerfile").read_text(encoding="utf-8"))
STARTS = [index for index, (word, _) in enumerate(LINES) if word == "FROM"]
BUILD, FINAL = LINES[STARTS[0] : STARTS[1]], LINES[STARTS[1] :]


def last(word: str) -> str:
    """The arguments of an instruction of the final stage, the one that counts."""
    return [rest for found, rest in FINAL if found == word][-1]


def test_two_stages_of_one_base_that_can_be_chosen() -> None:
    assert len(STARTS) == 2
    assert LINES[0][0] == "ARG"
    assert LINES[0][1].startswith("BASE=")
    assert BUILD[0][1] == "${BASE} AS build"
    assert FINAL[0][1] == "${BASE}"
    assert [rest for word, rest in FINAL if word == "COPY"] == ["--from=build /opt/orca-crowd /opt/orca-crowd"]


def test_everything_that_is_downloaded_has_a_hash() -> None:
    commands = [part for word, rest in LINES if word == "RUN" for part in rest.split("&&")]
    installs = [command for command in commands if " install " in command and "-m pip" in command]
    assert len(installs) == 3
    assert [command for command in installs if not {"--require-hashes", "--no-index"} & set(command.split())] == []
    assert not any(word == "ADD" or "curl" in rest or "wget" in rest for word, rest in LINES)


def test_it_is_run_without_a_shell_and_without_root() -> None:
    for word in ("ENTRYPOINT", "CMD"):
        assert json.loads(last(word))
    _, _, command = last("HEALTHCHECK").partition("CMD ")
    assert json.loads(command)[0] == "/opt/orca-crowd/bin/python"
    user, group = last("USER").split(":")
    assert int(user) >= 10000
    # whoever has an arbitrary uid is in group 0
    assert int(group) == 0


def test_kernels_are_run_for_what_they_were_compiled_for() -> None:
    def of(stage: list[tuple[str, str]]) -> set[str]:
        parts = " ".join(rest for word, rest in stage if word == "ENV").split()
        return {part for part in parts if part.startswith(("NUMBA_", "ORCA_CROWD_KERNEL"))}

    assert len(of(BUILD)) == 3
    assert of(BUILD) == of(FINAL)
    targets = [rest for word, rest in LINES if word == "ARG" and rest.startswith("KERNEL_TARGET")]
    assert targets == ["KERNEL_TARGET=generic"] * 2


def test_the_context_holds_what_is_copied_and_no_more() -> None:
    wanted = {name.rstrip("/") for word, rest in BUILD if word == "COPY" for name in rest.split()[:-1]}
    rules = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert rules[0] == "*"
    assert {rule[1:] for rule in rules if rule.startswith("!")} == wanted
    assert [name for name in wanted if not (ROOT / name).exists()] == []


def test_the_compose_file_closes_what_the_image_leaves_open() -> None:
    (server,) = yaml.safe_load((DOCKER / "compose.yml").read_text(encoding="utf-8"))["services"].values()
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in server["security_opt"]
    assert server["user"] == last("USER")
    assert [volume.split(":")[1] for volume in server["volumes"]] == [server["environment"]["ORCA_CROWD_DATA"]]
    # longer than the server takes to drain
    assert int(server["stop_grace_period"].rstrip("s")) > Settings().drain_seconds + 4


class Answering(BaseHTTPRequestHandler):
    """Answers /healthz with a status and everything else with 404."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Say nothing."""


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1), (None, 1)])
@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_the_health_check(status: int | None, code: int, host: str, tmp_path: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), type("One", (Answering,), {"status": status}))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    if status is None:
        server.server_close()
    else:
        thread.start()
    environment = {**os.environ, "ORCA_CROWD_HOST": host, "ORCA_CROWD_PORT": str(server.server_port)}
    done = subprocess.run(
        [sys.executable, "-I", str(DOCKER / "healthcheck.py")], env=environment, capture_output=True, check=False
    )
    if status is not None:
        server.shutdown()
        thread.join()
        server.server_close()
    assert done.returncode == code, done.stderr
    # one line that says why
    assert len(done.stderr.splitlines()) == code
