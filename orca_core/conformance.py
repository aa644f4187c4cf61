"""Run a folder of conformance vectors: `python -m orca_core.conformance DIR`.

The folder holds agent_planes.json, segment_planes.json, boundary_planes.json, programs.json, constraints.json and
scenes.json,
or some of them; every number that matters is a C99 hex float and is compared bit for bit (`-0.0` is not `0.0`). The
last line is
`N passed, N failed`; each failing case is named with its first difference in hex. Exit code 0 when all pass, 1 when
one fails, 2 when there
is nothing to run.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from orca_core.explain import constraints
from orca_core.geometry.obstacles import Obstacle
from orca_core.kernels.boundary import boundary_half_plane
from orca_core.kernels.linear_program import permitted_velocity
from orca_core.kernels.velocity_obstacle import agent_half_plane, segment_half_plane
from orca_core.options import Options
from orca_core.warmup import compile_all
from orca_core.world import World

__all__ = ["RUNNERS", "differences", "main", "run_folder"]

Case = dict[str, Any]
AGENT_NUMBERS = ("radius", "max_speed", "time_horizon", "obstacle_horizon", "neighbor_distance")


def _float(text: str) -> float:
    return float.fromhex(text)


def _pair(texts: list[str]) -> tuple[float, float]:
    return float.fromhex(texts[0]), float.fromhex(texts[1])


def differences(name: str, got: Any, wanted: Any) -> Iterator[str]:
    """Every difference between plain values; floats are compared by their bytes and shown in hex."""
    if isinstance(wanted, float) and isinstance(got, float):
        if struct.pack("<d", got) != struct.pack("<d", wanted):
            yield f"{name}: got {got.hex()}, want {wanted.hex()}"
    elif isinstance(wanted, list | tuple) and isinstance(got, list | tuple):
        if len(got) != len(wanted):
            yield f"{name}: got {len(got)} values, want {len(wanted)}"
        for index, (one, other) in enumerate(zip(got, wanted, strict=False)):
            yield from differences(f"{name}[{index}]", one, other)
    elif got != wanted:
        yield f"{name}: got {got!r}, want {wanted!r}"


def _agent_plane(case: Case) -> Iterator[str]:
    numbers = [_float(case[name]) for name in ("tau", "dt", "responsibility")]
    plane = agent_half_plane(*_pair(case["p"]), _float(case["r"]), *_pair(case["va"]), *_pair(case["vb"]), *numbers)
    yield from differences("plane", plane, [_float(text) for text in case["plane"]])


def _segment_plane(case: Case) -> Iterator[str]:
    plane = segment_half_plane(
        *_pair(case["a"]), *_pair(case["b"]), *(_float(case[name]) for name in ("r", "tau", "dt"))
    )
    yield from differences("plane", plane, [_float(text) for text in case["plane"]])


def _boundary_plane(case: Case) -> Iterator[str]:
    exists, *plane = boundary_half_plane(
        *_pair(case["a"]), *_pair(case["b"]), _float(case["clearance"]), _float(case["tau"])
    )
    wanted = None if case["plane"] is None else [_float(text) for text in case["plane"]]
    yield from differences("plane", plane if exists else None, wanted)


def _program(case: Case) -> Iterator[str]:
    planes = np.array([[_float(text) for text in plane] for plane in case["planes"]], np.float64).reshape(-1, 4)
    count = len(planes)
    failed, *velocity = permitted_velocity(
        planes,
        case["hard_count"],
        count,
        _float(case["max_speed"]),
        *_pair(case["preferred"]),
        np.empty((count + 1, 4)),
    )
    yield from differences("feasible", failed == count, case["feasible"])
    # a feasible program has no first failure; some files name the number of rows there, some nothing
    if not case["feasible"]:
        yield from differences("first_failure", int(failed), case["first_failure"])
    yield from differences("velocity", velocity, list(_pair(case["velocity"])))


def _world(case: Case, agents: list[Case]) -> World:
    """A world of profile `text` with the walls and agents of a case."""
    world = World(time_step=_float(case["dt"]), options=Options.text())
    world.add_obstacles([Obstacle(np.array([_pair(end) for end in segment])) for segment in case["segments"]])
    columns: dict[str, Any] = {name: [_float(agent[name]) for agent in agents] for name in AGENT_NUMBERS}
    columns["max_neighbors"] = [agent["max_neighbors"] for agent in agents]
    columns["position"] = np.array([_pair(agent["position"]) for agent in agents]).reshape(-1, 2)
    columns["velocity"] = np.array([_pair(agent["velocity"]) for agent in agents]).reshape(-1, 2)
    world.add_agents(columns)
    return world


def _constraints(case: Case) -> Iterator[str]:
    world = _world(case, case["agents"])
    planes, hard = constraints(world, case["agent"])
    yield from differences("hard_count", hard, case["hard_count"])
    wanted = [[_float(text) for text in plane] for plane in case["planes"]]
    yield from differences("planes", [[*plane.point, *plane.normal] for plane in planes], wanted)


def _scene(case: Case) -> Iterator[str]:
    world = _world(case, case["agents"])
    goals = np.array([_pair(agent["goal"]) for agent in case["agents"]]).reshape(-1, 2)
    speed = _float(case["speed"])
    hashes = {int(step): wanted for step, wanted in case["sha256_after_step"].items()}
    last = max([*hashes, 200])
    for step in range(1, last + 1):
        d = goals - world.column("position")
        n = np.sqrt(d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1])
        away = np.where(n > speed, n, 1.0)[:, None]
        world.set_agents(world.ids, {"preferred_velocity": np.where((n > speed)[:, None], d / away * speed, d)})
        world.step()
        if step in hashes and world.digest() != hashes[step]:
            yield f"sha256 after step {step}: got {world.digest()}, want {hashes[step]}"
            break
    if last == 200 and "final" in case:
        got = np.hstack([world.column("position"), world.column("velocity")]).tolist()
        yield from differences("final", got, [_final(row) for row in case["final"]])


def _final(row: Any) -> list[float]:
    """Position and velocity of one agent, written as four numbers, as two pairs, or by name."""
    if isinstance(row, dict):
        row = [*row["position"], *row["velocity"]]
    flat = [text for part in row for text in (part if isinstance(part, list) else [part])]
    return [_float(text) for text in flat]


RUNNERS: dict[str, Callable[[Case], Iterator[str]]] = {
    "agent_planes": _agent_plane,
    "segment_planes": _segment_plane,
    "boundary_planes": _boundary_plane,
    "programs": _program,
    "constraints": _constraints,
    "scenes": _scene,
}


def run_folder(folder: Path, say: Callable[[str], None] = print) -> tuple[int, int]:
    """Run every file of the folder; returns (passed, failed) and says the first difference of each failing case."""
    passed = failed = 0
    for name, runner in RUNNERS.items():
        path = folder / f"{name}.json"
        if not path.exists():
            continue
        cases = json.loads(path.read_text())
        for index, case in enumerate(cases):
            try:
                difference = next(runner(case), None)
            except Exception as error:  # a port that raises has failed this case and goes on with the next
                difference = f"raised {type(error).__name__}: {error}"
            if difference is None:
                passed += 1
            else:
                failed += 1
                say(f"{path.name} case {index}{' ' + case['name'] if 'name' in case else ''}: {difference}")
        say(f"{path.name}: {len(cases)} cases")
    return passed, failed


def main(arguments: list[str]) -> int:
    """The command: one folder; prints the count last."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("usage: python -m orca_core.conformance DIR, with DIR a folder of conformance vectors\n")
        return 2
    compile_all()

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    passed, failed = run_folder(Path(arguments[0]), say)
    say(f"{passed} passed, {failed} failed")
    if passed + failed == 0:
        sys.stderr.write(f"no vectors in {arguments[0]}: files such as scenes.json were expected\n")
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
