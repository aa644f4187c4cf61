"""The cluster: actors made, found, asked and ended. Calls that block, for the threads of a clerk.

ClusterError           root of the tree; the message says what the cluster did not do
├── ClusterLost        there is no cluster to ask, or it does not answer
├── NameTaken          there is an actor of this name already
├── NoSuchActor        there is none, or it is at an end
└── ActorAway          it does not answer now: it is being made, made anew, or out of reach
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from orca_crowd.engine.ray.actor import ActorOrder, WorldActor
from orca_crowd.engine.ray.environment import prepare_environment

__all__ = ["ActorAway", "Cluster", "ClusterError", "ClusterLost", "NameTaken", "Needs", "NoSuchActor", "Node"]

log = logging.getLogger("orca_crowd")

# calls that an actor may be in at once: those that wait for it to begin, and one that ends it
CALLS_AT_ONCE = 16
# for Ray a node that goes in any case, busy or not (autoscaler.proto)
PREEMPTION = 2
# what a node is called in the labels that Ray gives it
NODE_LABEL = "ray.io/node-id"


class ClusterError(Exception):
    """Root of the tree."""


class ClusterLost(ClusterError):
    """There is no cluster to ask."""


class NameTaken(ClusterError):
    """There is an actor of this name already."""


class NoSuchActor(ClusterError):
    """There is no actor of this name."""


class ActorAway(ClusterError):
    """The actor does not answer now."""


@dataclass(frozen=True)
class Needs:
    """What a world asks of a node, and how worlds are laid over the nodes."""

    processors: float
    memory: int
    placement: Literal["pack", "spread"]


@dataclass(frozen=True)
class Node:
    """A machine of the cluster."""

    id: str
    address: str
    alive: bool


class Cluster:
    """One connection to a cluster, made by `connect`; a process has at most one."""

    def __init__(self, address: str, namespace: str) -> None:
        """Nothing happens before `connect`."""
        self._address = address
        self._namespace = namespace
        self._remote: Any = None

    def connect(self) -> None:
        """Join the cluster; ClusterLost where that cannot be done."""
        prepare_environment()
        import ray

        try:
            if ray.is_initialized():
                ray.shutdown()
            ray.init(
                address=self._address,
                namespace=self._namespace,
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
            )
        except Exception as error:
            # of whatever kind: it is told, and tried again
            token = "; it may want another RAY_AUTH_TOKEN" if os.environ.get("RAY_AUTH_MODE") == "token" else ""
            raise ClusterLost(f"the cluster at {self._address} cannot be joined: {_first_line(error)}{token}") from None
        # asked of one that is being made anew, it is answered by that, and not refused again and again meanwhile
        ray.method(max_task_retries=-1)(WorldActor.describe)
        self._remote = ray.remote(WorldActor)

    def close(self) -> None:
        """Leave the cluster; the actors stay."""
        if self._remote is not None:
            import ray

            self._remote = None
            ray.shutdown()

    def nodes(self) -> list[Node]:
        """The machines of the cluster."""
        ray = self._ray()
        return [Node(each["NodeID"], each["NodeManagerAddress"], each["Alive"]) for each in ray.nodes()]

    def check(self) -> None:
        """Return where the cluster answers and has a node that is alive; ClusterLost otherwise."""
        if not any(node.alive for node in self.nodes()):
            raise ClusterLost("no node of the cluster is alive")

    def names(self) -> list[str]:
        """The names of all actors of worlds that are not at an end."""
        ray = self._ray()
        found = ray.util.list_named_actors(all_namespaces=True)
        return [each["name"] for each in found if each["namespace"] == self._namespace]

    def make(self, name: str, order: ActorOrder, needs: Needs, lasting: bool, avoid: str | None = None) -> None:
        """Ask for an actor; NameTaken where there is one. `lasting`: made anew whenever it dies; `avoid` is a node."""
        ray = self._ray()
        options: dict[str, Any] = {
            "name": name,
            "namespace": self._namespace,
            "lifetime": "detached",
            "max_restarts": -1 if lasting else 0,
            "max_concurrency": CALLS_AT_ONCE,
            "num_cpus": needs.processors,
            "memory": needs.memory,
            "scheduling_strategy": "SPREAD" if needs.placement == "spread" else "DEFAULT",
        }
        if avoid is not None:
            options["label_selector"] = {NODE_LABEL: f"!{avoid}"}
        try:
            self._remote.options(**options).remote(order)
        except ValueError as error:
            if "already" in str(error):
                raise NameTaken(f"there is an actor {name!r} already") from None
            raise
        except ray.exceptions.RayError as error:
            raise ClusterLost(f"the cluster made no actor: {_first_line(error)}") from None

    def call(self, name: str, method: str, values: tuple[Any, ...], seconds: float) -> Any:
        """What a method of an actor returns; NoSuchActor where there is none, ActorAway where it does not answer."""
        ray = self._ray()
        try:
            return ray.get(getattr(self._handle(name), method).remote(*values), timeout=seconds)
        except ray.exceptions.ActorDiedError as error:
            raise NoSuchActor(_first_line(error)) from None
        except (ray.exceptions.RayError, TimeoutError) as error:
            raise ActorAway(f"actor {name!r} does not answer: {_first_line(error)}") from None

    def end(self, name: str, for_good: bool) -> None:
        """Kill an actor; unless for good, Ray makes it anew. Nothing happens where there is none."""
        ray = self._ray()
        try:
            ray.kill(self._handle(name), no_restart=for_good)
        except NoSuchActor:
            return

    def take_no_more(self, node: str) -> None:
        """Have Ray place nothing more on a node, and end it once nothing is there; ClusterError where it refuses."""
        ray = self._ray()
        client = ray._raylet.GcsClient(address=ray.get_runtime_context().gcs_address)
        done, why = client.drain_node(node, PREEMPTION, "its worlds move elsewhere", 0)
        if not done:
            raise ClusterError(f"node {node} is not emptied: {why}")

    def existing(self, names: Sequence[str]) -> list[str]:
        """Those of the names that an actor has."""
        found = []
        for name in names:
            with suppress(NoSuchActor):
                self._handle(name)
                found.append(name)
        return found

    def process_of(self, name: str) -> int | None:
        """The process of an actor that is at work, as far as Ray knows: not waiting for a place, nor being made."""
        self._ray()
        from ray._private.state import actors

        found = actors(self._handle(name)._actor_id.hex())
        return int(found["Pid"]) if found.get("State") == "ALIVE" else None

    def _handle(self, name: str) -> Any:
        ray = self._ray()
        try:
            return ray.get_actor(name, namespace=self._namespace)
        except ValueError:
            raise NoSuchActor(f"there is no actor {name!r}") from None
        except ray.exceptions.RayError as error:
            raise ClusterLost(f"the cluster does not answer: {_first_line(error)}") from None

    def _ray(self) -> Any:
        if self._remote is None:
            raise ClusterLost(f"the cluster at {self._address} is not joined")
        import ray

        return ray


def _first_line(error: BaseException) -> str:
    """What an error says, without the page that Ray puts behind it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
