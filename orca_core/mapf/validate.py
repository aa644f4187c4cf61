"""Validate: whether a plan is one, said by rules of its own. It shares no line and no table with any solver.

The rules: each path begins at its start and ends at its goal; in one step it stays or moves to a cell beside (not
across a corner), inside the map and free; no two agents are in one cell at the same time, after their ends too; no two
change places in the same step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orca_core.mapf.instance import Instance

__all__ = ["Fault", "validate"]

# how many faults are named
MOST_FAULTS = 100


@dataclass(frozen=True)
class Fault:
    """`rule`: start, goal, jump, outside, blocked, vertex, swap or missing; at what time, and who is concerned."""

    rule: str
    time: int
    agents: tuple[int, ...]
    message: str


def validate(instance: Instance, paths: Sequence[Sequence[int]]) -> list[Fault]:
    """Every broken rule, none for a plan that holds; at most a hundred. `paths[i]` are the cells of agent i by time."""
    faults: list[Fault] = []
    width, height = instance.grid.width, instance.grid.height
    if len(paths) != instance.count:
        return [Fault("missing", 0, (), f"there are {len(paths)} paths for {instance.count} agents")]
    walks = [[int(cell) for cell in path] for path in paths]
    for agent, walk in enumerate(walks):
        if not walk:
            return [Fault("missing", 0, (agent,), f"agent {agent} has no path")]
        if walk[0] != int(instance.starts[agent]):
            faults.append(Fault("start", 0, (agent,), f"agent {agent} begins at cell {walk[0]}"))
        if walk[-1] != int(instance.goals[agent]):
            faults.append(Fault("goal", len(walk) - 1, (agent,), f"agent {agent} ends at cell {walk[-1]}"))
        for time, cell in enumerate(walk):
            x, y = cell % width, cell // width
            if not 0 <= cell < width * height:
                faults.append(Fault("outside", time, (agent,), f"agent {agent} is at cell {cell}, outside the map"))
            elif not bool(instance.grid.free[y, x]):
                faults.append(Fault("blocked", time, (agent,), f"agent {agent} is on the blocked cell ({x}, {y})"))
            if time:
                before = walk[time - 1]
                far = abs(x - before % width) + abs(y - before // width)
                if far > 1:
                    faults.append(Fault("jump", time, (agent,), f"agent {agent} goes {far} cells in one step"))
    # who is where at each time; the last cell of a path is taken for ever
    last = max((len(walk) for walk in walks), default=0)
    for time in range(last):
        here = [walk[min(time, len(walk) - 1)] for walk in walks]
        taken: dict[int, int] = {}
        for agent, cell in enumerate(here):
            other = taken.setdefault(cell, agent)
            if other != agent:
                faults.append(Fault("vertex", time, (other, agent), f"agents {other} and {agent} are at cell {cell}"))
        if time:
            came = [walk[min(time - 1, len(walk) - 1)] for walk in walks]
            moves = {(a, b): agent for agent, (a, b) in enumerate(zip(came, here, strict=True)) if a != b}
            for (a, b), agent in moves.items():
                opposite = moves.get((b, a))
                if opposite is not None and agent < opposite:
                    faults.append(
                        Fault("swap", time, (agent, opposite), f"agents {agent} and {opposite} change places")
                    )
        if len(faults) >= MOST_FAULTS:
            return faults[:MOST_FAULTS]
    return faults
