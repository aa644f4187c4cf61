"""Scene: the crowd that every contender is given, and how crowded it has become.

Agents are placed and sent uniformly at random, one per 4 m², so index order says nothing of place; walls are segments
of 4 m placed and turned at random. Other arrangements are hard or easy on purpose: all on one spot, all in a hundredth
of the area, most of them at rest with nobody near. Everything follows from the seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["HEADLINE", "Arrangement", "Scene", "crowding", "preferred", "scenes_for", "usual", "variants_for"]

Floats = NDArray[np.float64]
Arrangement = Literal["spread", "coincident", "clustered", "resting"]

# the crowd that texts about a game on a phone measure: this many agents that avoid each other
HEADLINE = 1_064
# steps before the first that counts in a spread crowd: by then those who were put on top of each other have parted
WARM_UP = 20
# side of the square of a cluster, as a share of the whole: a hundredth of the area
CLUSTER = 0.1
# share of the agents at rest in an arrangement of that name, and how far each stands from the next, in neighbour
# distances: the two nearest are still farther apart than one, though each is moved a little off its grid
RESTING = 0.9
APART = 1.2
OFF_GRID = 0.08
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
    arrangement: Arrangement = "spread"

    @property
    def name(self) -> str:
        """How the scene is called in tables: `10,000`, `10,000 with 200 walls`, `10,000 clustered`."""
        parts = [f"{self.agents:,}"]
        if self.arrangement != "spread":
            parts.append(f"{100.0 * RESTING:g} % at rest" if self.arrangement == "resting" else self.arrangement)
        if self.neighbor_distance != Scene.neighbor_distance:
            parts.append(f"neighbour distance {self.neighbor_distance:g}")
        if self.walls:
            parts.append(f"with {self.walls:,} walls")
        return " ".join(parts)

    @property
    def plain(self) -> bool:
        """Whether this is the scene that all others are held against: spread, without walls, with usual neighbours."""
        return not self.walls and self.arrangement == "spread" and self.neighbor_distance == Scene.neighbor_distance

    @property
    def warm_up(self) -> int:
        """Steps before the first that counts; none where the first ones are what makes the scene hard."""
        return 0 if self.arrangement in ("coincident", "clustered") else WARM_UP

    @property
    def side(self) -> float:
        """Side of the square, m."""
        return math.sqrt(self.agents * self.area_per_agent)

    @cached_property
    def resting(self) -> NDArray[np.bool_]:
        """Who has no goal and stands with nobody near (n,)."""
        resting = np.zeros(self.agents, dtype=np.bool_)
        if self.arrangement == "resting":
            resting[: round(self.agents * RESTING)] = True
            np.random.default_rng([self.seed, 1]).shuffle(resting)
        return resting

    @cached_property
    def _drawn(self) -> tuple[Floats, Floats, Floats]:
        random = np.random.default_rng(self.seed)
        positions = random.uniform(0.0, self.side, (self.agents, 2))
        goals = random.uniform(0.0, self.side, (self.agents, 2))
        middles = random.uniform(0.0, self.side, (self.walls, 2))
        angles = random.uniform(0.0, math.pi, self.walls)
        half = 0.5 * self.wall_length * np.column_stack([np.cos(angles), np.sin(angles)])
        walls = np.stack([middles - half, middles + half], axis=1)
        if self.arrangement == "coincident":
            positions[:] = 0.5 * self.side
        elif self.arrangement == "clustered":
            positions = 0.5 * (1.0 - CLUSTER) * self.side + CLUSTER * positions
        elif self.arrangement == "resting":
            positions, goals = self._rested(random, positions, goals)
        return positions, goals, walls

    def _rested(self, random: np.random.Generator, positions: Floats, goals: Floats) -> tuple[Floats, Floats]:
        """Those who move as close together as ever, in a square of their own; the others on a loose grid beside it."""
        moving = ~self.resting
        shrink = math.sqrt(moving.mean())
        positions, goals = positions * shrink, goals * shrink
        resting = int(self.resting.sum())
        across = math.ceil(math.sqrt(resting))
        place = random.permutation(across * across)[:resting]
        spacing = APART * self.neighbor_distance
        off = random.uniform(-OFF_GRID * spacing, OFF_GRID * spacing, (resting, 2))
        # two spacings keep those at the edges of the square and of the grid apart
        beside = np.array([self.side * shrink + 2.0 * spacing, 0.0])
        positions[self.resting] = np.column_stack([place % across, place // across]) * spacing + off + beside
        goals[self.resting] = positions[self.resting]
        return positions, goals

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
            "arrangement": self.arrangement,
            "plain": self.plain,
            "warm_up": self.warm_up,
        }


def usual(agents: list[int]) -> int:
    """The count nearest to 10,000, at which everything but the number of agents is varied."""
    return min(agents, key=lambda count: abs(count - 10_000))


def scenes_for(agents: list[int], walls: int) -> list[Scene]:
    """One scene for each count, and one with walls at the usual count where `walls` is above zero."""
    found = [Scene(count) for count in agents]
    return [*found, Scene(usual(agents), walls)] if walls else found


def variants_for(agents: int, walls: int) -> list[Scene]:
    """The plain scene of `agents`, and what it is held against: walls, coincident, clustered, far sight, at rest."""
    return [
        Scene(agents),
        *([Scene(agents, walls)] if walls else []),
        Scene(agents, arrangement="coincident"),
        Scene(agents, arrangement="clustered"),
        Scene(agents, neighbor_distance=3.0 * Scene.neighbor_distance),
        Scene(agents, arrangement="resting"),
    ]


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
