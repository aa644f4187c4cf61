"""Several nodes on this machine, for benchmarks and tests: the processes of a real cluster, and nothing of it left."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from orca_crowd.engine.ray.names import PLACES, actor_name

__all__ = ["NODE_ENVIRONMENT", "LocalNodes", "local_nodes", "process_of"]

# bytes that a node keeps for objects, the least that Ray takes: nothing large goes through it
STORE: Final = 78_643_200
# how long a process may take to say where it is
ANSWER_SECONDS: Final = 5.0
# what nodes on this machine are told beside where to find our packages
NODE_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    # our processes hold no device, and Ray would hide all of them with a warning
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # a machine that has much else to do takes its time to begin
    "RAY_gcs_rpc_server_connect_timeout_s": "60",
}


class LocalNodes:
    """The nodes; the first has the head."""

    def __init__(self, cluster: Any) -> None:
        """None yet."""
        self._cluster = cluster

    @property
    def address(self) -> str:
        """Where the head listens, `host:port`."""
        return str(self._cluster.address)

    def add(self, processors: int) -> None:
        """One more node, which says that it has so many processors."""
        self._cluster.add_node(num_cpus=processors, include_dashboard=False, object_store_memory=STORE)

    @property
    def beside_the_head(self) -> list[str]:
        """The ids of the nodes that can be killed."""
        return [str(each.node_id) for each in self._cluster.worker_nodes]

    def kill(self, node: str) -> None:
        """SIGKILL for the processes of a node beside the head; raises ValueError where there is none of this id."""
        for each in self._cluster.worker_nodes:
            if each.node_id == node:
                self._cluster.remove_node(each, allow_graceful=False)
                return
        raise ValueError(f"{node} is no node of this cluster beside its head")


class _First:
    """An actor that does nothing."""

    def come(self) -> None:
        """It is there."""


@contextmanager
def local_nodes(processors: Sequence[int], environment: Mapping[str, str] | None = None) -> Iterator[LocalNodes]:
    """Nodes with so many processors each, this process being a driver of theirs.

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
        nodes = LocalNodes(cluster)
    try:
        with _environment(told):
            for count in processors:
                nodes.add(count)
            ray.init(address=nodes.address, log_to_driver=False, configure_logging=False)
            # connections that a driver has from its first actor on are there when the block begins
            first: Any = ray.remote(num_cpus=1)(_First).remote()
            ray.get(first.come.remote())
            ray.kill(first)
        yield nodes
    finally:
        with _environment(told):
            ray.shutdown()
            cluster.shutdown()  # type: ignore[no-untyped-call]
        shutil.rmtree(folder, ignore_errors=True)


def process_of(world: str, namespace: str) -> tuple[int, str]:
    """The process of a world and the id of the node that it is on; raises ValueError where it has none now."""
    import ray

    for place in PLACES:
        with suppress(ValueError, ray.exceptions.RayError):
            actor: Any = ray.get_actor(actor_name(world, place), namespace=namespace)
            told = ray.get(actor.describe.remote(0.0), timeout=ANSWER_SECONDS)
            return int(told["pid"]), str(told["node"])
    raise ValueError(f"no actor has the world {world}")


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
