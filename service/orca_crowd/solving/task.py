"""Task: a map and the first agents of a scenario, read strictly; what is wrong is said with its file and line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from orca_core.errors import InvalidInput, Problem
from orca_core.formats.movingai import GridMap, ScenarioRow, parse_map, parse_scenario
from orca_core.mapf.grid_graph import UNREACHABLE, distances, neighbours_of
from orca_core.mapf.instance import Instance
from orca_crowd.running.refusal import SHOWN, Unusable

__all__ = ["Task", "read_map", "read_rows", "read_task", "read_text", "task_faults"]

# the largest of the benchmarks has about 2 MB; a file beyond this is something else
MOST_BYTES = 600_000_000


@dataclass(frozen=True)
class Task:
    """What is to be solved; `rows[i]` is the line of agent i in the file of the scenario."""

    map_file: Path
    scenario_file: Path
    rows: list[ScenarioRow]
    instance: Instance

    @property
    def name(self) -> str:
        """The scenario, without its folder and its ending."""
        return self.scenario_file.stem

    @property
    def other_map(self) -> str | None:
        """The map that the scenario names, where it is not the one that was given."""
        named = self.rows[0].map_name.replace("\\", "/").rpartition("/")[2]
        return None if named == self.map_file.name else named


def read_map(file: Path) -> GridMap:
    """A map; Unusable with file and line."""
    try:
        return parse_map(read_text(file, "--map"))
    except InvalidInput as error:
        raise Unusable(f"mend {file.name}: {error}") from None


def read_rows(file: Path, grid: GridMap) -> list[ScenarioRow]:
    """Every line of a scenario, not only the first ones: a damaged file is no base for anything."""
    try:
        return parse_scenario(read_text(file, "--scen"), grid)
    except InvalidInput as error:
        raise Unusable(f"mend {file.name}: {error}") from None


def read_task(map_file: Path, scenario_file: Path, count: int) -> Task:
    """The first `count` agents of a scenario; Unusable where there are not so many or one cannot be solved."""
    grid = read_map(map_file)
    rows = read_rows(scenario_file, grid)
    if not rows:
        raise Unusable(f"choose another --scen: {scenario_file.name} has no agents")
    if count > len(rows):
        raise Unusable(f"use -k 1 to {len(rows)}: {scenario_file.name} has {len(rows)} agents, not {count}")
    rows = rows[:count]
    try:
        instance = Instance.from_rows(grid, rows)
        _check_reachable(instance)
    except InvalidInput as error:
        raise task_faults(scenario_file, rows, error) from None
    return Task(map_file, scenario_file, rows, instance)


def task_faults(file: Path, rows: list[ScenarioRow], error: InvalidInput) -> Unusable:
    """A refusal of agents, a line for each, by the line of the file at which an agent stands."""
    shown = []
    for problem in error.problems:
        if problem.item is None:
            shown.append(str(problem))
        else:
            field = f"{problem.field} " if problem.field else ""
            shown.append(f"line {rows[problem.item].line}: agent {problem.item}: {field}{problem.message}")
    more = [f"and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
    return Unusable("\n  ".join([f"mend {file.name}: {shown[0]}", *shown[1:SHOWN], *more]))


def _check_reachable(instance: Instance) -> None:
    """Refuse goals to which no way leads, whatever the variant: without a plan nobody else would find out."""
    problems = []
    neighbours = neighbours_of(instance.grid)
    # a row at a time: a table of all of them would be large on a large map
    for agent, (start, goal) in enumerate(zip(instance.starts.tolist(), instance.goals.tolist(), strict=True)):
        if distances(neighbours, np.array([goal]))[0, start] >= UNREACHABLE:
            column, row = instance.place(goal)
            problems.append(Problem(agent, "goal", f"({column}, {row}) cannot be reached from its start"))
    if problems:
        raise InvalidInput(problems)


def read_text(file: Path, option: str) -> str:
    """The text of a file; bytes beyond UTF-8 stay apart, so that the reader finds the line they stand in."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Unusable(f"choose another {option}: {file} is too large to be one")
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Unusable(f"choose another {option}: {file}: {error.strerror}") from None
