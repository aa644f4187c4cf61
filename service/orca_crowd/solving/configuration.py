"""Configuration: every parameter of a run, read from a YAML file with the line named that is at fault.

Keys share one namespace and stand where they like: sections are for the reader's eye, be they mappings with keys below
them or lines without a value. What is missing keeps its default. `default.yml` beside this file has every key with its
default and what it does.
"""

from __future__ import annotations

from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from orca_core.cooperative.config import SECTIONS, Config
from orca_core.errors import InvalidInput
from orca_crowd.running.refusal import SHOWN, Unusable
from orca_crowd.solving.yaml_nodes import Item, Scalar, as_value, compose

__all__ = ["default_text", "kinds", "read_configuration"]


def default_text() -> str:
    """The file of defaults, every key with what it does."""
    return files("orca_crowd.solving").joinpath("default.yml").read_text(encoding="utf-8")


def kinds() -> dict[str, type]:
    """Every key with the type of its value, which is that of its default."""
    defaults = Config()
    return {field.name: type(getattr(defaults, field.name)) for field in fields(Config)}


def read_configuration(file: Path) -> Config:
    """The configuration in a file; Unusable with a line for each fault."""
    known, faults = kinds(), list[tuple[int, str]]()
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for item in _flat(compose(file, "--config"), faults):
        if item.key not in known:
            faults.append((item.line, _unknown(item.key, known)))
        elif item.key in lines:
            faults.append((item.line, f"{item.key} is given a second time; it is in line {lines[item.key]} already"))
        elif not isinstance(item.value, Scalar):
            faults.append((item.line, f"{item.key} must be one value"))
        else:
            lines[item.key] = item.line
            try:
                values[item.key] = as_value(item.value, known[item.key])
            except ValueError as error:
                faults.append((item.line, f"{item.key} {error}"))
    try:
        config = Config.from_mapping(values)
    except InvalidInput as error:
        for problem in error.problems:
            # a fault of several keys stands at the last of them that is in the file
            line = lines.get(problem.field or "", max(lines.values(), default=1))
            faults.append((line, f"{problem.field} {problem.message}" if problem.field else problem.message))
    if faults:
        raise _refused(file, faults)
    return config


def _flat(items: list[Item], faults: list[tuple[int, str]]) -> list[Item]:
    """The keys of all sections; a section within a section is a fault."""
    found: list[Item] = []
    for item in items:
        if isinstance(item.value, list) and item.value and isinstance(item.value[0], Item):
            for inner in item.value:
                deeper = isinstance(inner.value, list) and inner.value and isinstance(inner.value[0], Item)
                if deeper:
                    faults.append((inner.line, f"{inner.key} must be one value, not a section within {item.key}"))
                else:
                    found.append(inner)
        elif item.key in SECTIONS and (item.value == [] or getattr(item.value, "text", None) == ""):
            continue
        else:
            found.append(item)
    return found


def _unknown(key: str, known: dict[str, type]) -> str:
    """What to say of a key that there is not; the nearest one by its letters, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(key, known, 1)
    hint = f"; did you mean {near[0]}?" if near else "; orca-crowd solve --write-config FILE writes them all"
    return f"{key[:60]} is no key{hint}"


def _refused(file: Path, faults: list[tuple[int, str]]) -> Unusable:
    """A line for each fault, in the order of the file."""
    shown = [f"line {line}: {message}" for line, message in sorted(faults)]
    more = [f"and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
    return Unusable("\n  ".join([f"mend {file.name}: {shown[0]}", *shown[1:SHOWN], *more]))
