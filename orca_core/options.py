"""Options: what a world does beyond the normative text, each switchable, each neutral where its situation does not
arise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from orca_core.cooperation import Cooperation
from orca_core.errors import InvalidInput, Problem
from orca_core.level_of_detail import LevelOfDetail

__all__ = ["AVOIDANCE_MODELS", "OPTION_MEANINGS", "PROFILES", "Options"]

AVOIDANCE_MODELS = ("orca", "rvo", "vo")

OPTION_MEANINGS: dict[str, str] = {
    "part_coincident": "agents on the very same spot part in opposite directions, decided by seed and ids",
    "break_symmetry": "an agent that meets others in an exact symmetry turns aside to its right, by seed, id and step",
    "stop_at_walls": "a displacement never crosses a wall: horizons last at least a step, a crossing move is cut short",
    "clamp_preferred_velocity": "a preferred velocity of any finite size is clamped in its direction",
    "stop_non_finite": "a non-finite result stops that agent, is counted and reported",
    "merge_collinear": "collinear touching pieces of walls and boundaries act as one piece",
    "walkable_surface": "a centre never leaves the walkable area shrunk by its radius; its move slides along",
    "leave_obstacles": "an agent in an obstacle put over it, or off a surface taken away, leaves by the shortest way",
    "one_side_of_walls": "who stands exactly on a wall gets off it on a side that does not depend on how it was drawn",
    "settle_crowds": "whoever is kept from its goal by others who rest there settles where it is: `arrived-crowded`",
    "detect_blocked": "agents that wait for each other, or for one that stands, are told of: `blocked`",
    "bias_blocked": "the preferred speed of a blocked agent rises with the time that it has waited",
    "courtesy": "of blocked agents who has waited longest goes first; who wants into its way stands aside",
    "back_out": "who has less right of way backs out of a passage, as far as the other needs",
    "replan_jams": "who stays blocked on a path asks for one round the jam",
    "corridor_turns": "agents take turns at places of the walkable surface where two do not pass each other",
    "corridor_margin": "m that two agents need beside their radii to pass each other there",
    "stall_time": "seconds with under a tenth of the wanted progress after which an agent counts as stalled",
    "avoidance_model": "half-planes (orca), or what they replace: reciprocal (rvo) or plain (vo) velocity obstacles",
    "slow_when_dense": "above ten agents per square metre agents want less and yield more softly, so no crowd shivers",
    "level_of_detail": "who is far from every point of interest is solved every few steps, or with fewer neighbours",
    "planner": "over what paths are planned: `mesh`, triangles over the surface, or `grid`, the cells of the world's "
    "grid map, where it has one",
    "unreachable_goals": "what agents with guidance `path` or `flow` do whose goal cannot be reached: `stop`, or go to "
    "the `nearest` point that can",
    "plan_delay_steps": "steps after which a planned way or a flow field enters the world; 0 stands for 0.03 s of the "
    "world, at least one step",
    "plan_expansions": "budget of the ways that are asked for in one step, in expansions; what is left over is planned "
    "in the next",
    "flow_cell_size": "side in m of the cells of flow fields; `null`: the power of two at or below the radius, less "
    "where the surface is small",
    "flow_cells": "cells of one flow field at most; a larger surface has larger cells, twice the side each time",
    "flow_fields": "flow fields at most, one for each goal and radius; who finds none free goes straight",
}

# words, and bounds of numbers
CHOICES: dict[str, tuple[str, ...]] = {"planner": ("mesh", "grid"), "unreachable_goals": ("stop", "nearest")}
WHOLE: dict[str, tuple[int, int]] = {
    "plan_delay_steps": (0, 1000),
    "plan_expansions": (1, 1_000_000),
    "flow_cells": (256, 4_194_304),
    "flow_fields": (1, 256),
}


# switches that mend nothing but ask for something else, off in both profiles
ASIDE = ("slow_when_dense", "corridor_turns")
# what undoes deadlocks above the solver: agents that cooperate have ways of their own, so it is off with those
DEADLOCKS = ("settle_crowds", "detect_blocked", "bias_blocked", "courtesy", "back_out", "replan_jams")
TWICE = "must be false in a world with guidance, whose agents take turns by their plan on the grid map"


@dataclass(frozen=True)
class Options:
    """One switch a mending of the text; `Options.text()` has all off, `Options.service()` all on but those
    `ASIDE`.

    `stall_time` is in seconds and decides a status and an event, never a bit of the state. `cooperation` is what
    clients call the guidance of a world; with it what undoes deadlocks is off where it is not asked for by name.
    """

    profile: str = "text"
    part_coincident: bool = False
    break_symmetry: bool = False
    stop_at_walls: bool = False
    clamp_preferred_velocity: bool = False
    stop_non_finite: bool = False
    merge_collinear: bool = False
    walkable_surface: bool = False
    leave_obstacles: bool = False
    one_side_of_walls: bool = False
    settle_crowds: bool = False
    detect_blocked: bool = False
    bias_blocked: bool = False
    courtesy: bool = False
    back_out: bool = False
    replan_jams: bool = False
    corridor_turns: bool = False
    corridor_margin: float = 0.0
    stall_time: float = 3.0
    avoidance_model: str = "orca"
    slow_when_dense: bool = False
    level_of_detail: LevelOfDetail | None = None
    cooperation: Cooperation | None = None
    planner: str = "mesh"
    unreachable_goals: str = "stop"
    plan_delay_steps: int = 0
    plan_expansions: int = 20_000
    flow_cell_size: float | None = None
    flow_cells: int = 262_144
    flow_fields: int = 32

    @classmethod
    def text(cls) -> Options:
        """The normative solver and nothing else."""
        return cls()

    @classmethod
    def service(cls) -> Options:
        """What users want: every mending on."""
        switches = {field.name: True for field in fields(cls) if field.type == "bool" and field.name not in ASIDE}
        return replace(cls(profile="service"), **switches)  # type: ignore[arg-type]

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any]) -> Options:
        """Build from `{profile, option: value, …}`; single options override the profile, which is `service` when
        left out.

        Raises InvalidInput naming every unknown option and every value of the wrong kind.
        """
        problems: list[Problem] = []
        profile = given.get("profile", "service")
        if not isinstance(profile, str) or profile not in PROFILES:
            problems.append(
                Problem(None, "options.profile", f"must be one of {', '.join(sorted(PROFILES))}, not {profile!r}")
            )
            profile = "service"
        options = PROFILES[profile]
        changed: dict[str, Any] = {}
        for name, value in given.items():
            if name == "profile":
                continue
            if name == "cooperation":
                try:
                    changed[name] = Cooperation.from_mapping(value)
                except InvalidInput as error:
                    problems += error.problems
                continue
            if name not in OPTION_MEANINGS:
                problems.append(
                    Problem(None, f"options.{name}", f"is not an option; there are {', '.join(OPTION_MEANINGS)}")
                )
            elif name == "stall_time":
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value <= 1e9:
                    problems.append(
                        Problem(None, "options.stall_time", f"must be a number of seconds above 0, not {value!r}")
                    )
                else:
                    changed[name] = float(value)
            elif name == "flow_cell_size":
                if value is not None and (
                    isinstance(value, bool) or not isinstance(value, int | float) or not 1e-3 <= value <= 1e6
                ):
                    problems.append(
                        Problem(
                            None, "options.flow_cell_size", f"must be null or a length from 0.001 to 1e6, not {value!r}"
                        )
                    )
                else:
                    changed[name] = None if value is None else float(value)
            elif name == "corridor_margin":
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1e6:
                    problems.append(
                        Problem(None, "options.corridor_margin", f"must be a length from 0 to 1e6, not {value!r}")
                    )
                else:
                    changed[name] = float(value)
            elif name == "avoidance_model":
                if value not in AVOIDANCE_MODELS:
                    wanted = ", ".join(AVOIDANCE_MODELS)
                    problems.append(Problem(None, f"options.{name}", f"must be one of {wanted}, not {value!r}"))
                else:
                    changed[name] = value
            elif name == "level_of_detail":
                try:
                    changed[name] = LevelOfDetail.from_mapping(value, f"options.{name}")
                except InvalidInput as error:
                    problems += error.problems
            elif name in CHOICES or name in WHOLE:
                fault = _fault(name, value)
                if fault is None:
                    changed[name] = value
                else:
                    problems.append(Problem(None, f"options.{name}", fault))
            elif not isinstance(value, bool):
                problems.append(Problem(None, f"options.{name}", f"must be true or false, not {value!r}"))
            else:
                changed[name] = value
        if changed.get("cooperation") is not None and changed.get("corridor_turns"):
            problems.append(Problem(None, "options.corridor_turns", TWICE))
        if problems:
            raise InvalidInput(problems)
        if changed.get("cooperation") is not None:
            changed = {**dict.fromkeys(DEADLOCKS, False), **changed}
        return replace(options, **changed)

    def as_mapping(self) -> dict[str, Any]:
        """All values by name, profile first, as plain Python values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.level_of_detail is not None:
            values["level_of_detail"] = self.level_of_detail.as_mapping()
        # clients know it by another name, and most worlds not at all
        del values["cooperation"]
        if self.cooperation is not None:
            values["cooperation"] = self.cooperation.as_mapping()
        return values


def _fault(name: str, value: object) -> str | None:
    """Why a value may not stand in an option of words or of whole numbers, or None."""
    if name in CHOICES:
        allowed = isinstance(value, str) and value in CHOICES[name]
        return None if allowed else f"must be one of {', '.join(CHOICES[name])}, not {value!r}"
    low, high = WHOLE[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        return f"must be an integer from {low} to {high}, not {value!r}"
    return None


PROFILES: dict[str, Options] = {"text": Options.text(), "service": Options.service()}
