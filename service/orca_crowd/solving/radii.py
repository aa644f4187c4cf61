"""Radii: one for each agent, from a file with a number a line, in the order of the agents of the scenario."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.config import Config
from orca_core.cooperative.runner import checked_radii
from orca_core.errors import InvalidInput
from orca_core.mapf.instance import Instance
from orca_crowd.running.refusal import SHOWN, Unusable
from orca_crowd.solving.task import read_text

__all__ = ["read_radii"]


def read_radii(file: Path, instance: Instance, config: Config) -> NDArray[np.float64]:
    """The radii (n,) of the agents of an instance, the first ones of the file.

    Unusable with a line for each fault, those beyond the first agents too, and where there are too few. Blank lines
    and what follows a # say nothing.
    """
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
    if len(values) < instance.count:
        raise Unusable(f"mend {file.name}: it has {len(values)} radii, not {instance.count}: a line for each agent")
    try:
        return checked_radii(np.array(values[: instance.count]), instance, config)
    except InvalidInput as error:
        faults = [f"line {lines[one.item or 0]}: agent {one.item}: {one.field} {one.message}" for one in error.problems]
        raise _refused(file, faults) from None


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
