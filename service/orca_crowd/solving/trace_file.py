"""Trace file: a trace read back, in a stream, every step or as many as there is room for.

A trace may have hundreds of megabytes. It is gone through once for the places of its blocks, which takes no memory, and
then only the blocks that are kept are read. Numbers become whole hundredths, which is all that a trace has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from orca_crowd.running.refusal import Unusable

__all__ = ["COLUMNS", "NOTHING", "STATE_NAMES", "Traces", "read_trace"]

COLUMNS = ("x", "y", "vx", "vy", "px", "py", "tx", "ty", "state", "wx", "wy", "corridor", "waits", "yields")
STATE_NAMES = ("ORCA", "DRIFT", "MAPF", "YIELD")
# of a column without a value: no waypoint, no corridor, nobody waited for
NOTHING = -(2**31)

HEAD = re.compile(rb"# step ([0-9]{1,15}) +t=([0-9]{1,15}\.[0-9]{1,9})\s*")
_N = rb"(-?[0-9]{1,7}\.[0-9]{2})"
_PAIR = rb"\(" + _N + rb"," + _N + rb"\)"
LINE = re.compile(
    rb"id=([0-9]{1,15}) pos=" + _PAIR + rb" v=" + _PAIR + rb"\|s=[0-9.]+ pv=" + _PAIR + rb"\|s=[0-9.]+ tgt=" + _PAIR
    + rb" state=([A-Z]+)(?: wp=" + _PAIR + rb")?(?: corridor=([0-9]{1,9}))?(?: waitFor=([0-9]{1,15}))?"
    + rb"(?: yieldTo=([0-9]{1,15}))?\s*"
)  # fmt: skip
STATES = {name.encode(): number for number, name in enumerate(STATE_NAMES)}


@dataclass(frozen=True)
class Block:
    """Where a block stands: its step and time, the place and line of its head."""

    step: int
    time: float
    offset: int
    line: int


@dataclass(frozen=True)
class Traces:
    """`columns[name]` is int32 (frames, agents), hundredths; agents by their row, and `ids` says who is in which.

    `total` is how many whole blocks the file has; `cut` says that one more is cut off at its end and was left out.
    """

    ids: list[int]
    steps: list[int]
    times: list[float]
    columns: dict[str, NDArray[np.int32]]
    total: int
    cut: bool


def read_trace(file: Path, most_rows: int, progress: Callable[[float], None]) -> Traces:
    """Read a trace; where it has more than `most_rows` lines of agents, evenly thinned, first and last block kept.

    `progress` hears how much of the work is done, from 0 to 1. Unusable with file and line where it is damaged.
    """
    try:
        with file.open("rb") as stream:
            size = max(1, file.stat().st_size)
            blocks, cut = _blocks(file, stream, lambda at: progress(0.5 * at / size))
            if not blocks:
                raise Unusable(f"mend {file.name}: line 1: must be '# step N  t=…', and the file is empty")
            ids = [agent for agent, _ in _read(file, stream, blocks[0], None)]
            if not ids:
                raise Unusable(f"mend {file.name}: line {blocks[0].line}: has no agents")
            # where a head follows, even a part of one, the block before it is over
            if not cut and len(blocks) > 1 and not _whole(stream, blocks[-1], len(ids)):
                blocks, cut = blocks[:-1], True
            chosen = _thinned(blocks, max(2, most_rows // len(ids)))
            table = np.empty((len(COLUMNS), len(chosen), len(ids)), np.int32)
            row_of = {agent: row for row, agent in enumerate(ids)}
            for frame, block in enumerate(chosen):
                rows = _read(file, stream, block, ids)
                table[:, frame, :] = np.array([values for _, values in rows], np.int32).T
                progress(0.5 + 0.5 * frame / len(chosen))
    except OSError as error:
        raise Unusable(f"choose a trace that can be read: {file}: {error.strerror}") from None
    for name in ("waits", "yields"):
        _as_rows(table[COLUMNS.index(name)], row_of)
    return Traces(
        ids,
        [block.step for block in chosen],
        [block.time for block in chosen],
        dict(zip(COLUMNS, table, strict=True)),
        len(blocks),
        cut,
    )


def _blocks(file: Path, stream: IO[bytes], progress: Callable[[int], None]) -> tuple[list[Block], bool]:
    """The places of all blocks, and whether the last head of one is cut off, which is not among them."""
    found: list[Block] = []
    offset = 0
    for number, line in enumerate(stream, start=1):
        if line.startswith(b"#"):
            head = HEAD.fullmatch(line)
            if head is None:
                # the last line of a run that was killed may be any part of one
                if found and not line.endswith(b"\n"):
                    return found, True
                raise _damaged(file, number, "must be '# step N  t=…'", line)
            found.append(Block(int(head[1]), float(head[2]), offset, number))
            if len(found) > 1 and found[-1].step <= found[-2].step:
                raise _damaged(file, number, f"step {found[-1].step} comes after step {found[-2].step}", line)
            if len(found) % 100 == 0:
                progress(offset)
        elif not found:
            raise _damaged(file, number, "must be '# step N  t=…', with which a trace begins", line)
        offset += len(line)
    return found, False


def _thinned(blocks: list[Block], most: int) -> list[Block]:
    if len(blocks) <= most:
        return blocks
    return [blocks[k] for k in np.unique(np.linspace(0, len(blocks) - 1, most).round().astype(int)).tolist()]


def _whole(stream: IO[bytes], block: Block, count: int) -> bool:
    """Whether the last block has a line for everybody, to its end."""
    stream.seek(block.offset)
    lines = [line for _, line in zip(range(count + 2), stream, strict=False)]
    return len(lines) == 1 + count and lines[-1].endswith(b"\n")


def _read(file: Path, stream: IO[bytes], block: Block, ids: list[int] | None) -> list[tuple[int, list[int]]]:
    """The agents of a block with their values by COLUMNS; who they are must be as in the first."""
    stream.seek(block.offset)
    stream.readline()
    found: list[tuple[int, list[int]]] = []
    number = block.line
    for line in stream:
        number += 1
        if line.startswith(b"#"):
            break
        match = LINE.fullmatch(line)
        if match is None:
            raise _damaged(file, number, "must be 'id=… pos=(…) v=(…)|s=… pv=(…)|s=… tgt=(…) state=…'", line)
        agent = int(match[1])
        if match[10] not in STATES:
            raise _damaged(file, number, f"state must be one of {', '.join(STATE_NAMES)}", line)
        if ids is not None and (len(found) >= len(ids) or ids[len(found)] != agent):
            raise _damaged(file, number, "the agents must be those of the first block, in their order", line)
        found.append((agent, _values(match)))
    if ids is not None and len(found) != len(ids):
        raise _damaged(file, number, f"step {block.step} has {len(found)} agents, the first block {len(ids)}")
    return found


def _values(match: re.Match[bytes]) -> list[int]:
    """Hundredths of the numbers, the state by its number, ids as they are."""
    places = [NOTHING if part is None else round(float(part) * 100.0) for part in match.group(*range(2, 10), 11, 12)]
    numbers = [NOTHING if part is None else int(part) % 2**31 for part in match.group(13, 14, 15)]
    return [*places[:8], STATES[match[10]], *places[8:], *numbers]


def _as_rows(column: NDArray[np.int32], row_of: dict[int, int]) -> None:
    """Ids of others as their rows; of somebody who is not in the trace nothing can be shown."""
    agents, places = np.unique(column, return_inverse=True)
    rows = np.array([row_of.get(agent, NOTHING) for agent in agents.tolist()], np.int32)
    column[:] = rows[places].reshape(column.shape)


def _damaged(file: Path, line: int, message: str, text: bytes | None = None) -> Unusable:
    shown = "" if text is None else f", not {text[:60].decode('utf-8', 'replace').rstrip()!a}"
    return Unusable(f"mend {file.name}: line {line}: {message}{shown}")
