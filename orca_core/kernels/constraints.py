"""The hard rows of half-planes of one agent: walls, and the walkable boundaries around it, each in order.

Source: spec "Neighbours and constraint order": obstacles by (squared distance, index), then boundaries likewise.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.boundary import boundary_half_plane
from orca_core.kernels.velocity_obstacle import segment_distance_squared, wall_half_plane

__all__ = ["GROWTH", "boundary_rows", "insert_by_distance", "wall_rows"]

# what a computed distance to a segment may fall short of the true one, as a part of lengths and coordinates
GROWTH = 1e-9


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


@kernel("Tuple((i8,f8))(f8,f8,f8,f8,f8,f8,f8,b1,f8[:,::1],f8[:,::1],i8[::1],i8,f8[::1],i8[::1],f8[:,::1],i8)")
def wall_rows(
    px, py, radius, reach, move, horizon, dt, one_side, walls, boxes, found, found_count, distance, item, planes, row
):  # fmt: skip
    """Append the half-planes of the walls within reach, by (squared distance, index).

    Returns (rows, squared distance of the nearest wall), which is true where it is at most `move`, the way of a step.
    With `one_side` the direction in which a wall was drawn does not decide to which side who stands on it gets off.
    """
    count = 0
    nearest = math.inf
    limit = reach * reach
    # beyond this, grown by what a computed distance may be short of, neither matters; the box tells without a division
    far = max(reach, move)
    far += GROWTH * (far + abs(px) + abs(py))
    far_squared = far * far
    for f in range(found_count):
        w = found[f]
        dx = max(max(boxes[w, 0] - px, px - boxes[w, 2]), 0.0)
        dy = max(max(boxes[w, 1] - py, py - boxes[w, 3]), 0.0)
        if dx * dx + dy * dy > far_squared:
            continue
        squared = segment_distance_squared(walls[w, 0] - px, walls[w, 1] - py, walls[w, 2] - px, walls[w, 3] - py)
        nearest = min(nearest, squared)
        if squared <= limit:
            count = insert_by_distance(distance, item, count, squared, w)
    for c in range(count):
        w = item[c]
        ax = walls[w, 0] - px
        ay = walls[w, 1] - py
        bx = walls[w, 2] - px
        by = walls[w, 3] - py
        if one_side and distance[c] == 0.0 and (ax > bx or (ax == bx and ay > by)):
            ax, ay, bx, by = bx, by, ax, ay
        x, y, nx, ny = wall_half_plane(ax, ay, bx, by, distance[c], radius, horizon, dt)
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
