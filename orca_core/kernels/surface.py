"""The phase that keeps centres on the walkable surface: a move is clipped at the boundary and slides along it.

Boundary half-planes alone leak at vertices: a stretch gives none beside its ends, and edges shorter than the margin
give none at all. This phase is what holds. Its invariant is exact and inductive: a centre that passes `inside` before a
step passes it after the step, and neither the move nor any part of it leaves the area or crosses a wall. Rounding is
met by trying, not by a tolerance: a point that fails the exact tests is shifted inward or back by the spacing of
doubles, doubled until it passes; the last resort is the point the move came from.

A centre outside (it was put there, or the area changed) goes straight toward the nearest point of the area, at most
max_speed x dt a step and in place of the solver's move, until it is inside for good. Walls stop it all the same.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.area import edges_block, first_block, inside, nearest
from orca_core.kernels.orientation import orientation
from orca_core.kernels.tree import query_box
from orca_core.kernels.walls import SPACING, clip_at_walls, clip_listed, walls_block

__all__ = ["RECOVERING", "SLID", "UNTOUCHED", "move_on_surface", "recover", "slide", "surface_phase"]

UNTOUCHED = 0
SLID = 1
RECOVERING = 2

# outside by no more than this part of the coordinates, a centre was meant to be on the boundary
ROUNDED = 1e-12

# edges that one move can follow; the rest of a longer way round many tiny edges is left for the next step
SLIDES = 24
# slides in a row without progress that show a corner
STUCK = 3
# doublings of a shift before it is given up
SHIFTS = 60


@kernel("Tuple((f8,f8))(i8,f8[:,::1])")
def inward(e, edges):
    """Unit normal of edge e toward the area, (0, 0) for an edge without length."""
    ex = edges[e, 2] - edges[e, 0]
    ey = edges[e, 3] - edges[e, 1]
    length = math.sqrt(ex * ex + ey * ey)
    if not length > 0.0:
        return 0.0, 0.0
    return -ey / length, ex / length


@kernel(
    "b1(f8,f8,f8,f8,f8,f8,f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],"
    "f8[:,::1],i8[::1],i8[::1],i8,i8[::1],i8,f8[::1])"
)
def reachable(
    px, py, cx, cy, x, y, edges, following, preceding, nodes, leaves, order, boxes, walls, stack, found, count,
    found_walls, wall_count, work,
):  # fmt: skip
    """Whether the move may go on from c to (x, y): inside, and neither c -> (x, y) nor p -> (x, y) is blocked."""
    if x == cx and y == cy:
        return True
    if edges_block(cx, cy, x, y, edges, following, preceding, found, count, work):
        return False
    if walls_block(cx, cy, x, y, walls, found_walls, wall_count, work):
        return False
    if px != cx or py != cy:
        if edges_block(px, py, x, y, edges, following, preceding, found, count, work):
            return False
        if walls_block(px, py, x, y, walls, found_walls, wall_count, work):
            return False
    return inside(x, y, edges, nodes, leaves, order, boxes, stack, work)


@kernel(
    "Tuple((f8,f8))(f8,f8,f8,f8,f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],"
    "f8[:,::1],i8[::1],i8[::1],i8,i8[::1],i8,f8[::1])"
)
def slide(
    px, py, qx, qy, edges, following, preceding, nodes, leaves, order, boxes, walls, stack, found, count, found_walls,
    wall_count, work,
):  # fmt: skip
    """Where the move p -> q ends that is clipped at each edge and goes on along it; p must be inside.

    `found[:count]` and `found_walls[:wall_count]` hold what lies within |q - p| of p, a negative count standing for
    all. What is left of the move is projected from its own direction each time, never from that of the last edge, so
    that no slide carries a centre past the point where it is as far along the move as the area lets it be.
    """
    # where the walk stands, and what is left of the move
    cx = px
    cy = py
    rest_x = qx - px
    rest_y = qy - py
    along = -1
    stuck = 0
    for _ in range(SLIDES):
        spacing = SPACING * max(max(abs(cx), abs(cy)), max(abs(rest_x), abs(rest_y)))
        # the target: all that is left, or its part along the edge that stopped the move
        tx = cx + rest_x
        ty = cy + rest_y
        along_x = 0.0
        along_y = 0.0
        if along >= 0:
            along_x, along_y = inward(along, edges)
            part = rest_x * along_y - rest_y * along_x
            tx = cx + along_y * part
            ty = cy - along_x * part
            shift = spacing
            for _shift in range(SHIFTS):
                if orientation(edges[along, 0], edges[along, 1], edges[along, 2], edges[along, 3], tx, ty, work) >= 0:
                    break
                tx += along_x * shift
                ty += along_y * shift
                shift += shift
        # a wall ends the move there; an edge clips it
        tx, ty, at_wall = clip_listed(cx, cy, tx, ty, walls, found_walls, wall_count, work)
        edge, fraction = first_block(cx, cy, tx, ty, edges, following, preceding, found, count, work)
        dx = tx - cx
        dy = ty - cy
        length = math.sqrt(dx * dx + dy * dy)
        x = cx + dx * fraction if edge >= 0 else tx
        y = cy + dy * fraction if edge >= 0 else ty
        normal_x = 0.0
        normal_y = 0.0
        if edge >= 0:
            normal_x, normal_y = inward(edge, edges)
        # the clipped point, shifted until every test passes: away from the edge, into the middle of the corner, back;
        # with
        # nothing left of the way it stays where it is
        ex = x
        ey = y
        passed = reachable(
            px, py, cx, cy, x, y, edges, following, preceding, nodes, leaves, order, boxes, walls, stack, found, count,
            found_walls, wall_count, work,
        )  # fmt: skip
        shift = spacing
        while not passed and shift < length * fraction:
            for way in range(3):
                if way == 2:
                    sx = x - dx * (shift / length)
                    sy = y - dy * (shift / length)
                else:
                    sx = x + (normal_x + along_x * way) * shift
                    sy = y + (normal_y + along_y * way) * shift
                if not passed and reachable(
                    px, py, cx, cy, sx, sy, edges, following, preceding, nodes, leaves, order, boxes, walls, stack,
                    found, count, found_walls, wall_count, work,
                ):  # fmt: skip
                    passed = True
                    ex = sx
                    ey = sy
            shift += shift
        # progress, and whether anything is left to do
        made = 0.0
        if passed:
            made = math.sqrt((ex - cx) * (ex - cx) + (ey - cy) * (ey - cy))
            cx = ex
            cy = ey
        if edge < 0 or at_wall:
            break
        stuck = stuck + 1 if made <= 8.0 * spacing else 0
        if stuck >= STUCK:
            break
        rest_x *= 1.0 - fraction
        rest_y *= 1.0 - fraction
        along = edge
    return cx, cy


@kernel("Tuple((f8,f8))(f8,f8,f8,f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1])")
def recover(px, py, max_step, edges, following, preceding, nodes, leaves, order, boxes, stack, found, work):
    """Where a centre outside goes: straight toward the nearest point of the area, at most max_step, there if it can."""
    edge, squared, nx, ny = nearest(px, py, max_step, edges, nodes, leaves, order, boxes, stack, found)
    if edge < 0:
        return px, py
    distance = math.sqrt(squared)
    if distance > max_step:
        return px + (nx - px) / distance * max_step, py + (ny - py) / distance * max_step
    if inside(nx, ny, edges, nodes, leaves, order, boxes, stack, work):
        return nx, ny
    # rounding put the point beside its edge: inward by the least that will do, near an end into the corner's middle
    first_x, first_y = inward(edge, edges)
    before_x, before_y = inward(preceding[edge], edges)
    after_x, after_y = inward(following[edge], edges)
    shift = SPACING * max(max(abs(nx), abs(ny)), distance)
    limit = max(max_step - distance, 4096.0 * shift)
    for _ in range(SHIFTS):
        if shift > limit:
            break
        for way in range(3):
            sx = first_x + (before_x if way == 1 else after_x if way == 2 else 0.0)
            sy = first_y + (before_y if way == 1 else after_y if way == 2 else 0.0)
            if inside(nx + sx * shift, ny + sy * shift, edges, nodes, leaves, order, boxes, stack, work):
                return nx + sx * shift, ny + sy * shift
        shift += shift
    # thinner than rounding: its vertices are exact; else wait just outside
    for end in range(0, 4, 2):
        x = edges[edge, end]
        y = edges[edge, end + 1]
        if (x - px) * (x - px) + (y - py) * (y - py) <= max_step * max_step:
            return x, y
    return nx, ny


@kernel(
    "Tuple((f8,f8,i8,i8))(f8,f8,f8,f8,f8,i8,f8[:,::1],i8[::1],i8[::1],f8[:,::1],i8,i8[::1],f8[:,::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[::1])"
)
def move_on_surface(
    px, py, qx, qy, max_step, known_inside, edges, following, preceding, nodes, leaves, order, boxes, walls, wall_nodes,
    wall_leaves, wall_order, wall_boxes, stack, found, found_walls, work,
):  # fmt: skip
    """Correct one agent's move p -> q; returns (x, y, status, whether the new place is inside, as 0 or 1).

    `known_inside` is not 0 where p has passed `inside` since the geometry last changed; it saves the question. `edges`
    (e, 4) are those of the agent's radius class, `following` and `preceding` the neighbours along the rings, then its
    box tree; `walls` the two-sided walls and theirs (no rows: no walls). status: 0 untouched (the bits of q), 1 slid or
    stopped, 2 outside and recovering. Without edges there is no place for the agent: it stays where it is, as 2.
    """
    if edges.shape[0] == 0:
        return px, py, RECOVERING, 0
    arrival = UNTOUCHED
    if known_inside == 0 and not inside(px, py, edges, nodes, leaves, order, boxes, stack, work):
        x, y = recover(px, py, max_step, edges, following, preceding, nodes, leaves, order, boxes, stack, found, work)
        x, y, _ = clip_at_walls(
            px, py, x, y, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, stack, found_walls, work
        )
        if not inside(x, y, edges, nodes, leaves, order, boxes, stack, work):
            return x, y, RECOVERING, 0
        if (x - px) * (x - px) + (y - py) * (y - py) > ROUNDED * ROUNDED * max(1.0, max(px * px, py * py)):
            return x, y, RECOVERING, 1
        # put on the boundary, as near as doubles go: that is no step lost
        px = x
        py = y
        arrival = RECOVERING
    if not (math.isfinite(qx) and math.isfinite(qy)):
        return px, py, max(arrival, SLID), 1
    # free: nothing near, or nothing in the way
    x, y, at_wall = clip_at_walls(
        px, py, qx, qy, walls, wall_nodes, wall_leaves, wall_order, wall_boxes, stack, found_walls, work
    )
    status = max(arrival, SLID if at_wall else UNTOUCHED)
    count = query_box(
        nodes, leaves, order, boxes, edges.shape[0], min(px, x), min(py, y), max(px, x), max(py, y), stack, found
    )
    if count == 0:
        return x, y, status, 1
    if not edges_block(px, py, x, y, edges, following, preceding, found, count, work) and inside(
        x, y, edges, nodes, leaves, order, boxes, stack, work
    ):
        return x, y, status, 1
    # blocked: everything within the length of the move may matter
    dx = x - px
    dy = y - py
    half = math.sqrt(dx * dx + dy * dy)
    half += 1e-9 * (half + max(abs(px), abs(py)))
    count = query_box(
        nodes, leaves, order, boxes, edges.shape[0], px - half, py - half, px + half, py + half, stack, found
    )
    wall_count = 0
    if walls.shape[0] > 0:
        wall_count = query_box(
            wall_nodes, wall_leaves, wall_order, wall_boxes, walls.shape[0], px - half, py - half, px + half, py + half,
            stack, found_walls,
        )  # fmt: skip
    x, y = slide(
        px, py, x, y, edges, following, preceding, nodes, leaves, order, boxes, walls, stack, found, count, found_walls,
        wall_count, work,
    )  # fmt: skip
    return x, y, max(arrival, SLID), 1


@kernel(
    "i8(f8[:,::1],f8[:,::1],f8[:,::1],f8,f8[::1],i8[::1],u1[::1],u1[::1],u1[::1],i8[::1],u1[::1],u1,i8,i8,"
    "i8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[:,::1],i8[::1],i8[::1],f8[:,::1],"
    "f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],f8[::1])"
)
def surface_phase(
    position, velocity, next_position, dt, max_speed, agent_class, known_inside, inside_next, status, order, marks,
    mark,
    first, last, class_start, edges, following, preceding, node_start, nodes, leaves, rank, boxes, walls, wall_nodes,
    wall_leaves,
    wall_order, wall_boxes, stack, found, found_walls, work,
):  # fmt: skip
    """Correct the moves of the agents at the places [first, last) of `order`; returns how many were changed.

    An agent that is known to be inside and whose `marks` lack the bit `mark` has no edge and no wall within reach of
    its
    move and is passed over. Class k of `agent_class` (n,) has the edges class_start[k]..class_start[k+1], the tree
    nodes
    node_start[k]..node_start[k+1] and leaves[k] leaves; `following`, `preceding` and `rank`, the order of the tree,
    count
    from the first edge of the class. Where a move is changed `next_position` and `velocity` = (next - position) / dt
    are
    written; all others keep their bits. `inside_next` and `status` get what `move_on_surface` says.
    """
    total = 0
    for place in range(first, last):
        i = order[place]
        if known_inside[i] != 0 and (marks[place] & mark) == 0:
            inside_next[i] = 1
            status[i] = UNTOUCHED
            continue
        px = position[i, 0]
        py = position[i, 1]
        k = agent_class[i]
        e0 = class_start[k]
        e1 = class_start[k + 1]
        x, y, code, known = move_on_surface(
            px, py, next_position[i, 0], next_position[i, 1], max_speed[i] * dt, known_inside[i], edges[e0:e1],
            following[e0:e1], preceding[e0:e1], nodes[node_start[k] : node_start[k + 1]], leaves[k], rank[e0:e1],
            boxes[e0:e1], walls, wall_nodes, wall_leaves, wall_order, wall_boxes, stack, found, found_walls, work,
        )  # fmt: skip
        inside_next[i] = known
        status[i] = code
        if code != UNTOUCHED:
            next_position[i, 0] = x
            next_position[i, 1] = y
            velocity[i, 0] = (x - px) / dt
            velocity[i, 1] = (y - py) / dt
            total += 1
    return total
