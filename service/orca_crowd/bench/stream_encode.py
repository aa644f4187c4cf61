"""What it takes to turn the state of a world into the bytes of a full frame, in this process."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from orca_crowd.bench.scenes import Scene
from orca_crowd.protocol.frames import MSGPACK_SUBPROTOCOL, Column, assemble, encode_columns, encode_entries

__all__ = ["encode_seconds"]

# encodings before the first that counts
FIRST = 20


def encode_seconds(scene: Scene, times: int) -> tuple[list[float], int]:
    """Seconds of each of `times` encodings of a `full` of all agents, position and velocity in float32; its bytes."""
    ids = np.arange(scene.agents, dtype=np.int64)
    columns: Mapping[str, Column] = {"position": scene.positions, "velocity": scene.goals - scene.positions}
    head = {"type": "full", "step": 1, "time": scene.time_step, "ids": ids}
    taken, message = [], b""
    for number in range(FIRST + times):
        begin = time.perf_counter()
        parts = [encode_entries(head, MSGPACK_SUBPROTOCOL), encode_columns(columns, "float32", MSGPACK_SUBPROTOCOL)]
        encoded = assemble(parts, MSGPACK_SUBPROTOCOL)
        seconds = time.perf_counter() - begin
        assert isinstance(encoded, bytes)
        message = encoded
        if number >= FIRST:
            taken.append(seconds)
    return taken, len(message)
