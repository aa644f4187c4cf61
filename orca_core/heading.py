"""Headings as arrays: where agents face, as unit vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.kernels.turning import STANDING_SQUARED

__all__ = ["headings", "unit_vectors"]

Floats = NDArray[np.float64]

# what was made one long is so to within this, in its square: made so again it would be another by a bit
ONE_LONG = 1e-15


def unit_vectors(vectors: NDArray[Any]) -> Floats:
    """Vectors (n, 2) or (2,) made one long; those that are so already keep their bits, so that what was read may be
    sent back, and those that are too short to have a direction become zero.
    """
    rows = np.asarray(vectors, np.float64)
    # by the larger component first, so that no square underflows
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    scaled = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0.0)
    length = np.sqrt(scaled[..., :1] * scaled[..., :1] + scaled[..., 1:] * scaled[..., 1:])
    units: Floats = np.divide(scaled, length, out=np.zeros_like(rows), where=length > 0.0)
    # beyond 2 a square may overflow, and is none of them anyhow
    near = np.minimum(np.abs(rows), 2.0)
    squared = near[..., :1] * near[..., :1] + near[..., 1:] * near[..., 1:]
    return np.where(np.abs(squared - 1.0) <= ONE_LONG, rows, units)


def headings(velocity: NDArray[Any], kept: NDArray[Any]) -> Floats:
    """Where agents face (n, 2) or (2,): the direction of the velocity, and for those that stand what was kept."""
    squared = velocity[..., :1] * velocity[..., :1] + velocity[..., 1:] * velocity[..., 1:]
    speed = np.sqrt(squared)
    moving = squared > STANDING_SQUARED
    return np.where(moving, np.divide(velocity, speed, out=np.zeros_like(velocity), where=moving), kept)
