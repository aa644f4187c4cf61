"""Plan file: which runs a sweep has, read from YAML with the line named that is at fault.

    config: default.yml              left out: every parameter has its default
    runs:
      - map: gap-64-64-1             a .map, or the name of a folder that has one of this name in it
        scenarios: gap-64-64-1-gen-*.scen     or a list of them; beside the map
        agents: [15, 30]
        variants: [corca, corca-mapf]
        time_limit: 60               s, for these runs

Maps are looked for in the folder that is given, else beside the plan; the configuration beside the plan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orca_core.cooperative.config import BOUNDS
from orca_core.cooperative.variants import Variant
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.yaml_nodes import Item, Scalar, as_value, compose, refuse
from orca_crowd.sweeping.job import Job

__all__ = ["SweepPlan", "paired", "read_plan", "variant_of"]

KEYS = ("map", "scenarios", "agents", "variants", "time_limit")


@dataclass(frozen=True)
class SweepPlan:
    """The runs, in order, and the file of parameters they share, None for the defaults."""

    jobs: list[Job]
    config: Path | None


def read_plan(
    file: Path, maps: Path | None, agents: Sequence[int] | None = None, variants: Sequence[Variant] | None = None
) -> SweepPlan:
    """The plan in a file; `agents` and `variants` stand in place of its own. Unusable with file and line."""
    items = _mapping(file, compose(file, "plan"), ("config", "runs"), None)
    if "runs" not in items:
        raise refuse(file, None, "must have runs")
    groups = items["runs"].value
    if not isinstance(groups, list) or not groups or not isinstance(groups[0], list):
        raise refuse(file, items["runs"].line, "runs must be a list of `- map: …`")
    config = None
    if "config" in items:
        config = file.parent / _text(file, items["config"])
    jobs: list[Job] = []
    for group in groups:
        if not (isinstance(group, list) and group and isinstance(group[0], Item)):
            raise refuse(file, items["runs"].line, "each of runs must have a map, scenarios, agents and variants")
        jobs += _group(file, maps or file.parent, group, agents, variants)
    return SweepPlan(_distinct(jobs), config)


def paired(
    maps: Sequence[Path], scenarios: Sequence[Path], agents: Sequence[int], variants: Sequence[Variant]
) -> SweepPlan:
    """Each scenario on the map that it names, which is the only one where there is one; Unusable where it is none."""
    by_name = {path.name: path for path in maps}
    jobs = []
    for scenario in scenarios:
        map_file = maps[0]
        if len(maps) > 1:
            named = _named_map(scenario)
            if named not in by_name:
                raise Unusable(f"give the --map of {scenario.name} too: it names {named}")
            map_file = by_name[named]
        jobs += [Job(map_file, scenario, count, how) for count in agents for how in variants]
    return SweepPlan(_distinct(jobs), None)


def _named_map(scenario: Path) -> str:
    """The map that the first agent of a scenario is on, as it is written, without folders."""
    try:
        with scenario.open(encoding="utf-8", errors="replace") as file:
            fields = [file.readline(), file.readline()][1].split("\t")
    except OSError as error:
        raise Unusable(f"choose another --scen: {scenario}: {error.strerror}") from None
    return fields[1].replace("\\", "/").rpartition("/")[2] if len(fields) > 1 else "no map"


def _group(
    file: Path, maps: Path, group: list[Item], agents: Sequence[int] | None, variants: Sequence[Variant] | None
) -> list[Job]:
    """The runs of one group: scenario by scenario, then agents, then variants."""
    items = _mapping(file, group, KEYS, group[0].line)
    for key in KEYS[:4]:
        if key not in items and not (key == "agents" and agents) and not (key == "variants" and variants):
            raise refuse(file, group[0].line, f"{key} is missing")
    map_file = _map(file, maps, items["map"])
    scenarios = _scenarios(file, map_file.parent, items["scenarios"])
    numbers = agents or [_checked(file, items["agents"], one, int, 1) for one in _several(items["agents"])]
    methods = variants or [_variant(file, one) for one in _several(items["variants"])]
    limit = None
    if "time_limit" in items:
        least = BOUNDS["time_limit"][0]
        limit = float(_checked(file, items["time_limit"], items["time_limit"].value, float, least))
    return [Job(map_file, each, count, how, limit) for each in scenarios for count in numbers for how in methods]


def _mapping(file: Path, items: Any, allowed: Sequence[str], line: int | None) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for item in items:
        if item.key not in allowed:
            raise refuse(file, item.line, f"{item.key} is no key here; there are {', '.join(allowed)}")
        if item.key in found:
            raise refuse(file, item.line, f"{item.key} is given a second time; line {found[item.key].line} has it")
        found[item.key] = item
    return found


def _several(item: Item) -> list[Any]:
    """One value or a list of them."""
    return item.value if isinstance(item.value, list) else [item.value]


def _text(file: Path, item: Item) -> str:
    if not isinstance(item.value, Scalar) or not item.value.text:
        raise refuse(file, item.line, f"{item.key} must be one name")
    return item.value.text


def _checked(file: Path, item: Item, value: Any, kind: type, least: float) -> Any:
    """A number of at least so much."""
    if not isinstance(value, Scalar):
        raise refuse(file, item.line, f"{item.key} must be a number")
    try:
        number = as_value(value, kind)
    except ValueError as error:
        raise refuse(file, value.line, f"{item.key} {error}") from None
    if not number >= least:
        raise refuse(file, value.line, f"{item.key} must be at least {least:g}, not {number}")
    return number


def _variant(file: Path, value: Any) -> Variant:
    if not isinstance(value, Scalar):
        raise refuse(file, None, "variants must be a list of names")
    try:
        return variant_of(value.text)
    except ValueError as error:
        raise refuse(file, value.line, f"variants: {error}") from None


def variant_of(name: str) -> Variant:
    """The variant of a name; ValueError that says which there are."""
    if name not in list(Variant):
        raise ValueError(f"must be {', '.join(list(Variant)[:-1])} or {list(Variant)[-1]}, not {name}")
    return Variant(name)


def _map(file: Path, maps: Path, item: Item) -> Path:
    name = _text(file, item)
    found = next((path for path in (maps / name, maps / name / f"{name}.map") if path.is_file()), None)
    if found is None:
        raise refuse(file, item.line, f"there is no map {name} in {maps}; --maps says where maps are")
    return found


def _scenarios(file: Path, folder: Path, item: Item) -> list[Path]:
    found: list[Path] = []
    for value in _several(item):
        if not isinstance(value, Scalar) or not value.text:
            raise refuse(file, item.line, "scenarios must be names, * stands for any part of one")
        matching = sorted(folder.glob(value.text), key=_by_number)
        if not matching:
            raise refuse(file, value.line, f"there is no scenario {value.text} in {folder}")
        found += matching
    return found


def _by_number(path: Path) -> tuple[Any, ...]:
    """Key that sorts name-2 before name-10."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", path.name))


def _distinct(jobs: list[Job]) -> list[Job]:
    """Each run once; Unusable where one run would have two limits."""
    found: dict[str, Job] = {}
    for job in jobs:
        other = found.setdefault(job.name, job)
        if other != job:
            raise Unusable(f"plan {job.name} once: it is asked for with two time limits, or two maps have one name")
    return list(found.values())
