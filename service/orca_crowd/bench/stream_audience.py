"""Subscribers of a live world, in a process of their own: how old a frame is when it has been read, and who missed one.

There is no time of the machine in a frame, so its age is counted from the moment at which its step was due on the
world's clock: the wait of the clock, the step, the encoding, the fan-out and the reading are all in it. It is more than
the time since the step was published, never less.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from orca_crowd.bench.memory import resident
from orca_crowd.bench.scenes import Scene
from orca_crowd.bench.serving import Remote
from orca_crowd.bench.start import child_environment
from orca_crowd.bench.tick import Arrivals, lateness

__all__ = ["SUBSCRIBE", "Audience", "audience", "idle_bytes", "watched"]

SUBSCRIBE: dict[str, Any] = {"type": "subscribe", "fields": ["position", "velocity"], "precision": "float32"}
# seconds at the beginning that do not count, and before the memory of a server at rest is looked at
SETTLE = 1.0
# sockets that make the server's own structures grow before the first that counts
WARM = 20


class Audience:
    """The process of the subscribers, all of which have the state."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        """Take the process."""
        self._child = child

    def finish(self) -> dict[str, Any]:
        """Let them stop; `{readers: [{steps, moments, missed}], busy}`. Raises RuntimeError where they failed."""
        answer, errors = self._child.communicate(b"\n")
        if self._child.returncode:
            raise RuntimeError(f"the subscribers failed: {_last_line(errors)}")
        found: dict[str, Any] = msgspec.msgpack.decode(answer)
        for reader in found["readers"]:
            reader["steps"] = np.frombuffer(reader["steps"], "<i8")
            reader["moments"] = np.frombuffer(reader["moments"], "<f8")
        return found


@contextmanager
def audience(address: str, world: str, subscribers: int) -> Iterator[Audience]:
    """So many subscribers, each of them with the state; ended with the block, whatever happens in it."""
    plan = {"address": address, "world": world, "subscribers": subscribers, "subscribe": SUBSCRIBE}
    command = [sys.executable, "-m", "orca_crowd.bench.audience", json.dumps(plan)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=child_environment(), stdin=pipe, stdout=pipe, stderr=pipe) as child:
        try:
            assert child.stdout is not None
            assert child.stderr is not None
            if child.stdout.readline() != b"ready\n":
                raise RuntimeError(f"the subscribers failed: {_last_line(child.stderr.read())}")
            yield Audience(child)
        finally:
            if child.poll() is None:
                child.kill()


def _last_line(errors: bytes) -> str:
    return (errors.decode(errors="replace").strip() or "no word").splitlines()[-1]


async def watched(remote: Remote, scene: Scene, *, rate: float, seconds: float, subscribers: int) -> dict[str, Any]:
    """Let a world run in real time before an audience; ages in seconds, and the steps that somebody missed."""
    world = await remote.create(scene)
    late = "orca_crowd_late_steps_total"
    with audience(remote.address, world, subscribers) as people:
        before = await remote.counted(late)
        asked = time.monotonic()
        await remote.call("PATCH", f"/v1/worlds/{world}", {"clock": {"mode": "realtime", "rate": rate}})
        answered = time.monotonic()
        await asyncio.sleep(SETTLE + seconds)
        given_up = await remote.counted(late) - before
        found = people.finish()
    await remote.call("DELETE", f"/v1/worlds/{world}")
    readers = found["readers"]
    steps = np.concatenate([reader["steps"] for reader in readers])
    moments = np.concatenate([reader["moments"] for reader in readers])
    # one clock for all: nobody can have had a frame before its step was due
    age, uncertain = lateness(Arrivals(asked, answered, steps.tolist(), moments.tolist()), rate)
    counts = moments >= answered + SETTLE
    return {
        "agents": scene.agents,
        "rate": rate,
        "subscribers": subscribers,
        "seconds": seconds,
        "age": age[counts],
        "uncertain": uncertain,
        "given_up": given_up,
        "missed": sum(reader["missed"] for reader in readers),
        "frames": int(counts.sum()),
        "busy": found["busy"] / (SETTLE + seconds),
    }


async def idle_bytes(remote: Remote, scene: Scene, process: int, subscribers: int) -> dict[str, Any] | None:
    """Bytes that a server holds for each subscriber of a world that stands still; None where the system does not tell.

    What the first few bring, the world's own share of streaming, is not theirs and does not count.
    """
    if resident(process) is None:
        return None
    world = await remote.create(scene)
    with audience(remote.address, world, WARM) as first:
        before = await _settled(process)
        with audience(remote.address, world, subscribers) as others:
            after = await _settled(process)
            others.finish()
        first.finish()
    await remote.call("DELETE", f"/v1/worlds/{world}")
    return {"agents": scene.agents, "subscribers": subscribers, "bytes": (after - before) / subscribers}


async def _settled(process: int) -> int:
    """What a process and its children hold when they have come to rest."""
    await asyncio.sleep(SETTLE)
    found = resident(process)
    assert found is not None
    return found
