"""Agents that follow ways, over worker processes: the bits of the library, whoever computes and whoever plans."""

from __future__ import annotations

from contextlib import closing

import pytest

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
