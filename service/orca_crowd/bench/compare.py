"""Compare: contenders taken in turn, block by block, and the ratios of the pairs.

A machine may change its speed by a third from one minute to the next, so two runs one after the other say little.
Blocks that lie side by side in time see the same machine: the ratio is formed of each such pair, and the median of the
ratios is the result. What is measured is the processor time of the process, kept on one core: equal to the time on the
wall when nobody else runs, and not inflated when somebody does. The time on the wall stands beside it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from orca_crowd.bench.contenders import Contender

__all__ = ["Timings", "in_turn", "ratios", "spread"]

# seconds of the processor, seconds on the wall
Clock = Callable[[], tuple[float, float]]


def process_clock() -> tuple[float, float]:
    """Processor time of this process and time on the wall, in seconds."""
    return time.process_time(), time.perf_counter()


@dataclass
class Timings:
    """Blocks of one contender in the order they were taken: seconds a step, of the processor and on the wall."""

    name: str
    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def facts(self, agents: int) -> dict[str, Any]:
        """Spread in µs per agent and step, the rate in agent-steps a second, and every block."""
        seconds = spread(self.processor)
        return {
            "microseconds_per_agent_step": {name: value / agents * 1e6 for name, value in seconds.items()},
            "milliseconds_per_step": seconds["median"] * 1e3,
            "agent_steps_per_second": agents / seconds["median"] if seconds["median"] > 0.0 else 0.0,
            "wall_over_processor": float(np.median(self.wall)) / seconds["median"] if seconds["median"] > 0.0 else 0.0,
            "seconds_per_step": self.processor,
        }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, 10th and 90th percentile."""
    low, middle, high = np.percentile(np.asarray(values, dtype=np.float64), [10.0, 50.0, 90.0])
    return {"median": float(middle), "p10": float(low), "p90": float(high)}


def ratios(mine: Timings, other: Timings, by: Literal["processor", "wall"] = "processor") -> list[float]:
    """Time of `mine` over time of `other` for each pair of blocks; raises ValueError when they are not pairs.

    Several workers at once are compared `by` the time on the wall, everything else by that of the processor.
    """
    first: list[float] = getattr(mine, by)
    second: list[float] = getattr(other, by)
    if len(first) != len(second):
        raise ValueError(f"{mine.name} has {len(first)} blocks and {other.name} has {len(second)}")
    return [a / b for a, b in zip(first, second, strict=True)]


def in_turn(
    contenders: Sequence[Contender],
    timings: Sequence[Timings],
    *,
    blocks: int,
    block: int,
    warm_up: int | Sequence[int],
    clock: Clock = process_clock,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Take `warm_up` steps untimed, then `blocks` blocks of `block` steps, the contenders in turn; append to `timings`.

    `warm_up` is one number, or one for each contender.
    Who comes first changes from block to block, so that nobody always finds the caches as another left them.
    `advance(steps)` is called with the steps that have been taken.
    """
    before = [warm_up] * len(contenders) if isinstance(warm_up, int) else warm_up
    for contender, first in zip(contenders, before, strict=True):
        done = 0
        while done < first:
            steps = min(block, first - done)
            contender.prepare()
            contender.run(steps)
            done += steps
            if advance is not None:
                advance(steps)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(blocks):
            turn = list(zip(contenders, timings, strict=True))
            shift = number % len(turn)
            for contender, timing in turn[shift:] + turn[:shift]:
                contender.prepare()
                processor, wall = clock()
                took = contender.run(block)
                processor_end, wall_end = clock()
                # a contender in another process has its own clock
                processor, wall = took if took is not None else (processor_end - processor, wall_end - wall)
                timing.processor.append(processor / block)
                timing.wall.append(wall / block)
                if advance is not None:
                    advance(block)
    finally:
        if collecting:
            gc.enable()
