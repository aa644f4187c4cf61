"""Columns of publications: copies that never change, of one row where all agents share it."""

from __future__ import annotations

import numpy as np

from orca_core import Options, World
from orca_crowd.protocol.columns import FIELDS
from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL, encode_columns
from orca_crowd.worlds.view import AgentView, column_of


def world_of(count: int) -> World:
    """Agents on their way."""
    world = World(time_step=0.1, options=Options.service())
    places = np.stack([np.arange(count) * 2.0, np.zeros(count)], axis=1)
    world.add_agents({"position": places, "goal": places + 5.0, "time_horizon": np.full(count, 3.0)})
    return world


def test_what_all_share_is_one_row_and_stays_as_it_was() -> None:
    world, view = world_of(50), AgentView()
    _, shown = view.take(world)
    before = {name: shown[name].copy() for name in FIELDS}
    held = {name: shown[name] for name in FIELDS}
    repeated = {name for name in FIELDS if held[name].strides[0] == 0}
    assert repeated >= {"weight", "mask", "max_acceleration", "time_horizon", "guidance"}
    assert not repeated & {"position", "goal", "radius", "status"}
    # all share another value, and then somebody differs
    world.set_agents(world.ids, {"time_horizon": np.full(50, 4.0)})
    world.set_agents(world.ids[:3], {"weight": [2.0, 3.0, 4.0], "max_acceleration": [1.0, 1.0, 1.0]})
    world.step(3)
    for name in FIELDS:
        assert held[name].tobytes() == before[name].tobytes()
    view.forget()
    _, shown = view.take(world)
    assert shown["weight"].tolist() == [2.0, 3.0, 4.0] + [1.0] * 47
    assert shown["time_horizon"].tolist() == [4.0] * 50
    assert np.isnan(shown["max_acceleration"]).tolist() == [False] * 3 + [True] * 47


def test_they_travel_as_any_other() -> None:
    shared, own = world_of(20), world_of(20)
    own.population.state.own(*FIELDS[1:])
    for name in FIELDS:
        columns = [{name: column_of(world, name)} for world in (shared, own)]
        assert columns[0][name].tobytes() == columns[1][name].tobytes()
        for protocol in (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL):
            first, second = (encode_columns(each, "float64", protocol).data for each in columns)
            assert bytes(first) == bytes(second)
