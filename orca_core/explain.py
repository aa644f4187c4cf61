"""Why an agent moves as it does: its neighbours, every half-plane with its source, and how the program ended.

Computed afresh from the state as it stands, as the next step would see it, by brute force over all agents and walls;
it shares the
half-plane and program kernels with the step and none of its search, costs nothing until asked, and changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orca_core.guides import ask_guides, withdraw_guides
from orca_core.kernels.boundary import boundary_half_plane
from orca_core.kernels.caught import NO_PLACE, let_out
from orca_core.kernels.detail import limit_quality
from orca_core.kernels.linear_program import permitted_velocity
from orca_core.kernels.preferred import preferred_velocity
from orca_core.kernels.step import BIASED, COASTED, COINCIDENT
from orca_core.kernels.symmetry import coincident_half_plane
from orca_core.kernels.tree import LEAF
from orca_core.kernels.velocity_obstacle import (
    agent_half_plane,
    overlap_normal_is_degenerate,
    segment_distance_squared,
    segment_half_plane,
)
from orca_core.reach import reachable
from orca_core.solver import Solver
from orca_core.state import preferred_columns
from orca_core.yielding import shares_against

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["HalfPlane", "Neighbour", "constraints", "explain", "neighbours", "within_sight"]

# how many of those that are not avoided are named
UNHEEDED = 100


@dataclass(frozen=True)
class HalfPlane:
    """One constraint: `kind` is obstacle, boundary or agent, `source` the id of what it comes from (None if
    unknown). `responsibility` is the agent's share of the avoidance, and `why` the rule that says so against an agent.
    """

    kind: str
    source: int | None
    distance: float
    point: tuple[float, float]
    normal: tuple[float, float]
    responsibility: float = 1.0
    why: str | None = None

    def signed_distance(self, x: float, y: float) -> float:
        """Signed distance of a velocity; negative when it violates the half-plane."""
        return (x - self.point[0]) * self.normal[0] + (y - self.point[1]) * self.normal[1]


@dataclass(frozen=True)
class Neighbour:
    """Another agent within sight: how far, its index, and the responsibility for it, with the rule that decides it."""

    squared: float
    index: int
    share: float
    why: str


def within_sight(world: World, row: int) -> list[Neighbour]:
    """Everybody nearer than the neighbour distance of the agent at index `row`, by (squared distance, index)."""
    state = world.population.state
    offset = state["position"] - state["position"][row]
    squared = offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1]
    reach = state["neighbor_distance"][row]
    near = np.flatnonzero((squared < reach * reach) & (np.arange(len(squared)) != row))
    ranked = near[np.lexsort((near, squared[near]))]
    pairs = shares_against(state, row, ranked)
    return [
        Neighbour(float(squared[index]), int(index), share, why)
        for index, (share, why) in zip(ranked, pairs, strict=True)
    ]


def neighbours(world: World, row: int) -> list[Neighbour]:
    """The neighbours of the agent at index `row` in the order of their constraints: the nearest of those it heeds."""
    heeded = [one for one in within_sight(world, row) if one.share > 0.0]
    return heeded[: _most(world, row)]


def _most(world: World, row: int) -> int:
    """How many neighbours count for an agent: by its own number and its quality."""
    state = world.population.state
    parameters = np.full((1, 5), float(state["max_neighbors"][row]))
    limit_quality(0, 1, np.zeros(1, np.int64), state["quality"][[row]], parameters)
    return int(parameters[0, 4])


def constraints(world: World, row: int) -> tuple[list[HalfPlane], int]:
    """The half-planes of the agent at index `row` in the order of the program, and how many of them are hard."""
    if world.population.state["locked"][row]:
        return [], 0
    walls = _wall_planes(world, row)
    boundaries = _boundary_planes(world, row)
    return walls + boundaries + _agent_planes(world, row), len(walls) + len(boundaries)


def _floor(world: World) -> float:
    return world.time_step if world.options.stop_at_walls else 0.0


def _wall_planes(world: World, row: int) -> list[HalfPlane]:
    state, statics = world.population.state, world.statics()
    px, py = state["position"][row].tolist()
    radius, limit = float(state["radius"][row]), float(state["max_speed"][row])
    horizon = max(float(state["obstacle_horizon"][row]), _floor(world))
    reach = horizon * limit + radius
    low = float(state["elevation"][row])
    high = low + float(state["height"][row])
    found = []
    for wall, (ax, ay, bx, by) in enumerate(statics.walls.tolist()):
        if len(statics.wall_range) and not (statics.wall_range[wall, 0] <= high and low <= statics.wall_range[wall, 1]):
            continue
        squared = segment_distance_squared(ax - px, ay - py, bx - px, by - py)
        if squared <= reach * reach:
            ends = (ax - px, ay - py, bx - px, by - py)
            # who stands on it: whichever way it was drawn
            if squared == 0.0 and world.options.one_side_of_walls and ends[:2] > ends[2:]:
                ends = (*ends[2:], *ends[:2])
            found.append((squared, wall, ends))
    planes = []
    for squared, wall, ends in sorted(found):
        x, y, nx, ny = segment_half_plane(*ends, radius, horizon, world.time_step)
        planes.append(HalfPlane("obstacle", int(statics.wall_source[wall]), math.sqrt(squared), (x, y), (nx, ny)))
    return planes


def _boundary_planes(world: World, row: int) -> list[HalfPlane]:
    state, statics = world.population.state, world.statics()
    boundaries = statics.boundaries
    if not len(boundaries.edges):
        return []
    px, py = state["position"][row].tolist()
    limit = float(state["max_speed"][row])
    group = int(state["radius_class"][row])
    found = []
    for edge in range(int(boundaries.class_start[group]), int(boundaries.class_start[group + 1])):
        ax, ay, bx, by = (boundaries.edges[edge] - [px, py, px, py]).tolist()
        own = float(boundaries.edge_horizon[edge])
        tau = max(own if own >= 0.0 else float(state["obstacle_horizon"][row]), _floor(world))
        clearance = float(boundaries.edge_clearance[edge])
        reach = tau * limit + clearance
        squared = segment_distance_squared(ax, ay, bx, by)
        if squared <= reach * reach:
            found.append((squared, edge, (ax, ay, bx, by), clearance, tau))
    planes = []
    for squared, edge, ends, clearance, tau in sorted(found):
        exists, x, y, nx, ny = boundary_half_plane(*ends, clearance, tau)
        if exists:
            source = int(boundaries.edge_area[edge])
            planes.append(HalfPlane("boundary", source, math.sqrt(squared), (x, y), (nx, ny)))
    return planes


def _agent_planes(world: World, row: int) -> list[HalfPlane]:
    state, dt = world.population.state, world.time_step
    px, py = state["position"][row].tolist()
    vx, vy = state["velocity"][row].tolist()
    planes = []
    for one in neighbours(world, row):
        index, share = one.index, one.share
        ax, ay = (state["position"][index] - [px, py]).tolist()
        bx, by = state["velocity"][index].tolist()
        r = float(state["radius"][row]) + float(state["radius"][index])
        mine, other = int(state["id"][row]), int(state["id"][index])
        coincident = world.options.part_coincident and one.squared < r * r
        if coincident and overlap_normal_is_degenerate(ax, ay, vx, vy, bx, by, dt):
            plane = coincident_half_plane(world.seed, mine, other, ax, ay, r, vx, vy, bx, by, dt, share)
        else:
            plane = agent_half_plane(ax, ay, r, vx, vy, bx, by, float(state["time_horizon"][row]), dt, share)
        planes.append(HalfPlane("agent", other, math.sqrt(one.squared), plane[:2], plane[2:], share, one.why))
    return planes


def _preferred(world: World, row: int) -> tuple[float, float]:
    """The preferred velocity that the next step would use."""
    state = world.population.state
    has_goal, given = preferred_columns(guided=ask_guides(world))
    x, y = preferred_velocity(
        row, *state["position"][row].tolist(), world.time_step, world.options.clamp_preferred_velocity,
        float(state["max_speed"][row]), state["goal"], state[has_goal], state["preferred_speed"],
        state["goal_tolerance"], state.told(given),
    )  # fmt: skip
    return float(x), float(y)


def _next(world: World, row: int) -> dict[str, Any]:
    """What the solving phase of the coming step will give the agent, by the step's own kernels and apart from it."""
    agents, statics, dt = world.population.state, world.statics(), world.time_step
    solver = Solver()
    task = solver.prepare(agents, world.step_count, dt, guided=ask_guides(world), detail=world.options.level_of_detail)
    place = int(np.flatnonzero(solver["order"][: agents.count] == row)[0])
    leaf = place // LEAF
    hints = agents["neighbor_reach"].copy()
    stage = solver.stage(agents, statics, world.options, dt, task)
    solver.solve(stage, dt, world.seed, task, leaf, leaf + 1)
    agents["neighbor_reach"][:] = hints
    if task.caught:
        let_out(place, place + 1, solver["order"], dt, *stage.letting_out)
    escapes = agents["caught"][row] != 0 and not agents["caught"][row] & NO_PLACE
    locked = bool(agents["locked"][row])
    outcome = 0 if locked else int(solver["outcome"][place])
    return {
        "velocity": (agents["velocity"] if locked else agents.following("velocity"))[row].tolist(),
        "coasts": bool(outcome & COASTED),
        "turns_aside": bool(outcome & BIASED),
        "parts": bool(outcome & COINCIDENT),
        **({"escapes_to": agents["escape"][row].tolist()} if escapes else {}),
    }


