"""A local Ray cluster: nodes that are processes of this machine, joined for as long as a block runs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.live_server import child_environment

__all__ = ["ray_nodes"]

# bytes that a node keeps for objects, the least that Ray takes: nothing large goes through it
STORE = 78_643_200


class First:
    """An actor that does nothing."""

    def come(self) -> None:
        """It is there."""


@contextmanager
def ray_nodes(processors: list[int]) -> Iterator[Any]:
    """Nodes with so many processors each, the first with the head; yields the cluster, this process being its driver.

    Processes that Ray starts there find our packages and kernels as this one does. Its files are in a folder of its
    own, where no other cluster of this machine looks for the one to join.
    """
    folder = tempfile.mkdtemp(prefix="orca-ray-")
    with _environment(folder):
        import ray
        from ray.cluster_utils import Cluster

        cluster = Cluster()
    try:
        with _environment(folder):
            for count in processors:
                cluster.add_node(num_cpus=count, include_dashboard=False, object_store_memory=STORE)
            ray.init(address=cluster.address, log_to_driver=False, configure_logging=False, namespace="tests")
            # connections that this process has from its first actor on, and that no test is to be blamed for
            first = ray.remote(num_cpus=1)(First).remote()
            ray.get(first.come.remote())
            ray.kill(first)
        yield cluster
    finally:
        with _environment(folder):
            ray.shutdown()
            cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _environment(folder: str) -> Iterator[None]:
    """What Ray and what it starts read from the environment; afterwards it is as it was, whatever Ray has set."""
    before = dict(os.environ)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "PYTHONPATH": child_environment()["PYTHONPATH"],
            "RAY_TMPDIR": folder,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        }.items():
            patch.setenv(name, value)
        yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
