"""However a world came to be where it is, and however its step is divided, it goes on with the same bits."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from orca_core import Options, World
from orca_core.state import FIELDS
from tests.determinism.scene import STEPS, TIME_STEP, add_geometry, outcome, populate, scene

# What it catches: any change of a bit in any phase, whoever makes it, from neighbours to the walkable surface. It was
# the same compiled, interpreted, unoptimised and for a processor of no kind, so a new value means a new behaviour and
# belongs into the change log.
GOLDEN = "5f7821127c0d3b264f40a0bfe3fea68566044495c27c9c59bad14b7b4f924bef"

# what mends the text in any crowd; the other switches concern who is caught, who is blocked and who is on a wall, which
# nobody here is, and have scenes of their own
MENDINGS = {
    *("part_coincident", "break_symmetry", "stop_at_walls", "clamp_preferred_velocity", "stop_non_finite"),
    *("merge_collinear", "walkable_surface"),
}


@pytest.fixture(scope="module")
def golden() -> dict[str, object]:
    """What the undivided scene comes to."""
    return outcome(scene())


def test_the_golden_digest(golden: dict[str, object]) -> None:
    assert golden["digest"] == GOLDEN
    events = golden["events"]
    assert isinstance(events, list)
    assert {event[0] for event in events} == {"arrived", "overlap", "stalled"}


@pytest.mark.parametrize("cuts", range(1, 20))
def test_any_split_gives_the_same_bits(cuts: int, golden: dict[str, object]) -> None:
    random_source = random.Random(cuts)
    world = scene()
    events = []
    for _ in range(STEPS):
        split = sorted(random_source.randrange(world.leaf_count() + 2) for _ in range(cuts))
        events += [[event.kind, event.step, event.ids, event.data] for event in world.step(split=split).events]
    assert world.digest() == golden["digest"]
    assert events == golden["events"]


def test_more_parts_than_agents() -> None:
    few = {"position": np.array([[0.0, 0.0], [1.2, 0.1]]), "goal": np.array([[5.0, 0.0], [-5.0, 0.0]])}
    worlds = [World(time_step=0.1, options=Options.service()) for _ in range(2)]
    for world in worlds:
        world.add_agents(few)
    worlds[0].step(20)
    for _ in range(20):
        worlds[1].step(split=list(range(40)))
    assert worlds[0].digest() == worlds[1].digest()


def test_save_advance_go_back_advance(golden: dict[str, object]) -> None:
    """At every tenth step the world is saved, taken on, put back and taken on again."""
    world = scene()
    events: list[object] = []
    while world.step_count < STEPS:
        saved = world.snapshot()
        first = outcome(world, 10)
        world = World.restore(saved)
        assert world.snapshot() == saved
        second = outcome(world, 10)
        assert second == first
        events += second["events"]  # type: ignore[arg-type]
    assert world.digest() == golden["digest"]
    assert events == golden["events"]


def test_restored_in_the_middle_goes_on_as_if_never_stopped(golden: dict[str, object]) -> None:
    """Timers of stalls, turns after a symmetry and the memory of overlaps are in the snapshot as well."""
    for at in (1, 7, 33):
        world = scene()
        world.step(at)
        restored = World.restore(world.snapshot())
        restored.step(STEPS - at)
        assert restored.digest() == golden["digest"]
        world.step(STEPS - at)
        assert restored.snapshot() == world.snapshot()


def test_additions_and_removals_in_between_leave_no_trace(golden: dict[str, object]) -> None:
    """The same agents in the same order after five hundred others came and went; ids differ, so the seed is neutral."""
    options = replace(Options.service(), part_coincident=False, break_symmetry=False)
    plain = World(time_step=TIME_STEP, options=options)
    add_geometry(plain)
    populate(plain)
    world = World(time_step=TIME_STEP, options=options)
    generator = np.random.default_rng(3)
    passers: list[int] = []

    def disturb(count: int) -> None:
        """Agents of other radii come, and some of those that came before go."""
        added = world.add_agents(
            {"position": generator.uniform(-39.0, 11.0, (count, 2)), "radius": generator.choice([0.1, 0.9], count)}
        )
        passers.extend(added.ids.tolist())
        leaving = [passers.pop(int(generator.integers(len(passers)))) for _ in range(len(passers) // 2)]
        world.remove_agents(leaving)

    disturb(100)
    add_geometry(world)
    disturb(100)
    populate(world)
    for _ in range(3):
        disturb(100)
    world.remove_agents(passers)
    assert world.agent_count == plain.agent_count
    plain.step(STEPS)
    world.step(STEPS)
    assert world.digest() == plain.digest()


def test_each_option_matters_in_the_scene(golden: dict[str, object]) -> None:
    """Otherwise the golden digest would not watch over it."""
    switches = {name for name, value in Options.service().as_mapping().items() if value is True}
    assert switches >= MENDINGS
    for name in sorted(MENDINGS):
        world = World(time_step=TIME_STEP, options=replace(Options.service(), **{name: False}), seed=20110901)
        add_geometry(world)
        populate(world)
        if name == "stop_non_finite":
            # nothing here is ever non-finite, and so this one alone may not matter
            assert outcome(world) == golden
            continue
        assert outcome(world)["digest"] != golden["digest"], f"{name} changes nothing in the scene"


def test_the_hints_of_a_solver_decide_nothing(golden: dict[str, object]) -> None:
    """What the search remembers between steps is thrown away, or replaced by nonsense, before every step."""
    generator = np.random.default_rng(5)
    assert {field.name for field in FIELDS if field.role == "hint"} == {"neighbor_reach", "on_surface"}
    world = scene()
    for _ in range(STEPS):
        reach = world.population.state["neighbor_reach"]
        reach[:] = generator.choice([-1.0, 0.0, 1e-9, 3.0, 1e12], len(reach))
        world.population.state["on_surface"][:] = 0
        world.step()
    assert world.digest() == golden["digest"]
