"""Oracle of the velocity obstacle: a velocity is in it when it runs into the grown segment within the horizon.

Membership is asked by what the words say and no formula: the way of the agent, sampled in time, comes within r of the
segment or it does not. Around the point that a kernel calls closest, and on the circle that it calls free, velocities
are sampled. Shares no code with the kernels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["collides", "distance_to_segment", "inside_at_once", "ring"]

Floats = NDArray[np.float64]

# moments of a way that are looked at, and rounds in which the look narrows to the nearest one
MOMENTS = 17
ROUNDS = 10


def distance_to_segment(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distance (...,) of points (..., 2) from the segments a-b (..., 2)."""
    edge, offset = b - a, points - a
    squared = (edge * edge).sum(axis=-1)
    share = (offset * edge).sum(axis=-1) / np.where(squared > 0.0, squared, 1.0)
    nearest = a + edge * np.clip(share, 0.0, 1.0)[..., None]
    return np.sqrt(((points - nearest) ** 2).sum(axis=-1))


def collides(velocity: Floats, a: Floats, b: Floats, r: Floats, tau: Floats) -> Floats:
    """How far (...,) the way of a velocity (..., 2) within tau stays from the capsule of a-b grown by r; negative when
    it runs into it, which is to say that the velocity is in the obstacle.

    The distance along a straight way is convex in time, so the nearest moment is found by looking closer and closer
    around the nearest of a few.
    """
    low, high = np.zeros(np.broadcast_shapes(velocity.shape[:-1], tau.shape)), np.broadcast_to(tau, velocity.shape[:-1])
    share = np.linspace(0.0, 1.0, MOMENTS)
    for _ in range(ROUNDS):
        moments = low[..., None] + (high - low)[..., None] * share
        places = velocity[..., None, :] * moments[..., None]
        distances = distance_to_segment(places, a[..., None, :], b[..., None, :])
        at = distances.argmin(axis=-1)
        low = np.take_along_axis(moments, np.maximum(at - 1, 0)[..., None], axis=-1)[..., 0]
        high = np.take_along_axis(moments, np.minimum(at + 1, MOMENTS - 1)[..., None], axis=-1)[..., 0]
    return distances.min(axis=-1) - r


def inside_at_once(velocity: Floats, a: Floats, b: Floats, r: Floats, dt: Floats) -> Floats:
    """The same for agents that overlap already: how far (...,) from the capsule the velocity leads in one time step."""
    return distance_to_segment(velocity * dt[..., None], a, b) - r


def ring(directions: int) -> Floats:
    """Unit vectors (directions, 2) all around."""
    angle = np.arange(directions) * (2.0 * np.pi / directions)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
