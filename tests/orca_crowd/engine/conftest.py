"""Engines of worker processes for one test each; the server of forks that workers come from is kept between tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from orca_crowd.engine.crew import Crew
from orca_crowd.engine.processes import ProcessEngine
from tests.orca_crowd.engine.support import importable

MakeEngine = Callable[..., ProcessEngine]


@pytest.fixture(scope="session")
def forks(kernels: None) -> Iterator[Crew]:
    """A crew that holds the server of forks, its kernels compiled, so that engines start in no time."""
    crew = Crew(1, deadline=30.0)
    with importable():
        crew.start()
    yield crew
    crew.close()


@pytest.fixture
def make_engine(forks: Crew) -> Iterator[MakeEngine]:
    """Makes engines that divide even the smallest world, started; each is closed after the test."""
    made: list[ProcessEngine] = []

    def make(workers: int, **changes: Any) -> ProcessEngine:
        engine = ProcessEngine(**{"workers": workers, "helpers": 1, "split_agents": 1, "deadline": 30.0, **changes})
        made.append(engine)
        engine.start()
        return engine

    yield make
    for engine in made:
        asyncio.run(engine.close())
