"""Measure: how a crowd fared, from where everybody was at every step, whoever moved them.

A walker has arrived once it has been within the tolerance of its goal, or what a scene has in its place; what happens
to it afterwards counts no more.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.scenes.scene import SceneData

__all__ = ["Figures", "Measure", "deepest_overlap"]

Floats = NDArray[np.float64]

# who is slower than this share of the speed it prefers stands
STANDING = 0.1
# who is slower than this, m/s, goes in no direction
SLOWEST = 0.05
# s over which a speed is taken: a shiver on the spot is no walk
WINDOW = 0.5


@dataclass(frozen=True)
class Figures:
    """What a scene comes down to: seconds and metres.

    `last` is when the last one arrived, None where not all have; `delay` the mean of what each took longer than the
    free path at the preferred speed (for who has not arrived: so far); `overlap` the deepest of any two discs, 0 where
    none touched; `stalled` the mean time for which somebody on its way stood; `flow` walkers a second across the gate,
    from the first to the last, None without a gate or with fewer than two; `turned` the mean of the degrees by which
    each has turned on its way, to either side, None in a scene that is not about it.
    """

    agents: int
    arrived: int
    last: float | None
    delay: float
    overlap: float
    stalled: float
    flow: float | None
    turned: float | None = None

    def as_mapping(self) -> dict[str, Any]:
        """Plain values by name."""
        return asdict(self)


class Measure:
    """Watches one run of a scene."""

    def __init__(self, scene: SceneData, lengths: Floats) -> None:
        """`lengths` (n,) are those of the free paths, m."""
        self._scene = scene
        self._goals = np.asarray(scene.columns["goal"], np.float64)
        self._tolerance = scene.near_enough
        self._speed = scene.shared("preferred_speed")
        self._radii = np.full(scene.agents, scene.shared("radius"))
        self._free = np.maximum(lengths - self._tolerance, 0.0) / self._speed
        self._arrived = np.full(scene.agents, np.nan)
        self._stood = np.zeros(scene.agents)
        self._crossed = np.full(scene.agents, np.nan)
        self._before = np.array(scene.columns["position"], np.float64)
        self._anchor, self._anchored = self._before, 0.0
        self._overlap = 0.0
        self._direction = np.zeros((scene.agents, 2))
        self._turned = np.zeros(scene.agents)
        self.time = 0.0

    @property
    def over(self) -> bool:
        """Whether all have arrived, or the time is up."""
        limit = self._scene.time_limit
        return bool(~np.isnan(self._arrived).any()) or (limit is not None and self.time >= limit)

    @property
    def arrived(self) -> int:
        """How many have arrived so far."""
        return int((~np.isnan(self._arrived)).sum())

    @property
    def through(self) -> bool:
        """Whether all have crossed the gate."""
        return bool(~np.isnan(self._crossed).any())

    def see(self, positions: Floats, time: float) -> None:
        """Positions (n, 2) at a time, in s; called for every step, in order."""
        if self._scene.turning:
            self._turn(positions - self._before, time - self.time)
        offsets = positions - self._goals
        there = (offsets * offsets).sum(axis=1) <= self._tolerance * self._tolerance
        self._arrived[there & np.isnan(self._arrived)] = time
        if time - self._anchored >= WINDOW - 1e-9:
            moved = positions - self._anchor
            seconds = time - self._anchored
            least = STANDING * self._speed * seconds
            stood = ((moved * moved).sum(axis=1) < least * least) & np.isnan(self._arrived)
            self._stood[stood] += seconds
            self._anchor, self._anchored = positions.copy(), time
        if self._scene.gate is not None:
            crossed = _across(self._scene.gate, self._before, positions) & np.isnan(self._crossed)
            self._crossed[crossed] = time
        self._overlap = max(self._overlap, deepest_overlap(positions, self._radii))
        self._before, self.time = positions.copy(), time

    def _turn(self, moved: Floats, seconds: float) -> None:
        """Add the angles between this move and the one before, of those who are on their way."""
        least = SLOWEST * seconds
        moving = ((moved * moved).sum(axis=1) > least * least) & np.isnan(self._arrived)
        was, now = self._direction[moving], moved[moving]
        sine, cosine = was[:, 0] * now[:, 1] - was[:, 1] * now[:, 0], (was * now).sum(axis=1)
        # the first move of all turns from nothing, which is no turn
        self._turned[moving] += np.degrees(np.abs(np.arctan2(sine, cosine)))
        self._direction[moving] = now

    def figures(self) -> Figures:
        """What it came down to so far."""
        arrived = self._arrived[~np.isnan(self._arrived)]
        delay = np.where(np.isnan(self._arrived), self.time, self._arrived) - self._free
        crossed = self._crossed[~np.isnan(self._crossed)]
        lasted = float(crossed.max() - crossed.min()) if len(crossed) > 1 else 0.0
        agents = self._scene.agents
        return Figures(
            agents=agents,
            arrived=len(arrived),
            last=float(arrived.max()) if len(arrived) == agents and agents else None,
            delay=float(delay.mean()) if agents else 0.0,
            overlap=self._overlap,
            stalled=float(self._stood.mean()) if agents else 0.0,
            flow=(len(crossed) - 1) / lasted if lasted > 0.0 else None,
            turned=float(self._turned.mean()) if self._scene.turning and agents else None,
        )


def deepest_overlap(positions: Floats, radii: Floats) -> float:
    """By how much the two discs overlap that overlap deepest, m; 0 where none do."""
    if len(positions) < 2:
        return 0.0
    # only those in the same strip or in neighbouring ones can touch
    order = np.argsort(positions[:, 0], kind="stable")
    points, sizes = positions[order], radii[order]
    reach = 2.0 * float(radii.max())
    deepest = 0.0
    ahead = np.searchsorted(points[:, 0], points[:, 0] + reach)
    for offset in range(1, int((ahead - np.arange(len(points))).max(initial=1))):
        apart = points[offset:] - points[:-offset]
        near = apart[:, 0] < reach
        if not near.any():
            break
        both = (sizes[offset:] + sizes[:-offset])[near]
        gaps = both - np.sqrt((apart[near] * apart[near]).sum(axis=1))
        deepest = max(deepest, float(gaps.max()))
    return deepest


def _across(gate: tuple[tuple[float, float], tuple[float, float]], before: Floats, after: Floats) -> NDArray[np.bool_]:
    """Who (n,) has crossed the line between two points in either direction."""
    (ax, ay), (bx, by) = gate
    ux, uy = bx - ax, by - ay
    squared = ux * ux + uy * uy
    first = ux * (before[:, 1] - ay) - uy * (before[:, 0] - ax)
    second = ux * (after[:, 1] - ay) - uy * (after[:, 0] - ax)
    along = (ux * (after[:, 0] - ax) + uy * (after[:, 1] - ay)) / squared
    crossed: NDArray[np.bool_] = ((first > 0.0) != (second > 0.0)) & (along >= 0.0) & (along <= 1.0)
    return crossed
