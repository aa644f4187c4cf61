"""Ids and rows against a model of plain lists and sets, through any history of additions and removals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core import AlreadyExists, Gone, InvalidInput, NotFound, World
from orca_core.identifiers import MAXIMUM_IDENTIFIER, Identifiers, rows_of

identifier = st.one_of(st.integers(0, 30), st.sampled_from([MAXIMUM_IDENTIFIER, MAXIMUM_IDENTIFIER - 1, 2**40]))
command = st.one_of(
    st.tuples(st.just("add"), st.lists(st.one_of(st.none(), identifier), max_size=5)),
    st.tuples(st.just("remove"), st.lists(identifier, max_size=4)),
    st.tuples(st.just("find"), st.lists(identifier, max_size=4)),
)


class Model:
    """What the ids of a world should do, in the plainest words."""

    def __init__(self) -> None:
        """Nobody yet."""
        self.present: list[int] = []
        self.ever: set[int] = set()

    def fault(self, ids: list[int], *, new: bool) -> type[Exception] | None:
        """The error that a request naming these ids meets, if any."""
        if len(set(ids)) < len(ids):
            return InvalidInput
        if new:
            return AlreadyExists if set(ids) & self.ever else None
        if set(ids) - self.ever:
            return NotFound
        return Gone if set(ids) - set(self.present) else None


@given(history=st.lists(command, max_size=14))
def test_a_world_and_its_model_agree_on_ids(history: list[tuple[str, list[int | None]]]) -> None:
    world, model = World(time_step=0.25), Model()
    place = 0.0
    for what, ids in history:
        named = [one for one in ids if one is not None]
        fault = model.fault(named, new=what == "add")
        if what == "add":
            place += 10.0
            columns = {
                "position": np.array([(place, float(row)) for row in range(len(ids))]).reshape(-1, 2),
                "id": np.array([0 if one is None else one for one in ids], np.int64),
            }
            given_rows = {"id": np.array([one is not None for one in ids], bool)}
            if fault is not None:
                with pytest.raises(fault):
                    world.add_agents(columns, given_rows)
                continue
            added = world.add_agents(columns, given_rows).ids.tolist()
            assert [got for got, asked in zip(added, ids, strict=True) if asked is not None] == named
            assert len(set(added)) == len(added)
            assert not set(added) & model.ever
            model.present += added
            model.ever |= set(added)
        elif fault is not None:
            with pytest.raises(fault):
                (world.remove_agents if what == "remove" else world.index_of)(np.array(named, np.int64))
        elif what == "remove":
            world.remove_agents(np.array(named, np.int64))
            model.present = [one for one in model.present if one not in named]
        else:
            assert world.index_of(np.array(named, np.int64)).tolist() == [model.present.index(one) for one in named]
        assert world.ids.tolist() == model.present
        assert World.restore(world.snapshot()).ids.tolist() == model.present


@given(used=st.sets(st.integers(0, 60)), count=st.integers(0, 20), avoid=st.sets(st.integers(0, 60)))
def test_ids_given_by_the_world_are_the_lowest_that_are_free(used: set[int], count: int, avoid: set[int]) -> None:
    identifiers = Identifiers()
    identifiers.claim(np.array(sorted(used), np.int64), allocated=False)
    given_ids = identifiers.allocate(count, np.array(sorted(avoid), np.int64)).tolist()
    assert given_ids == [k for k in range(200) if k not in used | avoid][:count]


@given(groups=st.lists(st.sets(st.integers(0, 80), max_size=12), max_size=8))
def test_used_ids_are_held_as_few_intervals(groups: list[set[int]]) -> None:
    identifiers = Identifiers()
    ever: set[int] = set()
    for group in groups:
        identifiers.claim(np.array(sorted(group - ever), np.int64), allocated=False)
        ever |= group
    everything = np.arange(90, dtype=np.int64)
    assert identifiers.was_used(everything).tolist() == [k in ever for k in range(90)]
    starts = sum(1 for k in ever if k - 1 not in ever)
    assert len(identifiers.used) == starts, "as many intervals as there are runs"
    assert identifiers.used.shape == (starts, 2)
    assert (np.diff(identifiers.used.ravel()) > 0).all()


def test_a_million_ids_are_one_interval() -> None:
    identifiers = Identifiers()
    for _ in range(100):
        identifiers.claim(identifiers.allocate(10_000), allocated=True)
    assert identifiers.used.tolist() == [[0, 1_000_000]]
    assert identifiers.allocate(1).tolist() == [1_000_000]


@given(indices=st.one_of(st.lists(st.integers(0, 20), unique=True), st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_rows_one_behind_another_are_a_slice(indices: list[int] | tuple[int, int]) -> None:
    wanted = list(range(*indices)) if isinstance(indices, tuple) else indices
    rows = rows_of(np.array(wanted, np.int64))
    assert np.arange(30)[rows].tolist() == wanted
    assert isinstance(rows, slice) is (wanted == list(range(wanted[0], wanted[-1] + 1)) if wanted else True)
