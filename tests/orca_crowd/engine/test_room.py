"""Shared memory that cannot be had: 507, which says what, and the world, its workers and the others go on."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from orca_crowd.errors import ApiError
from tests.orca_crowd.engine.conftest import MakeEngine
from tests.orca_crowd.engine.processes import alone
from tests.orca_crowd.engine.support import crowd, inline_engine, outcomes


@pytest.mark.parametrize("granted", [0, 1, 2, 5])
def test_a_world_that_cannot_grow_is_as_it_was(
    granted: int, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = {"position": np.random.default_rng(1).uniform(0.0, 300.0, (60_000, 2)), "radius": np.full(60_000, 0.3)}
    calm = crowd(inline_engine(), 1000)
    wanted = outcomes(calm, 2)
    engine = make_engine(2)
    world = crowd(engine, 1000)
    found = outcomes(world, 1)
    held = engine.lender.bytes_held
    reserve, left = os.posix_fallocate, [granted]

    def rationed(descriptor: int, offset: int, size: int) -> None:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        reserve(descriptor, offset, size)

    monkeypatch.setattr(os, "posix_fallocate", rationed)
    before = world.snapshot()
    with pytest.raises(ApiError, match=r"\d+ MB more .* No space left") as refused:
        world.add_agents(many)
    assert (refused.value.code, refused.value.status) == ("no-room", 507)
    # its traceback holds on to arrays
    del refused
    assert world.snapshot() == before
    monkeypatch.undo()
    found += outcomes(world, 1)
    assert found == wanted
    # whether the state or the solver could not grow: what one of them had got is at most what they need to grow
    assert engine.lender.bytes_held <= held + 60_000 * 600
    for one in (world, calm):
        one.add_agents(many)
    assert outcomes(world, 2) == outcomes(calm, 2)


def test_a_world_that_cannot_be_restored_leaves_nothing(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(1)
    data = crowd(inline_engine(), 50_000).snapshot()

    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ApiError, match="Cannot allocate memory"):
        engine.restore(data)
    monkeypatch.undo()
    assert engine.restore(data).agent_count == 50_000


def test_an_address_space_that_is_full() -> None:
    """The real thing, by a limit of the system: every refusal leaves the world as it was."""
    (report,) = alone("run_out_of_room", "96")
    assert len(report["refusals"]) == 3
    # the lender's own, or numpy's for what lies beside shared memory; a runner answers 507 for both
    assert set(report["refusals"]) <= {"no-room", "MemoryError"}
    assert report["unchanged"]
    assert report["agents"] >= 1000
