"""A cluster of Ray on this machine, in a process of its own: nodes that come and are killed, and nothing left after.

Run as a script it is that process: it says the address, then does what it reads, a line each: `add` (answers with the
id of the new node and the process that all of its others come from), `kill <id>` and `stop`. At the end of its input
everything is ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.live_server import child_environment

__all__ = ["RayCluster", "ray_cluster"]

STOP_SECONDS = 20.0
NODE = {
    # the smallest that Ray takes
    "object_store_memory": 80 * 2**20,
    "include_dashboard": False,
}


class RayCluster:
    """The process of the cluster, as a test speaks with it."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        """Read its address; `folder` has what its processes say."""
        self._process = process
        self._folder = folder
        self.address = self._read()
        self._raylets: dict[int, str] = {}

    def _read(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            # Ray may say something of its own
            if line.startswith("answer: "):
                return line.removeprefix("answer: ").strip()
        raise AssertionError(f"the cluster has ended with {self._process.wait()}")

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._read()

    def add(self) -> str:
        """One more node; its id."""
        node, raylet = self._ask("add").split()
        self._raylets[int(raylet)] = node
        return node

    def node_of(self, process: int) -> str:
        """The node that a process of a world is on."""
        return self._raylets[psutil.Process(process).ppid()]

    def kill(self, node: str) -> None:
        """SIGKILL for every process of a node."""
        self._ask(f"kill {node}")

    def stop(self) -> None:
        """SIGKILL for all of it."""
        self._ask("stop")

    def said(self) -> str:
        """What the processes of worlds have said so far, of all that there ever were."""
        logs = sorted(self._folder.glob("session_2*/logs/worker-*.err"))
        return "".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)

    def has_worlds(self, count: int, patience: float = 20.0) -> bool:
        """Whether there are so many processes of worlds, now or soon."""
        end = time.monotonic() + patience
        while len(self.worlds()) != count:
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def worlds(self) -> list[int]:
        """The processes of worlds."""
        return [each.pid for each in self._processes() if _command(each).startswith("ray::WorldActor")]

    def only_world(self) -> int:
        """The process of the only world, once those of others that were deleted have ended."""
        assert self.has_worlds(1), self.worlds()
        return self.worlds()[0]

    def _processes(self) -> list[psutil.Process]:
        return psutil.Process(self._process.pid).children(recursive=True)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@contextmanager
def ray_cluster(**more: str) -> Iterator[RayCluster]:
    """A cluster whose head takes no worlds, with more variables for its processes; all have ended after the block."""
    # sockets have short names: not in the folder of the test
    folder = Path(tempfile.mkdtemp(prefix="oc"))
    environment = {name: value for name, value in child_environment().items() if name != "PYTHONWARNINGS"}
    # where Ray writes down what its newest cluster is, which it does not make by itself
    (folder / "ray").mkdir()
    environment |= {"RAY_TMPDIR": str(folder), **more}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, __file__, str(folder / "ray")],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    found: list[psutil.Process] = []
    try:
        yield RayCluster(process, folder / "ray")
        found = psutil.Process(process.pid).children(recursive=True)
    finally:
        with contextlib.suppress(psutil.Error):
            found = psutil.Process(process.pid).children(recursive=True)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            _, alive = psutil.wait_procs(found, timeout=5)
            for each in alive:
                each.kill()
            shutil.rmtree(folder, ignore_errors=True)
    assert not alive, f"left behind: {[_command(each) for each in alive]}"


def _serve(folder: str) -> None:
    # a machine that has much else to do takes its time
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_gcs_rpc_server_connect_timeout_s": "60"}
    from ray.cluster_utils import Cluster

    def say(text: str) -> None:
        print(f"answer: {text}", flush=True)

    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0, "temp_dir": folder})
    nodes = {}
    say(cluster.address)
    for line in sys.stdin:
        match line.split():
            case ["add"]:
                node = cluster.add_node(**NODE, num_cpus=1)
                nodes[node.node_id] = node
                (raylet,) = node.all_processes["raylet"]
                say(f"{node.node_id} {raylet.process.pid}")
            case ["kill", name]:
                cluster.remove_node(nodes.pop(name), allow_graceful=False)
                say("killed")
            case ["stop"]:
                cluster.shutdown()
                say("stopped")
    cluster.shutdown()
    time.sleep(0.1)


if __name__ == "__main__":
    _serve(sys.argv[1])
