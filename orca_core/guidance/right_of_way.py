"""Right of way: in a jam who has waited longest goes first, with those who wait beside it; the others let them pass.

The right of way is given to a convoy, so that a door is not fought over anew after each one who has passed; it ends
when the way is free, and after a while in any case. Who has had it waits longer each time before it asks again: where
two can only change places for ever they do so ever more rarely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.guidance.swapping import advance_swaps, begin_swaps, hopeless, in_a_swap, those_who_yield
from orca_core.guidance.trouble import PATIENCE, Trouble, steps_of
from orca_core.kernels.blocking import count_around
from orca_core.kernels.right_of_way import GOES, NONE, RETREATS, STANDS, STEPS_ASIDE, WAITS, convoy_of, make_way
from orca_core.kernels.status import ARRIVED, ARRIVED_CROWDED, NO_GOAL
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["share_right_of_way", "those_who_ask"]

Integers = NDArray[np.int64]

# seconds for which the right of way holds at the least, where it leads nowhere, and at the most
SHORTEST = 1.0
FRUITLESS = 8.0
AT_MOST = 60.0
# seconds before one asks again that has had it, doubled as often as it has
REST = 1.0
DOUBLINGS = 6
# seconds more of waiting for each other agent nearby before one asks, and after how many it asks in any case: among
# many a way opens by itself, and making way for one holds up the others. In a plaza of 500 the mean delay was 20 s
# where all asked after 3 s, 17 s with 2.5 s for each and 14 s in all, and is 14 s; without any of it it is 13.6 s, but
# crowds at narrow doors do not get through
EACH = 1.5
LATEST = 20.0
# seconds without progress, however slow, after which one asks that has so many around: in a jam that creeps all wait,
# and nobody is stuck. Of 1,000 in the halls of a game map the mean delay was 12.5 s without this, and is 7.3 s
STUCK = 3.0
MANY = 4


def those_who_ask(world: World, trouble: Trouble, blocked: Integers) -> Integers:
    """Of the blocked those who have waited long enough to ask for the right of way, the longer the more are around."""
    agents = world.population.state
    around = np.zeros(len(blocked), np.int64)
    count_around(
        blocked, trouble.widest, agents["position"], agents["radius"], trouble.size, trouble.head, trouble.chain,
        trouble.near, around,
    )  # fmt: skip
    enough = np.minimum(PATIENCE + EACH * around, LATEST)
    # the place where progress was last seen moves along with whoever gets a tenth of what it wants
    stuck = world.step_count - agents["anchor_step"][blocked] >= steps_of(STUCK, world.time_step)
    waited = agents["waiting"][blocked] * world.time_step >= enough
    asking: Integers = blocked[waited & (stuck | (around < MANY)) & ~hopeless(world, blocked)]
    return asking


def share_right_of_way(world: World, trouble: Trouble, blocked: Integers) -> list[Event]:
    """Decide who has the right of way, and who yields to whom and how. Cells are sorted and wishes known.

    The event tells of those who can only change places and have found no room for it.
    """
    agents, options, step = world.population.state, world.options, world.step_count
    if not len(blocked) and not (agents.told("right_since") >= 0).any() and not agents.told("swapping").any():
        # nobody asks, nobody has it, and so nobody yields
        agents.clear("yielding", "yields_to")
        return []
    agents.own("right_since")
    ids, right = agents["id"], agents["right_since"]
    events = advance_swaps(world, trouble) if options.back_out else []
    _end_rights(world, trouble, blocked)
    shortest, patient = steps_of(SHORTEST, world.time_step), steps_of(PATIENCE, world.time_step)
    mark, whom = trouble.yielders()
    mark[:] = NONE
    rests = ((agents["status"] == ARRIVED) | (agents["status"] == ARRIVED_CROWDED)).astype(np.uint8)
    # whoever wants to be nowhere has been put there, and stays
    movable = (agents["status"] != NO_GOAL).astype(np.uint8)
    around = (trouble.widest, agents["position"], agents["radius"], agents["max_speed"], agents.dense("time_horizon"))
    found = (trouble.size, trouble.head, trouble.chain, trouble.near, *trouble.around, trouble.queue, mark)

    def clear_way(row: int) -> int:
        """Make others yield to one that goes; how many."""
        yielding: int = make_way(
            row, agents["attempts"][row] == 0, options.courtesy, options.back_out, *around, trouble.wish,
            agents["goal"], agents["has_goal"], rests, movable, agents["yields_to"], *found, whom,
        )  # fmt: skip
        return yielding

    def keep_back() -> None:
        """Whoever is on the same way as one who yields and wants the other way waits with it, and asks for nothing."""
        yielding = np.flatnonzero((mark == STANDS) | (mark == STEPS_ASIDE) | (mark == RETREATS))
        own, other = trouble.wish[yielding], trouble.wish[whom[yielding]]
        for row in yielding[own[:, 0] * other[:, 0] + own[:, 1] * other[:, 1] <= 0.0].tolist():
            convoy_of(row, WAITS, *around, trouble.wish, *found)

    for row, how, other in those_who_yield(world):
        mark[row], whom[row] = how, other
    swapping = in_a_swap(agents["swapping"])
    # those who have it, from the earliest on; a later one yields to it
    holders = np.flatnonzero(right >= 0)
    for row in holders[np.lexsort((holders, right[holders]))].tolist():
        if mark[row] == NONE:
            mark[row] = GOES
            if clear_way(row) or swapping[row]:
                continue
            if step - right[row] >= shortest and agents["waiting"][row] < patient:
                # it is through
                _end(world, np.array([row]))
    keep_back()
    # those who ask for it: the highest priority, then who has waited longest, then who has been here longest
    asking = blocked[(right[blocked] < 0) & (agents["resting_until"][blocked] <= step)]
    for row in asking[np.lexsort((asking, -agents["waiting"][asking], -agents["priority"][asking]))].tolist():
        if mark[row] != NONE:
            continue
        mark[row] = GOES
        if clear_way(row) == 0:
            # nobody could yield to it
            mark[row] = NONE
            continue
        size = convoy_of(row, GOES, *around, trouble.wish, *found)
        for member in trouble.queue[:size].tolist():
            right[member] = step
            clear_way(member)
        keep_back()
    yielding = np.flatnonzero((mark == STANDS) | (mark == STEPS_ASIDE) | (mark == RETREATS))
    agents["yielding"][:] = NONE
    agents["yields_to"][:] = -1
    agents["yielding"][yielding] = mark[yielding]
    agents["yields_to"][yielding] = ids[whom[yielding]]
    return events


def _end_rights(world: World, trouble: Trouble, blocked: Integers) -> None:
    """Take the right of way from those who do not need it any more, or get nowhere by it."""
    agents, step, dt = world.population.state, world.step_count, world.time_step
    right, waiting = agents["right_since"], agents["waiting"]
    holders = np.flatnonzero((right >= 0) & ~in_a_swap(agents["swapping"]))
    if not len(holders):
        return
    since = step - right[holders]
    there = (trouble.wish[holders] == 0.0).all(axis=1) | (since >= steps_of(AT_MOST, dt))
    fruitless = steps_of(FRUITLESS, dt)
    failed = (since >= fruitless) & (waiting[holders] >= fruitless) & np.isin(holders, blocked)
    goes_on = begin_swaps(world, holders) if world.options.back_out else holders[:0]
    _end(world, np.setdiff1d(holders[there | failed], goes_on))


def _end(world: World, over: Integers) -> None:
    """Take the right of way from these rows, and let them rest."""
    agents = world.population.state
    agents["right_since"][over] = -1
    attempts = np.clip(agents["attempts"][over], 0, DOUBLINGS)
    agents["resting_until"][over] = world.step_count + steps_of(REST, world.time_step) * (1 << attempts)
    agents["attempts"][over] = attempts + 1
