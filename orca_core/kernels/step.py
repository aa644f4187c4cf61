"""One step for a range of leaves: neighbours, constraints, program, relaxation; and the integration that follows.

Reads the frozen state of the start of the step and writes only the rows of its own agents, so a range can be
computed by anybody,
again, and in any order, with the same bits. Source: spec "Neighbours and constraint order" and "The step".
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.constraints import boundary_rows, wall_rows
from orca_core.kernels.half_planes import agent_rows
from orca_core.kernels.linear_program import permitted_velocity
from orca_core.kernels.neighbours import LISTED, MARGIN, PROOF, collect_leaves, gather_common, near_of_list, search, within
from orca_core.kernels.ranking import NETWORK, rank
from orca_core.kernels.symmetry import biased, stands_in_symmetry
from orca_core.kernels.tree import LEAF, query_box

__all__ = ["integrate", "largest_move", "solve_leaves"]

# what happened to an agent in a step, as bits of `outcome`
RELAXED = 1
HARD_FAILED = 2
NON_FINITE = 4
BIASED = 8
COINCIDENT = 16

# options as bits of `flags`
PART_COINCIDENT = 1
BREAK_SYMMETRY = 2
STOP_NON_FINITE = 4

# a computed distance to a segment may fall short of the true one by rounding; boxes are grown by this much to lose none
GROWTH = 1e-9
# a leaf on one spot says nothing of the distance; the search then begins at this share of the last reach and doubles
SPARSEST = 1e-3
ROUNDED_UP = 1.0 + 1e-9
# for how many steps of the fastest a candidate list looks beyond the neighbour distance
LIST_STEPS = 8.0
# how full a candidate list should become; one that overflows is cut, which costs more than a few free places
FILLED = 0.9
# a solved velocity this near the preferred direction (relative) may come from a symmetry
ALONG = 1e-9
# who gets less than this share of the wanted speed while turning aside is still held up, and goes on turning
HELD_UP = 0.5


@kernel("f8(f8[:,::1],i8,f8,i8)")
def leaf_guess(nodes, node, k, leaf_items):
    """Distance that should hold k neighbours if the density around is that of the leaf; zero where the leaf is one
    spot.
    """
    width = nodes[node, 2] - nodes[node, 0]
    height = nodes[node, 3] - nodes[node, 1]
    side = max(width, height)
    # area per agent times k + 4, over pi, and a little more
    return math.sqrt(side * max(min(width, height), 0.25 * side) * (k + 4.0) / (3.0 * leaf_items))


@kernel(
    "void(i8,i8,i8,f8,f8,i8,i8,i8,i8,f8,f8,"
    "f8[:,::1],i8,i8[::1],f8[::1],f8[::1],i8[::1],f8[:,::1],f8[:,::1],i8[::1],i8[::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],"
    "i8[::1],f8[:,::1],f8[::1],f8[::1],i8[::1],f8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],"
    "i4[:,::1],i8[::1],f8[::1],f8[::1],"
    "i8[::1],i8[::1],i8[::1],f8[::1],i8[::1],i8[::1],i8[::1],f8[::1],f8[::1],i8[::1],f8[::1],"
    "f8[::1],i8[::1],f8[::1],i8[::1],f8[::1],i8[::1],f8[:,::1],f8[:,::1],"
    "f8[:,::1],i8[::1],u1[::1],f8[::1],f8[::1],i8[::1])"
)
def solve_leaves(
    first_leaf,
    last_leaf,
    count,
    dt,
    floor,
    flags,
    seed,
    step,
    turn_steps,
    drift,
    slack,
    # the agents, by place in the tree
    nodes,
    leaves,
    order,
    leaf_x,
    leaf_y,
    leaf_first,
    packed,
    parameters,
    identifier,
    turning,
    # the walls and their tree
    walls,
    wall_nodes,
    wall_leaves,
    wall_order,
    wall_boxes,
    # the walkable boundaries: by radius class, each with its tree
    agent_class,
    edges,
    edge_clearance,
    edge_horizon,
    class_start,
    class_clearance,
    class_horizon,
    edge_nodes,
    edge_node_start,
    edge_leaves,
    edge_order,
    edge_boxes,
    # the candidate lists, by place
    listed,
    list_count,
    list_radius,
    list_drift,
    # scratch
    near,
    wide,
    stack,
    distance,
    place,
    index,
    keys,
    common_x,
    common_y,
    common_place,
    squares,
    near_distance,
    near_place,
    lanes,
    found,
    item_distance,
    item,
    planes,
    derived,
    # output, by index
    new_velocity,
    new_turning,
    outcome,
    reach,
    overlap_depth,
    overlap_with,
):
    """Write the new velocity of every agent in the leaves [first_leaf, last_leaf), and what happened to it.

    Rows written: new_velocity (n, 2), new_turning (the step until which it turns aside), outcome bits, reach
    (distance of the k-th neighbour, next step's guess), the deepest overlap at
    the start of the step and the index of the agent it is with (-1 for none).
    """
    for leaf in range(first_leaf, last_leaf):
        begin = leaf * LEAF
        end = min(begin + LEAF, count)
        if begin >= end:
            break
        node = leaves + leaf
        # what the members of this leaf need together: a common list of walls, and where a candidate list no longer
        # proves anything, a common list of leaves to search
        shared = 0.0
        wall_reach = 0.0
        expired = False
        for own in range(begin, end):
            wall_reach = max(wall_reach, max(parameters[own, 4], floor) * parameters[own, 2] + packed[own, 4])
            needed = min(reach[order[own]] + slack, parameters[own, 5])
            proved = list_radius[own] - 2.0 * (drift - list_drift[own])
            expired = expired or list_count[own] < 0 or not needed < proved
        if expired:
            # all of them at once: the others' lists would not last much longer, and the common list is what costs
            for own in range(begin, end):
                i = order[own]
                sight = parameters[own, 5]
                k = int(parameters[own, 7])
                # a distance that should hold enough candidates for some steps: by the last reach, else by the density of
                # the leaf; much less will do where the leaf has become dense. All of these are guesses
                most = LISTED if k <= LISTED - MARGIN else k
                dense = 2.0 * leaf_guess(nodes, node, most, end - begin)
                guess = dense
                if reach[i] >= 0.0:
                    needed = min(reach[i] + slack, sight)
                    guess = needed * math.sqrt(FILLED * most / max(k, 1))
                    guess = min(guess, max(dense, SPARSEST * guess))
                guess = min(guess, sight + LIST_STEPS * slack)
                parameters[own, 6] = guess
                list_count[own] = -1
                shared = max(shared, guess)
        near_count = 0
        common_count = -1
        if shared > 0.0:
            near_count = collect_leaves(
                nodes,
                leaves,
                nodes[node, 0],
                nodes[node, 1],
                nodes[node, 2],
                nodes[node, 3],
                shared * shared,
                stack,
                near,
            )
            common_count = gather_common(
                nodes, node, shared * shared, leaf_x, leaf_y, near, near_count, common_x, common_y, common_place
            )
            # the own leaf first: a heap of agents then shrinks its bound at once
            for n in range(near_count):
                if near[n] == leaf:
                    near[n] = near[0]
                    near[0] = leaf
                    break
        found_count = 0
        if walls.shape[0] > 0:
            grown = wall_reach + GROWTH * (
                wall_reach
                + max(max(abs(nodes[node, 0]), abs(nodes[node, 2])), max(abs(nodes[node, 1]), abs(nodes[node, 3])))
            )
            found_count = query_box(
                wall_nodes,
                wall_leaves,
                wall_order,
                wall_boxes,
                walls.shape[0],
                nodes[node, 0] - grown,
                nodes[node, 1] - grown,
                nodes[node, 2] + grown,
                nodes[node, 3] + grown,
                stack,
                found,
            )
        for own in range(begin, end):
            i = order[own]
            px = packed[own, 0]
            py = packed[own, 1]
            limit = parameters[own, 2]
            obstacle_horizon = max(parameters[own, 4], floor)
            rows = 0
            # constraints: walls, then boundaries, both hard
            if found_count > 0:
                radius = packed[own, 4]
                rows = wall_rows(
                    px, py, radius, obstacle_horizon * limit + radius, obstacle_horizon, dt, walls, found, found_count,
                    item_distance, item, planes, rows,
                )  # fmt: skip
            if edges.shape[0] > 0:
                group = agent_class[i]
                first = class_start[group]
                edge_count = class_start[group + 1] - first
                if edge_count > 0:
                    grown = max(obstacle_horizon, class_horizon[group]) * limit + class_clearance[group]
                    grown += GROWTH * (grown + max(abs(px), abs(py)))
                    start = edge_node_start[group]
                    edges_found = query_box(
                        edge_nodes[start : edge_node_start[group + 1]],
                        edge_leaves[group],
                        edge_order[first : first + edge_count],
                        edge_boxes[first : first + edge_count],
                        edge_count,
                        px - grown,
                        py - grown,
                        px + grown,
                        py + grown,
                        stack,
                        wide,
                    )
                    rows = boundary_rows(
                        px, py, limit, parameters[own, 4], floor, edges, edge_clearance, edge_horizon, first, wide,
                        edges_found,
                        item_distance, item, planes, rows,
                    )  # fmt: skip
            hard = rows
            # constraints: the nearest agents, by the kept list where it proves them
            k = int(parameters[own, 7])
            sight = parameters[own, 5]
            strict = sight * sight
            kept = 0
            bound = 0.0
            if k > 0 and list_count[own] >= 0:
                proved = (list_radius[own] - 2.0 * (drift - list_drift[own])) * PROOF
                expected = min(reach[i] + slack, proved)
                bound = expected * expected
                kept = near_of_list(own, px, py, listed, list_count[own], packed, bound, distance, place)
                # all of them are closer than anybody who is not listed; are they enough
                if not (kept >= k or sight <= expected):
                    list_count[own] = -1
            if k > 0 and list_count[own] < 0:
                most = LISTED if k <= LISTED - MARGIN else k
                kept, radius_named = search(
                    own, px, py, k, most, sight, parameters[own, 6], shared, near, near_count, common_count, common_x, common_y,
                    common_place, squares, nodes, leaves, leaf_x,
                    leaf_y, order, leaf_first, distance, place, index, stack, wide,
                )  # fmt: skip
                if most == LISTED:
                    for c in range(kept):
                        listed[own, c] = place[c]
                    list_count[own] = kept
                    list_radius[own] = radius_named
                    list_drift[own] = drift
                bound = radius_named * radius_named
                if kept > NETWORK:
                    # most of them are not needed now
                    closer = bound * (k + 3.0) / kept
                    enough = 0
                    for c in range(kept):
                        enough += distance[c] <= closer
                    if enough >= k:
                        bound = closer
                        kept = within(distance, place, kept, bound)
            kept = min(rank(distance, place, index, kept, bound, order, keys, near_distance, near_place), k) if k > 0 else 0
            while kept > 0 and near_distance[kept - 1] >= strict:
                kept -= 1
            reach[i] = math.sqrt(near_distance[k - 1]) if 0 < k == kept else sight
            rows, parted, deepest, partner = agent_rows(
                own,
                packed,
                parameters[own, 3],
                dt,
                (flags & PART_COINCIDENT) != 0,
                seed,
                order,
                identifier,
                near_distance,
                near_place,
                kept,
                lanes,
                planes,
                rows,
            )
            overlap_depth[i] = deepest
            overlap_with[i] = order[partner] if partner >= 0 else -1
            # program and relaxation
            preferred_x = parameters[own, 0]
            preferred_y = parameters[own, 1]
            failed, vx, vy = permitted_velocity(planes, hard, rows, limit, preferred_x, preferred_y, derived)
            happened = COINCIDENT if parted else 0
            # an exact symmetry leaves the velocity on the preferred axis, and slower; only then are the neighbours
            # looked at
            until = turning[i]
            if (flags & BREAK_SYMMETRY) != 0 and kept > 0 and (vx != preferred_x or vy != preferred_y):
                length = math.sqrt(preferred_x * preferred_x + preferred_y * preferred_y)
                speed = min(length, limit)
                along = (vx * preferred_x + vy * preferred_y) / length if length > 0.0 else 0.0
                if speed > 0.0 and along < speed - ALONG * speed:
                    if until > step:
                        if along < HELD_UP * speed:
                            until = step + turn_steps
                    elif abs(vx * preferred_y - vy * preferred_x) <= ALONG * length * speed and stands_in_symmetry(
                        packed,
                        parameters,
                        own,
                        near_place,
                        kept,
                        preferred_x / length,
                        preferred_y / length,
                        length,
                    ):
                        until = step + turn_steps
                    # one nudge is not enough: a ring would close up again, so the turn is kept until the way is free
                    if until > step:
                        bx, by = biased(seed, identifier[i], step, along < HELD_UP * speed, preferred_x, preferred_y)
                        failed, vx, vy = permitted_velocity(planes, hard, rows, limit, bx, by, derived)
                        happened |= BIASED
            new_turning[i] = until
            if failed < rows:
                happened |= RELAXED
                if failed < hard:
                    happened |= HARD_FAILED
            if not (math.isfinite(vx) and math.isfinite(vy)):
                happened |= NON_FINITE
                if (flags & STOP_NON_FINITE) != 0:
                    vx = 0.0
                    vy = 0.0
            new_velocity[i, 0] = vx
            new_velocity[i, 1] = vy
            outcome[i] = happened


@kernel("void(i8,i8,f8,f8[:,::1],f8[:,::1],f8[:,::1])")
def integrate(first, last, dt, position, new_velocity, new_position):
    """position + velocity * dt for the agents [first, last), component-wise (spec "The step", part 2)."""
    for i in range(first, last):
        new_position[i, 0] = position[i, 0] + new_velocity[i, 0] * dt
        new_position[i, 1] = position[i, 1] + new_velocity[i, 1] * dt


@kernel("f8(i8,i8,f8[:,::1],f8[:,::1])")
def largest_move(first, last, position, new_position):
    """The longest displacement of the agents [first, last), rounded up."""
    longest = 0.0
    for i in range(first, last):
        dx = new_position[i, 0] - position[i, 0]
        dy = new_position[i, 1] - position[i, 1]
        longest = max(longest, dx * dx + dy * dy)
    return math.sqrt(longest) * ROUNDED_UP
