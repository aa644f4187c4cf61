"""The model of docs/scale.md: what it prints is what stands under it, and its figures are those of the documents."""

from __future__ import annotations

import subprocess
import sys

from tests.support.documents import blocks
from tests.support.imports import ROOT

SCALE = ROOT / "docs" / "scale.md"


def test_what_the_model_prints_stands_under_it() -> None:
    (model,) = [block for block in blocks("python") if block.document == SCALE]
    (printed,) = [block for block in blocks("text") if block.document == SCALE]
    done = subprocess.run([sys.executable, "-I", "-c", model.text], capture_output=True, text=True, check=True)
    assert done.stdout == printed.text


def test_more_of_what_runs_out_first_holds_more() -> None:
    (model,) = [block for block in blocks("python") if block.document == SCALE]
    space: dict[str, object] = {}
    exec(model.text.partition("\nmachine = Machine()")[0], space)
    machine, worlds, step = space["Machine"], space["worlds"], space["step_seconds"]
    assert callable(machine)
    assert callable(worlds)
    assert callable(step)
    small = worlds(machine(), 100, 20, 1)
    assert min(small, key=small.get) == "one server's own process"
    held = worlds(machine(), 100, 20, 1, "own")
    assert min(held, key=held.get) == "cores"
    assert min(worlds(machine(cores=10), 100, 20, 1, "own").values()) > 1.2 * min(held.values())
    # worlds that hardly move are held by memory, unless they share processes
    idle, shared = (worlds(machine(), 100, 1, 1, processes) for processes in ("own", "shared"))
    assert min(idle, key=idle.get) == "memory"
    assert shared["memory"] > 100 * idle["memory"]
    # who watches is the business of front ends
    watched = worlds(machine(), 100, 20, 10, "shared")
    assert min(watched, key=watched.get) == "each front end's own process"
    # a divided world waits for its network
    slow, quick = (step(machine(network=network), 10_000_000, 8) for network in (1.25e9, 12.5e9))
    assert max(slow, key=slow.get) == "frames out"
    assert sum(quick.values()) < 0.6 * sum(slow.values())
