"""Real faults: workers killed and stopped, in a step and between, over and over, while told and while they start."""

from __future__ import annotations

import os
import random
import signal
import threading
from typing import Any

import numpy as np
import pytest

from orca_core import Obstacle, World
from orca_crowd.engine.crew import Crew
from orca_crowd.engine.processes import ProcessEngine
from orca_crowd.engine.workmate import Lost
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.support import (
    Maker,
    alive,
    crowd,
    dies_at_once,
    inline_engine,
    kill,
    meanwhile,
    outcomes,
    state_of,
    stopped_inside_a_step,
    wait_until,
    worker_of,
)

Outcomes = list[tuple[str, list[Any]]]

# enough for a step that takes long enough to be hit, and few enough for many steps
AGENTS = 30_000
STEPS = 8
# about as long as a step takes, in seconds
STEP = 0.02


@pytest.fixture(scope="module")
def expected(kernels: None) -> Outcomes:
    """What the large crowd comes to when nobody is harmed."""
    return outcomes(crowd(inline_engine(), AGENTS), STEPS)


@pytest.fixture(scope="module")
def small(kernels: None) -> Outcomes:
    """What a small crowd comes to when nobody is harmed."""
    return outcomes(crowd(inline_engine(), 100, seed=3), STEPS)


def killed_inside(engine: ProcessEngine, world: World, generator: random.Random, hits: list[int]) -> Any:
    """Kills a worker in the middle of every step that it can, at random places and moments."""

    def run(end: threading.Event) -> None:
        last = -1
        while not end.is_set():
            worker = engine.crew.present(generator.randrange(engine.crew.count))
            # one a step: a range may lose no more than two
            if worker is None or not worker.awaited or world.step_count == last:
                continue
            step = world.step_count
            if stopped_inside_a_step(worker, generator.uniform(0.0, STEP)):
                last = step
                hits.append(worker.pid)
                kill(worker.pid)

    return meanwhile(run)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_workers_killed_in_the_middle_of_steps(workers: int, make_engine: MakeEngine, expected: Outcomes) -> None:
    engine = make_engine(workers)
    world = crowd(engine, AGENTS)
    hits: list[int] = []
    with killed_inside(engine, world, random.Random(workers), hits):
        found = outcomes(world, STEPS)
    assert found == expected
    # how many land within so few steps is up to the machine
    assert len(hits) >= 1
    assert engine.restarts == len(hits)
    assert not any(alive(pid) for pid in hits)


def test_all_workers_killed_at_once(make_engine: MakeEngine, expected: Outcomes) -> None:
    engine = make_engine(3)
    world = crowd(engine, AGENTS)

    def run(end: threading.Event) -> None:
        assert wait_until(lambda: all(worker_of(engine, place).awaited for place in range(3)))
        for place in range(3):
            kill(worker_of(engine, place).pid)

    with meanwhile(run):
        first = outcomes(world, 1)
    assert first + outcomes(world, STEPS - 1) == expected
    assert engine.restarts >= 2


def test_a_worker_killed_between_steps(make_engine: MakeEngine, small: Outcomes) -> None:
    engine = make_engine(2)
    world = crowd(engine, 100, seed=3)
    found = []
    for step in range(STEPS):
        kill(worker_of(engine, step % 2).pid)
        found += outcomes(world, 1)
    assert found == small
    assert engine.restarts == STEPS


def test_a_worker_that_hangs_in_a_step_is_replaced(make_engine: MakeEngine, expected: Outcomes) -> None:
    engine = make_engine(2, deadline=1.0)
    world = crowd(engine, AGENTS)
    hung: list[int] = []

    def run(end: threading.Event) -> None:
        generator = random.Random(1)
        while not end.is_set() and not hung:
            worker = worker_of(engine, 1)
            if stopped_inside_a_step(worker, generator.uniform(0.0, STEP)):
                hung.append(worker.pid)

    with meanwhile(run):
        found = outcomes(world, STEPS)
    assert found == expected
    assert len(hung) == 1
    # stopped is not dead, and it holds the memory of the world
    assert not alive(hung[0])
    assert engine.restarts == 1


def test_a_worker_that_hangs_takes_no_orders_and_is_replaced(make_engine: MakeEngine) -> None:
    """What it is told does not fit into its pipe, so whoever tells it would wait for ever."""
    walls = [Obstacle(np.stack([np.arange(20_000) * 0.01, np.sin(np.arange(20_000) * 0.1) - 20.0], axis=1))]
    found = []
    for engine in (inline_engine(), make_engine(2, deadline=1.0)):
        world = crowd(engine, 100)
        world.step()
        if isinstance(engine, ProcessEngine):
            stopped = worker_of(engine, 0).pid
            os.kill(stopped, signal.SIGSTOP)
            assert wait_until(lambda stopped=stopped: state_of(stopped) == "T")  # type: ignore[misc]
        world.add_obstacles(walls)
        found.append(outcomes(world, 3))
    assert found[0] == found[1]
    assert not alive(stopped)
    assert engine.restarts == 1


