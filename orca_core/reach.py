"""What the body of an agent can do in the coming step, in plain values: for whoever asks why it moves as it does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from orca_core.heading import headings
from orca_core.kernels.bodies import is_limited
from orca_core.kernels.turning import FREE, gather_bodies

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["body_of", "reachable"]


def body_of(world: World, row: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The limits of the agent at index `row` for one step (1, 4), as `kernels.turning.gather_bodies` has them."""
    state = world.population.state
    bodies = np.empty((1, 4))
    gather_bodies(
        0, 1, np.zeros(1, np.int64), world.time_step,
        *(state[name][[row]] for name in ("max_acceleration", "max_turning_rate", "forward_preference")), bodies,
    )  # fmt: skip
    return bodies


def reachable(world: World, row: int) -> dict[str, Any] | None:
    """`heading`, `change` and `turn` of the agent at index `row`, or None where its body has no limits.

    `change` is how much the velocity can change in a step (m/s, None: without limit), `turn` cosine and sine of how far
    the heading can turn (None: without limit), `heading` a unit vector or None.
    """
    bodies = body_of(world, row)
    if not is_limited(0, bodies):
        return None
    state = world.population.state
    heading = headings(state["velocity"][row], state["heading"][row])
    change, cosine, sine, _ = bodies[0].tolist()
    return {
        "heading": heading.tolist() if heading.any() else None,
        "change": None if change == math.inf else change,
        "turn": None if cosine == FREE else [cosine, sine],
    }
