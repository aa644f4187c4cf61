"""One world over one, two and three actors: the bits of one machine, whatever happens to either."""

from __future__ import annotations

import os
import random
import signal
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from orca_core import Options, World, conformance
from orca_core.solver import MOVED_BY
from orca_core.state import BY_NAME, AgentState
from orca_crowd.settings import Settings
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.session import Session
from tests.orca_core.test_vectors import SCENES
from tests.orca_crowd.engine.ray.conftest import complete, spread_engine
from tests.orca_crowd.engine.support import alive, crowd, inline_engine, kill, outcomes, wait_until
from tests.orca_crowd.engine.test_congruence import Harm, History, harmless
from tests.support.ways import hall, take

if TYPE_CHECKING:
    from orca_crowd.engine.ray.spread import SpreadEngine

pytestmark = pytest.mark.ray


def processes(engine: SpreadEngine) -> list[int]:
    """The processes of its helpers."""
    import ray

    return [ray.get(engine.crew.actor(place.number).process.remote()) for place in engine.crew.places]


def scenes_come_to_the_same(engine: SpreadEngine) -> None:
    """The conformance scenes, to the digests that are published."""
    made = []

    def make(*, time_step: float, options: Options) -> World:
        made.append(engine.create(time_step=time_step, options=options, seed=0))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conformance, "World", make)
        for case in SCENES:
            assert next(conformance.RUNNERS["scenes"](case), None) is None, case["name"]
    assert len(made) == len(SCENES) > 5


def histories_are_the_same(engine: SpreadEngine, seeds: range) -> None:
    """Whatever happens between steps."""
    for seed in seeds:
        wanted = History(inline_engine(), seed).run(25, harmless)
        assert History(engine, seed).run(25, harmless) == wanted, f"seed {seed}"


def deaths(engine: SpreadEngine, seed: int, share: float) -> Harm:
    """Every now and then one of the helpers dies; the next one when all are there again."""
    from ray.exceptions import RayError

    generator = random.Random(seed)

    def harm() -> None:
        # nobody has looked yet at one that has just died, and it cannot be asked for its number any more
        with suppress(RayError):
            if generator.random() < share and complete(engine):
                kill(generator.choice(processes(engine)))

    return harm


def ways_are_followed(engine: SpreadEngine) -> None:
    """A hall in which plans enter between steps, and guides decide what is wanted."""
    library = hall(plan_delay_steps=3)
    with closing(PlannerPool(2)) as pool:
        session = Session("w", engine.restore(library.snapshot()), Settings())
        session.plan_with(pool)
        for _ in range(4):
            session.advance(10)
            take(library, 10)
            assert session.world.digest() == library.digest()
        assert session.world.snapshot() == library.snapshot()


def test_one_actor_is_a_world_by_itself(nodes: Any) -> None:
    with spread_engine(1) as engine:
        scenes_come_to_the_same(engine)
        assert engine.restarts == engine.hung == 0


def test_two_actors(nodes: Any) -> None:
    """The same bits, also where the helper hangs; and nobody is left in the end."""
    with spread_engine(2, deadline=1.0, split_agents=2) as engine:
        scenes_come_to_the_same(engine)
        histories_are_the_same(engine, range(2, 8))
        # and nobody was let go of, whose share others would have moved to the same bits
        assert engine.restarts == 0
        # one agent is nobody to divide
        (place,) = engine.crew.places
        known = set(place.told)
        alone = crowd(engine, 1)
        alone.step(2)
        assert set(place.told) == known
        world, library = crowd(engine, 300), crowd(inline_engine(), 300)
        assert outcomes(world, 3) == outcomes(library, 3)
        # worlds that are no more were forgotten with that step
        assert len(place.told) == 1
        (process,) = processes(engine)
        assert engine.hung == 0
        os.kill(process, signal.SIGSTOP)
        try:
            assert outcomes(world, 3) == outcomes(library, 3)
        finally:
            os.kill(process, signal.SIGCONT)
        assert engine.hung == 1
        assert complete(engine)
        assert engine.restarts == 1
        assert outcomes(world, 3) == outcomes(library, 3)
        assert len(place.told) == 1
        assert alive(process)
    assert wait_until(lambda: not alive(process))


def test_three_actors(nodes: Any) -> None:
    """The same bits, also where helpers are killed under way and come back."""
    with spread_engine(3) as engine:
        scenes_come_to_the_same(engine)
        histories_are_the_same(engine, range(3, 7))
        ways_are_followed(engine)
        assert engine.restarts == 0
        wanted = History(inline_engine(), 5).run(20, harmless)
        assert History(engine, 5).run(20, deaths(engine, 5, 0.04)) == wanted
        assert complete(engine)
        assert engine.restarts > 0


def test_every_column_that_moves_depend_on_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked up by `move` alone, and standing by index; hints decide nothing, and the rest comes with the frame."""
    with_all = crowd(inline_engine(), 50)
    with_all.set_agents(with_all.ids[:5], {"max_turning_rate": np.full(5, 1.0), "locked": np.full(5, True)})
    asked: set[str] = set()
    usual = AgentState.__getitem__

    def noted(agents: AgentState, name: str) -> Any:
        asked.add(name)
        return usual(agents, name)

    agents, solver = with_all.parts()
    task = solver.prepare(agents, 0, 0.1, guided=True)
    stage = solver.stage(agents, with_all.statics(), with_all.options, 0.1, task)
    read = {
        field
        for field in BY_NAME
        if any(np.shares_memory(agents[field], value) for value in stage.solving if isinstance(value, np.ndarray))
    }
    monkeypatch.setattr(AgentState, "__getitem__", noted)
    from orca_core.movement import guard

    scratch = solver.scratch(task, with_all.statics())
    guard(agents, with_all.statics(), with_all.options, 0.1, stage.order, solver["outcome"], solver["moved"], scratch)
    hints = {name for name in BY_NAME if BY_NAME[name].role == "hint"}
    # what comes with the frame, and with the places
    elsewhere = {"position", "velocity", "turning_until", "turning_since"}
    assert asked >= {"position"}
    assert (read | asked) - hints - elsewhere <= set(MOVED_BY)
