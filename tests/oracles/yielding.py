"""Oracle of who yields to whom: the rules as a reader of the documentation would write them down, pair by pair.

Agents are maps of plain Python values; nothing is shared with the kernels, and everybody is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from orca_core.kernels.linear_program import permitted_velocity
from orca_core.kernels.velocity_obstacle import agent_half_plane

__all__ = ["NEUTRAL", "Agent", "heeded", "share", "velocity"]

Agent = dict[str, Any]

# what an agent is of which nothing is said
NEUTRAL: Agent = {
    "weight": 1.0,
    "priority": 0,
    "locked": 0,
    "avoidance": 1,
    "layer": 1,
    "mask": 2**32 - 1,
    "elevation": 0.0,
    "height": 0.0,
    "group": 0,
    "group_mode": 0,
}


def meet(one: Agent, other: Agent) -> bool:
    """Whether two agents have anything to do with each other at all."""
    if not one["avoidance"] or not other["avoidance"]:
        return False
    below = one["elevation"] + one["height"] < other["elevation"]
    above = other["elevation"] + other["height"] < one["elevation"]
    same_group = one["group"] == other["group"] != 0
    return not below and not above and not (same_group and one["group_mode"] == other["group_mode"] == 1)


def sees(one: Agent, other: Agent) -> bool:
    """Whether one agent sees another."""
    return meet(one, other) and one["mask"] & other["layer"] != 0


def share(one: Agent, other: Agent) -> float:
    """The responsibility of one agent against another."""
    if one["locked"] or not sees(one, other):
        return 0.0
    if other["locked"] or not sees(other, one) or one["priority"] < other["priority"]:
        return 1.0
    if one["priority"] > other["priority"] or one["weight"] == 0.0:
        return 0.0
    return float(one["weight"] / (one["weight"] + other["weight"]))


def heeded(agents: Sequence[Agent], row: int) -> list[tuple[float, int, float]]:
    """The neighbours of the agent at `row` as (squared distance, index, responsibility), in their order."""
    own = agents[row]
    found = []
    for index, other in enumerate(agents):
        part = share(own, other)
        x, y = other["position"][0] - own["position"][0], other["position"][1] - own["position"][1]
        squared = x * x + y * y
        if index != row and part > 0.0 and squared < own["neighbor_distance"] * own["neighbor_distance"]:
            found.append((squared, index, part))
    return sorted(found)[: own["max_neighbors"]]


def velocity(agents: Sequence[Agent], row: int, dt: float) -> tuple[float, float]:
    """What a step without walls and options gives the agent at `row`, of plain preferred velocities."""
    own = agents[row]
    if own["locked"]:
        return own["velocity"][0], own["velocity"][1]
    planes = [
        agent_half_plane(
            agents[index]["position"][0] - own["position"][0], agents[index]["position"][1] - own["position"][1],
            own["radius"] + agents[index]["radius"], *own["velocity"], *agents[index]["velocity"],
            own["time_horizon"], dt, part,
        )
        for _, index, part in heeded(agents, row)
    ]  # fmt: skip
    rows = np.array(planes, np.float64).reshape(-1, 4)
    _, x, y = permitted_velocity(
        rows, 0, len(rows), own["max_speed"], *own["preferred_velocity"], np.empty((len(rows) + 1, 4))
    )
    assert math.isfinite(x + y)
    return float(x), float(y)
