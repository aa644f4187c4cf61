"""Swapping: two whose goals lie in a passage neither can share, each behind the other's, change their order outside.

Letting one pass after the other leads nowhere there: whoever has come to its goal stands in the way of the other. So
the one with the right of way goes on beyond its goal and takes the other along, until that one has got aside, where the
passage ends; goes past it, and waits; and the other goes in first. Where the passage ends nowhere both find out, one
after the other, and neither asks any more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.guidance.trouble import PATIENCE, Trouble, steps_of
from orca_core.kernels.right_of_way import RETREATS, STANDS, WIDTH
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["NO_ROOM", "advance_swaps", "begin_swaps", "hopeless", "in_a_swap", "swap_wishes", "those_who_yield"]

STRAIGHT = COLUMNS["guidance"].choices.index("straight")

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# what an agent does in a swap: nothing; goes on beyond its goal; has got aside and lets that one out; goes in first;
# waits outside until the other is in; goes in after it; has found no room for the other
NOTHING = 0
BEYOND = 1
ASIDE = 2
GOES_IN = 3
HOLDS = 4
FOLLOWS = 5
NO_ROOM = 6

# how far ahead the one that goes on beyond its goal heads, and how far past the other it goes, in sums of radii
AHEAD = 4.0
PAST = 3.0
# how far behind it the way in is looked for, at the most
LAG = 4.0
# how near its goal one has come to it, in radii
NEAR = 0.5
# how far behind it the other must be, in sums of radii
BEHIND = 0.5
# seconds in which it would close up to the other; what share of the speed of the other it takes up, since that one
# slows down before a wall; shares of its own maximum speed: its speed at the least, and what counts as getting on
CLOSING = 2.0
SLOWER = 0.7
SLOWEST = 0.05
PROGRESS = 0.1
# seconds that lead nowhere after which it is given up, and of all of it at the most
FRUITLESS = 8.0
AT_MOST = 120.0


def swap_wishes(world: World, wish: Floats) -> Integers:
    """Write what those want who are on their way in a swap to `wish` (n, 2); the rows of them."""
    agents = world.population.state
    if not agents.told("swapping").any():
        return np.empty(0, np.int64)
    swapping = agents["swapping"]
    # who has a way is led in by it
    led = ((swapping == GOES_IN) | (swapping == FOLLOWS)) & (agents["guidance"] == STRAIGHT)
    rows = np.flatnonzero((swapping == BEYOND) | led)
    for row in rows.tolist():
        x, y = _heading_in(world, row) if swapping[row] == GOES_IN else (0.0, 0.0)
        if x == 0.0 and y == 0.0:
            x, y = (agents["swap_to"][row] - agents["position"][row]).tolist()
        length = math.sqrt(x * x + y * y)
        wanted = float(agents["preferred_speed"][row])
        limit = float(agents["max_speed"][row])
        speed = min(limit if wanted < 0.0 else wanted, limit, length / world.time_step)
        if swapping[row] == BEYOND:
            speed = min(speed, _pace(world, row, *_unit(x, y)))
        wish[row] = (x / length * speed, y / length * speed) if length > 0.0 else 0.0
    return rows


def in_a_swap(swapping: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Who (n,) has the right of way because of a swap, which says when it ends."""
    held: NDArray[np.bool_] = (swapping == BEYOND) | (swapping == GOES_IN)
    return held


def begin_swaps(world: World, holders: Integers) -> Integers:
    """Which of these rows, that have the right of way, have come to their goals, and go on beyond them for those whom
    they took along.

    Both must have had the right of way before: where one can let the other past, that is how they pass.
    """
    agents = world.population.state
    swapping, ids = agents["swapping"], agents["id"]
    going = []
    for row in holders.tolist():
        if not (agents["attempts"][row] and agents["has_goal"][row]) or swapping[row] != NOTHING:
            continue
        # whoever it has pushed away pushes it off its goal as well
        if _off_goal(world, row) > max(NEAR * agents["radius"][row], agents["goal_tolerance"][row]):
            continue
        taken = np.flatnonzero(
            (agents["yields_to"] == ids[row]) & (agents["yielding"] == RETREATS) & (agents["attempts"] > 0)
            & (agents["has_goal"] == 1) & ((swapping == NOTHING) | (swapping == NO_ROOM))
        )  # fmt: skip
        if not len(taken):
            continue
        # the nearest of them, then the first
        offset = agents["position"][taken] - agents["position"][row]
        other = taken[np.argmin(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1])]
        agents.own("swapping")
        swapping = agents["swapping"]
        swapping[row] = BEYOND
        agents["swaps_with"][row] = ids[other]
        agents["swap_since"][row] = world.step_count
        # where to is said by `advance_swaps`
        agents["swap_to"][row] = agents["swap_to"][other] = agents["position"][row]
        going.append(row)
    return np.array(going, np.int64)


