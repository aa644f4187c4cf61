"""Both wheels are the same bytes from the same sources, whatever the folder, its times, its modes and the umask."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.imports import ROOT

# what the builder reads, and nothing of what lies about beside it
TREE = ("pyproject.toml", "README.md", "LICENSE", "orca_core", "service/orca_crowd", "clients/python", "tools")


def tree(folder: Path, *, time: int, mode: int) -> Path:
    """A copy of the sources with these times and modes, and with leftovers of an earlier build."""
    for name in TREE:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        else:
            shutil.copy(source, target)
    if mode == 0o600:
        for path in ("orca_core/__pycache__/old.pyc", "build/lib/orca_core/gone.py", "orca_crowd.egg-info/SOURCES.txt"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("orca_core/gone.py\n", encoding="utf-8")
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(mode)
        os.utime(path, (time, time))
    return folder


def build(folder: Path, umask: int) -> dict[str, str]:
    """The sha256 of every wheel that the builder of a folder makes."""
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    command = [sys.executable, str(folder / "tools" / "build_wheels.py")]
    done = subprocess.run(
        command, env=environment, umask=umask, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "dist").iterdir())}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both wheels, after they were built twice with the same bytes."""
    first = tree(tmp_path_factory.mktemp("first"), time=1_500_000_000, mode=0o644)
    other = tree(tmp_path_factory.mktemp("another-folder") / "deeper", time=1_700_000_000, mode=0o600)
    made = build(first, 0o022)
    assert {name.split("-")[0] for name in made} == {"orca_crowd", "orca_crowd_client"}
    assert build(other, 0o077) == made
    return first / "dist"


def test_built_twice_they_are_the_same_bytes(wheels: Path) -> None:
    for wheel in wheels.iterdir():
        with zipfile.ZipFile(wheel) as archive:
            assert {entry.date_time[:3] for entry in archive.infolist()} == {(2026, 1, 1)}
            modes = {entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
            assert modes <= {0o644, 0o664}


def test_they_hold_every_source_and_nothing_else(wheels: Path) -> None:
    held = set()
    for wheel in wheels.iterdir():
        with zipfile.ZipFile(wheel) as archive:
            held |= {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = set()
    for folder in (ROOT / "orca_core", ROOT / "service" / "orca_crowd", ROOT / "clients/python/orca_crowd_client"):
        files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        wanted |= {str(path.relative_to(folder.parent)) for path in files}
    assert held == wanted
