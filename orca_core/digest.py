"""The digest of a state: what two worlds, runs or machines compare."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["state_digest"]


def state_digest(position: NDArray[np.float64], velocity: NDArray[np.float64]) -> str:
    """sha256 (hex) over the little-endian float64 position x, y, velocity x, y of every agent in index order, bits
    as they are.

    Both arrays are (n, 2); `-0.0` and `0.0` differ.
    """
    rows = np.ascontiguousarray(np.hstack([position, velocity]), "<f8")
    return hashlib.sha256(rows.tobytes()).hexdigest()
