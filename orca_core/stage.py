"""Stage: everything that the kernels of a step take, in their order, gathered once.

A kernel takes some eighty arrays. Looking them up costs more than a small world's step, and from step to step only
two things
change: which of the two sets of arrays is the state, and which frame is read. So there are two stages, which take turns
until an array, the walls or the number of agents is another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from orca_core.arrays import Arrays
from orca_core.kernels import step as solving
from orca_core.movement import guard
from orca_core.options import Options
from orca_core.scratch import Scratch
from orca_core.state import AgentState, preferred_columns
from orca_core.statics import Statics

__all__ = ["Stage"]

# seconds for which an agent that met others in an exact symmetry turns aside wherever it is slowed
TURN_TIME = 10.0

# what takes the place of half-planes
MODELS = {"orca": 0, "rvo": solving.RECIPROCAL_OBSTACLES, "vo": solving.VELOCITY_OBSTACLES}

Values = tuple[Any, ...]


@dataclass
class Stage:
    """Arguments by kernel; `keep_on_side(first, last)` is None where there is nothing to keep off."""

    statics: Statics
    scratch: Scratch
    flags: int
    floor: float
    turn_steps: int
    solving: Values
    keep_on_side: Callable[[int, int], None] | None
    order: NDArray[Any]
    carrying: Values
    facing: Values
    concluding: Values
    showing: Values
    letting_out: Values
    telling: Values

    @classmethod
    def gather(
        cls,
        table: Arrays,
        agents: AgentState,
        statics: Statics,
        options: Options,
        dt: float,
        frame: int,
        scratch: Scratch,
        *,
        guided: bool,
    ) -> Stage:
        """Look everything up for the present side of the agents and this frame; in a `guided` step guides have said
        what the preferred velocities are.
        """
        has_goal, preferred = preferred_columns(guided=guided)
        own, other = table.table, 1 - frame
        order, outcome = own["order"], own["outcome"]
        position, velocity = agents.following("position"), agents.following("velocity")
        # looked at only where somebody is locked, who may be everybody
        locked = agents.dense("locked") if agents.told("locked").any() else agents.told("locked")
        # looked at where walls stand at some heights only
        storeys = len(statics.wall_range) > 0
        heights = [agents.dense(name) if storeys else agents.told(name) for name in ("elevation", "height")]
        return cls(
            statics=statics,
            scratch=scratch,
            flags=solving.PART_COINCIDENT * options.part_coincident
            | solving.BREAK_SYMMETRY * (options.break_symmetry and options.avoidance_model == "orca")
            | solving.STOP_NON_FINITE * options.stop_non_finite
            | solving.CLAMP_PREFERRED * options.clamp_preferred_velocity
            | MODELS[options.avoidance_model]
            | solving.SLOWING * options.slow_when_dense
            | solving.ONE_SIDE * options.one_side_of_walls,
            floor=dt if options.stop_at_walls else 0.0,
            turn_steps=math.ceil(TURN_TIME / dt),
            solving=(
                order, own["leaf_first"], own[f"boxes.{frame}"], own[f"leaf_x.{frame}"], own[f"leaf_y.{frame}"],
                own[f"packed.{frame}"], own["parameters"], own["terms"], own["bonds"], own["bodies"], own["interest"],
                agents["id"], agents["turning_until"], agents["goal"], agents[has_goal], agents["preferred_speed"],
                agents["goal_tolerance"], agents.told(preferred), agents.told("radius_class"),
                agents.told("heading"), agents["has_goal"],
                *statics.wall_arguments(), *heights, *statics.boundary_arguments(),
                own["listed"], own["list_count"], own["list_radius"],
                *scratch.for_solving(),
                velocity, position, agents.following("turning_until"), agents.following("turning_since"), outcome,
                agents["neighbor_reach"],
                own["overlap_depth"], own["overlap_with"], own["facing"],
            ),
            keep_on_side=guard(agents, statics, options, dt, order, outcome, own["moved"], scratch),
            order=order,
            carrying=(
                locked, agents["position"], agents["velocity"], agents["turning_until"], position,
                velocity, agents.following("turning_until"), agents.following("on_surface"), own["moved"], outcome,
                agents["anchor_step"],
            ),
            facing=(
                own[f"packed.{frame}"], velocity, agents.told("heading"), own["facing"], own["bodies"], own["facing"],
            ),
            concluding=(
                dt, options.stall_time, position, agents["goal"], agents["has_goal"], agents.told("preferred_velocity"),
                agents["preferred_speed"], agents["goal_tolerance"], own["parameters"], outcome,
                agents["status"], agents["anchor"], agents["anchor_step"], agents["overlapping"],
                agents.following("status"), agents.following("overlapping"), own["events"],
            ),
            showing=(
                order, own[f"packed.{frame}"], position, velocity, own[f"packed.{other}"],
                own[f"leaf_x.{other}"], own[f"leaf_y.{other}"], own[f"boxes.{other}"],
            ),
            letting_out=(
                agents.told("caught"), agents.told("escape"), agents["max_speed"], agents["position"], velocity,
                position, agents.following("on_surface"),
            ),
            telling=(agents.told("caught"), agents.told("escape"), position, agents.following("status"), own["events"]),
        )  # fmt: skip
