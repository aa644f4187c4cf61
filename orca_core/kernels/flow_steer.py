"""Steering by a flow field: the velocity that agents with one goal prefer, where each of them stands now.

Nobody is ever sent through something that stands: an agent heads for a point that it sees. Where the cells round it all
head for the same point that is known; elsewhere, near walls and where ways part, it looks, the shortest way first.
"""

import math

from orca_core._jit import kernel, prefetch
from orca_core.kernels.flow_sight import column_of, sees_known

__all__ = ["AHEAD", "CANDIDATES", "LOST", "ON_THE_WAY", "steer_along"]

# of an agent that can reach its goal, and of one that is nowhere
ON_THE_WAY = -2
LOST = -1

# how many members ahead, a power of two, memory is asked for: where each stands in the grid no machine foresees
AHEAD = 16
# and how many of those who look
LATER = 4
# at most so many goals and points are looked at from one place
CANDIDATES = 128
# how many rings of cells are looked at for a place to go on from, beside a wall that one is pressed against
WIDEST = 32


@kernel("i8(i8,i8,f8,f8,f8[:,::1],f8[:,::1],f8[::1],i4[::1],f8[::1])", inline=True)
def with_candidate(number, count, px, py, goals, point, distance, numbers, lengths):
    """Put a goal or a point among the candidates if it is not yet and there is room; returns how many there are."""
    points = point.shape[0]
    for k in range(count):
        if numbers[k] == number:
            return count
    if count == numbers.shape[0]:
        return count
    if number >= points:
        dx = goals[number - points, 0] - px
        dy = goals[number - points, 1] - py
        rest = 0.0
    else:
        dx = point[number, 0] - px
        dy = point[number, 1] - py
        rest = distance[number]
    numbers[count] = number
    lengths[count] = rest + math.sqrt(dx * dx + dy * dy)
    return count + 1


@kernel(
    "i8(f8,f8,i8,f8[:,::1],i8,i8,f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,"
    "f8[:,::1],i4[::1],f8[::1],i4[::1],i4[::1],i4[::1],f8[::1])"
)
def seen_point(
    px, py, unseen, goals, column, row, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach,
    slack, point, narrow, distance, onward, direct, numbers, lengths,
):  # fmt: skip
    """What is seen from p and is on the shortest way, of all that the points of the nine cells round it head for and of
    these points themselves; -1 where nothing is seen.

    A point is never on a shorter way than what it heads for, so that it is looked at only if that is not seen. Of one
    it is known already that it is `unseen`, unless that is below 0.
    """
    cells = columns * rows
    points = point.shape[0]
    count = 0
    for turn in range(-2, CANDIDATES):
        blocked = unseen
        if turn == -1:
            if unseen < 0:
                continue
            for k in range(count):
                if numbers[k] == unseen:
                    lengths[k] = math.inf
        elif turn >= 0:
            best = -1
            for k in range(count):
                if lengths[k] < math.inf and (best < 0 or lengths[k] < lengths[best]):
                    best = k
            if best < 0:
                return -1
            blocked = numbers[best]
            tx = goals[blocked - points, 0] if blocked >= points else point[blocked, 0]
            ty = goals[blocked - points, 1] if blocked >= points else point[blocked, 1]
            if sees_known(
                px, py, tx, ty, direct, blocked, x, y, size, columns, rows, open_plane, kind, start, items, segments,
                reach, slack,
            ):  # fmt: skip
                return blocked
            lengths[best] = math.inf
        for k in range(9):
            here_row = row + k // 3 - 1
            here_column = column + k % 3 - 1
            if not (0 <= here_row < rows and 0 <= here_column < columns):
                continue
            cell = here_row * columns + here_column
            for m in range(-1, narrow[cell + 1] - narrow[cell] if points > cells else 0):
                number = cell if m < 0 else cells + narrow[cell] + m
                chosen = onward[number]
                if chosen >= 0 and (turn == -2 or chosen == blocked):
                    chosen = chosen if turn == -2 else number
                    count = with_candidate(chosen, count, px, py, goals, point, distance, numbers, lengths)
    return -1


@kernel("i8(f8,f8,i8,i8,i8,i8,i8,f8[:,::1],f8[::1])")
def nearest_cell(px, py, column, row, columns, rows, rings, point, distance):
    """The cell within so many rings whose point is nearest to p, of those with a way; -1 if there is none."""
    chosen = -1
    best = math.inf
    for other_row in range(max(row - rings, 0), min(row + rings, rows - 1) + 1):
        for other_column in range(max(column - rings, 0), min(column + rings, columns - 1) + 1):
            cell = other_row * columns + other_column
            if distance[cell] == math.inf:
                continue
            dx = point[cell, 0] - px
            dy = point[cell, 1] - py
            if dx * dx + dy * dy < best:
                best = dx * dx + dy * dy
                chosen = cell
    return chosen