def killed_over_and_over(engine: ProcessEngine, place: int) -> Any:
    """Kills whoever stands in a place and has an order, until the end of the block."""

    def run(end: threading.Event) -> None:
        while not end.is_set():
            worker = engine.crew.present(place)
            if worker is not None and worker.awaited:
                kill(worker.pid)

    return meanwhile(run)


def slow_crowd(maker: Maker) -> World:
    """A crowd whose step takes a tenth of a second a worker, so that each can be killed while it is at it."""
    world = crowd(maker, 6_000)
    many = {"max_neighbors": np.full(6_000, 200), "neighbor_distance": np.full(6_000, 60.0)}
    world.set_agents(world.ids, many)
    return world


@pytest.fixture(scope="module")
def slow() -> Outcomes:
    """What comes of the slow crowd."""
    return outcomes(slow_crowd(inline_engine()), 2)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_range_that_loses_every_worker_is_given_up(
    place: int, make_engine: MakeEngine, slow: Outcomes, small: Outcomes
) -> None:
    engine = make_engine(3)
    world, other = slow_crowd(engine), crowd(engine, 100, seed=3)
    begun = outcomes(other, 2)
    with (
        killed_over_and_over(engine, place),
        pytest.raises(RuntimeError, match=r"3 workers were lost over the leaves \d+ to \d+; the last: worker \d+ died"),
    ):
        world.step()
    # the world has not moved, no answer is left for anybody else, and nobody is left out
    assert (world.step_count, engine.restarts) == (0, 2)
    assert begun + outcomes(other, STEPS - 2) == small
    assert outcomes(world, 2) == slow
    assert engine.restarts == 3


def test_an_exception_inside_a_worker_fails_the_step_alone(make_engine: MakeEngine, small: Outcomes) -> None:
    engine = make_engine(3)
    world, other = crowd(engine, 100, seed=3), crowd(engine, 100, seed=3)
    begun = outcomes(world, 2)
    assert outcomes(other, 2) == begun
    # as if a worker had its walls wrong
    worker = worker_of(engine, 1)
    number = engine._knowledge.number(world)
    worker.tell("statics", number, None)
    with pytest.raises(RuntimeError, match=r"a worker failed in the leaves 4 to 8:\n(?s:.*)AttributeError"):
        world.step()
    assert outcomes(other, 2) == small[2:4]
    # the same process goes on, and so does the world once the worker knows better
    assert worker_of(engine, 1) is worker
    worker.tell("statics", number, world.statics())
    assert begun + outcomes(world, STEPS - 2) == small
    assert engine.restarts == 0


def test_an_error_between_order_and_answer_leaves_no_answer_behind(
    make_engine: MakeEngine, small: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(3)
    world, other = crowd(engine, 100, seed=3), crowd(engine, 90, seed=4)
    acquaint, told = engine._knowledge.acquaint, []

    def fails_at_the_third(*arguments: Any) -> None:
        acquaint(*arguments)
        told.append(arguments)
        if len(told) == 3:
            raise MemoryError

    monkeypatch.setattr(engine._knowledge, "acquaint", fails_at_the_third)
    with pytest.raises(MemoryError):
        other.step()
    monkeypatch.undo()
    assert outcomes(world, STEPS) == small
    # two had their orders, and nobody has taken an answer for another
    assert engine.restarts == 2
    assert not any(worker_of(engine, place).pipe.poll(0) for place in range(3))


def test_workers_that_do_not_come_up_are_losses_too(make_engine: MakeEngine, small: Outcomes) -> None:
    engine = make_engine(2)
    world = crowd(engine, 100, seed=3)
    begun = outcomes(world, 2)
    target, engine.crew._target = engine.crew._target, dies_at_once
    for place in range(2):
        kill(worker_of(engine, place).pid)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="3 workers were lost"):
            world.step()
    assert world.step_count == 2
    engine.crew._target = target
    assert begun + outcomes(world, STEPS - 2) == small


def test_a_crew_that_does_not_come_up_says_so_and_leaves_nobody(forks: Crew) -> None:
    crew = Crew(2, deadline=1.0, target=dies_at_once)
    with pytest.raises(Lost, match=r"worker \d+ died"):
        crew.start()
    crew.close()


def test_worlds_take_turns_while_workers_die(make_engine: MakeEngine) -> None:
    """Several worlds stepped by threads of their own, all of them right in the end."""
    wanted = {seed: outcomes(crowd(inline_engine(), 50 + seed, seed=seed), 40) for seed in range(6)}
    engine = make_engine(3, split_agents=53)
    found: dict[int, Outcomes] = {}

    def step(seed: int, world: World) -> None:
        found[seed] = outcomes(world, 40)

    def run(end: threading.Event) -> None:
        for number in range(12):
            before = engine.restarts
            # each in turn, so that no range loses three
            worker = engine.crew.present(number % 3)
            if worker is not None:
                kill(worker.pid)
            # the next dies when this one has been missed
            while engine.restarts == before and not end.wait(0.001):
                pass

    threads = [threading.Thread(target=step, args=(seed, crowd(engine, 50 + seed, seed=seed))) for seed in range(6)]
    with meanwhile(run):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == wanted
    assert engine.restarts >= 3
