"""The bits of a run: one small map, all variants, everything that is told of every step.

A digest that is another one than here says that somebody moves otherwise than before on the same input: another order
of operations in a kernel, another tie, another draw of chance, another plan. Whoever means to change that writes the
new digests; whoever does not has found an error that no test of behaviour sees. The digests are the same on every
machine, compiled and interpreted.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.runner import Run
from orca_core.cooperative.variants import Variant
from orca_core.mapf.instance import Instance
from orca_core.world import World
from tests.orca_core.mapf.maps import instance_of

# two rooms and a gap, in which one of them ends; some have to change sides
DRAWN = "a.bF@..... ..c.@E..D. CdeBAf.... ....@..... ....@....."
STEPS = 200

STATES_OF = {
    ("orca-mapf", "plan"): {"ORCA", "MAPF"},
    ("corca", "plan"): {"ORCA", "DRIFT", "YIELD"},
    ("corca-mapf", "plan"): {"ORCA", "DRIFT", "YIELD"},
    ("corca-mapf", "arrival"): {"ORCA", "DRIFT", "YIELD"},
    ("lns-only", "plan"): set(),
}
DIGESTS = {
    ("orca", "plan"): "0c6dd5a69807ff6e1135425d98926b1c55b960a5639f3e9f51cbe7b7d873510e",
    ("orca-mapf", "plan"): "7ad31bbaa57b69eafc3f402697fc6736aa51f5adb280cb6677ce3a979903db4a",
    ("corca", "plan"): "fa08e8cc720cbd6c769276cea736ebe00cd1aafcc3ad0207f612cb9bf9718bc1",
    ("corca-mapf", "plan"): "fa08e8cc720cbd6c769276cea736ebe00cd1aafcc3ad0207f612cb9bf9718bc1",
    ("corca-mapf", "arrival"): "0f65c78418de5e780e65717e7a9d97987864c94084a920b069934af33ad85cc0",
    ("lns-only", "plan"): "2f22b5b1427bfcfa7e9d26b849d57dfee7be4d124f4a6b99d50be49ab73075e6",
}


def run_of(variant: str, turns: str = "plan", instance: Instance | None = None) -> Run:
    run = Run(instance or instance_of(DRAWN), Config(turns=turns), Variant(variant))
    run.plan()
    run.identify_corridors()
    run.build_dependencies()
    if run.variant.moves:
        run.prepare()
    return run


def told(run: Run) -> bytes:
    """All that is told of a run as it stands."""
    record = run.record()
    columns = (
        record.position, record.preferred, record.velocity, record.target, record.waypoint, record.state,
        record.corridor, record.wait_for, record.yield_to,
    )  # fmt: skip
    return b"".join(np.ascontiguousarray(column).tobytes() for column in columns)


@pytest.mark.parametrize(("variant", "turns"), DIGESTS)
def test_every_step_has_the_bits_that_it_had(variant: str, turns: str) -> None:
    run = run_of(variant, turns)
    digest = hashlib.sha256()
    seen: set[int] = set()
    if run.found is not None:
        for path in run.found.paths:
            digest.update(np.ascontiguousarray(path, np.int64).tobytes())
    for _ in range(STEPS if run.variant.moves else 0):
        digest.update(told(run))
        seen.update(run.record().state.tolist())
        if not run.step():
            break
    # bits of runs in which nothing happens would say little
    assert {STATES[state] for state in seen} == STATES_OF.get((variant, turns), {"ORCA"})
    assert digest.hexdigest() == DIGESTS[variant, turns]


# of orca-mapf once its sub-plan has begun
@pytest.mark.parametrize(
    ("variant", "turns", "middle"), [("orca-mapf", "plan", 110), ("corca-mapf", "plan", 60), ("corca", "arrival", 60)]
)
def test_from_a_snapshot_in_the_middle_it_goes_on_with_the_same_bits(variant: str, turns: str, middle: int) -> None:
    run = run_of(variant, turns)
    for _ in range(middle):
        run.step()
    assert run.world is not None
    again = run_of(variant, turns)
    assert again.guide is not None
    again.world = World.restore(run.world.snapshot())
    again.world.guides = [again.guide]
    again.guide.put_back(
        {name.removeprefix("cooperative."): array for name, array in again.world.kept_guidance.items()}
    )
    assert again.world.digest() == run.world.digest()
    moved = 0
    for _ in range(STEPS):
        here = told(run)
        assert run.step() == again.step()
        assert told(again) == told(run)
        moved += told(run) != here
    assert moved > 20
