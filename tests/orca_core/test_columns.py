"""Columns in which all are alike: what they look like, that rows come when somebody differs, and that no bit tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from orca_core import Obstacle, Options, WalkableArea, World
from orca_core.arrays import own_memory
from orca_core.columns import Columns
from orca_core.simulation import Simulation
from orca_core.state import ALIKE, BY_NAME, FIELDS, PREFERRED, AgentState
from tests.support.samples import samples

NAMES = [name for group in ALIKE for name in group]


def world_of(allocate: Callable[..., NDArray[Any]] = own_memory, *, owned: bool = False) -> World:
    """An empty world of the service with its guides; `owned`: every column has rows from the start."""
    world = World(time_step=0.2, options=Options.service(), seed=5, allocate=allocate)
    Simulation(world)
    if owned:
        world.population.state.own(*NAMES)
    return world


def crowd(generator: np.random.Generator, count: int, **columns: Any) -> dict[str, Any]:
    """So many on their way across each other."""
    side = float(np.sqrt(2.0 * count)) + 2.0
    places = generator.uniform(0.0, side, (count, 2))
    return {"position": places, "goal": side - places, "radius": np.full(count, 0.3), **columns}


# a column


def test_it_is_one_row_until_somebody_differs() -> None:
    agents = AgentState()
    agents.append(20)
    assert not agents.owns("weight")
    assert agents["weight"].tolist() == [1.0] * 20
    assert agents["weight"].strides == (0,)
    assert agents.told("weight").tolist() == [1.0]
    with pytest.raises(ValueError, match="read-only"):
        agents["weight"][3] = 2.0
    # the same again is no difference
    agents.put("weight", np.array([3, 4]), np.array([1.0, 1.0]))
    assert not agents.owns("weight")
    before = agents.arrays.generation
    agents.put("weight", np.array([3]), 2.0)
    assert agents.owns("weight")
    assert agents.arrays.generation > before
    assert agents["weight"].tolist() == [1.0] * 3 + [2.0] + [1.0] * 16
    agents["weight"][5] = 3.0
    assert agents.dense("weight")[5] == 3.0


def test_all_may_share_another_value_but_not_of_what_steps_write() -> None:
    agents = AgentState()
    agents.append(20, {"time_horizon": np.full(20, 3.5), "waiting": np.full(20, 7)})
    for name, value in (("time_horizon", 3.5), ("waiting", 7)):
        agents.put(name, slice(0, 20), value)
        assert agents[name].tolist() == [value] * 20
    assert not agents.owns("time_horizon")
    assert agents.owns("waiting")
    before = agents.arrays.generation
    agents.put("time_horizon", slice(0, 20), np.full(20, 4.0))
    assert not agents.owns("time_horizon")
    # who has copied it looks again
    assert agents.arrays.generation > before
    assert agents.dense("time_horizon").tolist() == [4.0] * 20
    # who comes later has what it is given, and all others what they had
    rows = agents.append(2, {"time_horizon": np.array([4.0, 4.0])})
    agents.put("time_horizon", rows, 4.0)
    assert not agents.owns("time_horizon")
    agents.append(1)
    assert agents.owns("time_horizon")
    assert agents["time_horizon"].tolist() == [4.0] * 22 + [BY_NAME["time_horizon"].empty]


def test_zeros_of_different_signs_differ() -> None:
    agents = AgentState()
    agents.append(3)
    agents.put("elevation", np.array([1]), -0.0)
    assert agents.owns("elevation")
    assert np.signbit(agents["elevation"]).tolist() == [False, True, False]


def test_what_is_looked_at_together_gets_rows_together() -> None:
    agents = AgentState()
    agents.append(4)
    agents.own("caught")
    assert agents.owns("escape")
    assert not agents.owns("waiting")


def test_nobody_shares_nothing_and_the_next_begin_anew() -> None:
    agents = AgentState()
    agents.append(3, {"weight": np.full(3, 2.0)})
    agents.remove(np.arange(3))
    assert agents["weight"].shape == agents.told("weight").shape == (0,)
    agents.append(2)
    assert agents["weight"].tolist() == [1.0, 1.0]


def test_put_back_is_what_keep_saw() -> None:
    agents = AgentState()
    agents.append(5, {"weight": np.full(5, 2.0)})
    kept = agents.keep()
    agents.put("weight", slice(0, 5), 3.0)
    agents.put("group", np.array([2]), 9)
    agents.append(40)
    agents.put_back(kept)
    assert agents.count == 5
    assert agents["weight"].tolist() == [2.0] * 5
    assert agents["group"].tolist() == [0] * 5


# worlds


class Change:
    """The same orders to several worlds, by a generator of their own."""

    def __init__(self, seed: int, worlds: list[World]) -> None:
        self.generator = np.random.default_rng(seed)
        self.worlds = worlds

    def __call__(self, what: str) -> None:
        """Do it in each."""
        generator, count = self.generator, self.worlds[0].agent_count
        some = np.sort(generator.choice(count, max(1, count // 3), replace=False)) if count else np.empty(0, np.int64)
        everybody = np.arange(count)
        orders: dict[str, Callable[[World], object]] = {}
        added = crowd(generator, int(generator.integers(1, 25)))
        size = len(added["position"])
        orders["add"] = lambda world: world.add_agents(added)
        wishes = generator.uniform(-1.0, 1.0, (size, 2))
        orders["add without goals"] = lambda world: world.add_agents(
            {"position": added["position"], "preferred_velocity": wishes}
        )
        weights, masks = generator.uniform(0.2, 2.0, size), generator.random(size) < 0.5
        orders["add weights to some"] = lambda world: world.add_agents(
            {**added, "weight": weights, "group": np.full(size, 3), PREFERRED: wishes},
            {"weight": masks, "goal": masks, PREFERRED: ~masks},
        )
        orders["step"] = lambda world: world.step(3)
        if count:
            orders["remove"] = lambda world: world.remove_agents(world.ids[some])
            columns: dict[str, Any] = {
                "time_horizon": 3.0, "max_acceleration": 2.0, "elevation": 1.5, "height": 2.0, "group": 4,
                "priority": 2, "quality": "few", "locked": True, "max_turning_rate": 1.0,
            }  # fmt: skip
            name = list(columns)[int(generator.integers(len(columns)))]
            rows = everybody if generator.random() < 0.5 else some
            value = [columns[name]] * len(rows)
            orders["set"] = lambda world: world.set_agents(world.ids[rows], {name: value})
            orders["clear goals"] = lambda world: world.set_agents(
                world.ids[some], {}, cleared={"goal": np.ones(len(some), bool)}
            )
            orders["set wishes"] = lambda world: world.set_agents(
                world.ids[some], {PREFERRED: np.tile([[0.3, -0.4]], (len(some), 1))}
            )
            x, y = generator.uniform(0.0, 6.0, 2).tolist()
            box = np.array([(x, y), (x + 1.5, y), (x + 1.5, y + 1.5), (x, y + 1.5)])
            orders["build over them"] = lambda world: world.add_obstacles([Obstacle(box, closed=True)])
            orders["build at a height"] = lambda world: world.add_obstacles(
                [Obstacle(box + 0.3, closed=True, z_range=(1.0, 2.0))]
            )
            ring = np.array([(-9.0, -9.0), (30.0, -9.0), (30.0, 30.0), (-9.0, 30.0)])
            orders["floor"] = lambda world: world.add_walkable([WalkableArea(((ring,),))])
            orders["undo"] = lambda world: undone(world, rows)
        order = orders.get(what)
        for world in self.worlds if order else []:
            assert order is not None
            order(world)


def undone(world: World, rows: NDArray[np.int64]) -> None:
    """Change much, and take it back."""
    with pytest.raises(KeyError, match="undone"):
        much(world, rows)


def much(world: World, rows: NDArray[np.int64]) -> None:
    """Change much, and fail."""
    with world.transaction():
        world.set_agents(world.ids[rows], {"weight": np.full(len(rows), 0.7), "radius": np.full(len(rows), 0.25)})
        world.remove_agents(world.ids[: len(rows) // 2])
        world.add_agents({"position": np.array([[1.0, 1.0]]), "layer": [2]})
        raise KeyError("undone")


STEPS = ("add", "add without goals", "add weights to some", "step", "step", "remove", "set", "set", "clear goals")
MORE = ("set wishes", "build over them", "build at a height", "floor", "undo")


@settings(max_examples=samples(12), deadline=None)
@given(st.integers(0, 10**6), st.lists(st.sampled_from([*STEPS, *MORE]), min_size=4, max_size=12))
def test_no_bit_tells_when_rows_came(seed: int, order: list[str]) -> None:
    """Rows of all columns from the start, or as late as can be; stepped whole or in pieces; restored in between."""
    late, early = world_of(), world_of(owned=True)
    change = Change(seed, [late, early])
    change("add")
    for what in order:
        change(what)
        assert late.snapshot() == early.snapshot()
    restored = World.restore(late.snapshot())
    Simulation(restored)
    for _ in range(3):
        late.step(2)
        early.step(2, split=range(late.leaf_count()))
        restored.step(2, split=[1])
        assert late.digest() == early.digest() == restored.digest()
    assert late.snapshot() == early.snapshot() == restored.snapshot()
    for field in FIELDS:
        if field.role != "hint":
            assert late.column(field.name).tobytes() == early.column(field.name).tobytes(), field.name
    if late.agent_count:
        for one in late.ids[[0, -1]].tolist():
            assert late.explain(one) == early.explain(one)


class Rationed:
    """Lends memory until it has none."""

    left: int | None = None

    def __call__(self, name: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        """Memory, or MemoryError."""
        if self.left is not None:
            if self.left == 0:
                raise MemoryError(name)
            self.left -= 1
        return own_memory(name, shape, dtype)


ORDERS: dict[str, Callable[[World], object]] = {
    "weights": lambda world: world.set_agents(world.ids[:3], {"weight": [2.0, 3.0, 4.0], "elevation": [1.0] * 3}),
    "headings": lambda world: world.set_agents(world.ids[:3], {"heading": [[1.0, 0.0]] * 3, "goal": [[1.0, 1.0]] * 3}),
    "wishes": lambda world: world.set_agents(world.ids[:3], {"preferred_velocity": [[1.0, 0.0]] * 3}),
    "limits": lambda world: world.set_agents(world.ids[:3], {"max_acceleration": [1.0] * 3}),
    "guidance": lambda world: world.set_agents(world.ids[:2], {"guidance": ["path"] * 2}),
    "horizons": lambda world: world.add_agents({"position": [[50.0, 50.0]], "time_horizon": [9.0], "layer": [2]}),
    "caught": lambda world: world.add_obstacles(
        [Obstacle(np.array([(-1, -1), (9, -1), (9, 9), (-1, 9)], np.float64), closed=True)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
def test_where_rows_cannot_be_had_nothing_has_changed(order: str) -> None:
    lender = Rationed()
    world, other = world_of(lender), world_of()
    for each in (world, other):
        each.add_agents(crowd(np.random.default_rng(1), 16))
        each.step(2)
    before = [world.column(field.name).tobytes() for field in FIELDS]
    saved, refused = world.snapshot(), 0
    lender.left = 0
    while True:
        try:
            ORDERS[order](world)
            break
        except MemoryError:
            refused += 1
            lender.left = refused
            assert [world.column(field.name).tobytes() for field in FIELDS] == before
            assert world.snapshot() == saved
    lender.left = None
    assert refused > 0
    ORDERS[order](other)
    world.step(5)
    other.step(5)
    assert world.snapshot() == other.snapshot()


# memory


def bytes_of(arrays: Columns | dict[str, NDArray[Any]]) -> int:
    """Bytes of all arrays of a table."""
    table = arrays.arrays.table if isinstance(arrays, Columns) else arrays
    return sum(array.nbytes for array in table.values())


def test_bytes_an_agent() -> None:
    """From the arrays themselves, with room for nobody else: what a crowd on its way costs, and what each column adds.

    A million of them have 600 bytes each for everything, which is this, the lists of the solver, which are shorter for
    so many, and what each process works with.
    """
    count = 4096
    world = World(time_step=0.1, options=Options.service())
    Simulation(world)
    world.add_agents(crowd(np.random.default_rng(2), count))
    agents, solver = world.shared()
    state = world.population.state
    assert bytes_of(agents.export()) <= 176 * count
    assert bytes_of(solver.export()) <= 330 * count
    world.step(2)
    # how long each has waited
    assert bytes_of(state) <= 184 * count
    for name, size in (("weight", 8), ("elevation", 8), ("caught", 17)):
        before = bytes_of(state)
        state.own(name)
        assert bytes_of(state) - before == size * (count - 1)
    state.own(*NAMES)
    assert bytes_of(state) > 400 * count
