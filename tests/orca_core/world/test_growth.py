"""A world grows: by many small additions as well as by one, and where memory cannot be had it is as it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orca_core import Options, WalkableArea, World
from orca_core.arrays import own_memory
from orca_core.state import FIELDS


class Ration:
    """Lends memory until it has none; counts how often it was asked."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.asked = 0

    def allocate(self, name: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        """Memory, or MemoryError."""
        self.asked += 1
        if self.left is not None:
            if self.left == 0:
                raise MemoryError(name)
            self.left -= 1
        return own_memory(name, shape, dtype)

    @contextmanager
    def only(self, count: int) -> Iterator[None]:
        """Lend so many arrays and then none."""
        self.left = count
        try:
            yield
        finally:
            self.left = None


def columns(count: int, seed: int) -> dict[str, Any]:
    """A crowd on its way."""
    generator = np.random.default_rng(seed)
    return {
        "position": generator.uniform(0.0, 20.0, (count, 2)),
        "goal": generator.uniform(0.0, 20.0, (count, 2)),
        "radius": generator.choice([0.2, 0.3], count),
    }


def world_of(allocate: Callable[..., NDArray[Any]] = own_memory) -> World:
    """Agents who have begun to walk, in a walkable area."""
    world = World(time_step=0.1, options=Options.service(), allocate=allocate)
    ring = np.array([(-5.0, -5.0), (25.0, -5.0), (25.0, 25.0), (-5.0, 25.0)])
    world.add_walkable([WalkableArea(((ring,),))])
    world.add_agents(columns(15, 0))
    world.step(3)
    return world


def everything(world: World) -> tuple[bytes, list[bytes], list[int]]:
    """All that is known of a world: its snapshot, every column, its ids."""
    return world.snapshot(), [world.column(field.name).tobytes() for field in FIELDS], world.ids.tolist()


def test_whichever_array_cannot_be_had_nothing_has_changed() -> None:
    expected = world_of()
    expected.add_agents(columns(300, 1))
    expected.step(5)
    # how many arrays growing takes
    ration = Ration()
    world = world_of(ration.allocate)
    before = ration.asked
    world.add_agents(columns(300, 1))
    needed = ration.asked - before
    assert needed > 30
    for count in range(needed):
        ration = Ration()
        world = world_of(ration.allocate)
        known = everything(world)
        with ration.only(count), pytest.raises(MemoryError):
            world.add_agents(columns(300, 1))
        assert everything(world) == known
        # it goes on, and grows when there is memory
        world.add_agents(columns(300, 1))
        world.step(5)
        assert world.snapshot() == expected.snapshot()


def change(world: World, ration: Ration) -> None:
    """Several things at once, the last of which takes more memory than there is."""
    with world.transaction(), ration.only(40):
        world.remove_agents(world.ids[:5])
        world.add_agents(columns(300, 1))


def test_a_refusal_in_a_transaction_undoes_all_of_it() -> None:
    ration = Ration()
    world = world_of(ration.allocate)
    known = everything(world)
    with pytest.raises(MemoryError):
        change(world, ration)
    assert everything(world) == known
    other = world_of()
    world.step(4)
    other.step(4)
    assert world.snapshot() == other.snapshot()


def test_a_step_never_asks_for_memory() -> None:
    """Where it could not be had in a step the world could do nothing but fail."""
    ration = Ration()
    world = world_of(ration.allocate)
    for seed in range(30):
        world.add_agents(columns(1 + 7 * seed % 90, seed))
        with ration.only(0):
            world.step()
    restored = World.restore(world.snapshot(), allocate=ration.allocate)
    with ration.only(0):
        restored.step()


def test_one_by_one_takes_memory_now_and_then() -> None:
    ration = Ration()
    world = World(time_step=0.1, allocate=ration.allocate)
    for number in range(2000):
        world.add_agents({"position": np.array([[float(number), 0.0]])})
    one_by_one, ration = ration.asked, Ration()
    other = World(time_step=0.1, allocate=ration.allocate)
    other.add_agents({"position": np.stack([np.arange(2000.0), np.zeros(2000)], axis=1)})
    assert one_by_one < 16 * ration.asked
    world.step(3)
    other.step(3)
    assert world.digest() == other.digest()
