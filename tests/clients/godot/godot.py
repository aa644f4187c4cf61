"""Runs a scenario of the addon in a real Godot without a display, and reads what it says line by line."""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.find_godot import Godot
from tests.support.imports import ROOT

__all__ = ["ADDONS", "Scenario"]

ADDONS = ROOT / "clients" / "godot"
SECONDS = 60.0
# the engine tells every handshake that is refused, in two lines of its own
TOLD_BY_THE_ENGINE = re.compile(
    r"ERROR: (_verify_headers: Invalid protocol or status code|_do_handshake: Invalid response headers|"
    r"get_language_code: Invalid locale|set_locale: Unsupported locale)"
)


class Scenario:
    """One run of a project; what it prints as `orca:{name, value}` is kept by name, and errors of scripts fail it."""

    def __init__(self, godot: Godot, project: Path, script: str, home: Path, **variables: str) -> None:
        # the folder of the game's own files, whose parent the engine tries to make before what is above it
        (home / ".local" / "share" / "godot" / "app_userdata" / "orca_crowd").mkdir(parents=True)
        # a copy, since the engine may write into the folder of its project
        copy = home / "project"
        shutil.copytree(project, copy)
        environment = {**os.environ, **godot.environment, "HOME": str(home), **variables}
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        self.project = copy
        # what was said by name: the last of each, and all
        self.said: dict[str, Any] = {}
        self.every: dict[str, list[Any]] = {}
        self.log: list[str] = []
        self._command = [godot.program, "--path", str(copy), *(["-s", script] if script.endswith(".gd") else [script])]
        self._environment = environment
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Start it."""
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, wherever it is."""
        assert self._process is not None
        assert self._thread is not None
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._thread.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def until(self, name: str) -> Any:
        """Read until a line of this name; its value. Fails where a script failed, or nothing came for a minute."""
        for line in self._each():
            if line.startswith("orca:"):
                told = json.loads(line.removeprefix("orca:"))
                self.said[told["name"]] = told["value"]
                self.every.setdefault(told["name"], []).append(told["value"])
                if told["name"] == name:
                    return told["value"]
        raise AssertionError(f"the scenario ended before it said {name!r}:\n" + "\n".join(self.log))

    def run(self) -> dict[str, Any]:
        """Read to the end; everything that was said."""
        self.until("done")
        assert self._process is not None
        assert self._process.wait(SECONDS) == 0, "\n".join(self.log)
        return self.said

    def printed(self, text: str) -> str:
        """Read until a line that contains `text`; the line."""
        for line in self._each():
            if text in line:
                return line
        raise AssertionError(f"the script ended before it printed {text!r}:\n" + "\n".join(self.log))

    def _each(self) -> Iterator[str]:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"nothing for {SECONDS} s after:\n" + "\n".join(self.log)) from None
            if line is None:
                return
            self.log.append(line)
            wrong = "ERROR" in line and not TOLD_BY_THE_ENGINE.search(line)
            assert not wrong, "\n".join([*self.log, *self._rest()])
            yield line

    def _rest(self) -> Iterator[str]:
        """The lines that come within a moment, which say where the error was."""
        while True:
            try:
                line = self._lines.get(timeout=0.5)
            except queue.Empty:
                return
            if line is None:
                return
            yield line

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)
