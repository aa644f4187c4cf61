"""The hard rows of half-planes of one agent: walls, and the walkable boundaries around it, each in order.

Source: spec "Neighbours and constraint order": obstacles by (squared distance, index), then boundaries likewise.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.boundary import boundary_half_plane
from orca_core.kernels.velocity_obstacle import segment_distance_squared, segment_half_plane

__all__ = ["boundary_rows", "insert_by_distance", "wall_rows"]


@kernel("i8(f8[::1],i8[::1],i8,f8,i8)")
def insert_by_distance(distance, item, count, squared, candidate):
    """Insert into the list sorted by (squared distance, index); returns the new length."""
    j = count - 1
    while j >= 0 and (distance[j] > squared or (distance[j] == squared and item[j] > candidate)):
        distance[j + 1] = distance[j]
        item[j + 1] = item[j]
        j -= 1
    distance[j + 1] = squared
    item[j + 1] = candidate
    return count + 1


@kernel("Tuple((i8,f8))(f8,f8,f8,f8,f8,f8,f8[:,::1],i8[::1],i8,f8[::1],i8[::1],f8[:,::1],i8)")
def wall_rows(px, py, radius, reach, horizon, dt, walls, found, found_count, distance, item, planes, row):
    """Append the half-planes of the walls within reach, by (squared distance, index).

    Returns (rows, squared distance of the nearest wall of those found).
    """
    count = 0
    nearest = math.inf
    limit = reach * reach
    for f in range(found_count):
        w = found[f]
        squared = segment_distance_squared(walls[w, 0] - px, walls[w, 1] - py, walls[w, 2] - px, walls[w, 3] - py)
        nearest = min(nearest, squared)
        if squared <= limit:
            count = insert_by_distance(distance, item, count, squared, w)
    for c in range(count):
        w = item[c]
        x, y, nx, ny = segment_half_plane(
            walls[w, 0] - px, walls[w, 1] - py, walls[w, 2] - px, walls[w, 3] - py, radius, horizon, dt
        )
        planes[row, 0] = x
        planes[row, 1] = y
        planes[row, 2] = nx
        planes[row, 3] = ny
        row += 1
    return row, nearest


@kernel("Tuple((i8,f8))(f8,f8,f8,f8,f8,f8[:,::1],f8[::1],f8[::1],i8,i8[::1],i8,f8[::1],i8[::1],f8[:,::1],i8)")
def boundary_rows(
    px,
    py,
    max_speed,
    obstacle_horizon,
    floor,
    edges,
    clearance,
    horizon,
    first,
    found,
    found_count,
    distance,
    item,
    planes,
    row,
):
    """Append the half-planes of the walkable boundaries within reach, by (squared distance, index).

    Returns (rows, squared distance of the nearest edge of those found).

    `found` holds indices relative to `first`; a negative `horizon` of an edge stands for the agent's. `floor` is the
    shortest horizon.
    """
    count = 0
    nearest = math.inf
    for f in range(found_count):
        e = first + found[f]
        tau = max(horizon[e] if horizon[e] >= 0.0 else obstacle_horizon, floor)
        limit = tau * max_speed + clearance[e]
        squared = segment_distance_squared(edges[e, 0] - px, edges[e, 1] - py, edges[e, 2] - px, edges[e, 3] - py)
        nearest = min(nearest, squared)
        if squared <= limit * limit:
            count = insert_by_distance(distance, item, count, squared, e)
    for c in range(count):
        e = item[c]
        tau = max(horizon[e] if horizon[e] >= 0.0 else obstacle_horizon, floor)
        exists, x, y, nx, ny = boundary_half_plane(
            edges[e, 0] - px, edges[e, 1] - py, edges[e, 2] - px, edges[e, 3] - py, clearance[e], tau
        )
        if exists:
            planes[row, 0] = x
            planes[row, 1] = y
            planes[row, 2] = nx
            planes[row, 3] = ny
            row += 1
    return row, nearest
