"""A game that keeps its own clock: orders in, a step, and what became of them out, in one message a tick.

python game_loop.py http://127.0.0.1:8000
"""

from __future__ import annotations

import math
import sys
import time

from orca_crowd_client import Client, commands

TICKS = 200
AGENTS = 100


def main(url: str) -> None:
    """Let a ring of agents walk through its centre, and turn back whoever has left it."""
    angles = [2 * math.pi * agent / AGENTS for agent in range(AGENTS)]
    with Client(url) as client:
        world = client.create_world(time_step=1 / 30)
        ids = world.add_agents(position=[(20 * math.cos(a), 20 * math.sin(a)) for a in angles], radius=0.3).ids
        wanted = [(-math.cos(a), -math.sin(a)) for a in angles]
        with world.stream(watch=False) as socket:
            started = time.perf_counter()
            for _ in range(TICKS):
                order = commands.set_agents(ids, preferred_velocity=wanted)
                stepped = socket.step(commands=[order], return_="agents", fields=["position"], ids=ids)
                assert stepped.agents is not None
                # the game's own rule: who is far out wants back
                for agent, (x, y) in enumerate(stepped.agents.position):
                    if math.hypot(x, y) > 25:
                        wanted[agent] = (-x / math.hypot(x, y), -y / math.hypot(x, y))
            tick = 1000 * (time.perf_counter() - started) / TICKS
        print(f"{stepped.step} steps of {AGENTS} agents, {tick:.2f} ms each")
        world.delete()


if __name__ == "__main__":
    main(*sys.argv[1:])