def advance_swaps(world: World, trouble: Trouble) -> list[Event]:
    """Say how each swap goes on, from where everybody is now; wishes are known. The event tells who found no room."""
    agents, step = world.population.state, world.step_count
    swapping, ids = agents["swapping"], agents["id"]
    told: list[int] = []
    for row in np.flatnonzero((swapping == BEYOND) | (swapping == HOLDS) | (swapping == FOLLOWS)).tolist():
        other = _row_of(ids, int(agents["swaps_with"][row]))
        over = step - agents["swap_since"][row] >= steps_of(FRUITLESS, world.time_step)
        if swapping[row] == FOLLOWS:
            if over or _reached(world, row):
                swapping[row] = NOTHING
        elif swapping[row] == HOLDS:
            if other < 0 or swapping[other] != GOES_IN:
                # it was removed, or has another order
                swapping[row] = NOTHING
            elif over or _reached(world, other):
                swapping[row], swapping[other] = FOLLOWS, NOTHING
                agents["swap_since"][row] = step
                agents["swap_to"][row] = agents["swap_to"][other]
        elif other < 0 or not agents["has_goal"][other]:
            _give_up(world, row, NOTHING)
        elif _shut(world, row):
            _give_up(world, row, NO_ROOM)
            if swapping[other] == ASIDE:
                swapping[other] = NOTHING
            elif swapping[other] == NO_ROOM and agents["swaps_with"][other] == ids[row]:
                told += [row, other]
        else:
            _lead(world, row, other, trouble.wish)
    # who was left by the other goes its own way
    for row in np.flatnonzero((swapping == ASIDE) | (swapping == GOES_IN)).tolist():
        leader = _row_of(ids, int(agents["swaps_with"][row]))
        if leader < 0 or swapping[leader] not in (BEYOND, HOLDS):
            swapping[row] = NOTHING
    if not told:
        return []
    rows = np.unique(told)
    return [Event("no-way-past", step, ids[rows].tolist(), {"other": agents["swaps_with"][rows].tolist()})]


def those_who_yield(world: World) -> list[tuple[int, int, int]]:
    """Who yields because of a swap, how and to whom, by row: whoever is taken along to where a passage ends; lets
    another out of it, or into it; or has found no room with one that is at its goal.
    """
    agents = world.population.state
    swapping, ids = agents["swapping"], agents["id"]
    found = []
    for row in np.flatnonzero((swapping == BEYOND) | (swapping == ASIDE) | (swapping == HOLDS)).tolist():
        other = _row_of(ids, int(agents["swaps_with"][row]))
        if swapping[row] != BEYOND:
            found.append((row, STANDS, other))
        elif swapping[other] != ASIDE:
            found.append((other, RETREATS, row))
    for row in np.flatnonzero(swapping == NO_ROOM).tolist():
        other = _without_room(world, row)
        if other >= 0 and _off_goal(world, other) <= agents["radius"][other] < _off_goal(world, row):
            found.append((row, STANDS, other))
    return found


def hopeless(world: World, rows: Integers) -> NDArray[np.bool_]:
    """Which of these rows (m,) stand near one with whom they have found no room at either end."""
    return np.fromiter((_without_room(world, row) >= 0 for row in rows.tolist()), np.bool_, len(rows))


def _without_room(world: World, row: int) -> int:
    """The row of the one near this one with whom it has found no room at either end, -1 if there is none."""
    agents = world.population.state
    if agents["swapping"][row] != NO_ROOM:
        return -1
    other = _row_of(agents["id"], int(agents["swaps_with"][row]))
    if other < 0 or agents["swapping"][other] != NO_ROOM or agents["swaps_with"][other] != agents["id"][row]:
        return -1
    x, y = (agents["position"][other] - agents["position"][row]).tolist()
    near = AHEAD * float(agents["radius"][row] + agents["radius"][other])
    return other if x * x + y * y <= near * near else -1


def _off_goal(world: World, row: int) -> float:
    """How far one is from its goal, m."""
    agents = world.population.state
    x, y = (agents["goal"][row] - agents["position"][row]).tolist()
    return math.sqrt(x * x + y * y)


def _row_of(ids: Integers, wanted: int) -> int:
    """The row of an id, -1 if it is not here."""
    found = np.flatnonzero(ids == wanted)
    return int(found[0]) if len(found) else -1


