"""Visits: who ends in a narrow cell is in it while it is near enough to its centre, and others wait until it is."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.runner import Run
from orca_core.cooperative.variants import Variant
from orca_core.kernels.visits import HELD, NEXT
from tests.orca_core.mapf.maps import instance_of

# a ends in the gap
DRAWN = "...@... ...@... a..A... ...@... ...@..."


def entered(tolerance: float, column: float) -> bool:
    """Whether it is in the gap, at this place on its way, after it has been in the middle of it."""
    run = Run(instance_of(DRAWN), Config(goal_in_corridor_tol=tolerance), Variant.CORCA)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    assert run.guide is not None
    walk = run.guide.walk
    for step, x in enumerate((2.5, 2.9, 3.5, column), 1):
        run.guide.look(step, np.array([[x, 2.5]]), np.zeros((1, 2)))
    # it is there for good: nobody else has a turn
    assert walk[0, HELD] == 0
    assert not run.guide.left.any()
    return bool(walk[0, NEXT] == 1)


@pytest.mark.parametrize(
    ("tolerance", "column", "is_in"),
    [(0.5, 3.5, True), (0.5, 3.1, True), (0.5, 2.9, False), (0.8, 2.9, True), (0.8, 2.6, False), (0.2, 3.2, False)],
)
def test_who_ends_in_a_corridor_is_in_it_within_a_tolerance(tolerance: float, column: float, is_in: bool) -> None:
    assert entered(tolerance, column) is is_in
