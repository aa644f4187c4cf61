"""Detour's crowd as walkers: on a mesh that Recast makes of the floor, with the settings of its own demo.

Its agents are told their goals; ways, corners and avoidance are its own, and `crowd.update` alone is timed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.floors import floor_of
from orca_crowd.bench.peer_detour import DetourPeer, DetourProcess
from orca_crowd.scenes.scene import SceneData

__all__ = ["Detour", "DetourWalkers"]

Floats = NDArray[np.float64]

SCRIPT = Path(__file__).with_name("detour_walk.mjs")
# m, of a cell of the grid that the mesh is made from: the radius is a whole number of them. Larger floors have a
# coarser one
FINE, COARSE, LARGE = 0.05, 0.125, 80.0


class Detour:
    """The library, if it is there."""

    name = DetourPeer.name
    plans = True

    def __init__(self, folder: Path) -> None:
        """`folder` is where npm has put the package."""
        self._peer = DetourPeer(folder)

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        return self._peer.missing()

    def refuses(self, scene: SceneData) -> str | None:
        """No scene of so many."""
        return None

    def walkers(self, scene: SceneData) -> DetourWalkers:
        """A fresh crowd in a fresh process."""
        return DetourWalkers(scene, self._peer.folder)


class DetourWalkers:
    """A crowd in a process of Node."""

    def __init__(self, scene: SceneData, folder: Path) -> None:
        """Start the process and give it the scene; raises RuntimeError where that fails."""
        self._process = DetourProcess(SCRIPT, folder)
        vertices, triangles = floor_of(scene).triangles()
        largest = float(np.ptp(vertices, axis=0).max())
        self._process.ask(
            "scene",
            vertices=vertices.tolist(),
            triangles=triangles.tolist(),
            cell=FINE if largest < LARGE else COARSE,
            time_step=scene.time_step,
            radius=scene.defaults["radius"],
            speed=scene.defaults["preferred_speed"],
            positions=scene.columns["position"].tolist(),
            goals=scene.columns["goal"].tolist(),
        )
        self._positions = np.array(scene.columns["position"], np.float64)

    def step(self) -> float:
        """Take a step."""
        answer = self._process.ask("step")
        self._positions = np.array(answer["positions"], dtype=np.float64)
        return float(answer["processor"])

    def positions(self) -> Floats:
        """Where everybody is (n, 2)."""
        return self._positions

    def close(self) -> None:
        """End the process."""
        self._process.close()
