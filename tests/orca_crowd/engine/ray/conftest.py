"""Two nodes on this machine, kept for the tests of this folder, and engines over several actors on them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from orca_crowd.engine.ray.local import local_nodes
from tests.orca_crowd.engine.support import wait_until
from tests.support.fronts import Fronts
from tests.support.live_server import child_environment

if TYPE_CHECKING:
    from orca_crowd.engine.ray.spread import SpreadEngine

__all__ = ["complete", "spread_engine"]


def complete(engine: SpreadEngine) -> bool:
    """Whether all its helpers come up in time."""
    engine.crew.wake()
    return wait_until(lambda: len(engine.crew.ready()) == len(engine.crew.places), 60.0)


@contextmanager
def spread_engine(actors: int, **changes: Any) -> Iterator[SpreadEngine]:
    """An engine over so many actors, all of them there, which divides even the smallest world."""
    from orca_crowd.engine.ray.spread import SpreadEngine

    known = {"workers": 1, "helpers": 1, "split_agents": 1, "deadline": 30.0}
    engine = SpreadEngine(actors=actors, **{**known, **changes})
    try:
        assert complete(engine)
        yield engine
    finally:
        asyncio.run(engine.close())


@pytest.fixture(scope="package")
def nodes(kernels: None) -> Iterator[Any]:
    """The cluster: two nodes with room for two helpers each."""
    # looked for and not imported: its import changes the environment
    if find_spec("ray") is None:
        pytest.skip("ray is not installed")
    with local_nodes([2, 2], {"PYTHONPATH": child_environment()["PYTHONPATH"]}) as cluster:
        yield cluster


@pytest.fixture
def first(fronts: Fronts) -> Iterator[httpx.Client]:
    """A client of one front end."""
    with fronts.client(0) as client:
        yield client


@pytest.fixture
def second(fronts: Fronts) -> Iterator[httpx.Client]:
    """A client of the other one."""
    with fronts.client(1) as client:
        yield client
