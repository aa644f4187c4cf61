"""Attending: what goes on in the process of a helper, one world at a time that has connected and knows the key."""

from __future__ import annotations

import logging
import socket
import threading

from orca_core.warmup import compile_all
from orca_crowd.engine.ray.link import Link, accept, listen
from orca_crowd.engine.ray.picture import Pictures
from orca_crowd.engine.workmate import Lost

__all__ = ["begin", "serve"]

log = logging.getLogger("orca_crowd")


def begin(host: str, key: bytes) -> socket.socket:
    """Compile the kernels, then listen at this address and take orders in a thread; the listening socket."""
    compile_all()
    listening = listen(host)
    threading.Thread(target=serve, args=(listening, key), name="orca-helper", daemon=True).start()
    return listening


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
    """Take the orders of a world until it is gone."""
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
