"""Trace: a run as lines of text, a block a time step and a line an agent; see `trace_file` for who reads it.

    # step 812  t=203.0000
    id=36 pos=(30.36,32.11) v=(0.62,0.12)|s=0.63 pv=(0.00,0.00)|s=0.00 tgt=(30.20,32.08) state=DRIFT wp=(32.50,31.50) …

Block n is how things are after n steps: where an agent is, the velocity that brought it there, the one it preferred
before it avoided anybody, and what it steered to; block 0 is the start, and there all velocities are zero. `wp` stands
where an agent has a waypoint, `corridor` and `waitFor` where it drifts, `yieldTo` where it yields.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.guide import STATES
from orca_core.cooperative.runner import Record

__all__ = ["Trace"]


class Trace:
    """Writes blocks."""

    def __init__(self, output: IO[str], time_step: float) -> None:
        """Write to an open file; `time_step` in seconds."""
        self._output = output
        self._time_step = time_step

    def add(self, step: int, record: Record, *, guided: bool = True) -> None:
        """The block of a step; of agents whom no plan guides waypoints are left out."""
        speeds = [np.sqrt((column * column).sum(axis=1)) for column in (record.velocity, record.preferred)]
        rows = zip(
            _rounded(record.position),
            _rounded(record.velocity),
            _rounded(speeds[0]),
            _rounded(record.preferred),
            _rounded(speeds[1]),
            _rounded(record.target),
            record.state.tolist(),
            _rounded(record.waypoint),
            record.corridor.tolist(),
            record.wait_for.tolist(),
            record.yield_to.tolist(),
            strict=True,
        )
        lines = [f"# step {step}  t={step * self._time_step:.4f}\n"]
        for agent, values in enumerate(rows):
            (x, y), (vx, vy), s, (px, py), ps, (tx, ty), state, (wx, wy), corridor, wait, give = values
            line = (
                f"id={agent} pos=({x:.2f},{y:.2f}) v=({vx:.2f},{vy:.2f})|s={s:.2f} pv=({px:.2f},{py:.2f})|s={ps:.2f} "
                f"tgt=({tx:.2f},{ty:.2f}) state={STATES[state]}"
            )
            # a number that is none differs from itself
            if guided and wx == wx:
                line += f" wp=({wx:.2f},{wy:.2f})"
            if corridor >= 0:
                line += f" corridor={corridor}"
            if wait >= 0:
                line += f" waitFor={wait}"
            if give >= 0:
                line += f" yieldTo={give}"
            lines.append(line + "\n")
        self._output.writelines(lines)


def _rounded(column: NDArray[np.float64]) -> Any:
    """To two places, and never a minus before a zero, which would make two lines of one place."""
    rounded: NDArray[np.float64] = np.round(column, 2) + 0.0
    return rounded.tolist()
