"""Orders as many kinds of clients give them, drawn at random from a seed."""

from __future__ import annotations

import random
from typing import Any

from tests.chaos.ledger import Ledger

__all__ = ["batch"]

MOST_AGENTS = 60
# a batch that takes some pages of a journal
LARGE = 150


def batch(random: random.Random, ledger: Ledger, own: list[int] | None = None) -> list[dict[str, Any]]:
    """One to three commands; some name what another client may have removed, and one in twelve is refused for sure."""
    with ledger.lock:
        agents, obstacles = sorted(ledger.alive), sorted(ledger.obstacles)
    mine = agents if own is None else own
    commands = [_one(random, mine, obstacles, len(agents)) for _ in range(random.choice((1, 1, 2, 3)))]
    if own is None and random.random() < 1 / 12:
        commands.append({"op": "remove_agents", "ids": [2**40]})
    return commands


def _one(random: random.Random, agents: list[int], obstacles: list[int], everybody: int) -> dict[str, Any]:
    kind = random.random()
    # who orders its own about alone makes the world no larger than the others do
    if kind < 0.10 and everybody < MOST_AGENTS:
        rows = LARGE if random.random() < 0.05 else random.randint(1, 3)
        return {
            "op": "add_agents",
            "agents": [{"position": _place(random), "goal": _place(random)} for _ in range(rows)],
        }
    if kind < 0.20 and len(agents) > MOST_AGENTS // 2:
        return {"op": "remove_agents", "ids": random.sample(agents, max(1, len(agents) - MOST_AGENTS))}
    if kind < 0.24 and len(obstacles) < 6:
        x, y = _place(random)
        return {"op": "add_obstacles", "obstacles": [{"points": [[x, y], [x + 2.0, y + 0.5]]}]}
    if kind < 0.28 and obstacles:
        return {"op": "remove_obstacle", "id": random.choice(obstacles)}
    if not agents:
        return {"op": "add_agents", "agents": [{"position": _place(random)}]}
    some = random.sample(agents, min(len(agents), random.randint(1, 5)))
    return {"op": "set_agents", "ids": some, "columns": {"goal": [_place(random) for _ in some]}}


def _place(random: random.Random) -> list[float]:
    return [random.uniform(-12.0, 12.0), random.uniform(-12.0, 12.0)]
