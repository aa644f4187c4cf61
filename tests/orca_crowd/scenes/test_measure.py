"""The measure, held against crowds whose every figure is known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from orca_crowd.scenes.measure import Figures, Measure, deepest_overlap
from orca_crowd.scenes.scene import SceneData
from orca_crowd.scenes.walkers import walk

STARTS = np.array([(0.0, 0.0), (0.0, 5.0)])
GOALS = np.array([(13.0, 0.0), (13.0, 5.0)])


def scene() -> SceneData:
    """Two who walk 13 m side by side, through a gate half way, at 1.3 m/s."""
    data = walk(STARTS, GOALS, seed=1, time_limit=30.0)
    return replace(data, gate=((6.5, -1.0), (6.5, 6.0)))


def measured(delays: tuple[float, float]) -> Measure:
    """They set out after so many seconds, and walk on without a stop."""
    measure = Measure(scene(), np.array([13.0, 13.0]))
    for step in range(1, 301):
        time = step * 0.1
        gone = np.clip((time - np.array(delays)) * 1.3, 0.0, 13.0)
        measure.see(STARTS + np.column_stack((gone, np.zeros(2))), time)
        if measure.over:
            break
    return measure


def test_who_walks_freely_has_no_delay() -> None:
    found = measured((0.0, 0.0)).figures()
    assert (found.agents, found.arrived, found.overlap, found.stalled) == (2, 2, 0.0, 0.0)
    # within the tolerance of 0.2 m, and at the end of a step
    assert found.last == pytest.approx(12.8 / 1.3, abs=0.1)
    assert found.delay == pytest.approx(0.0, abs=0.1)
    assert found.flow is None


def test_who_stands_first_is_late_by_as_much() -> None:
    found = measured((0.0, 4.0)).figures()
    assert found.arrived == 2
    assert found.delay == pytest.approx(2.0, abs=0.1)
    assert found.stalled == pytest.approx(2.0, abs=0.3)
    # two in four seconds
    assert found.flow == pytest.approx(0.25, abs=0.01)


def test_who_never_sets_out_has_not_arrived() -> None:
    measure = measured((0.0, 100.0))
    found = measure.figures()
    assert (found.arrived, found.last, measure.time) == (1, None, pytest.approx(30.0))
    # the free way would have taken 12.8 / 1.3 s
    assert found.delay == pytest.approx(0.5 * (30.0 - 12.8 / 1.3), abs=0.1)
    assert found.stalled == pytest.approx(15.0, abs=0.3)


def test_the_deepest_overlap_is_that_of_all_pairs() -> None:
    chance = np.random.default_rng(3)
    for count in (2, 3, 40, 300):
        points, radii = chance.uniform(0.0, 8.0, (count, 2)), chance.uniform(0.05, 0.4, count)
        gaps = np.linalg.norm(points[:, None] - points[None, :], axis=2) - radii[:, None] - radii[None, :]
        np.fill_diagonal(gaps, 0.0)
        assert deepest_overlap(points, radii) == pytest.approx(max(0.0, -gaps.min()), abs=1e-12)
    assert deepest_overlap(points[:1], radii[:1]) == 0.0
    assert deepest_overlap(np.zeros((3, 2)), np.full(3, 0.5)) == 1.0


def test_turns_are_counted_on_the_way_and_to_either_side() -> None:
    steps = np.array([(1.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (1.0, 0.0)])
    data = replace(walk(STARTS, STARTS + np.array([1.0, 3.0]), seed=1, time_limit=30.0), turning=True)
    measure, places = Measure(data, np.array([5.0, 5.0])), STARTS.copy()
    for at, step in enumerate(steps, 1):
        # the second one stands
        places = places + step * [[1.0], [0.0]]
        measure.see(places, at * 0.1)
    # left, past a rest right again, three eighths of a circle left; the last move came after the arrival
    assert measure.arrived == 1
    assert measure.figures().turned == pytest.approx(0.5 * (90.0 + 90.0 + 135.0))
    assert replace(measure.figures(), turned=None) == replace(measured_still(data, steps), turned=None)


def measured_still(data: SceneData, steps: np.ndarray) -> Figures:
    """The same walk in a scene that is not about turning."""
    measure, places = Measure(replace(data, turning=False), np.array([5.0, 5.0])), STARTS.copy()
    for at, step in enumerate(steps, 1):
        places = places + step * [[1.0], [0.0]]
        measure.see(places, at * 0.1)
    assert measure.figures().turned is None
    return measure.figures()
