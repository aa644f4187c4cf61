"""The built page: what the sources give, byte for byte, typed, tested, and carried by the distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.support.imports import ROOT

SOURCES = ROOT / "service" / "viewer"
BUILT = ROOT / "service" / "orca_crowd" / "viewer"


def run(*command: str) -> str:
    """Run a command in the sources; what it printed."""
    program = shutil.which(command[0])
    assert program is not None, f"{command[0]} is missing: these tests need Node 20 or newer, with npm"
    environment = {**os.environ, "NO_COLOR": "1", "CI": "1"}
    done = subprocess.run(
        [program, *command[1:]],
        cwd=SOURCES,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """The packages of the lock file; `make test` has installed them already."""
    stamp, lock = SOURCES / "node_modules" / ".package-lock.json", SOURCES / "package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def files(folder: Path) -> dict[str, bytes]:
    """Every file right in a folder, with its bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_types_are_right() -> None:
    run("npm", "run", "--silent", "check")


def test_every_test_of_the_parts_passes() -> None:
    assert "passed" in run("npm", "test", "--silent")


def test_what_is_committed_is_what_the_sources_give(tmp_path: Path) -> None:
    run("npx", "--no-install", "vite", "build", "--logLevel", "error", "--outDir", str(tmp_path))
    fresh, kept = files(tmp_path), files(BUILT)
    assert set(fresh) == set(kept), "run `make viewer` and commit what it builds"
    assert [name for name in fresh if fresh[name] != kept[name]] == [], "run `make viewer` and commit what it builds"


def test_the_distribution_carries_every_file() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = settings["package-data"]["orca_crowd.viewer"]
    assert "orca_crowd.viewer" in settings["packages"]
    held = [path.relative_to(BUILT).as_posix() for path in BUILT.rglob("*") if path.is_file()]
    assert "app.js" in held
    assert [name for name in held if not any(fnmatch(name, pattern) for pattern in patterns)] == []


def test_what_is_bundled_comes_with_its_licence() -> None:
    notices = (BUILT / "notices.txt").read_text(encoding="utf-8")
    assert [name for name in ("uplot", "earcut", "@msgpack/msgpack") if f"{name} " not in notices] == []
    assert notices.count("opyright") >= 3


def test_the_lock_file_names_no_place_to_download_from() -> None:
    text = (SOURCES / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert text.count('"integrity"') > 10
