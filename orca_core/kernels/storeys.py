"""Walls that stand on some storeys only: which of them an agent meets, by its height and theirs.

Used only where some wall has a range of heights. What stands here picks an agent's walls and hands them to the phases
that know nothing of heights, one agent at a time.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.surface import surface_phase
from orca_core.kernels.tree import LEAF, box_leaves, query_box
from orca_core.kernels.walls import wall_phase

__all__ = ["pick_walls", "surface_on_storeys", "walls_at_height", "walls_on_storeys"]

# a move, and a little more
AROUND = 1.0 + 1e-6


@kernel("i8(i8[::1],i8,f8[:,::1],f8,f8,i8[::1])")
def walls_at_height(found, found_count, wall_range, low, high, chosen):
    """Write those of found[:found_count] whose range (m, 2) of heights touches [low, high] to `chosen`, in their order;
    returns how many.
    """
    count = 0
    for f in range(found_count):
        w = found[f]
        if wall_range[w, 0] <= high and low <= wall_range[w, 1]:
            chosen[count] = w
            count += 1
    return count


@kernel(
    "Tuple((i8,i8))(f8,f8,f8,f8,f8,f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],"
    "f8[:,::1],f8[:,::1],f8[:,::1])"
)
def pick_walls(
    px, py, half, low, high, walls, nodes, leaves, order, boxes, wall_range, stack, found, some_walls, some_boxes,
    some_nodes,
):  # fmt: skip
    """Write the walls within `half` of a point that stand at its height, their boxes and a tree over them.

    Returns (how many, leaves of the tree). The order of the new tree is 0, 1, 2, …: the order they were found in.
    """
    half += 1e-9 * (half + max(abs(px), abs(py)))
    count = query_box(
        nodes, leaves, order, boxes, walls.shape[0], px - half, py - half, px + half, py + half, stack, found
    )
    count = walls_at_height(found, count, wall_range, low, high, found)
    for c in range(count):
        w = found[c]
        for side in range(4):
            some_walls[c, side] = walls[w, side]
            some_boxes[c, side] = boxes[w, side]
        found[c] = c
    some_leaves = 1
    while some_leaves * LEAF < count:
        some_leaves += some_leaves
    box_leaves(some_boxes, found, count, some_nodes, some_leaves)
    return count, some_leaves


@kernel("f8(f8,f8,f8,f8,f8)")
def reach_of_move(px, py, qx, qy, least):
    """How far a move p -> q goes, at least `least`, and a little more; endless where it is not finite."""
    dx = qx - px
    dy = qy - py
    length = math.sqrt(dx * dx + dy * dy)
    return max(length, least) * AROUND if math.isfinite(length) else math.inf


@kernel(
    "i8(f8[:,::1],f8[:,::1],f8[:,::1],f8,i8[::1],u1[::1],u1,i8,i8,f8[::1],f8[::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],f8[::1],f8[:,::1],f8[:,::1],f8[:,::1],i8[::1])"
)
def walls_on_storeys(
    position, velocity, next_position, dt, order, marks, mark, first, last, elevation, height,
    walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range, stack, found, work, some_walls, some_boxes,
    some_nodes, some_order,
):  # fmt: skip
    """`wall_phase` for the places [first, last), each with the walls at its height; returns how many were shortened."""
    total = 0
    for place in range(first, last):
        if (marks[place] & mark) == 0:
            continue
        i = order[place]
        px = position[i, 0]
        py = position[i, 1]
        half = reach_of_move(px, py, next_position[i, 0], next_position[i, 1], 0.0)
        count, leaves = pick_walls(
            px, py, half, elevation[i], elevation[i] + height[i], walls, wall_nodes, wall_leaves, wall_order,
            wall_boxes, wall_range, stack, some_order, some_walls, some_boxes, some_nodes,
        )  # fmt: skip
        total += wall_phase(
            position, velocity, next_position, dt, order, marks, mark, place, place + 1, some_walls[:count],
            some_nodes[: 2 * leaves], leaves, some_order[:count], some_boxes[:count], stack, found, work,
        )  # fmt: skip
    return total


@kernel(
    "i8(f8[:,::1],f8[:,::1],f8[:,::1],f8,f8[::1],i8[::1],u1[::1],u1[::1],u1[::1],i8[::1],u1[::1],u1,i8,i8,"
    "f8[::1],f8[::1],"
    "i8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],i8[::1],f8[:,::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[::1],"
    "f8[:,::1],f8[:,::1],f8[:,::1],i8[::1])"
)
def surface_on_storeys(
    position, velocity, next_position, dt, max_speed, agent_class, known_inside, inside_next, status, order, marks,
    mark, first, last, elevation, height, class_start, edges, following, preceding, node_start, nodes, leaves, rank,
    boxes, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range, stack, found, found_walls, work,
    some_walls, some_boxes, some_nodes, some_order,
):  # fmt: skip
    """`surface_phase` for the places [first, last), each with the walls at its height; returns how many moves it
    changed.
    """
    total = 0
    for place in range(first, last):
        i = order[place]
        count = 0
        some_leaves = 1
        # who is known to be inside and far from everything is passed over there too
        if known_inside[i] == 0 or (marks[place] & mark) != 0:
            px = position[i, 0]
            py = position[i, 1]
            # who is outside goes another way than solved, at most so far
            half = reach_of_move(px, py, next_position[i, 0], next_position[i, 1], max_speed[i] * dt)
            count, some_leaves = pick_walls(
                px, py, half, elevation[i], elevation[i] + height[i], walls, wall_nodes, wall_leaves, wall_order,
                wall_boxes, wall_range, stack, some_order, some_walls, some_boxes, some_nodes,
            )  # fmt: skip
        total += surface_phase(
            position, velocity, next_position, dt, max_speed, agent_class, known_inside, inside_next, status, order,
            marks, mark, place, place + 1, class_start, edges, following, preceding, node_start, nodes, leaves, rank,
            boxes, some_walls[:count], some_nodes[: 2 * some_leaves], some_leaves, some_order[:count],
            some_boxes[:count], stack, found, found_walls, work,
        )  # fmt: skip
    return total
