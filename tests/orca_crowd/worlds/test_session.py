"""One world and its rules, without sockets or clocks: random batches with faults, keys, and what is published."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core import World
from orca_core.errors import OrcaError
from orca_core.options import Options
from orca_crowd.errors import ApiError
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.commands import parse_commands
from orca_crowd.protocol.steps import parse_step
from orca_crowd.settings import Settings
from orca_crowd.worlds.session import Accepted, Session
from orca_crowd.worlds.view import column_of

SETTINGS = Settings(agents_per_world=12, edges_per_world=12, vertices_per_world=16, distinct_radii=3)


def session(**limits: Any) -> Session:
    """A session over an empty world."""
    settings = SETTINGS.model_copy(update=limits)
    return Session("w", World(time_step=0.25, options=Options.service()), settings)


def run(target: Session, commands: list[Any], key: str | None = None) -> dict[str, Any]:
    """A batch as it comes from the wire."""
    return target.answer(parse_commands({"commands": commands}, SETTINGS, key))


small = st.integers(-1, 14)
numbers = st.one_of(
    st.floats(-20, 20), st.sampled_from([0.1, 0.25, -1.0, float("nan"), float("inf"), 1e10, True, "1", None])
)
vectors = st.one_of(st.lists(st.floats(-20, 20), min_size=2, max_size=2), st.lists(numbers, max_size=3), st.none())
agent = st.fixed_dictionaries(
    {},
    optional={
        "id": small,
        "position": st.lists(st.floats(-20, 20), min_size=2, max_size=2),
        "velocity": vectors,
        "goal": vectors,
        "preferred_velocity": vectors,
        "radius": st.one_of(st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5]), numbers),
        "preferred_speed": numbers,
        "raduis": numbers,
    },
)
points = st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), max_size=5)
square = st.integers(1, 9).map(lambda k: {"type": "Polygon", "coordinates": [[[-k, -k], [k, -k], [k, k], [-k, k]]]})
polygon = st.one_of(square, points.map(lambda ring: {"type": "Polygon", "coordinates": [ring]}))
command = st.one_of(
    st.builds(lambda rows: {"op": "add_agents", "agents": rows}, st.lists(agent, max_size=3)),
    st.builds(lambda rows: {"op": "set_agents", "agents": rows}, st.lists(agent, max_size=3)),
    st.builds(lambda ids: {"op": "remove_agents", "ids": ids}, st.lists(small, max_size=2)),
    st.builds(
        lambda p, c, i: {"op": "add_obstacles", "obstacles": [{"points": p, "closed": c, **i}]},
        points,
        st.booleans(),
        st.sampled_from([{}, {"id": 1}]),
    ),
    st.builds(lambda p, k: {"op": "set_obstacle", "id": k, "points": p}, points, small),
    st.builds(lambda k: {"op": "remove_obstacle", "id": k}, small),
    st.builds(lambda g: {"op": "add_walkable", "areas": [{"geometry": g}]}, polygon),
    st.builds(lambda g, k: {"op": "set_walkable", "id": k, "geometry": g}, polygon, small),
    st.builds(lambda k: {"op": "remove_walkable", "id": k}, small),
    st.sampled_from([{"op": "nope"}, {}, 5]),
)


@given(batches=st.lists(st.lists(command, max_size=4), min_size=1, max_size=6))
def test_a_refused_batch_changes_not_one_bit(batches: list[list[Any]]) -> None:
    target = session()
    run(target, [{"op": "add_agents", "agents": [{"position": [0, 0], "goal": [5, 5]}, {"position": [3, 0]}]}])
    target.publications([], listening=True)
    for batch in batches:
        snapshot, facts = target.world.snapshot(), target.facts()
        counts = copy.deepcopy((target._changes._edges, target._changes._vertices))
        try:
            answer = run(target, batch)
        except (ApiError, OrcaError):
            assert target.world.snapshot() == snapshot
            assert target.facts() == facts
            assert (target._changes._edges, target._changes._vertices) == counts
            assert target.publications([], listening=True) == []
        else:
            assert answer["step"] == target.world.step_count
            assert len(answer["results"]) == len(batch)
            assert answer["sequence"] == facts.sequence + 1 == target.facts().sequence
            # what is counted is what is there
            assert target._changes._edges.keys() == {obstacle.id for obstacle in target.world.obstacles()}
            assert target._changes._vertices.keys() == {area.id for area in target.world.walkable()}
            target.publications([], listening=True)
        target.advance(1)
        # what is told is what is there, whichever columns were copied anew
        (told,) = target.publications([], listening=True)
        assert np.array_equal(told.ids, target.world.ids)
        for name in FIELDS:
            column = column_of(target.world, name)
            assert np.array_equal(told.columns[name], column, equal_nan=column.dtype.kind == "f"), name


def test_a_batch_and_single_commands_give_the_same_world() -> None:
    commands = [
        {"op": "add_agents", "agents": [{"position": [0, 0], "goal": [9, 0]}, {"position": [9, 0.1]}]},
        {"op": "add_obstacles", "obstacles": [{"points": [[0, 3], [9, 3]]}]},
        {"op": "set_agents", "agents": [{"id": 1, "goal": [0, 0], "radius": 0.25}]},
        {"op": "set_obstacle", "id": 0, "points": [[0, 2], [9, 2]]},
        {"op": "add_agents", "columns": {"position": [[5, 5]]}},
        {"op": "remove_agents", "ids": [2]},
    ]
    together, apart = session(), session()
    results = run(together, commands)["results"]
    singles = [run(apart, [command])["results"][0] for command in commands]
    assert [sorted(result) for result in results] == [sorted(result) for result in singles]
    together.advance(9)
    apart.advance(9)
    assert together.world.snapshot() == apart.world.snapshot()


def test_what_commands_alone_change_is_shared_between_publications() -> None:
    target = session()
    run(target, [{"op": "add_agents", "agents": [{"position": [0, 0], "goal": [9, 0]}]}])
    first, second = (target.publications(target.advance(1), listening=True)[0] for _ in range(2))
    assert first.columns["radius"] is second.columns["radius"]
    assert first.ids is second.ids
    assert first.columns["position"] is not second.columns["position"]
    run(target, [{"op": "set_agents", "agents": [{"id": 0, "radius": 0.25}]}])
    (third,) = target.publications([], listening=True)
    assert (second.columns["radius"][0], third.columns["radius"][0]) == (0.5, 0.25)


def test_removals_in_a_batch_that_is_refused_are_not_told() -> None:
    target = session()
    run(target, [{"op": "add_agents", "agents": [{"position": [0, 0]}, {"position": [9, 0]}]}])
    target.publications([], listening=True)
    with pytest.raises(ApiError):
        run(target, [{"op": "remove_agents", "ids": [0]}, {"op": "remove_agents", "ids": [5]}])
    run(target, [{"op": "remove_agents", "ids": [1]}])
    assert [publication.removed for publication in target.publications([], listening=True)] == [[1]]


def test_an_answer_with_too_many_events_says_so() -> None:
    target = session(events_per_answer=2)
    rows = [{"position": [9 * k, 0], "goal": [9 * k, 0]} for k in range(5)]
    for row in rows:
        row["goal"][0] += 0.3 * (1 + row["position"][0])  # type: ignore[index, operator]
    run(target, [{"op": "add_agents", "agents": rows}])
    request = parse_step({"count": 1}, SETTINGS)
    begun = target.begin(request)
    assert isinstance(begun, Accepted)
    told = [{"kind": "arrived", "step": 1, "ids": [k]} for k in range(3)]
    answer = target.finish(request, begun, told)
    assert answer["events"] == told[:2]
    assert answer["events_left_out"] is True
