"""The clerk: a process that speaks with Ray for another one. Run as a module, it does what it reads on its input.

A process that has joined a cluster ends with the node that it has joined through: Ray aborts it. A front end has
sockets that must outlive that, so it is its clerk that joins, dies and is replaced. Calls of Ray that hang, hang here.

Orders and answers are pickles, each behind its length: `(number, method, values)` of cluster.py, and
`(number, error or None, value)` in whatever order they are done.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, Final

from orca_crowd.engine.ray.cluster import Cluster, ClusterError

__all__ = ["LENGTH", "main"]

LENGTH: Final = struct.Struct("!I")
# orders that are carried out at once: most of them wait for a process that is being made
THREADS: Final = 64
# how long leaving the cluster may take
LEAVE_SECONDS: Final = 5.0


def read(pipe: IO[bytes]) -> Any:
    """The next order; EOFError where there will be none."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return pickle.loads(pipe.read(LENGTH.unpack(head)[0]))


class Desk:
    """Carries orders out and answers them."""

    def __init__(self, cluster: Cluster, pipe: IO[bytes]) -> None:
        """Answers go to `pipe`, one at a time."""
        self._cluster = cluster
        self._pipe = pipe
        self._writing = threading.Lock()

    def carry_out(self, number: int, method: str, values: tuple[Any, ...]) -> None:
        """One order; in a thread."""
        answer: tuple[int, ClusterError | None, Any]
        try:
            answer = (number, None, getattr(self._cluster, method)(*values))
        except ClusterError as error:
            answer = (number, error, None)
        except BaseException as error:
            answer = (number, ClusterError(f"{type(error).__name__}: {error}"[:300]), None)
        data = pickle.dumps(answer)
        try:
            with self._writing:
                self._pipe.write(LENGTH.pack(len(data)) + data)
                self._pipe.flush()
        except OSError:
            # nobody is there to read it
            os._exit(0)


def main() -> None:
    """Do what is read until there is no more."""
    address, namespace = sys.argv[1:]
    # whatever says something says it where errors go: the output is for answers
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    cluster = Cluster(address, namespace)
    desk = Desk(cluster, output)
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="orca-clerk")
    try:
        while True:
            pool.submit(desk.carry_out, *read(sys.stdin.buffer))
    except (EOFError, KeyboardInterrupt):
        leaving = threading.Thread(target=cluster.close, daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS)
        os._exit(0)


if __name__ == "__main__":
    main()
