"""A helper: a Ray actor that moves a share of a big world's agents, on whichever node Ray has found room for it.

Ray starts it, starts it again when it or its node is lost, and ends it with the world that made it. What it is told of
that world comes over a direct socket, and is gone with it: a helper that was started again knows nothing and is told
everything, and its share of the step under way was moved by the world itself.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from typing import Any

import ray

from orca_core.warmup import compile_all
from orca_crowd.engine.ray.link import Link, accept, listen
from orca_crowd.engine.ray.picture import Pictures
from orca_crowd.engine.workmate import Lost

__all__ = ["Helper", "hire", "serve"]

log = logging.getLogger("orca_crowd")


def serve(listening: socket.socket, key: bytes) -> None:
    """Take orders of whoever connects and knows the key, one at a time, until nobody listens any more."""
    while True:
        try:
            link = accept(listening, key)
        except OSError:
            return
        if link is not None:
            _attend(link)


def _attend(link: Link) -> None:
    """Take the orders of one world until it is gone."""
    pictures = Pictures()
    try:
        while True:
            pictures.take(link.receive(), link)
    except Lost:
        # it is told everything again where it comes back
        return
    except Exception:
        # orders that cannot be made sense of; who gave them learns that the end is gone, and begins anew
        log.exception("a helper of a big world cannot follow what it is told")
    finally:
        link.close()


class Helper:
    """The actor. Its kernels are compiled before it says where it listens."""

    def __init__(self, key: bytes) -> None:
        """`key` is what a world that connects must know."""
        compile_all()
        address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
        self._listening = listen(address)
        threading.Thread(target=serve, args=(self._listening, key), name="orca-helper", daemon=True).start()

    def address(self) -> tuple[str, int]:
        """Host and port of its socket."""
        host, port = self._listening.getsockname()[:2]
        return str(host), int(port)

    def process(self) -> int:
        """The number of its process, for whoever watches it."""
        return os.getpid()


def hire(key: bytes) -> Any:
    """Ask Ray for a helper on a node as far from the others as can be; it comes when there is a processor for it."""
    actor = ray.remote(num_cpus=1, max_restarts=-1, scheduling_strategy="SPREAD")(Helper)
    return actor.remote(key)
