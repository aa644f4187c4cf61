"""Caught: after a change of geometry, who stands where nobody can be, and where each of them goes.

Caught is who is strictly inside a closed obstacle that was given, moved or closed, and who is off the surface after a
change of it. Whoever puts an agent inside an obstacle is warned and the agent stays, since the walls around it may be
a room; a change over its head is nobody's order to it. See orca_core.kernels.caught for what it does then.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import capped
from orca_core.errors import Notice
from orca_core.geometry.free_places import nearest_free
from orca_core.geometry.inside import near_obstacles, obstacles_around
from orca_core.geometry.obstacles import stands_at
from orca_core.kernels.caught import CAUGHT, NO_PLACE, TOLD
from orca_core.kernels.status import INSIDE_OBSTACLE
from orca_core.notices import heights_of, outside_mask

if TYPE_CHECKING:
    from orca_core.surroundings import Surroundings

__all__ = ["catch"]

Integers = NDArray[np.int64]

# nearer to a free place than this, and than this part of the coordinates, an agent is beside it by rounding alone
ROUNDED = 1e-9
SURFACE = -1


def catch(world: Surroundings, changed: Collection[int] | None) -> list[Notice]:
    """Catch whom a change leaves where nobody can be, let go who was caught and is not any more; warnings of them.

    `changed` are the obstacles that are others now; None: the walkable surface is another. Raises nothing once
    anything is written.
    """
    state = world.population.state
    before = np.flatnonzero(state.told("caught"))
    inside = _inside(world, np.arange(world.agent_count), changed)
    notices = [
        Notice("inside-obstacle", None, None, _told(world, row, obstacle))
        for row, obstacle in list(inside.items())[:101]
    ]
    if not world.options.leave_obstacles:
        return capped(notices)
    held = dict(inside)
    if changed is None:
        everybody = np.arange(world.agent_count)
        free = state["locked"] == 0
        held |= dict.fromkeys(np.flatnonzero(outside_mask(world, everybody) & free).tolist(), SURFACE)
    held |= _held_still(world, before)
    if held or len(before):
        _write(world, before, held)
    return capped(notices)


def _told(world: Surroundings, row: int, obstacle: int) -> str:
    leaves = "; it leaves by the shortest way" if world.options.leave_obstacles else ", whose walls let nobody out"
    return f"agent {world.ids[row]} is inside obstacle {obstacle}{leaves}"


def _inside(world: Surroundings, rows: Integers, changed: Collection[int] | None) -> dict[int, int]:
    """Which of the agents at `rows` are in a closed obstacle that acts, of `changed` or (None) of none."""
    named = [] if changed is None else [world.obstacle_set.get(one) for one in changed if one in world.obstacle_set]
    # what somebody else drives goes where it is driven
    rows = rows[world.population.state["locked"][rows] == 0]
    points, heights = world.population.state["position"][rows], heights_of(world, rows)
    # few are near: the exact question is for them
    solid, near = near_obstacles([one for one in named if one.closed and not one.open], points)
    return {int(rows[near[item]]): one for item, one in obstacles_around(solid, points[near], heights[near])}


def _held_still(world: Surroundings, before: Integers) -> dict[int, int]:
    """Those of whom were caught before that still stand where nobody can be."""
    if not len(before):
        return {}
    held = dict.fromkeys(before[outside_mask(world, before)].tolist(), SURFACE)
    return held | _inside(world, before, world.obstacle_set.ids)


def _write(world: Surroundings, before: Integers, held: dict[int, int]) -> None:
    """Find the places of escape, and say of everybody whether it is caught."""
    state = world.population.state
    rows = np.array(sorted(held), np.int64)
    by = np.array([held[row] for row in rows.tolist()], np.int64)
    places, found = np.empty((len(rows), 2)), np.zeros(len(rows), bool)
    acting, merge = world.obstacle_set.acting(), world.options.merge_collinear
    # together those whom the same obstacle holds, as wide and as high: they are near to each other and meet the same
    alike = np.column_stack([by, state["radius"][rows], heights_of(world, rows)])
    for kind in np.unique(alike, axis=0):
        chosen = np.flatnonzero((alike == kind).all(axis=1))
        _, radius, low, high = kind.tolist()
        met = [one for one in acting if stands_at(one, low, high)]
        places[chosen], found[chosen] = nearest_free(
            world.walkable_set, met, radius, merge, state["position"][rows[chosen]]
        )
    offset = places - state["position"][rows]
    slack = ROUNDED * np.maximum(1.0, np.abs(state["position"][rows]).max(axis=1, initial=0.0))
    still = ~found | (np.sqrt((offset * offset).sum(axis=1)) > slack)
    rows, places, found = rows[still], places[still], found[still]

    if not len(rows) and not len(before):
        return
    # written in one go, and nothing of it can fail once there are rows for it
    state.own("caught")
    told = state["caught"][rows] & TOLD
    released = np.setdiff1d(before, rows)
    state["caught"][released] = 0
    world.population.watch_anew(released, world.step_count)
    state["caught"][rows] = told | CAUGHT | np.where(found, 0, NO_PLACE).astype(np.uint8)
    state["escape"][rows] = places
    state["status"][rows] = INSIDE_OBSTACLE
