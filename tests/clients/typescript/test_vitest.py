"""The TypeScript client's own checks, run from here: its types, and its tests against a live server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.imports import ROOT
from tests.support.live_server import live_server

PACKAGE = ROOT / "clients" / "typescript"
# of a loaded machine with two cores; usually half a minute
LONGEST_SECONDS = 280


def run(*command: str, url: str = "") -> None:
    """Run a command in the package; what it printed is shown where it fails."""
    program = shutil.which(command[0])
    assert program is not None, f"{command[0]} is missing: these tests need Node 20 or newer, with npm"
    environment = {**os.environ, "NO_COLOR": "1", "CI": "1", "ORCA_CROWD_URL": url}
    done = subprocess.run(
        [program, *command[1:]],
        cwd=PACKAGE,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """The packages of the lock file; `make test` has installed them already."""
    stamp, lock = PACKAGE / "node_modules" / ".package-lock.json", PACKAGE / "package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with live_server(tmp_path_factory.mktemp("server")) as address:
        yield f"http://{address}"


def test_types_are_right() -> None:
    run("npm", "run", "--silent", "check")


@pytest.mark.timeout(LONGEST_SECONDS + 10)
def test_every_test_of_the_client_passes(server: str) -> None:
    run("npm", "test", "--silent", url=server)


def test_the_lock_file_names_no_place_to_download_from() -> None:
    # the registry is the business of whoever installs; hashes say that it is the same package
    text = (PACKAGE / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert text.count('"integrity"') > 10


def test_the_sources_use_nothing_of_node_s() -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in PACKAGE.glob("src/*.ts")}
    pattern = re.compile(r"from \"node:|\b(process|Buffer)\.|\brequire\(")
    assert {name: found.group() for name, text in sources.items() if (found := pattern.search(text))} == {}
    assert len(sources) > 10
