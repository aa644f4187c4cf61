"""The ways to an actor and back with the rows of a step: what the choice of a direct socket rests on.

For measurements alone; nothing of the server comes here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray

from orca_crowd.engine.ray.link import accept, connect, listen
from orca_crowd.engine.workmate import Lost

__all__ = ["WAYS", "way_to_an_actor"]

WAYS = ("argument and result of a call", "ray.put and a call", "a compiled graph", "a direct socket")
# a row of a frame: x, y, velocity x and y, radius
WIDTH = 5
KEY = b"there and back"
PATIENCE = 60.0


class _Echo:
    """An actor that gives as many rows as it gets, by any way."""

    def __init__(self, rows: int) -> None:
        self._rows = np.zeros((rows, WIDTH))
        self._listening = listen(str(ray.util.get_node_ip_address()))  # type: ignore[no-untyped-call]
        threading.Thread(target=self._serve, daemon=True).start()

    def address(self) -> tuple[str, int]:
        """Where it listens."""
        host, port = self._listening.getsockname()[:2]
        return str(host), int(port)

    def call(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """As the argument and the result of a call."""
        return self._rows

    def _serve(self) -> None:
        link = accept(self._listening, KEY)
        room = np.empty_like(self._rows)
        try:
            while link is not None:
                link.receive()
                link.fill(room)
                link.send(("rows",), self._rows)
        except Lost:
            return


@contextmanager
def way_to_an_actor(way: str, rows: int) -> Iterator[Callable[[], object]]:
    """A call that takes `rows` to an actor and as many back, by one of WAYS; for a driver of a cluster."""
    mine = np.random.default_rng(1).random((rows, WIDTH))
    echo: Any = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(_Echo).remote(rows)
    with ExitStack() as ends:
        ends.callback(ray.kill, echo)
        host, port = ray.get(echo.address.remote())
        link = connect(host, port, KEY, PATIENCE)
        ends.callback(link.close)
        if way == "a direct socket":

            def by_socket() -> None:
                link.send(("rows",), mine)
                link.receive()
                link.fill(mine)

            yield by_socket
        elif way == "a compiled graph":
            from ray.dag import InputNode

            with InputNode() as given:
                graph = echo.call.bind(given).experimental_compile()
            ends.callback(graph.teardown)
            yield lambda: ray.get(graph.execute(mine))
        elif way == "ray.put and a call":
            yield lambda: ray.get(echo.call.remote(ray.put(mine)))
        else:
            yield lambda: ray.get(echo.call.remote(mine))
