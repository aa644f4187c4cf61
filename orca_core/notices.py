"""Warnings that go with accepted input: what will work, but perhaps not as it was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import capped
from orca_core.errors import Notice
from orca_core.geometry.inside import obstacles_around
from orca_core.geometry.walkable import contains
from orca_core.kernels.overlap import overlapping_discs
from orca_core.kernels.step import OVERLAP_SLACK
from orca_core.kernels.tree import STACK
from orca_core.tree import BoxTree
from orca_core.yielding import terms_and_bonds

if TYPE_CHECKING:
    from orca_core.surroundings import Surroundings

__all__ = ["about_agents", "about_places", "heights_of", "outside_mask"]

Integers = NDArray[np.int64]

# a warning looks at this share of a difference, so that a default never warns for its last bit
SLACK = 1e-12
TIMES = {"time_horizon", "obstacle_horizon"}
BRAKES = {"time_horizon", "obstacle_horizon", "max_speed", "max_acceleration"}
REACH = {"neighbor_distance", "radius", "max_speed", "time_horizon"}
PLACES = {"position", "radius"}


def about_agents(world: Surroundings, indices: Integers, changed: set[str] | None = None) -> list[Notice]:
    """Warnings about the agents at `indices`, of which `changed` columns were given (None: all); items count from 0
    in that order.
    """
    notices: list[Notice] = []
    if changed is None or changed & TIMES:
        notices += _short_horizons(world, indices)
    if changed is None or changed & BRAKES:
        notices += _slow_brakes(world, indices)
    if changed is None or changed & REACH:
        notices += _short_sight(world, indices)
    if changed is None or changed & PLACES:
        notices += _overlaps(world, indices) + _outside(world, indices) + _inside(world, indices)
    return capped(notices)


def about_places(world: Surroundings) -> list[Notice]:
    """Warnings about agents that a new walkable area leaves outside; `item` is not set, the id stands in the
    message.
    """
    everybody = np.arange(world.agent_count)
    ids = world.ids
    outside = outside_mask(world, everybody)
    notices = [
        Notice("outside-area", None, None, f"agent {ids[row]} is outside the walkable area shrunk by its radius")
        for row in np.flatnonzero(outside)[:101]
    ]
    statics = world.statics()
    for radius, empty in zip(statics.boundaries.class_radius, statics.boundaries.class_empty, strict=True):
        if empty:
            notices.append(
                Notice(
                    "no-room",
                    None,
                    None,
                    f"nothing is left of the walkable area when it is shrunk by the radius {radius:g}",
                )
            )
    return capped(notices)


def _short_horizons(world: Surroundings, indices: Integers) -> list[Notice]:
    notices = []
    for name in sorted(TIMES):
        horizon = world.column(name)[indices]
        for item in np.flatnonzero(horizon < world.time_step)[:101]:
            message = f"{horizon[item]:g} s is shorter than the time step of {world.time_step:g} s: it sees too late"
            notices.append(Notice("short-horizon", int(item), name, message))
    return notices


def _slow_brakes(world: Surroundings, indices: Integers) -> list[Notice]:
    acceleration = world.column("max_acceleration")[indices]
    if not (acceleration >= 0.0).any():
        return []
    notices = []
    speed = world.column("max_speed")[indices]
    for name in sorted(TIMES):
        horizon = world.column(name)[indices]
        # without a division: an acceleration may be zero
        late = (acceleration >= 0.0) & (horizon * acceleration < speed * (1.0 - SLACK))
        for item in np.flatnonzero(late)[:101]:
            message = (
                f"{horizon[item]:g} s is shorter than braking from {speed[item]:g} m/s "
                f"at {acceleration[item]:g} m/s² takes: it sees too late to stop"
            )
            notices.append(Notice("short-horizon", int(item), name, message))
    return notices


def _short_sight(world: Surroundings, indices: Integers) -> list[Notice]:
    horizon = np.maximum(world.column("time_horizon")[indices], world.time_step)
    needed = 2.0 * world.column("radius")[indices] + 2.0 * world.column("max_speed")[indices] * horizon
    sight = world.column("neighbor_distance")[indices]
    counts = world.column("max_neighbors")[indices] > 0
    return [
        Notice(
            "short-neighbor-distance",
            int(item),
            "neighbor_distance",
            f"{sight[item]:g} is less than 2 radius + 2 max_speed max(time_horizon, time_step) = {needed[item]:g}: "
            "agents that close in at full speed are seen too late",
        )
        for item in np.flatnonzero(counts & (sight < needed * (1.0 - SLACK)))[:101]
    ]


def _overlaps(world: Surroundings, indices: Integers) -> list[Notice]:
    position, radius = world.population.state["position"], world.population.state["radius"]
    edge = radius[:, None]
    tree = BoxTree.over(np.ascontiguousarray(np.hstack([position - edge, position + edge])))
    other = np.empty(len(indices), np.int64)
    rows = np.ascontiguousarray(indices)
    overlapping_discs(
        rows, position, radius, OVERLAP_SLACK, tree.nodes, tree.leaves, tree.order, np.empty(STACK, np.int64), other,
        *terms_and_bonds(world.population.state),
    )  # fmt: skip
    ids = world.ids
    return [
        Notice(
            "overlapping",
            int(item),
            "position",
            f"overlaps agent {ids[other[item]]}; they will part as fast as they can",
        )
        for item in np.flatnonzero(other >= 0)[:101]
    ]


def outside_mask(world: Surroundings, indices: Integers) -> NDArray[np.bool_]:
    """Which of the agents at `indices` (k,) are off the surface for their radius."""
    statics = world.statics()
    mask = np.zeros(len(indices), bool)
    if not world.walkable_set.items():
        return mask
    group = world.population.state["radius_class"][indices]
    for number in np.unique(group):
        chosen = group == number
        mask[chosen] = ~contains(statics.boundaries, int(number), world.population.state["position"][indices[chosen]])
    return mask


def _outside(world: Surroundings, indices: Integers) -> list[Notice]:
    return [
        Notice("outside-area", int(item), "position", "is outside the walkable area shrunk by the radius")
        for item in np.flatnonzero(outside_mask(world, indices))[:101]
    ]


def heights_of(world: Surroundings, indices: Integers) -> NDArray[np.float64]:
    """From where to where the agents at `indices` (k,) stand, (k, 2)."""
    state = world.population.state
    low = state["elevation"][indices]
    return np.stack([low, low + state["height"][indices]], axis=1)


def _inside(world: Surroundings, indices: Integers) -> list[Notice]:
    around = obstacles_around(
        world.obstacle_set.acting(), world.population.state["position"][indices], heights_of(world, indices)
    )
    return [
        Notice("inside-obstacle", item, "position", f"is inside obstacle {identifier}, whose walls let nobody out")
        for item, identifier in around[:101]
    ]
