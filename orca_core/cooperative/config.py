"""Config: every parameter of a run, one flat field for each key of a configuration file, with its default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from orca_core.cooperation import largest_radius
from orca_core.errors import InvalidInput, Problem
from orca_core.mapf.lns2 import IMPROVEMENTS, INITIAL, REPAIRS, Settings

__all__ = ["BOUNDS", "CHOICES", "SECTIONS", "Config"]

# the headings under which a file may group the keys; they are ornaments, no key stands twice
SECTIONS: dict[str, tuple[str, ...]] = {
    "run": ("seed", "time_limit", "step_max", "stop_by_speed"),
    "agent": (
        *("radius", "max_speed", "sight_radius", "time_boundary", "time_boundary_obst", "reps", "agents_max_num"),
    ),
    "sim": ("cell_size", "timestep", "delta"),
    "mapf": ("trigger", "mapf_num"),
    "lns": (
        *("init_algo", "replan_algo", "destroy_strategy", "init_destroy_strategy", "neighbor_size"),
        *("max_iterations", "pibt_window", "init_lns", "sipp", "pibt_soft"),
    ),
    "corridor": (
        *("waypoint_reach_tol", "in_corridor_tol", "goal_in_corridor_tol", "gate_match_eps", "priority_threshold"),
        "turns",
    ),
}

# words, and bounds of numbers, ends included
CHOICES: dict[str, tuple[str, ...]] = {
    "trigger": ("speed-buffer", "common-point"),
    "init_algo": INITIAL,
    "replan_algo": ("PP",),
    "destroy_strategy": IMPROVEMENTS,
    "init_destroy_strategy": REPAIRS,
    "turns": ("plan", "arrival"),
}
BOUNDS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**53 - 1),
    "time_limit": (1e-3, 1e9),
    "step_max": (1, 1_000_000_000),
    "radius": (1e-3, 1e6),
    "max_speed": (1e-6, 1e6),
    "sight_radius": (1e-3, 1e9),
    "time_boundary": (1e-6, 1e9),
    "time_boundary_obst": (1e-6, 1e9),
    "reps": (0.0, 1e6),
    "agents_max_num": (0, 1_000_000),
    "cell_size": (1e-3, 1e6),
    "timestep": (1e-6, 1e6),
    "delta": (1e-6, 1e6),
    "mapf_num": (1, 1_000_000),
    "neighbor_size": (1, 1_000_000),
    "max_iterations": (0, 1_000_000_000),
    "pibt_window": (1, 1_000_000),
    "waypoint_reach_tol": (1e-6, 1e6),
    "in_corridor_tol": (1e-6, 1e6),
    "goal_in_corridor_tol": (1e-6, 1e6),
    "gate_match_eps": (0.0, 1e6),
    "priority_threshold": (0.0, 1e6),
}


@dataclass(frozen=True)
class Config:
    """The parameters of a run; lengths in the unit of `cell_size`, times in s, speeds in units a second.

    `seed` decides all chance; `time_limit` (s) is for whoever has a clock; `step_max` bounds the steps, and with
    `stop_by_speed` a run ends when everybody has stood for a thousand steps. Agents are discs of `radius`, kept apart
    by
    `reps` more each, with `max_speed`; they see `agents_max_num` neighbours within `sight_radius`, avoid them for
    `time_boundary` and what stands for `time_boundary_obst` at most. `delta` is the distance at which a goal is
    reached. `trigger` says when a discrete planner is asked (see `stalling`): by the speeds of the last steps, or where
    `mapf_num` others are bound for the same point, and only then that number counts. The tolerances of corridors:
    `waypoint_reach_tol` at which a waypoint is reached; `in_corridor_tol` (cells) from a corridor cell's centre within
    which a disc is still in it; `goal_in_corridor_tol` (cells) the same for an agent that ends there. `turns` says who
    goes first at a narrow place: `plan`, in the order of the plan, or `arrival`, who is there first, and only then
    these two count: `gate_match_eps` from a gate within which an agent is at it, neither before nor past it, and
    `priority_threshold` under which two distances are the same and the lower number goes first.

    Of the planner's keys `sipp` and `pibt_soft` must be true and `replan_algo` PP: the planner knows nothing else;
    `pibt_window` bounds nothing in it and is taken as it comes.
    """

    seed: int = 0
    time_limit: float = 300.0
    step_max: int = 20_000
    stop_by_speed: bool = True
    radius: float = 0.3
    max_speed: float = 1.0
    sight_radius: float = 10.0
    time_boundary: float = 5.4
    time_boundary_obst: float = 10.0
    reps: float = 0.1
    agents_max_num: int = 10
    cell_size: float = 1.0
    timestep: float = 0.25
    delta: float = 0.1
    trigger: str = "speed-buffer"
    mapf_num: int = 3
    init_algo: str = "PP"
    replan_algo: str = "PP"
    destroy_strategy: str = "Adaptive"
    init_destroy_strategy: str = "Adaptive"
    neighbor_size: int = 8
    max_iterations: int = 0
    pibt_window: int = 5
    init_lns: bool = True
    sipp: bool = True
    pibt_soft: bool = True
    waypoint_reach_tol: float = 0.3
    in_corridor_tol: float = 0.8
    goal_in_corridor_tol: float = 0.5
    gate_match_eps: float = 0.1
    priority_threshold: float = 0.001
    turns: str = "plan"

    def __post_init__(self) -> None:
        """Refuse what no run can be made of, naming each key."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        problems = [
            Problem(None, name, fault) for name, value in values.items() if (fault := _fault(name, value)) is not None
        ]
        if not problems and self.radius > self.largest_radius:
            least, largest = BOUNDS["radius"][0], self.largest_radius
            why = f"a little under half a cell of {self.cell_size:g}, or nobody gets through a gap; it is"
            if largest >= least:
                said = f"with reps {self.reps:g} must be at most {largest:g}, together {why} {self.radius:g}"
                problems.append(Problem(None, "radius", said))
            else:
                said = f"must be at most {largest_radius(self.cell_size) - least:g}, {why} {self.reps:g}"
                problems.append(Problem(None, "reps", said))
        if problems:
            raise InvalidInput(problems)

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any]) -> Config:
        """A configuration from `{key: value}`; what is left out has its default. Raises InvalidInput naming every
        unknown key and every value that is none.
        """
        known = {field.name for field in fields(cls)}
        problems = [
            Problem(None, str(name), f"is not a key; there are {', '.join(sorted(known))}")
            for name in given
            if name not in known
        ]
        values: dict[str, Any] = {}
        for name in known & set(given):
            value = given[name]
            # a whole number stands for the same length, and nothing else for anything else
            if isinstance(getattr(cls, name), float) and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            if (fault := _fault(name, value)) is not None:
                problems.append(Problem(None, name, fault))
            values[name] = value
        if problems:
            order = {str(name): place for place, name in enumerate(given)}
            raise InvalidInput(sorted(problems, key=lambda problem: order[str(problem.field)]))
        return cls(**values)

    @property
    def largest_radius(self) -> float:
        """That of the largest agent which, with `reps`, gets through a gap one cell wide; 0 or less: nobody does."""
        return float(f"{largest_radius(self.cell_size) - self.reps:.12g}")

    @property
    def planning(self) -> Settings:
        """What the planner for all takes of it."""
        return Settings(
            init_algo=self.init_algo,
            destroy_strategy=self.destroy_strategy,
            init_destroy_strategy=self.init_destroy_strategy,
            neighbor_size=self.neighbor_size,
            max_iterations=self.max_iterations,
            init_lns=self.init_lns,
        )


def _fault(name: str, value: object) -> str | None:
    """Why a value may not stand under a key, or None."""
    default = Config.__dataclass_fields__[name].default
    if isinstance(default, bool):
        if not isinstance(value, bool):
            return f"must be true or false, not {value!r}"
        if name in ("sipp", "pibt_soft") and not value:
            return "must be true: the planner has no other way"
        return None
    if name in CHOICES:
        allowed = isinstance(value, str) and value in CHOICES[name]
        return None if allowed else f"must be one of {', '.join(CHOICES[name])}, not {value!r}"
    low, high = BOUNDS[name]
    whole = isinstance(default, int)
    kind = "an integer" if whole else "a number"
    number = not isinstance(value, bool) and isinstance(value, int if whole else int | float)
    if not number or not math.isfinite(value) or not low <= value <= high:  # type: ignore[arg-type,operator]
        return f"must be {kind} from {low:g} to {high:g}, not {value!r}"
    return None
