"""Detour's crowd, which most games have, as npm's `recast-navigation`: WebAssembly in Node, in a process of its own.

Its agents sample velocities; a ratio to it says what a step costs, not what it is worth. It looks at six neighbours at
most. Node measures each block itself (`crowd.update` alone) and rests while the others have their turn.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.scenes import Scene

__all__ = ["DetourCrowd", "DetourPeer", "DetourProcess"]

Floats = NDArray[np.float64]

SCRIPT = Path(__file__).with_name("detour.mjs")
PACKAGE = "recast-navigation"
# its grid of agents numbers four entries an agent in 16 bits
MOST_AGENTS = 16_000
# free ground around the square, m
MARGIN = 10.0
# seconds to end after the last line
PATIENCE = 10.0


class DetourPeer:
    """The library, if it is there."""

    name = "detour"

    def __init__(self, folder: Path) -> None:
        """`folder` is where npm has put the package."""
        self.folder = folder
        self.package = folder / "node_modules" / PACKAGE / "package.json"

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        if shutil.which("node") is None:
            return "Detour's crowd is left out: there is no `node` here."
        if not self.package.exists():
            return (
                f"Detour's crowd is left out: {PACKAGE} is not in {self.folder}. `make bench` puts it there; by hand: "
                f"npm install --prefix {self.folder} {PACKAGE}@0.43.1"
            )
        return None

    def versions(self) -> dict[str, str]:
        """The versions of the package and of Node."""
        node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        return {PACKAGE: str(json.loads(self.package.read_text(encoding="utf-8"))["version"]), "node": node}

    def refuses(self, scene: Scene) -> str | None:
        """Why it cannot take a scene, None where it can."""
        if scene.agents > MOST_AGENTS:
            return f"its grid has room for {MOST_AGENTS:,} agents"
        if scene.walls:
            return "its walls are edges of a mesh and no segments"
        return None

    def crowd(self, scene: Scene) -> DetourCrowd:
        """A fresh crowd in a fresh process."""
        return DetourCrowd(scene, self.folder)


class DetourProcess:
    """A process of Node that answers a line of JSON with a line of JSON."""

    def __init__(self, script: Path, folder: Path) -> None:
        """Start a script; `folder` is where npm has put the package."""
        command = ["node", str(script), str(folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ask(self, action: str, **more: Any) -> dict[str, Any]:
        """One line there, one back; raises RuntimeError with what the process said where it has ended."""
        pipe, answers = self._process.stdin, self._process.stdout
        assert pipe is not None
        assert answers is not None
        try:
            pipe.write(json.dumps({**more, "do": action}) + "\n")
            pipe.flush()
        except BrokenPipeError:
            # it has ended, and what follows says why
            pass
        line = answers.readline()
        if not line:
            self._process.kill()
            said = self._process.communicate()[1].strip().splitlines()
            raise RuntimeError(f"Detour's crowd ended at `{action}`: {said[0] if said else 'nothing said'}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the process; a second call does nothing."""
        if self._process.poll() is None:
            try:
                self._process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.communicate()


class DetourCrowd:
    """A crowd in a process of Node."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        """Start the process and give it the scene; raises RuntimeError where that fails."""
        self.name = DetourPeer.name
        self.scene = scene
        self._process = DetourProcess(SCRIPT, folder)
        both = np.concatenate([scene.positions, scene.goals])
        self._process.ask(
            "scene",
            **scene.facts(),
            low=float(both.min()) - MARGIN,
            high=float(both.max()) + MARGIN,
            positions=scene.positions.tolist(),
            goals=scene.goals.tolist(),
        )

    def prepare(self) -> None:
        """Point every agent at its goal."""
        self._process.ask("prepare")

    def run(self, steps: int) -> tuple[float, float]:
        """Take the steps; seconds of its processor and on its wall."""
        took = self._process.ask("run", steps=steps)
        return float(took["processor"]), float(took["wall"])

    def positions(self) -> Floats:
        """Where the agents are (n, 2)."""
        return np.array(self._process.ask("state")["positions"], dtype=np.float64)

    def velocities(self) -> Floats:
        """How they move (n, 2)."""
        return np.array(self._process.ask("state")["velocities"], dtype=np.float64)

    def close(self) -> None:
        """End the process; a second call does nothing."""
        self._process.close()
