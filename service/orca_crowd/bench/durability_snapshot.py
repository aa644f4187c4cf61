"""What a snapshot of a large world delays: its own tick by the capture, and ticks beside it by what is written."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.durability_cost import PROCESS, close, crowd
from orca_crowd.bench.scenes import Scene
from orca_crowd.journal.recorder import Recorder, Snapshot
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.session import Session

__all__ = ["snapshot_seconds"]

# the world beside it: small, at a rate at which ticks are always there to be delayed
BESIDE = 100
RATE = 100.0
# how long ticks are taken with nothing beside them, for each snapshot
ALONE_SECONDS = 0.2


def snapshot_seconds(archive: Archive, scene: Scene, snapshots: int) -> dict[str, Any]:
    """Seconds of each capture, and by how much ticks of a small world were late, alone and while one was written.

    The capture is all that the world itself waits for: encoding and writing are done by a helper thread, which shares
    with ticks the interpreter, the processor and, in the world itself, its file. So ticks are those of a session in
    this thread, each with its mark in a journal, at their moments on the clock.
    """
    large = crowd(archive, scene, "large", PROCESS)
    small = crowd(archive, Scene(BESIDE), "small", PROCESS)
    assert large.recorder is not None
    large.advance(1)
    large.record(0.0)
    captures, alone, beside = np.empty(snapshots), [], []
    size = 0
    for number in range(snapshots):
        begin = time.perf_counter()
        snapshot = large.recorder.capture(large.world, large.memory())
        captures[number] = time.perf_counter() - begin
        alone.append(_late(small, None, ALONE_SECONDS))
        writer = threading.Thread(target=_write, args=(large.recorder, snapshot), name="snapshot")
        writer.start()
        beside.append(_late(small, writer, 0.0))
        writer.join()
        size = large.recorder.file.snapshots()[-1].size
    for session in (large, small):
        close(archive, session)
    return {"capture": captures, "alone": np.concatenate(alone), "beside": np.concatenate(beside), "bytes": size}


def _write(recorder: Recorder, snapshot: Snapshot) -> None:
    recorder.write(snapshot)
    recorder.tidy()


def _late(session: Session, writer: threading.Thread | None, seconds: float) -> NDArray[np.float64]:
    """By how much the end of each tick was late of its moment; for so long, and while the writer is at work."""
    late = []
    begin = time.perf_counter()
    due = begin
    while time.perf_counter() - begin < seconds or (writer is not None and writer.is_alive()):
        due += 1.0 / RATE
        time.sleep(max(0.0, due - time.perf_counter()))
        session.check_room()
        session.advance(1)
        session.record(0.0)
        late.append(time.perf_counter() - due)
        # one that came late delays no other
        due = max(due, time.perf_counter() - 1.0 / RATE)
    return np.array(late)
