"""Cooperate: one look at everybody after a step: who has come where, who may go on, and what each wants next.

Three passes in index order: what became of the visits and waypoints of each, who wants what of those who go on and
those who wait, and who makes way for whom. Positions come in the unit of the world and are taken in cells.
"""

import math

from orca_core._jit import kernel
from orca_core.kernels.detour import detour
from orca_core.kernels.drifting import APPROACH, DRIFT, MAPF, MOVING, ORCA, STATE, WANTED, YIELD, aside, drift, queued
from orca_core.kernels.gates import BEHIND, FREE, INSIDE, OUTSIDE, granted
from orca_core.kernels.grid_sight import grid_sees
from orca_core.kernels.visits import HELD, NEXT, progress

__all__ = [
    *("ARRIVED", "CORRIDOR", "LOST", "NARROW", "SINCE", "SLOW", "TARGET", "WAIT_FOR", "WAYPOINT"),
    *("YIELD_TO", "cooperate"),
]

# columns of `walk` beside those of visits and drifting
WAYPOINT = 3
CORRIDOR = 4
WAIT_FOR = 5
YIELD_TO = 6
SINCE = 7
ARRIVED = 8
LOST = 9
SLOW = 10
NARROW = 11

# columns of `seen`, in the unit of the world: where to, and the velocity that is wanted
TARGET = 0
# in cells: where to while the waypoint is out of sight
ASIDE = 4

# steps between two looks whether the waypoint, and the next one, is in sight
LOOK_EVERY = 4
# nearer than this a waypoint is passed whatever is seen of the next
CLOSE = 0.1
# who gets less than this part of what it wants is slow; after so many steps it has somebody parked make way
HINDERED = 0.2
PATIENCE = 8
# whoever makes way does so for so many steps at most, while the other is within this
YIELD_STEPS = 60
YIELD_NEAR = 1.6
BLOCK_NEAR = 1.15
IN_WAY = 0.5
# whoever comes out of a gate has gone by so far from it
PASSED = 2.0

# whoever waits leaves so many square cells to each who goes before it and is within this: a crowd before a gate that is
# loose lets those out who come through, and whoever is next stands nearest
ROOM_EACH = 6.0
CROWD = 8.0


