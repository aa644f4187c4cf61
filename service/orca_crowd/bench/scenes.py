"""Scene: the crowd that every contender is given, and how crowded it has become.

Agents are placed and sent uniformly at random, one per 4 m², so index order says nothing of place; walls are segments
of 4 m placed and turned at random. Everything follows from the seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scene", "crowding", "preferred", "scenes_for"]

Floats = NDArray[np.float64]

# agents looked at when a crowd is judged: each costs one pass over all others
SAMPLE = 400
# two agents overlap for a judge when they are nearer than this share of the sum of their radii
TOUCH = 0.9


@dataclass(frozen=True)
class Scene:
    """`agents` discs on a square of `area_per_agent` m² each, with `walls` segments; in m, s and m/s."""

    agents: int
    walls: int = 0
    seed: int = 1
    area_per_agent: float = 4.0
    radius: float = 0.4
    neighbor_distance: float = 5.0
    max_neighbors: int = 10
    horizon: float = 2.0
    max_speed: float = 1.5
    preferred_speed: float = 1.3
    time_step: float = 0.1
    wall_length: float = 4.0

    @property
    def name(self) -> str:
        """How the scene is called in tables: `10,000` or `10,000 with 200 walls`."""
        return f"{self.agents:,}" + (f" with {self.walls:,} walls" if self.walls else "")

    @property
    def side(self) -> float:
        """Side of the square, m."""
        return math.sqrt(self.agents * self.area_per_agent)

    @cached_property
    def _drawn(self) -> tuple[Floats, Floats, Floats]:
        random = np.random.default_rng(self.seed)
        positions = random.uniform(0.0, self.side, (self.agents, 2))
        goals = random.uniform(0.0, self.side, (self.agents, 2))
        middles = random.uniform(0.0, self.side, (self.walls, 2))
        angles = random.uniform(0.0, math.pi, self.walls)
        half = 0.5 * self.wall_length * np.column_stack([np.cos(angles), np.sin(angles)])
        return positions, goals, np.stack([middles - half, middles + half], axis=1)

    @property
    def positions(self) -> Floats:
        """Where the agents start (n, 2)."""
        return self._drawn[0]

    @property
    def goals(self) -> Floats:
        """Where they want to go (n, 2)."""
        return self._drawn[1]

    @property
    def segments(self) -> Floats:
        """The walls (m, 2, 2): two ends each."""
        return self._drawn[2]

    def facts(self) -> dict[str, Any]:
        """What was run, in numbers."""
        return {
            "name": self.name,
            "agents": self.agents,
            "walls": self.walls,
            "seed": self.seed,
            "area_per_agent": self.area_per_agent,
            "radius": self.radius,
            "neighbor_distance": self.neighbor_distance,
            "max_neighbors": self.max_neighbors,
            "horizon": self.horizon,
            "max_speed": self.max_speed,
            "preferred_speed": self.preferred_speed,
            "time_step": self.time_step,
            "wall_length": self.wall_length,
        }


def scenes_for(agents: list[int], walls: int) -> list[Scene]:
    """One scene for each count, and one with walls at the count nearest to 10,000 where `walls` is above zero."""
    found = [Scene(count) for count in agents]
    if walls and agents:
        found.append(Scene(min(agents, key=lambda count: abs(count - 10_000)), walls))
    return found


def preferred(scene: Scene, positions: Floats) -> Floats:
    """Preferred velocities (n, 2) toward the goals: as fast as preferred, but not beyond the goal within one step."""
    away = scene.goals - positions
    length = np.sqrt((away * away).sum(axis=1))
    speed = np.minimum(scene.preferred_speed, length / scene.time_step)
    return np.asarray(away * (speed / np.maximum(length, 1e-12))[:, None], dtype=np.float64)


def crowding(scene: Scene, positions: Floats, velocities: Floats) -> dict[str, float]:
    """How a crowd fares, so that nobody is compared who does not avoid or does not move.

    `overlapping`: share of agents nearer to another than 0.9 of the sum of the radii. `neighbours`: mean number within
    the neighbour distance, at most `max_neighbors`. `progress`: mean speed toward the goal over the preferred speed, of
    those who are not there.
    """
    sample = np.unique(np.linspace(0, scene.agents - 1, min(SAMPLE, scene.agents)).astype(np.int64))
    overlapping, neighbours = 0, 0
    touch = (TOUCH * 2.0 * scene.radius) ** 2
    for i in sample:
        away = positions - positions[i]
        squared = (away * away).sum(axis=1)
        squared[i] = np.inf
        overlapping += bool((squared < touch).any())
        neighbours += min(int((squared < scene.neighbor_distance**2).sum()), scene.max_neighbors)
    away = scene.goals - positions
    length = np.sqrt((away * away).sum(axis=1))
    going = length > scene.preferred_speed
    toward = (velocities[going] * away[going]).sum(axis=1) / length[going]
    return {
        "overlapping": overlapping / len(sample),
        "neighbours": neighbours / len(sample),
        "progress": float(toward.mean()) / scene.preferred_speed if len(toward) else 0.0,
    }