@kernel("Tuple((b1,f8,f8))(f8,f8,i8,i8,i8,i8,i8,i8[::1],i4[::1],f8[:,::1])")
def put_back(px, py, column, row, columns, rows, walls, start, items, segments):
    """The nearest place of the area to a point p that is just beyond its edge; False where it is not."""
    best = math.inf
    beyond = False
    qx = px
    qy = py
    for k in range(9):
        here_row = row + k // 3 - 1
        here_column = column + k % 3 - 1
        if not (0 <= here_row < rows and 0 <= here_column < columns):
            continue
        cell = here_row * columns + here_column
        for m in range(start[cell], start[cell + 1]):
            e = items[m]
            if e < walls:
                continue
            ax = segments[e, 0]
            ay = segments[e, 1]
            wx = segments[e, 2] - ax
            wy = segments[e, 3] - ay
            squared = wx * wx + wy * wy
            part = ((px - ax) * wx + (py - ay) * wy) / squared if squared > 0.0 else 0.0
            part = min(max(part, 0.0), 1.0)
            dx = ax + part * wx - px
            dy = ay + part * wy - py
            near = dx * dx + dy * dy
            # what is free lies to the left; of two edges that are as near the one that says so decides
            right = wx * (py - ay) - wy * (px - ax) < 0.0
            if near < best or (near == best and right):
                best = near
                beyond = right
                qx = px + dx
                qy = py + dy
    return beyond, qx, qy


@kernel(
    "i8(i8,i8,f8,f8,f8[:,::1],f8[::1],f8[::1],f8,b1,f8[:,::1],f8[:,::1],i4[::1],i4[::1],u1[::1],u1[::1],f8[:,::1],"
    "i4[::1])",
    inline=True,
)
def head_for(
    i, target, px, py, goal, preferred_speed, max_speed, dt, stop, goals, point, onward, component, arriving, guided,
    steer_velocity, stranded,
):  # fmt: skip
    """Write what agent i at p prefers that is to get to a goal or a point; returns 1, or 0 where that is its goal."""
    points = point.shape[0]
    last = True
    if target >= points:
        tx = goals[target - points, 0]
        ty = goals[target - points, 1]
        if tx == goal[i, 0] and ty == goal[i, 1]:
            return 0
    elif target < 0:
        stranded[i] = LOST
        tx = px
        ty = py
    else:
        tx = point[target, 0]
        ty = point[target, 1]
        last = onward[target] == target
        if arriving[component[target]] == 0:
            stranded[i] = component[target]
            if stop:
                last = True
                tx = px
                ty = py
    guided[i] = 1
    speed = preferred_speed[i] if preferred_speed[i] >= 0.0 else max_speed[i]
    dx = tx - px
    dy = ty - py
    length = math.sqrt(dx * dx + dy * dy)
    if not last and length < speed * dt:
        # the rest of this step beyond the turn
        beyond = onward[target]
        nx = goals[beyond - points, 0] if beyond >= points else point[beyond, 0]
        ny = goals[beyond - points, 1] if beyond >= points else point[beyond, 1]
        wx = nx - tx
        wy = ny - ty
        way = math.sqrt(wx * wx + wy * wy)
        if way > 0.0:
            part = min(speed * dt - length, way) / way
            dx += wx * part
            dy += wy * part
        length = math.sqrt(dx * dx + dy * dy)
        last = True
    if last:
        # never beyond where it is to be after the step
        speed = min(speed, length / dt)
    if length > 0.0:
        steer_velocity[i, 0] = dx / length * speed
        steer_velocity[i, 1] = dy / length * speed
    else:
        steer_velocity[i, 0] = 0.0
        steer_velocity[i, 1] = 0.0
    return 1


