"""Runs on small maps: everybody comes to its goal, nobody touches anybody, and a run comes out again bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.corridors import identify
from orca_core.cooperative.runner import SOLVED, Run
from orca_core.cooperative.variants import Variant
from orca_core.digest import state_digest
from orca_core.errors import InvalidInput
from orca_core.formats.movingai import GridMap, parse_map
from orca_core.mapf.instance import Instance

HALLS = """
.....@.....
.....@.....
...........
.....@.....
.....@.....
"""
CHAIN = """
....@...@....
....@...@....
.............
....@...@....
....@...@....
"""

Places = list[tuple[int, int]]

SCENES: dict[str, tuple[str, Places, Places]] = {
    "two heads": (HALLS, [(1, 2), (9, 2)], [(9, 2), (1, 2)]),
    "a platoon": (HALLS, [(0, 0), (0, 2), (0, 4), (10, 2)], [(9, 0), (9, 2), (9, 4), (1, 2)]),
    "two gates in a chain": (CHAIN, [(1, 2), (11, 2), (1, 0)], [(11, 2), (1, 2), (11, 4)]),
}


def grid_of(text: str) -> GridMap:
    rows = text.split()
    return parse_map(f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n" + "\n".join(rows) + "\n")


def run_of(scene: str, variant: Variant = Variant.CORCA, steps: int = 600) -> Run:
    text, starts, goals = SCENES[scene]
    run = Run(Instance.from_places(grid_of(text), starts, goals), Config(step_max=steps), variant)
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    run.prepare()
    return run


@pytest.mark.parametrize("scene", SCENES)
def test_everybody_arrives_and_nobody_touches_anybody(scene: str) -> None:
    run = run_of(scene)
    assert run.world is not None
    free = np.argwhere(~run.instance.grid.free)[:, ::-1]
    while run.step():
        position = run.world.column("position")
        apart = np.linalg.norm(position[:, None] - position[None, :], axis=2)[np.triu_indices(len(position), 1)]
        assert apart.min() >= 2.0 * run.config.radius - 1e-9
        nearest = np.clip(position[:, None], free[None], free[None] + 1.0)
        assert np.linalg.norm(position[:, None] - nearest, axis=2).min() >= run.config.radius - 1e-9
    assert run.ended == SOLVED
    assert run.metrics.collisions == run.metrics.collisions_obst == 0
    assert run.metrics.success_rate == 100.0


def test_a_run_comes_out_again() -> None:
    digests = []
    for _ in range(2):
        run = run_of("two gates in a chain")
        while run.step():
            pass
        assert run.world is not None
        digests.append(state_digest(run.world.column("position"), run.world.column("velocity")))
    assert digests[0] == digests[1]


def test_corridors_are_cells_in_no_square_of_free_ones_with_two_ways() -> None:
    grid = grid_of(CHAIN)
    found = identify(grid)
    free = grid.free
    expected = []
    for row in range(grid.height):
        for column in range(grid.width):
            if not free[row, column]:
                continue
            squares = [
                free[y : y + 2, x : x + 2]
                for y in (row - 1, row)
                for x in (column - 1, column)
                if y >= 0 and x >= 0 and y + 2 <= grid.height and x + 2 <= grid.width
            ]
            if not any(square.all() for square in squares):
                expected.append(row * grid.width + column)
    assert np.flatnonzero(found.place >= 0).tolist() == expected
    assert found.count == 2


def test_unknown_keys_and_values_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput) as caught:
        Config.from_mapping({"radus": 1.0, "timestep": "fast", "seed": 1.5})
    assert [problem.field for problem in caught.value.problems] == ["radus", "timestep", "seed"]
