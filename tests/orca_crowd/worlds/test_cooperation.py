"""Plans for all agents of a world in the server: made beside the steps, recorded when they enter, never made again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from orca_core import World
from orca_core.cooperation import COOPERATIVE
from orca_core.cooperative import team_planning
from orca_core.cooperative.team_planning import TeamPlan, TeamQuestion
from orca_core.formats import contours
from orca_core.formats.movingai import parse_map
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
from orca_core.simulation import Simulation
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.settings import Settings
from orca_crowd.worlds import ways
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.recovery import recover
from orca_crowd.worlds.session import Session

FACTS = {"id": "w", "name": None, "ttl": None, "clock": {"mode": "manual"}, "durability": "process"}
GAP = "type octile\nheight 5\nwidth 7\nmap\n...@...\n...@...\n.......\n...@...\n...@...\n"


def rooms() -> World:
    """Two from each side through one gap."""
    grid = PlacedGrid(parse_map(GAP))
    world = World(time_step=0.25, options=Options.from_mapping({"cooperation": {"variant": "corca-mapf"}}), seed=5)
    world.set_grid_map(grid)
    world.add_obstacles(contours.obstacles(grid.grid))
    places = np.array([grid.center(*cell) for cell in [(0, 1), (0, 3), (6, 1), (6, 3)]])
    world.add_agents(
        {
            "position": places,
            "goal": places[[2, 3, 0, 1]],
            "guidance": np.full(4, COOPERATIVE, np.uint8),
            "radius": np.full(4, 0.4),
            "max_speed": np.full(4, 1.0),
            "obstacle_horizon": np.full(4, 0.25),
        }
    )
    Simulation(world)
    return world


def halls() -> World:
    """Three from each side through a passage of walkable ground in which two do not pass each other."""
    world = World(time_step=0.1, options=Options.from_mapping({"corridor_turns": True}), seed=5)
    outline = [(0, 0), (6, 0), (6, 2.5), (10, 2.5), (10, 0), (16, 0), (16, 6), (10, 6), (10, 3.5), (6, 3.5), (6, 6)]
    world.add_walkable([WalkableArea(polygons=((np.array([*outline, (0, 6)], np.float64),),))])
    west = np.array([(1.0, 1.5), (1.0, 3.0), (1.0, 4.5)])
    east = west * [-1.0, 1.0] + [16.0, 0.0]
    world.add_agents(
        {
            "position": np.concatenate([west, east]),
            "goal": np.concatenate([east, west]),
            "guidance": ["path"] * 6,
            "radius": np.full(6, 0.3),
            "max_speed": np.full(6, 1.0),
        }
    )
    Simulation(world)
    return world


@pytest.fixture
def pool() -> Iterator[PlannerPool]:
    """A thread that plans."""
    made = PlannerPool(1)
    with closing(made):
        yield made


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A folder."""
    made = Archive(tmp_path, Settings(data=str(tmp_path), digest_steps=3))
    made.open()
    with closing(made):
        yield made


def step(session: Session, steps: int) -> None:
    """Steps, recorded."""
    for _ in range(steps):
        session.advance(1)
        session.record(0.0)


def brought_back(archive: Archive, session: Session) -> Session:
    """The world of a session again, from its journal and with the same bits; the session records no more."""
    path, saved = archive.path("w"), session.world.snapshot()
    assert session.recorder is not None
    session.recorder.file.close()
    back = recover(path, "w", World.restore, Settings())
    back.file.close()
    assert back.cut is None
    assert back.session.world.snapshot() == saved
    return back.session


def test_a_journal_brings_plans_back_though_nobody_could_make_them_again(
    archive: Archive, pool: PlannerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, library = Session("w", rooms(), Settings()), rooms()
    archive.begin(session, FACTS)
    session.plan_with(pool)
    # the plan for another goal enters in the midst of it, and of the third one only the question is there
    change: dict[str, object] = {"agents": [{"id": 0, "goal": [1.5, 0.5]}]}
    for steps in (5, 25, 1):
        step(session, steps)
        library.step(steps)
        assert session.world.snapshot() == library.snapshot()
        if steps == 1:
            break
        session.answer(parse_commands({"commands": [{"op": "set_agents", **change}]}, Settings()))
        library.set_agents([0], {"goal": [change["agents"][0]["goal"]]})  # type: ignore[index]
        change = {"agents": [{"id": 0, "goal": [2.5, 0.5]}]}
    path, saved = archive.path("w"), session.world.snapshot()
    assert session.recorder is not None
    session.recorder.file.close()

    def nobody(question: TeamQuestion, due: int) -> TeamPlan:
        raise AssertionError("a replay plans nothing")

    with monkeypatch.context() as patched:
        patched.setattr(ways, "planned", nobody)
        patched.setattr(team_planning, "planned", nobody)
        back = recover(path, "w", World.restore, Settings())
    back.file.close()
    assert back.cut is None
    assert back.session.world.snapshot() == saved
    # and it goes on as if nothing had happened, what was asked for included
    again = Session("w", World.restore(saved), Settings())
    again.plan_with(pool)
    again.advance(60)
    library.step(60)
    assert again.world.snapshot() == library.snapshot()


def test_a_crowd_that_goes_on_and_on_comes_out_of_its_journal_again(archive: Archive, pool: PlannerPool) -> None:
    session = Session("w", rooms(), Settings())
    archive.begin(session, FACTS)
    session.plan_with(pool)
    grid = session.world.grid_map
    assert grid is not None
    arrivals = dict.fromkeys(range(4), 0)
    for _ in range(240):
        events = session.advance(1)
        session.record(0.0)
        arrived = [int(one) for event in events if event["kind"] == "arrived" for one in event["ids"]]
        for one in arrived:
            arrivals[one] += 1
            column = 6 if session.world.agent(one)["goal"][0] < 3.0 else 0
            goal = list(grid.center(column, (one + arrivals[one]) % 5))
            body: dict[str, object] = {"op": "set_agents", "agents": [{"id": one, "goal": goal}]}
            session.answer(parse_commands({"commands": [body]}, Settings()))
    assert min(arrivals.values()) >= 2
    brought_back(archive, session)


def test_a_journal_brings_turns_on_walkable_ground_back(archive: Archive, pool: PlannerPool) -> None:
    session, library = Session("w", halls(), Settings()), halls()
    archive.begin(session, FACTS)
    session.plan_with(pool)
    waited = 0
    # somebody is wider from the middle of it on, so that corridors are found anew
    for steps in (60, 60):
        for _ in range(steps):
            step(session, 1)
            waited += int((session.world.column("waits_for") >= 0).sum())
        library.step(steps)
        assert session.world.snapshot() == library.snapshot()
        if steps == 60 and library.step_count == 60:
            change: dict[str, object] = {"agents": [{"id": 0, "radius": 0.4}]}
            session.answer(parse_commands({"commands": [{"op": "set_agents", **change}]}, Settings()))
            library.set_agents([0], {"radius": [0.4]})
    assert waited, "nobody waited for anybody"
    back = brought_back(archive, session)
    back.plan_with(pool)
    back.advance(400)
    library.step(400)
    assert back.world.snapshot() == library.snapshot()
    assert np.abs(library.column("position") - library.population.state["goal"]).max() < 0.05
