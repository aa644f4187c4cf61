"""Godot 3 without a display, for the tests of its addon: Debian's `godot3-server`.

`python -m tests.support.find_godot` finds or fetches it and prints where it is. As root it is installed; without root
the package and what it depends on are taken apart into .make/godot3, which needs no more than Debian's apt and dpkg.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.imports import ROOT

__all__ = ["Godot", "find_godot"]

PACKAGE = "godot3-server"
FOLDER = ROOT / ".make" / "godot3"
WHAT_TO_DO = f"install it (as root: apt-get update && apt-get install {PACKAGE})"


@dataclass(frozen=True)
class Godot:
    """The program, and what its environment needs beside: the libraries of one that was taken apart."""

    program: str
    environment: Mapping[str, str] = field(default_factory=dict)


def find_godot() -> Godot:
    """Find or fetch it; raises `RuntimeError` that says what to install."""
    found = _installed() or _taken_apart()
    if found is None:
        if shutil.which("apt-get") is None:
            raise RuntimeError(f"the Godot addon is tested with {PACKAGE}, and there is no apt-get here: {WHAT_TO_DO}")
        try:
            _install() if os.geteuid() == 0 else _take_apart()
        except (OSError, subprocess.SubprocessError) as error:
            told = getattr(error, "stderr", None) or error
            raise RuntimeError(f"{PACKAGE} could not be had, {WHAT_TO_DO}: {told}") from error
        found = _installed() or _taken_apart()
    if found is None:
        raise RuntimeError(f"{PACKAGE} is not where it was put: {WHAT_TO_DO}")
    return found


def _installed() -> Godot | None:
    """The one on the path."""
    program = shutil.which(PACKAGE)
    return None if program is None else Godot(program)


def _taken_apart(folder: Path = FOLDER) -> Godot | None:
    """The one in our own folder, whose libraries stand beside it."""
    program = folder / "usr" / "bin" / PACKAGE
    if not program.exists():
        return None
    libraries = sorted({str(library.parent) for library in (folder / "usr" / "lib").rglob("*.so*")})
    return Godot(str(program), {"LD_LIBRARY_PATH": os.pathsep.join(libraries)})


def _install() -> None:
    """Install it, as root."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], environment=environment)
    _run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", PACKAGE], environment=environment)


def _take_apart(folder: Path = FOLDER) -> None:
    """Fetch it and the libraries that are not installed, and unpack them; apt's lists and archives are our own."""
    state = folder / "apt"
    for needed in (state / "lists" / "partial", state / "archives" / "partial"):
        needed.mkdir(parents=True, exist_ok=True)
    ours = ["-o", f"Dir::State::Lists={state / 'lists'}", "-o", f"Dir::Cache={state}", "-o", "Debug::NoLocking=1"]
    _run(["apt-get", *ours, "update", "-qq"])
    only = [f"--no-{kind}" for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    told = _run(["apt-cache", *ours, "depends", "--recurse", *only, PACKAGE])
    packages = [line for line in told.splitlines() if line and not line.startswith((" ", "<"))]
    missing = [name for name in packages if not _is_installed(name)]
    _run(["apt-get", *ours, "download", "-qq", *missing], folder=state / "archives")
    for archive in (state / "archives").glob("*.deb"):
        _run(["dpkg", "-x", str(archive), str(folder)])
    shutil.rmtree(state)


def _is_installed(package: str) -> bool:
    """Whether the system has a package already."""
    asked = ["dpkg-query", "--show", "--showformat", "${Status}", package]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return told.stdout.startswith("install ok installed")


def _run(command: list[str], *, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command; what it prints. Raises `CalledProcessError` with its last words."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    return done.stdout


if __name__ == "__main__":
    try:
        print(find_godot().program)
    except RuntimeError as failure:
        sys.exit(str(failure))
