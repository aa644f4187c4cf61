"""The two commands: what they would run, what they need, and what they say where it is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.support.imports import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="without make the commands are not used")

TEXT = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z]+):.*## ", TEXT, re.MULTILINE)


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make as a user would, and not as a part of the make that runs these tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def planned(target: str) -> str:
    """Every command behind a target, whether or not it was made before."""
    done = make("--dry-run", "--always-make", target)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_alone_lists_every_target() -> None:
    assert {"serve", "test", "bench", "soak", "lock", "clean"} <= set(TARGETS)
    phony = re.search(r"^\.PHONY: (.*)$", TEXT, re.MULTILINE)
    assert phony is not None
    assert sorted(phony.group(1).split()) == sorted(TARGETS)
    listed = make().stdout
    assert [target for target in TARGETS if f"make {target} " not in listed] == []


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_planned(target: str) -> None:
    assert planned(target).strip()


def test_serving_installs_only_what_serving_needs() -> None:
    commands = planned("serve")
    assert "--editable ." in commands
    assert "[dev]" not in commands
    assert "orca-crowd serve" in commands


def test_testing_installs_the_client_and_runs_every_phase() -> None:
    commands = planned("test")
    assert "--editable clients/python" in commands
    assert "npm ci" in commands
    assert [phase for phase in ("ruff check", "bin/mypy", '"$COMPILE"', "-m pytest") if phase not in commands] == []


@pytest.mark.parametrize("target", ["serve", "test", "bench"])
def test_whatever_is_installed_has_an_exact_version(target: str) -> None:
    installs = [line for line in planned(target).splitlines() if "pip install" in line]
    assert installs
    for line in installs:
        assert "--constraint constraints.txt" in line
        # named with a version, the version is a whole one
        assert re.findall(r"==(?![0-9]+(\.[0-9]+)+)", line) == []


def test_every_dependency_is_pinned() -> None:
    pins = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))
    pinned = {name.lower().replace("_", "-") for name in pins}
    for folder in (ROOT, ROOT / "clients" / "python"):
        document = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        project = document["project"]
        wanted = [*document["build-system"]["requires"], *project.get("dependencies", [])]
        wanted += [entry for extra in project.get("optional-dependencies", {}).values() for entry in extra]
        names = {re.split(r"[^A-Za-z0-9._-]", entry)[0].lower().replace("_", "-") for entry in wanted}
        assert names <= pinned, folder


def test_without_a_fit_python_it_says_what_to_do(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    done = make("serve", "PYTHON=/no/such/python", folder=tmp_path)
    assert done.returncode != 0
    assert "needs Python 3.11" in done.stderr
    assert "/no/such/python" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_without_node_it_says_what_to_do(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for project in (tmp_path / "clients" / "typescript", tmp_path / "service" / "viewer"):
        project.mkdir(parents=True)
        (project / "package-lock.json").touch()
    command = [str(shutil.which("make")), ".make/node"]
    # a machine on which no program is found but the shell that make names by its path
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "need Node 20 or newer, with npm" in done.stderr
    assert not (tmp_path / ".make" / "node").exists()


def test_ci_is_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "exec make test" in script.read_text(encoding="utf-8")