def _lead(world: World, row: int, other: int, wish: Floats) -> None:
    """Where the one beyond its goal goes, and whether the other may go in now."""
    agents, dt, step = world.population.state, world.time_step, world.step_count
    swapping, place, to = agents["swapping"], agents["position"], agents["swap_to"]
    both = float(agents["radius"][row] + agents["radius"][other])
    x, y = (place[other] - place[row]).tolist()
    ahead_x, ahead_y = _unit(*(to[row] - place[row]).tolist())
    vx, vy = agents["velocity"][row].tolist()
    if ahead_x * vx + ahead_y * vy >= PROGRESS * agents["max_speed"][row]:
        agents["swap_since"][row] = step
    if swapping[other] == ASIDE:
        axis_x, axis_y = _unit(*(to[row] - to[other]).tolist())
        if _reached(world, row) or axis_x * x + axis_y * y <= -BEHIND * both:
            swapping[row], swapping[other] = HOLDS, GOES_IN
            agents["swap_since"][row] = agents["right_since"][other] = step
            agents["right_since"][row] = -1
            agents["waiting"][other] = 0
        elif step - agents["swap_since"][row] >= steps_of(PATIENCE, dt):
            # it is round a bend, and not aside
            swapping[other] = NOTHING
            to[other] = place[row]
        return
    # as it has come, and at first and round bends against what the other wants, which leads through the passage
    came_x, came_y = (place[row] - to[other]).tolist()
    far = came_x * came_x + came_y * came_y
    if far < both * both:
        came_x, came_y = (-wish[other]).tolist()
    axis_x, axis_y = _unit(came_x, came_y)
    along, aside = axis_x * x + axis_y * y, axis_x * y - axis_y * x
    # a place of the passage that lies a little behind it is the way in
    if far > LAG * LAG * both * both:
        to[other] = 0.5 * (to[other] + place[row])
    if (along > 0.0 and abs(aside) < WIDTH * both) or far < both * both:
        to[row] = place[row] + AHEAD * both * np.array((axis_x, axis_y))
    else:
        swapping[other] = ASIDE
        agents["swaps_with"][other] = agents["id"][row]
        to[row] = place[row] + (max(along, 0.0) + PAST * both) * np.array((axis_x, axis_y))


def _unit(x: float, y: float) -> tuple[float, float]:
    """A vector at the length 1, or 0."""
    length = math.sqrt(x * x + y * y)
    return (x / length, y / length) if length > 0.0 else (0.0, 0.0)


def _pace(world: World, row: int, axis_x: float, axis_y: float) -> float:
    """How fast one goes beyond its goal, m/s: no faster than the other before it makes way, lest it press on it."""
    agents = world.population.state
    other = _row_of(agents["id"], int(agents["swaps_with"][row]))
    if other < 0 or agents["swapping"][other] == ASIDE:
        return math.inf
    x, y = (agents["position"][other] - agents["position"][row]).tolist()
    gap = math.sqrt(x * x + y * y) - float(agents["radius"][row] + agents["radius"][other])
    vx, vy = agents["velocity"][other].tolist()
    ahead = max(0.0, axis_x * float(vx) + axis_y * float(vy))
    slowest = SLOWEST * float(agents["max_speed"][row])
    return max(slowest, SLOWER * ahead + max(gap, 0.0) / CLOSING)


def _heading_in(world: World, row: int) -> tuple[float, float]:
    """From one that goes in to a place a little ahead of it on the line on which the other came out; 0 where it is not
    known, or the way in is nearer than that.
    """
    agents = world.population.state
    other = _row_of(agents["id"], int(agents["swaps_with"][row]))
    if other < 0:
        return 0.0, 0.0
    inside = agents["swap_to"][row]
    axis_x, axis_y = _unit(*(inside - agents["swap_to"][other]).tolist())
    x, y = (inside - agents["position"][row]).tolist()
    left = axis_x * x + axis_y * y
    ahead = float(agents["radius"][row])
    if left <= ahead:
        return 0.0, 0.0
    return x - (left - ahead) * axis_x, y - (left - ahead) * axis_y


def _shut(world: World, row: int) -> bool:
    """Whether going on beyond its goal leads nowhere."""
    agents, dt, step = world.population.state, world.time_step, world.step_count
    return bool(
        step - agents["swap_since"][row] >= steps_of(FRUITLESS, dt)
        or step - agents["right_since"][row] >= steps_of(AT_MOST, dt)
    )


def _reached(world: World, row: int) -> bool:
    """Whether one is where it goes meanwhile, to its radius."""
    agents = world.population.state
    x, y = (agents["swap_to"][row] - agents["position"][row]).tolist()
    radius = float(agents["radius"][row])
    return bool(x * x + y * y <= radius * radius)


def _give_up(world: World, row: int, how: int) -> None:
    """The one that led a swap is done with it."""
    agents = world.population.state
    agents["swapping"][row] = how
    agents["right_since"][row] = -1
