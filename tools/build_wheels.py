"""Build the wheels of both distributions so that the same sources make the same bytes, wherever and whenever.

    python tools/build_wheels.py [--only orca-crowd] [--into dist]

A wheel holds the times and modes of its files, and a folder may hold leftovers of another build: so the sources are
copied first, without leftovers and with fixed modes, and the time is that of SOURCE_DATE_EPOCH (1 January 2026 where it
is not set). Needs the setuptools of requirements/build.txt; downloads nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTIONS = {"orca-crowd": ROOT, "orca-crowd-client": ROOT / "clients" / "python"}
# what a wheel is made of; everything else in the folders has no influence
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "orca_core", "service/orca_crowd", "orca_crowd_client")
LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", "node_modules", ".*_cache")
EPOCH = "1767225600"


def copy(project: Path, folder: Path) -> None:
    """Copy what the wheel is made of, every file with the mode 644 and every folder with 755."""
    for name in SOURCES:
        source, target = project / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=LEFTOVERS)
        elif source.exists():
            shutil.copyfile(source, target)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def build(name: str, into: Path) -> None:
    """Build one wheel into a folder; raises CalledProcessError where it cannot be."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-index", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(into)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH") or EPOCH}
    with tempfile.TemporaryDirectory(prefix="orca-crowd-wheel-") as folder:
        copy(DISTRIBUTIONS[name], Path(folder))
        # what the build itself makes has modes too
        subprocess.run([*command, "."], cwd=folder, env=environment, check=True, umask=0o022)


def main() -> None:
    """Read the options and build."""
    parser = argparse.ArgumentParser(description="Build the wheels, the same bytes from the same sources.")
    parser.add_argument("--only", choices=sorted(DISTRIBUTIONS), help="one of the two")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="folder for the wheels; dist")
    given = parser.parse_args()
    for name in [given.only] if given.only else list(DISTRIBUTIONS):
        build(name, given.into.resolve())


if __name__ == "__main__":
    main()
