"""Where the agents of a crowd stand, by what is hard about it for a search: each gives positions (n, 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["CROWDS", "Crowd"]

Floats = NDArray[np.float64]
Crowd = Callable[[np.random.Generator, int], Floats]


def clusters(generator: np.random.Generator, count: int) -> Floats:
    """A few dense groups far apart."""
    centres = generator.uniform(-200.0, 200.0, (5, 2))
    return centres[generator.integers(0, 5, count)] + generator.normal(0.0, 0.5, (count, 2))


def outlier(generator: np.random.Generator, count: int) -> Floats:
    """A crowd and one agent at the far end of the permitted world."""
    position = generator.uniform(-10.0, 10.0, (count, 2))
    position[count // 2] = 1e9, -1e9
    return position


def lattice(generator: np.random.Generator, count: int) -> Floats:
    """Whole numbers in mixed order, so that nearly every distance is a tie."""
    side = int(np.ceil(np.sqrt(count)))
    cells = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:count]
    return generator.permutation(cells).astype(np.float64)


def far_groups(generator: np.random.Generator, count: int) -> Floats:
    """Two groups with nearly the whole world between them."""
    side = np.where(np.arange(count) % 2 == 0, 5e8, -5e8)
    return generator.normal(0.0, 1.0, (count, 2)) + side[:, None]


def remote(generator: np.random.Generator, count: int) -> Floats:
    """One crowd in the corner of the permitted world, where doubles are 1e-7 apart."""
    return np.array([1e9 - 40.0, -1e9]) + generator.uniform(0.0, 30.0, (count, 2))


def heaps(generator: np.random.Generator, count: int) -> Floats:
    """Everybody on one of three spots, exactly."""
    spots = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1e-9]])
    return spots[generator.integers(0, 3, count)]


CROWDS: dict[str, Crowd] = {
    "uniform": lambda generator, count: generator.uniform(-15.0, 15.0, (count, 2)),
    "clusters": clusters,
    "one spot": lambda generator, count: np.full((count, 2), 7.25),
    "heaps": heaps,
    "nearly one spot": lambda generator, count: 3.0 + generator.integers(0, 4, (count, 2)) * 2.0**-51,
    "subnormal apart": lambda generator, count: generator.integers(0, 3, (count, 2)) * 5e-324,
    "one far outlier": outlier,
    "far from the origin": remote,
    "lattice": lattice,
    "line": lambda generator, count: np.stack([generator.uniform(-50.0, 50.0, count), np.zeros(count)], axis=1),
    "line of ties": lambda generator, count: np.stack([np.zeros(count), generator.permutation(count) * 0.5], axis=1),
    "two far groups": far_groups,
}
