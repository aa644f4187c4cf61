"""What cannot be done, said in one line; and libraries of the extras, asked for before anything is computed."""

from __future__ import annotations

import importlib
from types import ModuleType

from orca_crowd.errors import ApiError, Fault

__all__ = ["Unusable", "faults_shown", "needed"]

# faults that are listed
SHOWN = 20


class Unusable(Exception):
    """Wrong input; the message says what to do, its first line alone where there are several."""


def needed(module: str, extra: str) -> ModuleType:
    """A library that an extra brings; Unusable where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise Unusable(f"pip install 'orca-crowd[{extra}]' brings {library}, which this needs") from None


def faults_shown(source: str, error: ApiError, part: str = "") -> Unusable:
    """The refusal of a scene or a part of it: a line for each fault, the first one with what to do."""
    lines = [_line(fault, part) for fault in error.errors[:SHOWN]] or [": ".join(filter(None, (part, error.detail)))]
    if len(error.errors) > SHOWN:
        lines.append(f"and {len(error.errors) - SHOWN} more")
    return Unusable("\n  ".join([f"mend {source}: {lines[0]}", *lines[1:]]))


def _line(fault: Fault, part: str) -> str:
    """`agents[3].radius: must be a number`."""
    place = part if fault.item is None else f"{part}[{fault.item}]"
    where = ".".join(filter(None, (place, fault.field)))
    return f"{where}: {fault.message}" if where else fault.message