@kernel(
    # step, count, layer; settings: cell size, time step, radius, reach, in corridor, delta, in corridor at its end, all
    # lengths but the first in cells
    "i8(i8,i8,b1,f8[::1],f8[:,::1],f8[:,::1],f8[::1],u1[:,::1],i4[::1],"
    # waypoints: first, place in the path, points; visits: first, cell, step, agent, before, behind, order, cell first,
    # rank, left, turn, admitted, and whom each waits for that is not
    "i8[::1],i8[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],i8[::1],u1[::1],"
    "i8[::1],u1[::1],i8[::1],"
    # agents; what others have taken over; scratch
    "i8[:,::1],f8[:,::1],u1[::1],f8[:,::1],i8[::1],i8[::1],i8[::1],i8[::1])"
)
def cooperate(
    step, count, layer, settings, position, velocity, max_speed, blocked, place,
    way_first, way_step, way, first, cell, visit_step, agent_of, before, behind, order, cell_first, rank, left, turn,
    admitted, holder, walk, seen, taken, taken_target, head, chain, parent, queue,
):  # fmt: skip
    """Bring `walk` and `seen` up to date after a step; returns how many agents are not at their goal.

    Agents with `taken` are steered by somebody else toward `taken_target` (n, 2).
    """
    size = settings[0]
    dt = settings[1]
    radius = settings[2]
    reach = settings[3]
    tolerance = settings[4]
    delta = settings[5]
    ending = settings[6]
    width = blocked.shape[1] - 2
    height = blocked.shape[0] - 2

    # who is in which cell
    for c in range(width * height):
        head[c] = -1
    for i in range(count - 1, -1, -1):
        u = min(max(math.floor(position[i, 0] / size), 0), width - 1)
        v = min(max(math.floor(position[i, 1] / size), 0), height - 1)
        chain[i] = head[v * width + u]
        head[v * width + u] = i

    # visits and waypoints, and who has arrived
    away = 0
    for i in range(count):
        x = position[i, 0] / size
        y = position[i, 1] / size
        here = min(max(math.floor(y), 0), height - 1) * width + min(max(math.floor(x), 0), width - 1)
        progress(
            i, x, y, here, width, tolerance, ending, first, cell, before, behind, order, cell_first, rank, left, turn,
            admitted, walk,
        )  # fmt: skip
        w = walk[i, WAYPOINT]
        last = way_first[i + 1] - 1
        if taken[i] == 0:
            for _ in range(4):
                if w >= last:
                    break
                dx = way[w, 0] - x
                dy = way[w, 1] - y
                distance = math.sqrt(dx * dx + dy * dy)
                # a narrow stretch up to the waypoint must have been gone through
                following = walk[i, NEXT]
                if layer and following < first[i + 1] and visit_step[following] <= way_step[w]:
                    break
                # and one before it must have been left: a path may turn round at its mouth
                held = walk[i, HELD]
                u = math.floor(way[w, 0])
                v = math.floor(way[w, 1])
                if layer and held < following and visit_step[held] < way_step[w] and place[v * width + u] < 0:
                    break
                if distance > reach and (i + step) % LOOK_EVERY != 0:
                    break
                if not (distance <= CLOSE or grid_sees(x, y, way[w + 1, 0], way[w + 1, 1], radius, blocked)):
                    break
                w += 1
            walk[i, WAYPOINT] = w
        dx = way[last, 0] - x
        dy = way[last, 1] - y
        if dx * dx + dy * dy <= delta * delta and w == last:
            if walk[i, ARRIVED] < 0:
                walk[i, ARRIVED] = step
        else:
            walk[i, ARRIVED] = -1
            away += 1

    # what everybody wants
    for i in range(count):
        x = position[i, 0] / size
        y = position[i, 1] / size
        here = min(max(math.floor(y), 0), height - 1) * width + min(max(math.floor(x), 0), width - 1)
        limit = max_speed[i] / size
        w = walk[i, WAYPOINT]
        tx = way[w, 0]
        ty = way[w, 1]
        vx = 0.0
        vy = 0.0
        steered = True
        walk[i, CORRIDOR] = -1
        walk[i, WAIT_FOR] = -1
        state = ORCA
        walk[i, NARROW] = 1 if layer and place[here] >= 0 else 0
        if taken[i] != 0:
            state = MAPF
            tx = taken_target[i, 0] / size
            ty = taken_target[i, 1] / size
        elif layer:
            gate, visit = granted(i, way_step[w] + 1, first, cell, visit_step, rank, turn, admitted, walk)
            following = walk[i, NEXT]
            if gate != INSIDE and gate != OUTSIDE and following < first[i + 1] and place[here] < 0:
                # whoever has just come out toward it is let by before it goes in, unless that is itself, turning round
                c = cell[following]
                if visit_step[following] <= way_step[w] + 1 and rank[following] > cell_first[c]:
                    u = order[rank[following] - 1]
                    j = agent_of[u]
                    if (
                        j != i
                        and behind[u] == before[following]
                        and walk[j, NEXT] == u + 1
                        and walk[j, STATE] != DRIFT
                        and walk[j, WAIT_FOR] != i
                        and velocity[j, 0] * velocity[j, 0] + velocity[j, 1] * velocity[j, 1]
                        > MOVING * MOVING * max_speed[j] * max_speed[j]
                    ):
                        dx = position[j, 0] / size - (c % width + 0.5)
                        dy = position[j, 1] / size - (c // width + 0.5)
                        if dx * dx + dy * dy < PASSED * PASSED:
                            gate = OUTSIDE
                            visit = following
            if gate == BEHIND:
                tx = cell[visit] % width + 0.5
                ty = cell[visit] // width + 0.5
            elif gate != FREE:
                walk[i, CORRIDOR] = place[cell[visit]]
                walk[i, WAIT_FOR] = holder[i]
                if admitted[visit] != 0:
                    walk[i, WAIT_FOR] = agent_of[order[min(turn[cell[visit]], rank[visit] - 1)]]
                if gate == INSIDE:
                    state = DRIFT
                    tx = cell[visit - 1] % width + 0.5
                    ty = cell[visit - 1] // width + 0.5
                else:
                    mouth = before[visit]
                    mx = mouth % width + 0.5
                    my = mouth // width + 0.5
                    dx = mx - x
                    dy = my - y
                    distance = math.sqrt(dx * dx + dy * dy)
                    # those who go before it and are near come between: the more, the farther off it waits
                    c = cell[visit]
                    between = 0
                    for r in range(turn[c], rank[visit]):
                        j = agent_of[order[r]]
                        ox = position[j, 0] / size - mx
                        oy = position[j, 1] / size - my
                        if left[order[r]] == 0 and admitted[order[r]] != 0 and ox * ox + oy * oy < CROWD * CROWD:
                            between += 1
                    approach = math.sqrt(APPROACH * APPROACH + ROOM_EACH * between)
                    # whoever is still in the gate that it came through goes on until it is clear of that
                    if walk[i, HELD] < walk[i, NEXT]:
                        state = ORCA
                    elif distance <= approach + limit * dt or queued(
                        i, x, y, mx, my, position, size, width, height, head, chain, walk
                    ):
                        state = DRIFT
                        steered = False
                        vx, vy = drift(
                            i, x, y, mx, my, cell[visit] % width + 0.5, cell[visit] // width + 0.5, limit, here,
                            position, velocity, size, blocked, place, head, chain, walk, seen,
                        )  # fmt: skip
                        tx = x
                        ty = y
                    else:
                        # near enough to go on at once, and no nearer
                        limit = min(limit, (distance - approach) / dt)
        if steered:
            yielding = False
            px = 0.0
            py = 0.0
            if walk[i, STATE] == YIELD and state == ORCA and walk[i, YIELD_TO] >= 0:
                j = walk[i, YIELD_TO]
                dx = position[j, 0] / size - x
                dy = position[j, 1] / size - y
                if step - walk[i, SINCE] < YIELD_STEPS and dx * dx + dy * dy <= YIELD_NEAR * YIELD_NEAR:
                    state = YIELD
                    yielding = True
                    tx = seen[i, ASIDE + 2]
                    ty = seen[i, ASIDE + 3]
                    px, py = aside(x, y, -dx, -dy, seen[j, WANTED], seen[j, WANTED + 1], blocked, place)
                else:
                    walk[i, YIELD_TO] = -1
            # out of sight: round what is between
            if state != YIELD and (walk[i, LOST] != 0 or (i + step) % LOOK_EVERY == 0):
                lost = 0 if grid_sees(x, y, tx, ty, radius, blocked) else 1
                if lost != 0 and (walk[i, LOST] == 0 or (i + step) % LOOK_EVERY == 0):
                    found, ax, ay = detour(x, y, tx, ty, radius, layer, blocked, place, parent, queue)
                    if not found and layer:
                        found, ax, ay = detour(x, y, tx, ty, radius, False, blocked, place, parent, queue)
                    seen[i, ASIDE] = ax
                    seen[i, ASIDE + 1] = ay
                walk[i, LOST] = lost
            if state != YIELD and walk[i, LOST] != 0:
                tx = seen[i, ASIDE]
                ty = seen[i, ASIDE + 1]
            dx = tx - x
            dy = ty - y
            length = math.sqrt(dx * dx + dy * dy)
            if length > 0.0:
                speed = min(limit, length / dt)
                vx = dx / length * speed
                vy = dy / length * speed
            if yielding and (px != 0.0 or py != 0.0):
                # past the other and not against it
                vx += 2.0 * px * limit
                vy += 2.0 * py * limit
                speed = math.sqrt(vx * vx + vy * vy)
                if speed > limit:
                    vx = vx / speed * limit
                    vy = vy / speed * limit
        walk[i, STATE] = state
        if state != YIELD:
            walk[i, YIELD_TO] = -1
        seen[i, TARGET] = tx * size
        seen[i, TARGET + 1] = ty * size
        # how long it has got next to nothing of what it wants
        wanted = math.sqrt(vx * vx + vy * vy)
        got = (velocity[i, 0] * vx + velocity[i, 1] * vy) / size
        if state != DRIFT and walk[i, ARRIVED] < 0 and got < HINDERED * wanted * wanted:
            walk[i, SLOW] += 1
        else:
            walk[i, SLOW] = 0
        seen[i, WANTED] = vx * size
        seen[i, WANTED + 1] = vy * size

    # who is parked and blocks somebody makes way: to where the other is
    if layer:
        for i in range(count):
            if walk[i, SLOW] < PATIENCE or taken[i] != 0:
                continue
            x = position[i, 0] / size
            y = position[i, 1] / size
            u0 = math.floor(x)
            v0 = math.floor(y)
            for v in range(max(0, v0 - 1), min(height, v0 + 2)):
                for u in range(max(0, u0 - 1), min(width, u0 + 2)):
                    j = head[v * width + u]
                    while j >= 0:
                        dx = position[j, 0] / size - x
                        dy = position[j, 1] / size - y
                        wx = seen[i, TARGET] / size - x
                        wy = seen[i, TARGET + 1] / size - y
                        far = math.sqrt(wx * wx + wy * wy)
                        along = dx * wx + dy * wy
                        across = dx * wy - dy * wx
                        # between it and where it goes, or on that very place
                        ahead = 0.0 < along < far * (far + IN_WAY) and abs(across) < far * 2.0 * radius
                        if (
                            j != i
                            and walk[j, ARRIVED] >= 0
                            and walk[j, STATE] == ORCA
                            and ahead
                            and place[v * width + u] < 0
                            and dx * dx + dy * dy <= BLOCK_NEAR * BLOCK_NEAR
                        ):
                            walk[j, STATE] = YIELD
                            walk[j, YIELD_TO] = i
                            walk[j, SINCE] = step
                            seen[j, ASIDE + 2] = x
                            seen[j, ASIDE + 3] = y
                        j = chain[j]
    return away
