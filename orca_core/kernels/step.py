"""Solving: the new velocity of every agent in a range of leaves: neighbours, constraints, program, relaxation.

Reads the frame, which is the frozen state of the start of the step, and writes only the rows of its own agents, so a
range can be computed by anybody, again, and in any order, with the same bits. Source: spec "Neighbours and constraint
order" and "The step".
"""

import math

from orca_core._jit import kernel, prefetch
from orca_core.kernels.bodies import body_velocity, eased_wish, is_limited, settled
from orca_core.kernels.candidates import chosen_velocity
from orca_core.kernels.clearance import kept_clear
from orca_core.kernels.constraints import GROWTH, boundary_rows, wall_rows
from orca_core.kernels.density import crowding, held_back, local_density
from orca_core.kernels.detail import coasts_on, wanted_of_leaf
from orca_core.kernels.eligible import eligible_of_leaf
from orca_core.kernels.half_planes import LANES, cone_lanes, gather_lanes, take_rows
from orca_core.kernels.linear_program import permitted_velocity
from orca_core.kernels.nearest import nearest_of_leaf
from orca_core.kernels.preferred import preferred_velocity
from orca_core.kernels.shares import shared_rows, unyielding_wish
from orca_core.kernels.storeys import walls_at_height
from orca_core.kernels.symmetry import biased, stands_in_symmetry
from orca_core.kernels.tree import LEAF, query_box
from orca_core.kernels.turning import direction, wedge_rows

__all__ = ["OVERLAP_SLACK", "solve_leaves"]

# what happened to an agent in a step, as bits of `outcome`
RELAXED = 1
HARD_FAILED = 2
NON_FINITE = 4
BIASED = 8
COINCIDENT = 16
NEAR_STATICS = 32
OVERLAPPING = 64
COASTED = 128

# options as bits of `flags`
PART_COINCIDENT = 1
BREAK_SYMMETRY = 2
STOP_NON_FINITE = 4
CLAMP_PREFERRED = 8
ONE_SIDE = 1 << 20
# and what agents have among them of `yielding`: somebody does not heed everybody; shares differ; somebody is locked
SELECTING = 256
SHARING = 512
LOCKING = 1024
# what a world is asked for beyond half-planes and free bodies: limits of bodies; obstacles in place of half-planes, the
# whole correction or half of it; slowing where it is dense; turns for those who are far from everything
BODIES = 2048
VELOCITY_OBSTACLES = 4096
RECIPROCAL_OBSTACLES = 8192
SLOWING = 16384
DETAIL = 32768

# an overlap shallower than this share of the sum of the radii is a touch with rounding
OVERLAP_SLACK = 1e-6
# what lies within a step's move, and a little more, may be reached in it
MOVE_MARGIN = 1.0 + 1e-6
# how many places ahead memory is asked for
AHEAD = 16
# a solved velocity this near the preferred direction (relative) may come from a symmetry
ALONG = 1e-9
# who gets less than this share of the wanted speed while turning aside is still held up, and goes on turning
HELD_UP = 0.5
# for so many turns in a row at most
MOST_TURNS = 4


