"""Agents of different radii on a map: who fits beside the largest takes no turns, everybody keeps its own distance."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from orca_core.errors import InvalidInput
from tests.orca_core.mapf.maps import instance_of

# two rooms with a corridor between them, through which two come head on
HEAD_ON = "a..@@@@@..b ........... B..@@@@@..A"
CONFIG = Config(step_max=1500, radius=0.3, reps=0.05)


def ran(drawn: str, radii: list[float] | None, variant: Variant = Variant.CORCA, config: Config = CONFIG) -> Run:
    run = Run(instance_of(drawn), config, variant, None if radii is None else np.array(radii))
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    while run.step():
        pass
    return run


def test_small_ones_pass_each_other_where_usual_ones_wait() -> None:
    usual = ran(HEAD_ON, None)
    assert usual.ended == SOLVED
    assert usual.metrics.dependency_triggers > 0
    small = ran(HEAD_ON, [0.12, 0.12])
    assert small.ended == SOLVED
    assert small.metrics.dependency_triggers == 0
    assert small.metrics.flow_time < usual.metrics.flow_time
    assert small.metrics.collisions == small.metrics.collisions_obst == 0
    # a small one and a large one do not get past each other
    mixed = ran(HEAD_ON, [0.12, 0.44])
    assert mixed.ended == SOLVED
    assert mixed.metrics.dependency_triggers > 0
    assert mixed.metrics.collisions == mixed.metrics.collisions_obst == 0


def test_collisions_are_counted_by_the_radii_themselves() -> None:
    run = ran(HEAD_ON, [0.12, 0.44])
    assert run.world is not None
    assert run.world.column("radius").tolist() == pytest.approx([0.17, 0.49])
    # two at half a metre: apart by the small one's radius, not by that of two large ones; and one beside a wall
    for radii, pairs, walls in (([0.1, 0.35], 0, 0), ([0.35, 0.35], 1, 0), ([0.35, 0.1], 0, 1), ([0.35, 0.35], 1, 1)):
        run = Run(instance_of("ab.A..B"), CONFIG, Variant.ORCA, np.array(radii))
        run.prepare()
        assert run.world is not None
        assert run.guide is not None
        x = 0.3 if walls else 1.0
        run.world.set_agents(run.world.ids, {"position": [[x, 0.5], [x + 0.5, 0.5]]})
        before = run.metrics
        run.tally.look(run.world, run.guide)
        assert run.metrics.collisions - before.collisions == pairs
        assert run.metrics.collisions_obst - before.collisions_obst == walls


def test_radii_that_are_none_are_refused_by_agent() -> None:
    instance = instance_of(HEAD_ON)
    with pytest.raises(InvalidInput) as caught:
        Run(instance, CONFIG, Variant.CORCA, np.array([0.46, np.nan]))
    assert [problem.item for problem in caught.value.problems] == [0, 1]
    with pytest.raises(InvalidInput, match="as many as agents"):
        Run(instance, CONFIG, Variant.CORCA, np.array([0.3]))


def test_whoever_is_as_wide_as_a_gap_is_refused_and_a_little_less_gets_through() -> None:
    for size, radius, reps in ((1.0, 0.4, 0.1), (1.0, 0.3, 0.2), (2.0, 1.0, 0.0), (0.3, 0.12, 0.03)):
        with pytest.raises(InvalidInput, match=r"radius: with reps .* must be at most") as caught:
            Config(radius=radius, reps=reps, cell_size=size)
        said = float(str(caught.value).split("must be at most ")[1].split(",")[0])
        config = Config(
            radius=said, reps=reps, cell_size=size, step_max=600, max_speed=size, delta=0.1 * size,
            waypoint_reach_tol=0.3 * size,
        )  # fmt: skip
        run = ran("...@... a..@... ......A ...@...", None, config=config)
        assert run.ended == SOLVED, (size, radius, reps)
    with pytest.raises(InvalidInput, match=r"must be above 0 and at most 0\.4495, not 0\.45"):
        Run(instance_of(HEAD_ON), CONFIG, Variant.CORCA, np.array([0.3, 0.45]))
    with pytest.raises(InvalidInput, match=r"reps: must be at most 0\.4985, a little under half a cell of 1"):
        Config(reps=0.6)
