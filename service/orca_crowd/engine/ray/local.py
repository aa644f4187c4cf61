"""Several nodes on this machine, for benchmarks and tests: the processes of a real cluster, and nothing of it left."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

__all__ = ["NODE_ENVIRONMENT", "local_nodes"]

# bytes that a node keeps for objects, the least that Ray takes: nothing large goes through it
STORE: Final = 78_643_200
# what nodes on this machine are told beside where to find our packages
NODE_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # our processes hold no device, and Ray would hide all of them with a warning
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # a machine that has much else to do takes its time to begin
    "RAY_gcs_rpc_server_connect_timeout_s": "60",
}


class _First:
    """An actor that does nothing."""

    def come(self) -> None:
        """It is there."""


@contextmanager
def local_nodes(processors: Sequence[int], environment: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Nodes with so many processors each, the first with the head; yields the cluster, this process being a driver.

    Processes that Ray starts there find our packages as this one does, and have `environment` besides. Its files are in
    a folder of its own, where no other cluster of this machine looks for the one to join.
    """
    folder = tempfile.mkdtemp(prefix="orca-ray-")
    told = {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "RAY_TMPDIR": folder,
        **NODE_ENVIRONMENT,
        **(environment or {}),
    }
    with _environment(told):
        import ray
        from ray.cluster_utils import Cluster

        cluster = Cluster()
    try:
        with _environment(told):
            for count in processors:
                cluster.add_node(num_cpus=count, include_dashboard=False, object_store_memory=STORE)
            ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
            # connections that a driver has from its first actor on are there when the block begins
            first: Any = ray.remote(num_cpus=1)(_First).remote()
            ray.get(first.come.remote())
            ray.kill(first)
        yield cluster
    finally:
        with _environment(told):
            ray.shutdown()
            cluster.shutdown()  # type: ignore[no-untyped-call]
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _environment(told: Mapping[str, str]) -> Iterator[None]:
    """Tell Ray and what it starts by the environment; afterwards it is as it was, whatever Ray itself has set."""
    before = dict(os.environ)
    os.environ.update(told)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