@kernel(
    "i8(i8[::1],f8[:,::1],f8[:,::1],f8[::1],f8[::1],f8[::1],f8,b1,"
    "f8[:,::1],f8,f8,f8,i8,i8,b1,u1[::1],i8[::1],i4[::1],f8[:,::1],f8[::1],f8,i8,"
    "f8[:,::1],i4[::1],f8[::1],i4[::1],i4[::1],i4[::1],u1[::1],i8,i8[::1],i4[::1],f8[::1],i8[::1],u1[::1],f8[:,::1],"
    "i4[::1])"
)
def steer_along(
    members, position, goal, goal_tolerance, preferred_speed, max_speed, dt, stop,
    goals, x, y, size, columns, rows, open_plane, kind, start, items, segments, reach, slack,
    walls, point, narrow, distance, onward, direct, component, arriving, rings, looking, numbers, lengths, places,
    guided, steer_velocity, stranded,
):  # fmt: skip
    """Write `guided`, `steer_velocity` and `stranded` of the agents `members`; returns how many are guided.

    Who sees its goal, or is within its tolerance, is not guided: it heads for it by itself. `stranded` is ON_THE_WAY,
    LOST where nothing near is on any way, or the component from which none leads to a goal, as `arriving` says of each:
    those go to where their ways end, or with `stop` nowhere. `looking`, `numbers`, `lengths` and `places` are scratch:
    as many as members, CANDIDATES of both, and AHEAD zeros.

    Who has to look does so after all the others: by then what it looks at is in the caches.
    """
    points = point.shape[0]
    count = 0
    total = members.shape[0]
    waiting = 0
    for m in range(-AHEAD, total):
        slot = m & (AHEAD - 1)
        cell = places[slot]
        if m + AHEAD < total:
            i = members[m + AHEAD]
            ahead = column_of(position[i, 1], y, size, rows) * columns + column_of(position[i, 0], x, size, columns)
            prefetch(direct, ahead)
            places[slot] = ahead
        if m < 0:
            continue
        i = members[m]
        px = position[i, 0]
        py = position[i, 1]
        dx = goal[i, 0] - px
        dy = goal[i, 1] - py
        stranded[i] = ON_THE_WAY
        if dx * dx + dy * dy <= goal_tolerance[i] * goal_tolerance[i]:
            continue
        target = direct[cell]
        if target >= 0:
            count += head_for(
                i, target, px, py, goal, preferred_speed, max_speed, dt, stop, goals, point, onward, component,
                arriving, guided, steer_velocity, stranded,
            )  # fmt: skip
            continue
        looking[waiting] = i
        waiting += 1
        for k in range(-1, 2):
            beside = min(max(cell + k * columns, 0), columns * rows - 1)
            prefetch(onward, beside)
            prefetch(kind, beside)
        prefetch(start, cell)
    for w in range(-LATER, waiting):
        if w + LATER < waiting:
            i = looking[w + LATER]
            cell = column_of(position[i, 1], y, size, rows) * columns + column_of(position[i, 0], x, size, columns)
            number = 0 + onward[cell]
            if 0 <= number < points:
                prefetch(point, number)
                prefetch(onward, number)
            if start[cell] < start[cell + 1]:
                # an index of words, where the list has half words
                prefetch(segments, 0 + items[start[cell]])
        if w < 0:
            continue
        i = looking[w]
        px = position[i, 0]
        py = position[i, 1]
        row = column_of(py, y, size, rows)
        column = column_of(px, x, size, columns)
        cell = row * columns + column
        # no way is shorter than the straight one to the goal
        target = -1
        unseen = -1
        number = 0 + onward[cell]
        if number >= points:
            if sees_known(
                px, py, goals[number - points, 0], goals[number - points, 1], direct, number, x, y, size, columns, rows,
                open_plane, kind, start, items, segments, reach, slack,
            ):  # fmt: skip
                target = number
            else:
                unseen = number
        if target < 0:
            target = seen_point(
                px, py, unseen, goals, column, row, x, y, size, columns, rows, open_plane, kind, start, items, segments,
                reach, slack, point, narrow, distance, onward, direct, numbers, lengths,
            )  # fmt: skip
        if target < 0:
            # who is off the surface by a little sees nothing of it past its edge, and goes on as if it were on it:
            # heading for the nearest cell it would be sent back, come again, and so on
            beyond, qx, qy = put_back(px, py, column, row, columns, rows, walls, start, items, segments)
            if beyond:
                target = seen_point(
                    qx, qy, -1, goals, column_of(qx, x, size, columns), column_of(qy, y, size, rows), x, y, size,
                    columns, rows, open_plane, kind, start, items, segments, reach, slack, point, narrow, distance,
                    onward, direct, numbers, lengths,
                )  # fmt: skip
        if target < 0:
            target = nearest_cell(px, py, column, row, columns, rows, min(rings, WIDEST), point, distance)
        count += head_for(
            i, target, px, py, goal, preferred_speed, max_speed, dt, stop, goals, point, onward, component, arriving,
            guided, steer_velocity, stranded,
        )  # fmt: skip
    return count