@kernel(
    # range, time, options, drift of the lists
    "void(i8,i8,i8,f8,f8,i8,i8,i8,i8,f8,f8,"
    # tree and frame
    "i8,i8[::1],i8[::1],f8[:,::1],f8[::1],f8[::1],f8[:,::1],f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],"
    # agents by index
    "i8[::1],i8[::1],f8[:,::1],u1[::1],f8[::1],f8[::1],f8[:,::1],i8[::1],f8[:,::1],u1[::1],"
    # walls, and at which heights; boundaries
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],f8[:,::1],f8[::1],f8[::1],"
    "f8[:,::1],f8[::1],f8[::1],i8[::1],f8[::1],f8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],"
    # lists
    "u4[:,::1],i2[::1],f8[::1],"
    # scratch
    "u1[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[:,::1],i8[::1],i8[::1],f8[::1],f8[::1],i8[::1],f8[::1],"
    "f8[:,::1],i8[:,::1],i8[::1],f8[::1],f8[::1],f8[:,::1],f8[::1],i8[::1],f8[::1],i8[::1],f8[:,::1],f8[:,::1],"
    "f8[::1],i8[::1],i8[::1],f8[::1],"
    # output
    "f8[:,::1],f8[:,::1],i8[::1],i8[::1],u1[::1],f8[::1],f8[::1],i8[::1],f8[:,::1])"
)
def solve_leaves(
    first_leaf, last_leaf, count, dt, floor, flags, seed, step, turn_steps, drift, slack,
    leaves, order, leaf_first, boxes, leaf_x, leaf_y, packed, parameters, terms, bonds, bodies, interest,
    identifier, turning, goal, has_goal, preferred_speed, goal_tolerance, given, radius_class, heading, bound,
    walls, wall_nodes, wall_leaves, wall_order, wall_boxes, wall_range, elevation, height,
    edges, edge_clearance, edge_horizon, class_start, class_clearance, class_horizon, edge_nodes, edge_node_start,
    edge_leaves, edge_order, edge_boxes,
    listed, list_count, list_radius,
    planted, nodes, near, wide, stack, distance, place, index, nearer, common_x, common_y, common_place, squares,
    near_distance, near_place, near_counts, bounds, lanes, wishes, guesses, found, item_distance, item, planes, derived,
    shares, found_here, at_most, discs,
    new_velocity, new_position, new_turning, since, outcome, reach, overlap_depth, overlap_with, facing,
):  # fmt: skip
    """Write the new velocity of every agent in the leaves [first_leaf, last_leaf), and what happened to it.

    Rows written: new_velocity (n, 2), new_turning and since (the steps between which it turns aside), outcome bits,
    reach
    (distance of
    the k-th neighbour, the next step's guess), the deepest overlap at the start of the step and the index of the
    agent it
    is with (-1 for none). `drift` is the way that anybody may have gone since the places were sorted, `slack` by how
    much
    two may have come closer in the last step.
    """
    clamp = (flags & CLAMP_PREFERRED) != 0
    one_side = (flags & ONE_SIDE) != 0
    sharing = (flags & SHARING) != 0
    storeys = wall_range.shape[0] > 0
    limiting = (flags & BODIES) != 0
    judging = (flags & (VELOCITY_OBSTACLES | RECIPROCAL_OBSTACLES)) != 0
    detailed = (flags & DETAIL) != 0
    for leaf in range(first_leaf, last_leaf):
        begin = leaf * LEAF
        end = min(begin + LEAF, count)
        if begin >= end:
            break
        # agents near in space are anywhere in index order, so each of these is a cache line of its own that no machine
        # foresees: asked for while the leaf before is computed
        for ahead in range(begin + AHEAD, min(end + AHEAD, count)):
            i = order[ahead]
            prefetch(reach, i)
            prefetch(goal, i)
            prefetch(has_goal, i)
            prefetch(preferred_speed, i)
            prefetch(goal_tolerance, i)
            prefetch(turning, i)
            prefetch(new_velocity, i)
            prefetch(new_position, i)
        # a common list of walls
        found_count = 0
        if walls.shape[0] > 0:
            wall_reach = 0.0
            for own in range(begin, end):
                wall_reach = max(wall_reach, max(parameters[own, 2], floor) * parameters[own, 0] + packed[own, 4])
            grown = wall_reach + GROWTH * (
                wall_reach
                + max(max(abs(boxes[leaf, 0]), abs(boxes[leaf, 2])), max(abs(boxes[leaf, 1]), abs(boxes[leaf, 3])))
            )
            found_count = query_box(
                wall_nodes, wall_leaves, wall_order, wall_boxes, walls.shape[0], boxes[leaf, 0] - grown,
                boxes[leaf, 1] - grown, boxes[leaf, 2] + grown, boxes[leaf, 3] + grown, stack, found,
            )  # fmt: skip
        # how many neighbours each gets
        if detailed:
            wanted_of_leaf(begin, end, step, dt, order, packed, parameters, goal, bound, interest, at_most)
        else:
            for own in range(begin, end):
                at_most[own - begin] = int(parameters[own, 4])
        # the nearest agents of all members
        total = nearest_of_leaf(
            leaf, begin, end, drift, slack, leaves, order, leaf_first, boxes, leaf_x, leaf_y, packed, parameters, reach,
            listed, list_count, list_radius, planted, nodes, near, wide, stack, distance, place, index, nearer,
            common_x, common_y, common_place, squares, near_distance, near_place, near_counts, bounds, guesses,
            at_most,
        )  # fmt: skip
        if (flags & SELECTING) != 0:
            eligible_of_leaf(
                begin, end, drift, leaves, order, boxes, leaf_x, leaf_y, packed, parameters, listed, list_count,
                list_radius, terms, bonds, planted, nodes, stack, index, near_distance, near_place, near_counts,
                at_most,
            )  # fmt: skip
        # their half-planes all at once where there is room for them
        together = total <= LANES and not sharing
        at = 0
        if together:
            for own in range(begin, end):
                kept = near_counts[own - begin]
                gather_lanes(own, packed, parameters[own, 1], near_place[own - begin], 0, kept, lanes, at)
                at += kept
            cone_lanes(lanes, total)
            at = 0
        for own in range(begin, end):
            slot = own - begin
            i = order[own]
            # between its turns an agent far from everything goes on as it went
            if detailed and at_most[slot] < 0:
                coasts_on(own, i, dt, packed, new_velocity, new_position)
                # walls and boundaries are not looked for here, so any of them may be within its move
                outcome[own] = COASTED | (NEAR_STATICS if walls.shape[0] > 0 or edges.shape[0] > 0 else 0)
                if limiting:
                    facing[own, 0] = 0.0
                    facing[own, 1] = 0.0
                continue
            px = packed[own, 0]
            py = packed[own, 1]
            limit = parameters[own, 0]
            obstacle_horizon = max(parameters[own, 2], floor)
            rows = 0
            happened = 0
            # the directions that its body can turn to come before all else
            limited = False
            heading_x = 0.0
            heading_y = 0.0
            if limiting:
                limited = is_limited(own, bodies)
                heading_x, heading_y = direction(packed[own, 2], packed[own, 3], heading[i, 0], heading[i, 1])
                rows = wedge_rows(heading_x, heading_y, bodies[own, 1], bodies[own, 2], planes)
            body_rows = rows
            # what a move can reach in this step; walls and boundaries beyond need not be looked at afterwards
            move = limit * dt * MOVE_MARGIN + GROWTH * (abs(px) + abs(py))
            # constraints: walls, then boundaries, both hard
            if found_count > 0:
                radius = kept_clear(packed[own, 4])
                if storeys:
                    here_count = walls_at_height(
                        found, found_count, wall_range, elevation[i], elevation[i] + height[i], found_here
                    )
                    rows, closest = wall_rows(
                        px, py, radius, obstacle_horizon * limit + radius, move, obstacle_horizon, dt, one_side, walls,
                        wall_boxes, found_here, here_count, item_distance, item, planes, rows,
                    )  # fmt: skip
                else:
                    rows, closest = wall_rows(
                        px, py, radius, obstacle_horizon * limit + radius, move, obstacle_horizon, dt, one_side, walls,
                        wall_boxes, found, found_count, item_distance, item, planes, rows,
                    )  # fmt: skip
                if closest <= move * move:
                    happened = NEAR_STATICS
            if edges.shape[0] > 0:
                group = radius_class[i]
                first = class_start[group]
                edge_count = class_start[group + 1] - first
                if edge_count > 0:
                    grown = max(obstacle_horizon, class_horizon[group]) * limit + class_clearance[group]
                    grown = max(grown, move)
                    grown += GROWTH * (grown + max(abs(px), abs(py)))
                    start = edge_node_start[group]
                    edges_found = query_box(
                        edge_nodes[start : edge_node_start[group + 1]], edge_leaves[group],
                        edge_order[first : first + edge_count], edge_boxes[first : first + edge_count], edge_count,
                        px - grown, py - grown, px + grown, py + grown, stack, wide,
                    )  # fmt: skip
                    if edges_found > 0:
                        rows, closest = boundary_rows(
                            px, py, limit, parameters[own, 2], floor, edges, edge_clearance, edge_horizon, first, wide,
                            edges_found, item_distance, item, planes, rows,
                        )  # fmt: skip
                        if closest <= move * move:
                            happened = NEAR_STATICS
            hard = rows
            # constraints: the nearest agents
            kept = near_counts[slot]
            parted = False
            deepest = 0.0
            partner = -1
            if sharing:
                rows, parted, deepest, partner = shared_rows(
                    own, packed, terms, bonds, parameters[own, 1], dt, (flags & PART_COINCIDENT) != 0, seed, order,
                    identifier, near_distance[slot], near_place[slot], kept, shares, planes, rows,
                )  # fmt: skip
            for start in range(0, kept if not sharing else 0, LANES):
                take = min(kept - start, LANES)
                if not together:
                    at = 0
                    gather_lanes(own, packed, parameters[own, 1], near_place[slot], start, take, lanes, at)
                    cone_lanes(lanes, take)
                some_parted, deepest, partner = take_rows(
                    own, packed, parameters[own, 1], dt, (flags & PART_COINCIDENT) != 0, seed, order, identifier,
                    near_distance[slot], near_place[slot], start, take, lanes, at, planes, rows, deepest, partner,
                )  # fmt: skip
                parted |= some_parted
                rows += take
                at += take
            if partner >= 0 and deepest > OVERLAP_SLACK * (packed[own, 4] + packed[partner, 4]):
                happened |= OVERLAPPING
                overlap_depth[own] = deepest
                overlap_with[own] = order[partner]
            if parted:
                happened |= COINCIDENT
            # program and relaxation
            preferred_x, preferred_y = preferred_velocity(
                i, px, py, dt, clamp, limit, goal, has_goal, preferred_speed, goal_tolerance, given
            )
            if limiting:
                facing[own, 0] = preferred_x
                facing[own, 1] = preferred_y
                if limited and bound[i]:
                    preferred_x, preferred_y = eased_wish(
                        preferred_x, preferred_y, px, py, goal[i, 0], goal[i, 1], dt, heading_x, heading_y, own, bodies
                    )
            calm = 1.0
            if (flags & SLOWING) != 0 and kept > 1:
                calm = crowding(local_density(kept, near_distance[slot, kept - 1]))
                preferred_x *= calm
                preferred_y *= calm
            if judging and kept > 0:
                # the other modes choose a velocity outside the obstacles, and walls keep the last word
                _, preferred_x, preferred_y = permitted_velocity(
                    planes, hard, hard, limit, preferred_x, preferred_y, derived
                )
                if (flags & VELOCITY_OBSTACLES) != 0 or not sharing:
                    for n in range(kept):
                        shares[n] = 1.0 if (flags & VELOCITY_OBSTACLES) != 0 else 0.5
                free, preferred_x, preferred_y = chosen_velocity(
                    own, packed, near_place[slot], kept, parameters[own, 1], dt, shares, limit, preferred_x,
                    preferred_y, planes, hard, discs,
                )  # fmt: skip
                rows = hard
                if not free:
                    happened |= RELAXED
            if limited:
                failed, vx, vy = body_velocity(
                    planes, body_rows, hard, rows, limit, packed[own, 2], packed[own, 3], preferred_x, preferred_y,
                    own, bodies, heading_x, heading_y, discs, derived,
                )  # fmt: skip
            else:
                failed, vx, vy = permitted_velocity(planes, hard, rows, limit, preferred_x, preferred_y, derived)
            # an exact symmetry leaves the velocity on the preferred axis, and slower; only then are the neighbours
            # looked at
            until = turning[i]
            # what it is slower than: its wish, or for a body what it could do if nobody were there
            aim_x = preferred_x
            aim_y = preferred_y
            if limited and (flags & BREAK_SYMMETRY) != 0 and kept > 0:
                _, aim_x, aim_y = body_velocity(
                    planes, body_rows, body_rows, body_rows, limit, packed[own, 2], packed[own, 3], preferred_x,
                    preferred_y, own, bodies, heading_x, heading_y, discs, derived,
                )  # fmt: skip
            if (flags & BREAK_SYMMETRY) != 0 and kept > 0 and (vx != aim_x or vy != aim_y):
                length = math.sqrt(aim_x * aim_x + aim_y * aim_y)
                speed = min(length, limit)
                along = (vx * aim_x + vy * aim_y) / length if length > 0.0 else 0.0
                if speed > 0.0 and along < speed - ALONG * speed:
                    if until > step:
                        # a turn that has not helped for so long is given up: it may have become a circle
                        if along < HELD_UP * speed and step - since[i] < MOST_TURNS * turn_steps:
                            until = step + turn_steps
                    elif abs(vx * aim_y - vy * aim_x) <= ALONG * length * speed:
                        for n in range(kept):
                            j = near_place[slot, n]
                            wishes[n, 0], wishes[n, 1] = preferred_velocity(
                                order[j], packed[j, 0], packed[j, 1], dt, clamp, parameters[j, 0], goal, has_goal,
                                preferred_speed, goal_tolerance, given,
                            )  # fmt: skip
                            if sharing:
                                wishes[n, 0], wishes[n, 1] = unyielding_wish(
                                    packed, bonds, j, shares[n], wishes[n, 0], wishes[n, 1], preferred_x, preferred_y
                                )
                        if stands_in_symmetry(
                            packed, wishes, own, near_place[slot], kept, aim_x / length, aim_y / length,
                            length,
                        ):  # fmt: skip
                            until = step + turn_steps
                            since[i] = step
                    # one nudge is not enough: a ring would close up again, so the turn is kept until the way is free
                    if until > step:
                        bx, by = biased(seed, identifier[i], step, along < HELD_UP * speed, preferred_x, preferred_y)
                        if limited:
                            failed, vx, vy = body_velocity(
                                planes, body_rows, hard, rows, limit, packed[own, 2], packed[own, 3], bx, by, own,
                                bodies, heading_x, heading_y, discs, derived,
                            )  # fmt: skip
                        else:
                            failed, vx, vy = permitted_velocity(planes, hard, rows, limit, bx, by, derived)
                        happened |= BIASED
            if calm < 1.0:
                vx, vy = held_back(vx, vy, calm, limit)
                if limited:
                    vx, vy = settled(
                        vx, vy, packed[own, 2], packed[own, 3], bodies[own, 0], heading_x, heading_y, bodies[own, 1],
                        bodies[own, 2],
                    )  # fmt: skip
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
            new_position[i, 0] = px + vx * dt
            new_position[i, 1] = py + vy * dt
            outcome[own] = happened
