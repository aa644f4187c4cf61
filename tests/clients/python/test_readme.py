"""Every block of Python in the README runs against a real server, and the first one does what it says."""

from __future__ import annotations

import asyncio
import itertools
import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orca_crowd_client import AsyncClient, Client, Frame, commands

README = Path(__file__).resolve().parents[3] / "clients" / "python" / "README.md"
BLOCKS = re.findall(r"^```python[^\n]*\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
QUICK_START, COLUMNS, LOOP, WATCHING, CONTROLLERS = BLOCKS


def test_the_readme_begins_with_ten_lines() -> None:
    assert README.read_text(encoding="utf-8").startswith("```python\n")
    assert len(QUICK_START.splitlines()) <= 10


def test_the_quick_start(server: str, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    assert "http://127.0.0.1:8000" in QUICK_START
    named: dict[str, Any] = {}
    exec(QUICK_START.replace("http://127.0.0.1:8000", server), named)
    agents = named["agents"]
    # they have swapped places
    assert np.abs(agents.position - [(5, 0), (-5, 0)]).max() < 1e-6
    assert str(agents.step) in capsys.readouterr().out


@pytest.mark.parametrize(("neighbors", "apart"), [(10, True), (0, False)])
def test_the_quick_start_keeps_its_agents_apart(client: Client, neighbors: int, apart: bool) -> None:
    world = client.create_world(time_step=0.1)
    world.add_obstacles([[(-2.0, 2.0), (2.0, 2.0)]])
    # with avoidance off the same scene must show what it otherwise prevents
    world.add_agents(position=[(-5.0, 0.0), (5.0, 0.0)], goal=[(5.0, 0.0), (-5.0, 0.0)], max_neighbors=neighbors)
    distances = []
    for _ in range(200):
        one, other = world.step(return_="agents", fields=["position"]).agents.position  # type: ignore[union-attr]
        distances.append(float(np.hypot(*(one - other))))
    assert (min(distances) >= 1 - 1e-6) == apart
    assert world.agents(fields=["status"]).status == ["arrived", "arrived"]


def test_agents_in_columns(client: Client) -> None:
    world = client.create_world(time_step=0.1)
    named: dict[str, Any] = {"world": world, "positions": [(10, 0), (20, 0)], "goals": np.array([[20, 5], [10, 5]])}
    exec(COLUMNS, named)
    agents = world.agents(fields=["max_speed", "goal", "radius"])
    assert agents.max_speed.tolist() == [2, 2, 1.5, 1.5]
    assert agents.radius.tolist() == [0.4, 0.4, 0.5, 0.5]
    assert np.isnan(agents.goal[[0, 1, 3]]).all()
    assert agents.goal[2].tolist() == [3, 4]


@pytest.mark.usefixtures("sockets_collected")
@pytest.mark.parametrize(
    ("block", "clock"),
    [(LOOP, {"mode": "manual"}), (CONTROLLERS, {"mode": "barrier", "timeout": 60.0})],
    ids=["tight loop", "controllers"],
)
def test_the_loops(client: Client, block: str, clock: dict[str, Any]) -> None:
    world = client.create_world(time_step=0.1, clock=clock)
    mine = world.add_agents(position=[(0, 0), (5, 0)]).ids
    used: list[Any] = []
    turns = itertools.count()

    class Playing:
        """True five times."""

        def __bool__(self) -> bool:
            return next(turns) < 5

    named = {
        "commands": commands,
        "world": world,
        "mine": mine,
        "wanted": [(0, 1), (0, -1)],
        "playing": Playing(),
        "use": lambda position, velocity, events: used.append((position, velocity, events)),
    }
    exec(block, named)
    assert len(used) == 5
    assert used[-1][1].tolist() == [[0, 1], [0, -1]]
    assert world.digest().step == 5


async def test_watching(server: str, client: Client) -> None:
    world = client.create_world(time_step=0.1, id="plaza")
    world.add_agents(position=(0, 0), goal=(0.1, 0))
    seen: list[int] = []
    said: list[str] = []

    class Enough(Exception):
        """Enough was seen."""

    def draw(step: int, ids: Any, position: Any) -> None:
        seen.append(step)
        assert position.shape == (len(ids), 2)
        if step:
            raise Enough
        world.step(2)

    code = "async def watch():\n" + textwrap.indent(WATCHING, "    ")
    named: dict[str, Any] = {
        "AsyncClient": lambda: AsyncClient(server),
        "Frame": Frame,
        "draw": draw,
        "print": lambda kind, ids: said.append(kind),
    }
    exec(code, named)
    with pytest.raises(Enough):
        await asyncio.wait_for(named["watch"](), 30)
    assert seen[0] == 0
