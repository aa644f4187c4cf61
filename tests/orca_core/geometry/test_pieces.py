"""Walls after any history of obstacles are those of a set made anew, and those that merging all at once gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orca_core.geometry.collinear import merge_collinear
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.pieces import Pieces

# whole numbers lie on one line, touch and overlap; sevenths do so but for rounding
STOREYS = (None, None, (0.0, 2.0), (2.0, 4.0))
DIRECTIONS = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0 / 3.0, 0.0), (1.0 / 7.0, 1.0 / 9.0))


def drawn(random: np.random.Generator) -> Obstacle:
    """A box or a polyline, open or not, that is likely to touch another."""
    x, y = random.integers(0, 8, 2).astype(float)
    kind: dict[str, Any] = {"open": bool(random.random() < 0.3), "z_range": STOREYS[random.integers(4)]}
    if random.random() < 0.4:
        w, h = random.integers(1, 4, 2)
        return Obstacle(np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]), closed=True, **kind)
    along = np.array(DIRECTIONS[random.integers(len(DIRECTIONS))])
    points = np.array([(x, y)]) + along * np.arange(random.integers(2, 5))[:, None]
    return Obstacle(points[:: random.choice([1, -1])], **kind)


def fresh(worn: ObstacleSet) -> ObstacleSet:
    """A set made anew of the same obstacles."""
    other = ObstacleSet()
    other.add(worn.items())
    return other


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_any_history_leaves_the_walls_of_a_set_made_anew(seed: int, merge: bool) -> None:
    random = np.random.default_rng(seed)
    worn, living, copies = ObstacleSet(), [], []
    for _ in range(25):
        what = random.integers(6)
        one = int(random.choice(living)) if living else -1
        if what < 2 or not living:
            living += worn.add([drawn(random) for _ in range(random.integers(1, 9))])
        elif what == 2:
            living.remove(one)
            worn.remove(one)
        elif what == 3:
            worn.set(one, drawn(random))
        else:
            worn.set_open(random.choice(living, random.integers(1, 4)).tolist(), bool(random.integers(2)))
        if random.random() < 0.5:
            segments, source, saved = worn.segments(merge)
            wanted = fresh(worn).segments(merge)
            assert segments.tobytes() == wanted[0].tobytes()
            assert (source.tolist(), saved) == (wanted[1].tolist(), wanted[2])
            # and those that merging all pieces of a storey at once gives
            for storey in STOREYS[1:] if merge else ():
                rows = [one.segments() for one in worn.acting() if one.z_range == storey]
                whole = merge_collinear(np.concatenate([np.empty((0, 4)), *rows])).segments
                stands = [worn.get(one).z_range == storey for one in source.tolist()]
                assert segments[np.array(stands, bool)].tobytes() == whole.tobytes()
        if random.random() < 0.2:
            copies.append((worn.copy(), worn.items(), worn.segments(merge)[0].tobytes()))
    # what was copied on the way has not changed since
    for copy, items, walls in copies:
        assert [id(one) for one in copy.items()] == [id(one) for one in items]
        assert copy.segments(merge)[0].tobytes() == walls


def test_only_the_family_of_what_changes_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    look = Pieces._look_at
    monkeypatch.setattr(Pieces, "_look_at", lambda self, chosen: (looked.append(len(chosen)), look(self, chosen))[1])
    obstacles = ObstacleSet()
    rooms = [
        Obstacle([(3.0 * k, 0.0), (3.0 * k + 1.0, 0.0), (3.0 * k + 2.0, 0.0), (3.0 * k + 2.0, 2.0)]) for k in range(50)
    ]
    ids = obstacles.add(rooms)
    assert len(obstacles.segments(True)[0]) == 100
    door = obstacles.add([Obstacle([(2.0, 0.0), (3.0, 0.0)])])
    looked.clear()
    # the door makes one wall of those on both sides of it: its own piece, and two of each of them
    assert (len(obstacles.segments(True)[0]), looked) == (99, [5])
    obstacles.set_open(door, True)
    looked.clear()
    assert (len(obstacles.segments(True)[0]), looked) == (100, [4])
    obstacles.set_open(ids[:1], True)
    looked.clear()
    # its own two are gone, and a piece that stood alone is no matter
    assert (len(obstacles.segments(True)[0]), looked) == (98, [0])
    looked.clear()
    assert obstacles.set_open(ids[:1], True) == []
    assert (len(obstacles.segments(True)[0]), looked) == (98, [])
