"""A store that speaks S3, kept for the tests of this folder, with nothing of one test in the next."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.s3_store import S3Store, s3_store


@pytest.fixture(scope="package")
def s3() -> Iterator[S3Store | None]:
    """The process of the store; None where what it needs is not installed."""
    if find_spec("s3fs") is None or find_spec("moto") is None:
        yield None
        return
    from fsspec.asyn import get_loop

    # the threads of all drivers, which live as long as the process: one asks, one looks up names of hosts
    executor = ThreadPoolExecutor(1)
    executor.submit(int).result()
    loop = get_loop()
    loop.call_soon_threadsafe(loop.set_default_executor, executor)
    with s3_store() as store:
        yield store


@pytest.fixture
def s3_url(s3: S3Store | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A place in it, which a driver of this test finds by the environment."""
    if s3 is None:
        pytest.skip("s3fs or moto is not installed")
    from orca_crowd.journal import store

    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    url = f"s3://plain/{tmp_path.name}"
    yield url
    store._driver.cache_clear()
