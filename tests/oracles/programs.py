"""Oracle of the linear programs: every vertex that could be the optimum is made, and the best permitted one is taken.

Nothing is incremental and nothing is clever: for a set of half-planes in a disc the candidates are the points where two
bounds meet and the points where one bound touches the objective. Many sets are treated at once, as arrays whose first
axis is the set; that is the only concession to speed. Shares no code with the kernels.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["closest_distance", "deepest_room", "highest_level", "signed_distances"]

Floats = NDArray[np.float64]

# a candidate that misses a bound by less than this was made on it
TOUCH = 1e-9


def signed_distances(planes: Floats, points: Floats) -> Floats:
    """Signed distance (S, c, m) of points (S, c, 2) from half-planes (S, m, 4); negative where violated."""
    offset = points[:, :, None, :] - planes[:, None, :, :2]
    return (offset * planes[:, None, :, 2:]).sum(axis=-1)


def _on_circle(point: Floats, direction: Floats, limit: Floats) -> list[Floats]:
    """Where lines point + t direction (S, 2) meet the circle of radius `limit` (S,); NaN where they do not."""
    along = (point * direction).sum(axis=1)
    discriminant = along * along + limit * limit - (point * point).sum(axis=1)
    root = np.sqrt(np.where(discriminant >= 0.0, discriminant, np.nan))
    return [point + direction * (-along + sign * root)[:, None] for sign in (-1.0, 1.0)]


def _meeting(one: Floats, other: Floats) -> Floats:
    """Where the boundaries of two half-planes (S, 4) meet, NaN where they are parallel."""
    determinant = one[:, 2] * other[:, 3] - one[:, 3] * other[:, 2]
    determinant = np.where(np.abs(determinant) > 1e-14, determinant, np.nan)
    c1 = (one[:, :2] * one[:, 2:]).sum(axis=1)
    c2 = (other[:, :2] * other[:, 2:]).sum(axis=1)
    x = (c1 * other[:, 3] - c2 * one[:, 3]) / determinant
    y = (one[:, 2] * c2 - other[:, 2] * c1) / determinant
    return np.stack([x, y], axis=1)


def _line(plane: Floats) -> tuple[Floats, Floats]:
    """Point and unit direction of the boundary of half-planes (S, 4)."""
    return plane[:, :2], np.stack([-plane[:, 3], plane[:, 2]], axis=1)


def _crossings(lines: list[Floats], limit: Floats) -> list[Floats]:
    """Every point in which two of the lines, or one of them and the circle, meet."""
    found = [_meeting(one, other) for one, other in combinations(lines, 2)]
    for line in lines:
        found += _on_circle(*_line(line), limit)
    return found


def _permitted(planes: Floats, points: Floats, limit: Floats) -> NDArray[np.bool_]:
    """Which points (S, c, 2) lie in the disc and in all half-planes, within TOUCH; NaN never does."""
    with np.errstate(invalid="ignore"):
        inside = np.sqrt((points * points).sum(axis=-1)) <= limit[:, None] + TOUCH
        if planes.shape[1]:
            inside &= (signed_distances(planes, points) >= -TOUCH).all(axis=2)
    return inside


def closest_distance(planes: Floats, limit: Floats, preferred: Floats) -> Floats:
    """Distance (S,) from the preferred velocity to the closest permitted one; infinite where none is permitted.

    `planes` (S, m, 4), `limit` (S,), `preferred` (S, 2). The closest point of a convex set with straight and circular
    sides is the preferred velocity, its foot on one side, or a corner.
    """
    length = np.sqrt((preferred * preferred).sum(axis=1))
    rim = preferred / np.where(length > 0.0, length, 1.0)[:, None] * limit[:, None]
    candidates = [preferred, rim]
    lines = [planes[:, k] for k in range(planes.shape[1])]
    for line in lines:
        point, direction = _line(line)
        candidates.append(point + direction * (direction * (preferred - point)).sum(axis=1)[:, None])
    points = np.stack(candidates + _crossings(lines, limit), axis=1)
    distance = np.sqrt(((points - preferred[:, None]) ** 2).sum(axis=-1))
    return np.where(_permitted(planes, points, limit), distance, np.inf).min(axis=1)


def highest_level(hard: Floats, soft: Floats, limit: Floats) -> Floats:
    """The largest possible value (S,) of the smallest signed distance over the soft half-planes (S, m, 4), within the
    disc and the hard ones (S, h, 4); minus infinity where those permit nothing.

    The optimum of a concave function with flat pieces lies in a corner of one piece: where two pieces are equal along a
    line that meets another such line, a hard boundary or the circle, or where one piece is highest on the circle.
    """
    lines = [hard[:, k] for k in range(hard.shape[1])]
    for j, k in combinations(range(soft.shape[1]), 2):
        normal = soft[:, k, 2:] - soft[:, j, 2:]
        length = np.sqrt((normal * normal).sum(axis=1))
        length = np.where(length > 1e-12, length, np.nan)
        unit = normal / length[:, None]
        offset = (soft[:, k, :2] * soft[:, k, 2:]).sum(axis=1) - (soft[:, j, :2] * soft[:, j, 2:]).sum(axis=1)
        lines.append(np.concatenate([unit * (offset / length)[:, None], unit], axis=1))
    tops = [soft[:, k, 2:] * limit[:, None] for k in range(soft.shape[1])]
    points = np.stack(tops + _crossings(lines, limit), axis=1)
    level = signed_distances(soft, points).min(axis=2)
    return np.where(_permitted(hard, points, limit), level, -np.inf).max(axis=1)


def deepest_room(planes: Floats, limit: Floats) -> Floats:
    """How much room (S,) the half-planes leave: positive where the program is feasible with that much to spare."""
    return highest_level(planes[:, :0], planes, limit)
