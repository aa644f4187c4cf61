"""Fallback: knots in which agents stand for ever are untied, and nobody touches anybody."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.fallback import PATIENCE, Fallback, Surroundings
from orca_core.cooperative.frame import Frame
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from orca_core.mapf.instance import Instance
from orca_core.world import World
from tests.orca_core.mapf.maps import instance_of

# two that come head on in a corridor with a bay; two pairs at a crossing; one parked in a gap that another has to pass
KNOTS = {
    "head-on": "@@@@@.@@@@@@ aB........bA",
    "crossing": "@@@.@@@ @@@a@@@ @@@.@@@ .B.C.bA @@@.@@@ @@@c@@@ @@@.@@@",
    "parked": "...@... .a.@.B. ...bA.. ...@... ...@...",
}
FEW_STEPS = Config(step_max=3000)


def run_of(instance: Instance, variant: Variant, config: Config = FEW_STEPS) -> Run:
    run = Run(instance, config, variant)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    return run


def ran(drawn: str, variant: Variant) -> Run:
    run = run_of(instance_of(drawn), variant)
    while run.step():
        pass
    return run


@pytest.mark.parametrize("name", ["head-on", "crossing"])
def test_a_knot_in_which_all_stand_for_ever_is_untied(name: str) -> None:
    alone = ran(KNOTS[name], Variant.ORCA)
    assert alone.ended != SOLVED
    assert (alone.metrics.init_count, alone.metrics.ecbs_count) == (0, 0)
    run = ran(KNOTS[name], Variant.ORCA_MAPF)
    assert run.ended == SOLVED
    metrics = run.metrics
    assert metrics.collisions == metrics.collisions_obst == 0
    assert metrics.init_count >= metrics.mapf_successes >= 1
    assert metrics.ecbs_count >= 1
    assert metrics.n_ag >= 2.0


def test_many_bound_for_one_point_call_it_where_that_is_the_trigger() -> None:
    # four around a crossing and its gap, all bound for one cell first; there is nobody else
    drawn = "@@@a@@@ @@@b@@@ CD...AB @@@c@@@ @@@d@@@"
    calls = {}
    for number in (1, 3, 4):
        run = run_of(instance_of(drawn), Variant.ORCA_MAPF, Config(trigger="common-point", mapf_num=number))
        for _ in range(400):
            run.step()
        calls[number] = run.metrics.init_count
    # nobody has four others beside it
    assert calls[1] >= 1
    assert calls[4] == 0


def test_who_is_in_a_sub_plan_says_so_and_goes_its_own_way_again() -> None:
    run = run_of(instance_of(KNOTS["head-on"]), Variant.ORCA_MAPF)
    mapf = STATES.index("MAPF")
    seen = []
    while run.step():
        record = run.record()
        seen.append((record.state == mapf).sum())
    assert max(seen) == 2
    # from the first step on nobody, and when all is over nobody again
    assert seen[0] == seen[-1] == 0


def test_two_runs_have_the_same_bits() -> None:
    digests = []
    for _ in range(2):
        run = run_of(instance_of(KNOTS["crossing"]), Variant.ORCA_MAPF, Config(step_max=600))
        while run.step():
            pass
        assert run.world is not None
        digests.append((run.world.digest(), run.world.step_count))
    assert digests[0] == digests[1]


def test_a_snapshot_amid_a_sub_plan_goes_on_with_the_same_bits() -> None:
    run, again = (run_of(instance_of(KNOTS["crossing"]), Variant.ORCA_MAPF) for _ in range(2))
    assert run.world is not None
    assert run.guide is not None
    assert again.guide is not None
    while not run.guide.taken.any():
        run.step()
    for _ in range(4):
        run.step()
    world = World.restore(run.world.snapshot())
    again.guide.put_back({name.removeprefix("cooperative."): array for name, array in world.kept_guidance.items()})
    world.guides = [again.guide]
    taken = set()
    for _ in range(300):
        run.world.step()
        world.step()
        assert world.digest() == run.world.digest()
        taken.add(int(run.guide.taken.sum()))
    # they came out of it on the way
    assert max(taken) >= 2
    assert min(taken) == 0


def test_groups_that_stand_in_each_others_way_become_one() -> None:
    # head on in a corridor with a bay, each in a plan of its own that leads through the other; a third is far away
    instance = instance_of("@@.@@@@@@@@@ aB......CA.c @@@@@@@@@@@@")
    frame = Frame(instance.grid)
    fallback = Fallback(frame, Config(), np.ones(3))
    places = frame.centers(np.array([12 + 4, 12 + 5, 12 + 11]))
    paths = [np.arange(12 + 4, 12 + 9), np.arange(12 + 5, 12, -1), np.array([12 + 11, 12 + 10])]
    for agent, path in enumerate(paths):
        free = [np.full(len(path), -1, np.int64)]
        fallback.plans.add(0, np.array([agent]), [frame.centers(path)], free, free)
        fallback.members[agent] = 1
    # all have come to the first cell of their paths, and the third goes on meanwhile
    fallback.plans.at[:] = fallback.plans.first
    fallback.plans.moved_step[2] = PATIENCE
    nobody = np.zeros(3, np.uint8)
    still = np.zeros((3, 2))
    around = Surroundings(PATIENCE + 1, places, still, np.ones(3), nobody, nobody, places, paths.__getitem__)
    joined, left = fallback.conclude(around)
    assert (joined.tolist(), left.tolist()) == ([], [])
    groups = {agent: int(fallback.plans.group[fallback.plans.rows == agent][0]) for agent in range(3)}
    assert groups[0] == groups[1] != groups[2]
    assert fallback.counts.mapf_successes == 1
