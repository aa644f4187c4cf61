"""Followers of waypoints: where each goes in a step, and which waypoints it has behind it after one.

A follower has the waypoints `points[first:stop]` before its goal; with none left its goal itself is next. `standing`
says what is known of its way: nothing yet, a way to the goal, none at all, or one to the nearest point alone.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import inside
from orca_core.kernels.sight import sees

__all__ = ["ASKING", "NEAREST", "STOPPED", "WAY", "find_changed", "follow", "look_ahead", "see_goals"]

# what is known of the way of a follower
ASKING = 0
WAY = 1
STOPPED = 2
NEAREST = 3

# turns between two looks whether the next waypoint is still in sight
LOST_TURNS = 2
# nearer than this part of its radius to a waypoint, it is passed whatever is seen of the next
REACHED = 0.01
LEAST_REACH = 1e-6


@kernel(
    "i8(f8,i8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],u1[::1],i8[::1],i8[::1],f8[:,::1],u1[::1],f8[:,::1])"
)
def follow(
    dt, rows, position, max_speed, preferred_speed, goal, known_goal, standing, first, stop, points, guided, steer
):  # fmt: skip
    """Write for each follower, the agent at `rows[k]`, where it wants to go, if it is not its goal itself.

    `known_goal` is where its way leads: that there is none holds for no other goal. Returns how many were written.
    """
    written = 0
    for k in range(rows.size):
        i = rows[k]
        ended = standing[k] == STOPPED or (standing[k] == NEAREST and first[k] >= stop[k])
        if ended and (goal[i, 0] != known_goal[k, 0] or goal[i, 1] != known_goal[k, 1]):
            continue
        if ended or first[k] < stop[k]:
            written += 1
        if ended:
            guided[i] = 1
            steer[i, 0] = 0.0
            steer[i, 1] = 0.0
        elif first[k] < stop[k]:
            dx = points[first[k], 0] - position[i, 0]
            dy = points[first[k], 1] - position[i, 1]
            length = math.sqrt(dx * dx + dy * dy)
            speed = preferred_speed[i] if preferred_speed[i] >= 0.0 else max_speed[i]
            speed = min(speed, length / dt)
            guided[i] = 1
            if length > 0.0:
                steer[i, 0] = dx / length * speed
                steer[i, 1] = dy / length * speed
            else:
                steer[i, 0] = 0.0
                steer[i, 1] = 0.0
    return written


@kernel(
    "i8(i8,i8,f8,i8[::1],f8[:,::1],f8[::1],i8[::1],f8[::1],f8[:,::1],u1[::1],i8[::1],i8[::1],f8[:,::1],u1[::1],"
    "f8[::1],f8[::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],"
    "f8[:,::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],f8[::1],"
    "f8[:,::1])"
)
def look_ahead(
    step, every, dt, rows, position, radius, radius_class, max_speed, goal, standing, first, stop, points, lost,
    elevation, height, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range,
    edges, clearance, following, preceding, class_start, class_clearance, nodes, node_start, leaves, order, boxes,
    stack, work, near,
):  # fmt: skip
    """After a step: pass waypoints behind which the next is in sight, and mark in `lost` who sees its next no more.

    A follower looks when its turn comes, each `every` steps, told by step and index; one that is about to reach its
    waypoint looks in every step. Heights are looked at where `wall_range` has rows. Returns how many looks there were.
    """
    storeys = wall_range.shape[0] > 0
    looks = 0
    for k in range(rows.size):
        if standing[k] != WAY and standing[k] != NEAREST:
            continue
        i = rows[k]
        turn = (i + step) % every == 0
        px = position[i, 0]
        py = position[i, 1]
        low = elevation[i] if storeys else 0.0
        high = low + height[i] if storeys else 0.0
        here = first[k]
        left = stop[k] - here
        distance = math.inf
        if left > 0:
            dx = points[here, 0] - px
            dy = points[here, 1] - py
            distance = math.sqrt(dx * dx + dy * dy)
        close = left > 0 and distance <= radius[i] + 2.0 * max_speed[i] * dt
        if not turn and not close:
            continue
        # the last waypoint on the way to the nearest point has nothing behind it
        if left > 0 and (left > 1 or standing[k] == WAY):
            passed = distance <= max(REACHED * radius[i], LEAST_REACH)
            if not passed:
                nx = points[here + 1, 0] if left > 1 else goal[k, 0]
                ny = points[here + 1, 1] if left > 1 else goal[k, 1]
                looks += 1
                passed = sees(
                    px, py, nx, ny, radius[i], radius_class[i], low, high, walls, wall_nodes, wall_leaves, wall_order,
                    wall_boxes, wall_range, edges, clearance, following, preceding, class_start, class_clearance, nodes,
                    node_start, leaves, order, boxes, stack, work, near,
                )  # fmt: skip
            if passed:
                first[k] = here + 1
                continue
        # a way is asked for once a second at most, so whether it is lost need not be known sooner
        if turn and ((i + step) // every) % LOST_TURNS == 0 and (left > 0 or standing[k] == WAY):
            tx = points[here, 0] if left > 0 else goal[k, 0]
            ty = points[here, 1] if left > 0 else goal[k, 1]
            looks += 1
            if not sees(
                px, py, tx, ty, radius[i], radius_class[i], low, high, walls, wall_nodes, wall_leaves, wall_order,
                wall_boxes, wall_range, edges, clearance, following, preceding, class_start, class_clearance, nodes,
                node_start, leaves, order, boxes, stack, work, near,
            ):  # fmt: skip
                lost[k] = 1
    return looks


@kernel(
    "void(i8[::1],i8[::1],f8[:,::1],f8[::1],i8[::1],f8[:,::1],u1[::1],"
    "f8[::1],f8[::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],"
    "f8[:,::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],f8[::1],"
    "f8[:,::1])"
)
def see_goals(
    which, rows, position, radius, radius_class, goal, seen,
    elevation, height, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range,
    edges, clearance, following, preceding, class_start, class_clearance, nodes, node_start, leaves, order, boxes,
    stack, work, near,
):  # fmt: skip
    """Write for the followers `which[j]` whether they see their goals, `seen[j]`; heights are looked at where
    `wall_range` has rows.
    """
    storeys = wall_range.shape[0] > 0
    for j in range(which.size):
        k = which[j]
        i = rows[k]
        c = radius_class[i]
        if class_start.size > 1:
            # from outside no edge is crossed outward, yet nothing is reached
            begin = node_start[c]
            end = node_start[c + 1]
            if not inside(
                position[i, 0], position[i, 1], edges[class_start[c] : class_start[c + 1]], nodes[begin:end],
                leaves[c], order[class_start[c] : class_start[c + 1]], boxes[class_start[c] : class_start[c + 1]],
                stack, work,
            ):  # fmt: skip
                seen[j] = 0
                continue
        low = elevation[i] if storeys else 0.0
        high = low + height[i] if storeys else 0.0
        seen[j] = sees(
            position[i, 0], position[i, 1], goal[k, 0], goal[k, 1], radius[i], radius_class[i], low, high, walls,
            wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range, edges, clearance, following, preceding,
            class_start, class_clearance, nodes, node_start, leaves, order, boxes, stack, work, near,
        )  # fmt: skip


@kernel("i8(i8[::1],i8[::1],i8[::1],f8[:,::1],f8[:,::1],f8[::1],f8[::1],u1[::1])")
def find_changed(rows, ids, known_ids, goal, known_goal, radius, known_radius, changed):
    """Mark the followers whose goal or radius is another than their way is for; returns how many.

    Returns -1 where the followers themselves, by their ids, are not those that are known.
    """
    if rows.size != known_ids.size:
        return -1
    total = 0
    for k in range(rows.size):
        i = rows[k]
        if ids[i] != known_ids[k]:
            return -1
        other = goal[i, 0] != known_goal[k, 0] or goal[i, 1] != known_goal[k, 1] or radius[i] != known_radius[k]
        changed[k] = other
        if other:
            total += 1
    return total
