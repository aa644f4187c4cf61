"""What every test stands on: compiled kernels, no warning, nothing left behind, the same random examples."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import pkgutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# before anything imports orca_core, which reads it at import: kernels are compiled once and kept between runs
os.environ.setdefault("ORCA_CROWD_KERNEL_CACHE", str(ROOT / ".make" / "kernel-cache"))

# no test keeps anything where a user's own worlds are
os.environ.setdefault("ORCA_CROWD_DATA", "none")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from tests.support.leaks import Resources, leaked, leaked_in_loop  # noqa: E402
from tests.support.order import place_of, share_of  # noqa: E402

# no deadline, since a machine that is busy is not a fault; in CI the examples are the same in every run
settings.register_profile("local", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session", autouse=True)
def kernels(_surroundings: list[frozenset[tuple[str, str]]]) -> Iterator[None]:
    """Compile every kernel before the first test, and find not one version more after the last."""
    from orca_core import _jit
    from orca_core import kernels as package

    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    _jit.compile_all()
    declared = _jit.signature_counts()
    yield
    more = {name: count for name, count in _jit.signature_counts().items() if declared.get(name) != count}
    assert not more, f"a call compiled a version that no signature names: {more}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where processes share the tests, put those first that take long."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place_of(item.path, ROOT))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand the tests over in this order, file by file, whatever `--dist` says."""
    from xdist.scheduler import LoadScopeScheduling

    class InOrder(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return share_of(nodeid)

    config.option.loadscopereorder = False
    return InOrder(config, log)


@pytest.fixture(scope="session")
def _surroundings() -> list[frozenset[tuple[str, str]]]:
    """Environment and working folder before any other fixture, since one that holds them changed spoils later tests.

    Held in a list of one: whoever finds another puts it in the place, so that the guilty test fails and no other.
    """
    return [Resources.now().surroundings]


def _fail(left: list[str], surroundings: list[frozenset[tuple[str, str]]]) -> None:
    """Say what the test left behind."""
    surroundings[0] = Resources.now().surroundings
    pytest.fail("the test left behind: " + "; ".join(left), pytrace=False)


@pytest.fixture
async def _nothing_left_in_loop(_surroundings: list[frozenset[tuple[str, str]]]) -> AsyncIterator[None]:
    """The check for an asynchronous test, inside its loop: what closes in the next round may do so."""
    before = replace(Resources.now(), surroundings=_surroundings[0])
    tasks = frozenset(asyncio.all_tasks())
    yield
    left = await leaked_in_loop(before, tasks)
    if left:
        _fail(left, _surroundings)


@pytest.fixture(autouse=True)
def _nothing_left_behind(
    request: pytest.FixtureRequest, kernels: None, _surroundings: list[frozenset[tuple[str, str]]]
) -> Iterator[None]:
    """Fail a test that leaves a process, a thread, a descriptor, shared memory, a task or another environment behind.

    Fixtures of a wider scope are set up before this one and may keep what they hold, but not the environment changed.
    """
    if inspect.iscoroutinefunction(request.function):
        request.getfixturevalue("_nothing_left_in_loop")
        yield
        return
    before = replace(Resources.now(), surroundings=_surroundings[0])
    yield
    left = leaked(before)
    if left:
        _fail(left, _surroundings)
