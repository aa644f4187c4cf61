"""Agents that follow ways, over worker processes: the bits of the library, whoever computes and whoever plans."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from orca_core import World
from orca_core.cooperation import COOPERATIVE
from orca_core.formats import contours
from orca_core.formats.movingai import parse_map
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_crowd.settings import Settings
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.session import Session
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.support.ways import hall, take


@pytest.mark.parametrize("workers", [1, 3])
def test_every_engine_comes_to_the_same(workers: int, make_engine: MakeEngine) -> None:
    library = hall(plan_delay_steps=3)
    engine = make_engine(workers)
    with closing(PlannerPool(2)) as pool:
        session = Session("w", engine.restore(library.snapshot()), Settings())
        session.plan_with(pool)
        for _ in range(6):
            session.advance(10)
            take(library, 10)
            assert session.world.digest() == library.digest()
        assert session.world.snapshot() == library.snapshot()


def gap(count: int) -> World:
    """So many on each side of a gap of one cell, here and there, all of them bound for the other side."""
    drawn = ["....." + ("." if row == 3 else "@") + "....." for row in range(7)]
    grid = PlacedGrid(parse_map("type octile\nheight 7\nwidth 11\nmap\n" + "\n".join(drawn) + "\n"))
    world = World(time_step=0.25, options=Options.from_mapping({"cooperation": {"variant": "corca-mapf"}}), seed=5)
    world.set_grid_map(grid)
    world.add_obstacles(contours.obstacles(grid.grid))
    chance = np.random.default_rng(1)
    west, east = (
        [grid.center(left + k % 5, k // 5) for k in chance.permutation(35)[:count].tolist()] for left in (0, 6)
    )
    world.add_agents(
        {
            "position": west + east,
            "goal": east[::-1] + west[::-1],
            "guidance": np.full(2 * count, COOPERATIVE, np.uint8),
            "radius": np.full(2 * count, 0.4),
            "max_speed": np.full(2 * count, 1.0),
            "obstacle_horizon": np.full(2 * count, 0.25),
        }
    )
    Simulation(world)
    return world


def test_who_is_kept_from_meeting_others_is_so_in_every_engine(make_engine: MakeEngine) -> None:
    library, alone = gap(16), gap(16)
    alone.hold = None
    engine = make_engine(2)
    with closing(PlannerPool(1)) as pool:
        session = Session("w", engine.restore(library.snapshot()), Settings())
        session.plan_with(pool)
        for _ in range(4):
            session.advance(20)
            library.step(20)
            alone.step(20)
            assert session.world.digest() == library.digest()
    assert alone.digest() != library.digest(), "nobody was held"
