"""Radii: one for each agent, from a file with a number a line, in the order of the agents of the scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.config import Config
from orca_core.cooperative.runner import checked_radii
from orca_core.errors import InvalidInput
from orca_core.mapf.instance import Instance
from orca_crowd.running.refusal import SHOWN, Unusable
from orca_crowd.solving.task import read_text

__all__ = ["radii_of_trace", "read_radii"]

# no radius of a configuration is beyond
LARGEST = 1e6


def read_radii(file: Path, instance: Instance, config: Config) -> NDArray[np.float64]:
    """The radii (n,) of the agents of an instance, the first ones of the file.

    Unusable with a line for each fault, those beyond the first agents too, and where there are too few. Blank lines
    and what follows a # say nothing.
    """
    lines, values = _numbers(file)
    if len(values) < instance.count:
        raise Unusable(f"mend {file.name}: it has {len(values)} radii, not {instance.count}: a line for each agent")
    try:
        return checked_radii(np.array(values[: instance.count]), instance, config)
    except InvalidInput as error:
        faults = [f"line {lines[one.item or 0]}: agent {one.item}: {one.field} {one.message}" for one in error.problems]
        raise _refused(file, faults) from None


def radii_of_trace(file: Path, ids: Sequence[int]) -> list[float]:
    """The radius of each of these agents of a trace, from the file that its run had; Unusable as for a run."""
    lines, values = _numbers(file)
    if max(ids) >= len(values):
        raise Unusable(f"choose another --radii: it has {len(values)} radii, and the trace number {max(ids)}")
    faults = [
        f"line {lines[agent]}: agent {agent}: radius must be above 0 and at most {LARGEST:g}, not {values[agent]!r}"
        for agent in ids
        if not 0.0 < values[agent] <= LARGEST
    ]
    if faults:
        raise _refused(file, faults)
    return [values[agent] for agent in ids]


def _numbers(file: Path) -> tuple[list[int], list[float]]:
    """Every number with the line it stands in; Unusable where a line is none."""
    lines: list[int] = []
    values: list[float] = []
    faults: list[str] = []
    for number, line in enumerate(read_text(file, "--radii").splitlines(), 1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        lines.append(number)
        values.append(_number(said))
        if math.isnan(values[-1]):
            faults.append(f"line {number}: agent {len(values) - 1}: must be one number, not {said!r}")
    if faults:
        raise _refused(file, faults)
    return lines, values


def _number(said: str) -> float:
    """A decimal number, NaN for anything else: underscores and words for numbers are none."""
    try:
        value = float(said) if said.isascii() and "_" not in said else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _refused(file: Path, faults: list[str]) -> Unusable:
    more = [f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
    return Unusable("\n  ".join([f"mend {file.name}: {faults[0]}", *faults[1:SHOWN], *more]))
