"""Anew: a plan for all from where everybody is, made when somebody who may go on gets nowhere.

The order at narrow places is that of a plan, and a plan knows nothing of who was pushed where. A knot is mostly an
order that does not fit any more: a ring of agents before a gate presses the one whose turn it is, or somebody was
carried past the cell that it is to go through. In an order that is made from where everybody stands the nearest goes
first, and the knot comes apart by itself; and a plan for all is as cheap as one for a group, some milliseconds for a
hundred agents.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.knot import BUDGET, solve_instance
from orca_core.cooperative.local_grid import beginnings, local_grid
from orca_core.kernels import cooperate as columns
from orca_core.mapf.instance import Instance

if TYPE_CHECKING:
    from orca_core.cooperative.guide import Cooperative
    from orca_core.cooperative.runner import Run

__all__ = ["GAP", "LOOKS", "STUCK", "planned_anew", "starts_now", "stuck"]

Integers = NDArray[np.int64]

# steps for which somebody who may go on has got nowhere, and steps from one plan for all to the next at least
STUCK = 100
GAP = 100
# iterations of the planner for all, after which the planner for knots is asked
LOOKS = 200


def stuck(guide: Cooperative) -> bool:
    """Whether somebody who may go on, and is in no plan of a group, has got nowhere for long."""
    walk = guide.walk
    slow = (walk[:, columns.SLOW] >= STUCK) & (walk[:, columns.ARRIVED] < 0) & (guide.taken == 0)
    return bool(slow.any())


def starts_now(run: Run) -> Integers | None:
    """A cell of its own for everybody, (n,), near where it is; None where there are not enough."""
    assert run.world is not None, "agents are somewhere once a run is prepared"
    grid = run.instance.grid
    whole = local_grid(grid, np.array([0, grid.width * grid.height - 1], np.int64), 0)
    return beginnings(whole, run.world.population.state["position"] / run.frame.cell_size)


def planned_anew(run: Run, number: int) -> Run | None:
    """The run that goes on in the same world along a new plan, the `number`-th; None where no plan was found."""
    starts = starts_now(run)
    if starts is None:
        return None
    config = replace(run.config, seed=(run.config.seed + number) % 2**53)
    following = type(run)(Instance(run.instance.grid, starts, run.instance.goals), config, run.variant, run.radii)
    looks = count()
    found = following.plan(lambda: next(looks) >= LOOKS)
    if found is not None and not found.complete:
        # who has just met another in a gap may have to go back: prioritized planning finds no way to do that
        following.found, _ = solve_instance(following.instance, BUDGET)
        if following.found is None:
            return None
    following.corridors = run.corridors
    following.build_dependencies()
    following.go_on_from(run)
    return following