def explain(world: World, identifier: int) -> dict[str, Any]:
    """Plain values: `agent`, `status`, `step`, `preferred_velocity`, `neighbors`, `unheeded`, `constraints`, `next`,
    `body` and `program`.

    Each constraint names kind, source id, point, normal, its signed distance from the resulting velocity (negative:
    violated), the agent's share of the avoidance and, against another agent, the rule behind that share. `unheeded` are
    the nearest within sight that it does not avoid, each with the rule. `program` is the text's: `status` (`feasible`,
    `relaxed` or `hard-relaxed`), the first failing row, the velocity and the deepest violation; a locked agent solves
    none and goes on, which is `locked`. `next` is what the coming step will solve, options included: its velocity,
    whether it goes on as it went because it is far from every point of interest, and
    whether the agent turns aside of a symmetry or parts from one on its very spot; walls and the walkable surface may
    still cut that move short. Of an agent that is caught where nobody can be it also names the place that it
    `escapes_to`. `body` is what its limits let it do in that step, None without any.
    Raises NotFound or Gone.
    """
    row, agent = int(world.index_of([identifier])[0]), world.agent(identifier)
    # guides may lend agents other traits for the coming step
    ask_guides(world)
    try:
        return _explained(world, row, agent)
    finally:
        withdraw_guides(world)


