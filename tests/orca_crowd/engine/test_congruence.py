"""One scene, one digest: on `inline` and on `processes` with 1, 2, 3 and 7 workers, whatever happens to either."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from orca_core import Obstacle, Options, WalkableArea, World, conformance
from orca_core.state import FIELDS
from orca_core.yielding import MANNERS
from orca_crowd.engine.processes import ProcessEngine
from tests.determinism.scene import STEPS, TIME_STEP, add_geometry, outcome, populate, scene
from tests.orca_core.test_vectors import SCENES
from tests.orca_core.yielding.manners import manners
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.support import Maker, inline_engine, kill

WORKERS = [1, 2, 3, 7]
Harm = Callable[[], None]


def harmless() -> None:
    """Nobody dies."""


def deaths(engine: ProcessEngine, seed: int, share: float) -> Harm:
    """Every now and then one of the workers dies, in that moment or a little later."""
    generator = random.Random(seed)

    def harm() -> None:
        if generator.random() < share:
            worker = engine.crew.present(generator.randrange(engine.crew.count))
            if worker is not None:
                kill(worker.pid)

    return harm


@pytest.fixture(scope="module")
def golden(kernels: None) -> dict[str, object]:
    """What the determinism scene comes to."""
    return outcome(scene())


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("share", [0.0, 0.15])
def test_the_determinism_scene(workers: int, share: float, make_engine: MakeEngine, golden: dict[str, object]) -> None:
    engine = make_engine(workers)
    world = engine.create(time_step=TIME_STEP, options=Options.service(), seed=20110901)
    add_geometry(world)
    populate(world)
    harm, events = deaths(engine, workers, share), []
    while world.step_count < STEPS:
        harm()
        events += outcome(world, 1)["events"]  # type: ignore[arg-type]
    assert {"digest": world.digest(), "events": events} == golden
    assert (engine.restarts > 0) == (share > 0.0)


@pytest.mark.parametrize("workers", WORKERS)
def test_the_conformance_scenes(workers: int, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine(workers)
    made = []

    def make(*, time_step: float, options: Options) -> World:
        made.append(engine.create(time_step=time_step, options=options, seed=0))
        return made[-1]

    monkeypatch.setattr(conformance, "World", make)
    for case in SCENES:
        assert next(conformance.RUNNERS["scenes"](case), None) is None, case["name"]
    assert len(made) == len(SCENES) > 5
    made.clear()


class History:
    """A world to which one thing after another happens, all of it decided by a seed."""

    def __init__(self, maker: Maker, seed: int) -> None:
        self.generator = np.random.default_rng(seed)
        self.maker = maker
        options = Options.service() if seed % 3 else Options.text()
        self.world = maker.create(time_step=0.1, options=options, seed=seed)
        self.walls: list[int] = []
        self.areas: list[int] = []
        self.doors: list[int] = []

    def some(self, share: float) -> list[int]:
        """Some of the agents."""
        ids = self.world.ids
        return ids[self.generator.random(len(ids)) < share].tolist()  # type: ignore[no-any-return]

    def columns(self, count: int, *names: str) -> dict[str, Any]:
        """Random values for so many agents."""
        draw = self.generator.uniform
        values = {
            "position": draw(-20.0, 20.0, (count, 2)),
            "goal": draw(-20.0, 20.0, (count, 2)),
            "preferred_velocity": draw(-2.0, 2.0, (count, 2)),
            "radius": self.generator.choice([0.2, 0.3, 0.5], count),
            "max_speed": draw(0.5, 3.0, count),
            "max_neighbors": self.generator.integers(0, 15, count),
            "neighbor_distance": draw(0.5, 8.0, count),
        }
        return {name: values[name] for name in names}

    def add(self) -> None:
        count = int(self.generator.choice([1, 5, 40, 150]))
        self.world.add_agents(self.columns(count, "position", "goal", "radius", "max_speed", "max_neighbors"))

    def remove(self) -> None:
        self.world.remove_agents(self.some(0.2))

    def teleport(self) -> None:
        ids = self.some(0.1)
        self.world.set_agents(ids, self.columns(len(ids), "position"))

    def change(self) -> None:
        ids = self.some(0.3)
        self.world.set_agents(ids, self.columns(len(ids), "radius", "max_speed", "neighbor_distance", "max_neighbors"))

    def yield_(self) -> None:
        """Some yield more than others, or are seen by others than before; or everybody is as everybody again."""
        names = [str(self.generator.choice(MANNERS)) for _ in range(3)]
        ids = self.some(0.5)
        if self.generator.random() < 0.3:
            ids = self.world.ids.tolist()
            neutral = {field.name: np.full(len(ids), field.empty, field.dtype) for field in FIELDS}
            self.world.set_agents(ids, {name: neutral[name] for name in MANNERS})
        else:
            self.world.set_agents(ids, manners(self.generator, len(ids), names))

    def limit(self) -> None:
        """Bodies get limits, lose neighbours, and the places of interest move."""
        ids, generator = self.some(0.3), self.generator
        self.world.set_agents(
            ids,
            {
                "max_acceleration": generator.choice([0.5, 2.0], len(ids)),
                "max_turning_rate": generator.choice([0.5, 3.0], len(ids)),
                "forward_preference": generator.choice([0.0, 0.7], len(ids)),
                "quality": generator.choice(["all", "few", "none"], len(ids)).tolist(),
            },
        )
        every, place = int(generator.integers(1, 5)), generator.uniform(-15.0, 15.0, 2).tolist()
        detail = {"distance": 5.0, "every": every, "neighbors": 3, "points": [place]}
        self.world.set_level_of_detail(detail if every > 1 else None)

    def send(self) -> None:
        ids = self.some(0.3)
        name = "goal" if self.generator.random() < 0.5 else "preferred_velocity"
        self.world.set_agents(ids, self.columns(len(ids), name))

    def wall(self) -> None:
        if len(self.walls) > 3:
            self.world.remove_obstacle(self.walls.pop(0))
        points = self.generator.uniform(-15.0, 15.0, (3, 2))
        z_range = (0.0, 2.0) if self.generator.random() < 0.5 else None
        self.walls += self.world.add_obstacles([Obstacle(points, z_range=z_range)]).ids.tolist()

    def door(self) -> None:
        """A solid door, which catches whoever is in it when it closes."""
        if self.doors and self.generator.random() < 0.7:
            self.world.open_obstacles(self.doors, bool(self.generator.integers(2)))
            return
        x, y = self.generator.uniform(-15.0, 10.0, 2)
        ring = np.array([(x, y), (x + 6.0, y), (x + 6.0, y + 3.0), (x, y + 3.0)])
        self.doors += self.world.add_obstacles([Obstacle(ring, closed=True)]).ids.tolist()
        self.world.open_obstacles(self.doors[:-2], True)

    def area(self) -> None:
        if self.areas:
            self.world.remove_walkable(self.areas.pop())
            return
        ring = self.generator.uniform(22.0, 26.0, 8)[:, None] * np.array(
            [(np.cos(angle), np.sin(angle)) for angle in np.arange(8) * np.pi / 4]
        )
        self.areas += self.world.add_walkable([WalkableArea(((ring,),), clearance=0.05)]).ids.tolist()

    def roll_back(self) -> None:
        """All kinds of things happen, a step among them, and are undone."""
        before = self.world.snapshot()
        walls, areas, doors = list(self.walls), list(self.areas), list(self.doors)
        calls = [self.add, self.remove, self.change, self.wall, self.area, self.door]
        with suppress(KeyError), self.world.transaction():
            for number in self.generator.permutation(len(calls)):
                calls[number]()
            self.world.step()
            self.add()
            raise KeyError
        self.walls, self.areas, self.doors = walls, areas, doors
        assert self.world.snapshot() == before

    def start_again(self) -> None:
        self.world = self.maker.restore(self.world.snapshot())

    def nothing(self) -> None:
        """Steps alone: lists are kept over them."""

    def run(self, rounds: int, harm: Harm) -> list[tuple[str, list[Any]]]:
        """Digest and events after every step."""
        things = [
            *(self.add, self.remove, self.teleport, self.change, self.send, self.wall, self.door, self.area),
            *(self.yield_, self.yield_, self.roll_back, self.start_again, self.nothing, self.nothing, self.nothing),
            *(self.limit, self.limit, self.roll_back, self.start_again, self.nothing, self.nothing, self.nothing),
        ]
        self.add()
        found = []
        for _ in range(rounds):
            things[int(self.generator.integers(len(things)))]()
            for _ in range(int(self.generator.integers(1, 5))):
                harm()
                events = [(event.kind, event.step, event.ids, event.data) for event in self.world.step().events]
                found.append((self.world.digest(), json.loads(json.dumps(events))))
        return found


@pytest.mark.parametrize("workers", WORKERS)
def test_random_histories(workers: int, make_engine: MakeEngine) -> None:
    """Whatever happens between steps; a quarter of the steps loses a worker in every second history."""
    engine = make_engine(workers)
    for seed in range(workers, workers + 6):
        wanted = History(inline_engine(), seed).run(25, harmless)
        found = History(engine, seed).run(25, deaths(engine, seed, 0.25 * (seed % 2)))
        assert found == wanted, f"seed {seed}"
    assert engine.restarts > 0


@pytest.mark.soak
@pytest.mark.parametrize("workers", WORKERS)
def test_many_random_histories(workers: int, make_engine: MakeEngine) -> None:
    engine = make_engine(workers)
    for seed in range(1000 * workers, 1000 * workers + 100):
        wanted = History(inline_engine(), seed).run(60, harmless)
        assert History(engine, seed).run(60, deaths(engine, seed, 0.1)) == wanted, f"seed {seed}"


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17])
def test_fewer_leaves_than_workers(count: int, make_engine: MakeEngine) -> None:
    engine = make_engine(7)
    found = []
    for maker in (inline_engine(), engine):
        world = maker.create(time_step=0.1, options=Options.service(), seed=0)
        places = np.random.default_rng(count).uniform(0.0, 5.0, (count, 2))
        world.add_agents({"position": places, "goal": places[::-1].copy()})
        world.step(20)
        found.append((world.digest(), world.snapshot()))
    assert found[0] == found[1]
