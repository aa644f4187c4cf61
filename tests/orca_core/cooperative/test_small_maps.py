"""Small maps drawn by hand, and what must come out on each: who arrives, who waits for whom, and that nobody overlaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from tests.orca_core.mapf.maps import instance_of

DRIFT, YIELD = STATES.index("DRIFT"), STATES.index("YIELD")
STEPS = 400


@dataclass
class Came:
    """What came of a run: how it ended, who waited for whom and who made way for whom, and what came too near."""

    run: Run
    waited: set[tuple[int, int]]
    yielded: set[tuple[int, int]]


def came_of(drawn: str, variant: str, steps: int = STEPS) -> Came:
    run = Run(instance_of(drawn), Config(step_max=steps), Variant(variant))
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    came = Came(run, set(), set())
    while run.step():
        record = run.record()
        for agent in np.flatnonzero(record.state == DRIFT).tolist():
            came.waited.add((agent, int(record.wait_for[agent])))
        for agent in np.flatnonzero(record.state == YIELD).tolist():
            came.yielded.add((agent, int(record.yield_to[agent])))
    return came