def _explained(world: World, row: int, agent: dict[str, Any]) -> dict[str, Any]:
    """All of it, while the guides have had their say for the coming step."""
    state = world.population.state
    planes, hard = constraints(world, row)
    limit = float(state["max_speed"][row])
    px, py = _preferred(world, row)
    rows = np.array([[*plane.point, *plane.normal] for plane in planes] or np.empty((0, 4)), np.float64).reshape(-1, 4)
    failed, vx, vy = permitted_velocity(rows, hard, len(planes), limit, px, py, np.empty((len(planes) + 1, 4)))
    if state["locked"][row]:
        vx, vy = state["velocity"][row].tolist()
    ending = "feasible" if failed == len(planes) else "relaxed" if failed >= hard else "hard-relaxed"
    ending = "locked" if state["locked"][row] else ending
    shown = [
        {
            "kind": plane.kind,
            "source": plane.source,
            "hard": index < hard,
            "distance": plane.distance,
            "responsibility": plane.responsibility,
            "why": plane.why,
            "point": list(plane.point),
            "normal": list(plane.normal),
            "signed_distance": plane.signed_distance(vx, vy),
        }
        for index, plane in enumerate(planes)
    ]
    return {
        "agent": agent,
        "status": agent["status"],
        "step": world.step_count,
        "preferred_velocity": [px, py],
        "neighbors": [
            {"id": int(state["id"][one.index]), "distance": math.sqrt(one.squared)} for one in neighbours(world, row)
        ],
        "unheeded": [
            {"id": int(state["id"][one.index]), "distance": math.sqrt(one.squared), "why": one.why}
            for one in within_sight(world, row)
            if not one.share > 0.0
        ][:UNHEEDED],
        "constraints": shown,
        "next": _next(world, row),
        "body": reachable(world, row),
        "program": {
            "status": ending,
            "first_failure": None if failed == len(planes) else int(failed),
            "velocity": [vx, vy],
            "max_speed": limit,
            "deepest_violation": max([0.0, *(-plane.signed_distance(vx, vy) for plane in planes)]),
        },
    }
