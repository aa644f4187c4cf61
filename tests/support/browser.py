"""Chromium for the tests of the page: that of the machine, else the one inside a package of the npm registry.

`find_browser()` gives its path and never says that there is none without saying what to install; `python -m
tests.support.browser` finds it ahead of the tests. `launched()` is a browser that draws WebGL2 without a graphics card.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.support.imports import ROOT

__all__ = ["find_browser", "launched"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# a whole Chromium in one package, for machines where nobody can install one
PACKAGE = "@sparticuz/chromium@153.0.0"
FOLDER = ROOT / ".make" / "browser"
UNPACK = 'import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath());'
HELP = (
    "the page is tested in Chromium, and there is none: apt-get install chromium (Debian), or name one with "
    "ORCA_CROWD_BROWSER=/path/to/chromium"
)

ARGUMENTS = (
    "--no-sandbox",
    # WebGL2 in software, the same on every machine
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # nothing but what the tests ask for goes over the network
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find_browser() -> Path:
    """The browser's program; AssertionError that says what to install where none can be had."""
    named = os.environ.get("ORCA_CROWD_BROWSER")
    if named:
        assert Path(named).is_file(), f"ORCA_CROWD_BROWSER names {named}, which is no file"
        return Path(named)
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return Path(found) if found else _from_package()


def _from_package() -> Path:
    """Install the package once, and let it unpack what it holds beside itself."""
    unpacked = FOLDER / "unpacked"
    program = unpacked / "chromium"
    if program.is_file():
        return program
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise AssertionError(HELP)
    unpacked.mkdir(parents=True, exist_ok=True)
    install = [npm, "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", PACKAGE]
    environment = {**os.environ, "TMPDIR": str(unpacked)}
    for command in ([*install, "--prefix", str(FOLDER)], [node, "--input-type=module", "--eval", UNPACK]):
        done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{HELP}; {PACKAGE} did not do either: {done.stdout}{done.stderr}"
    assert program.is_file(), HELP
    return program


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window until the end of the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    find_browser()
