"""Snapshots: the same bits and the same future, and no damaged byte that goes unnoticed."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orca_core import Options, SnapshotError, WalkableArea, World
from orca_core.snapshot import MAGIC, VERSION
from orca_core.yielding import MANNERS
from tests.support.worlds import agents, box, wall, world_of


def rich() -> World:
    """A world with everything that a world can have, some steps into its life."""
    options = replace(Options.service(), stall_time=1.5)
    world = World(time_step=0.1, options=options, seed=42)
    world.set_defaults({"radius": 0.3, "max_neighbors": 7})
    world.add_walkable([WalkableArea(((np.array([(-9, -9), (9, -9), (9, 9), (-9, 9)]),),), clearance=0.1, horizon=1.0)])
    world.add_walkable([WalkableArea(((np.array([(8, -2), (20, -2), (20, 2), (8, 2)]),),), shrunk=True)])
    world.add_obstacles([wall((0.0, 3.0), (3.0, 3.0), (5.0, 4.0)), box(-4.0, -4.0, -3.0, -3.0)])
    world.add_obstacles([replace(wall((-6.0, 6.0), (6.0, 6.0)), z_range=(0.5, 3.0))])
    world.remove_obstacle(int(world.add_obstacles([wall((0.0, 0.0), (1.0, 0.0))]).ids[0]))
    places = np.array([(-5.0, 0.0), (5.0, 0.0), (2.0, 2.0), (2.0, 2.0), (1.0, -0.0)])
    world.add_agents({**agents(places, radius=0.5), "goal": places[::-1].copy(), "id": [9, 3, 100, 4, 2**53 - 1]})
    world.add_agents({"position": [(0.0, -6.0)], "preferred_velocity": [(-0.0, 1e200)], "preferred_speed": [1.25]})
    world.add_agents(
        {
            **agents([(-6.0, -6.0), (-4.0, -6.0)], velocity=(0.1, 0.2), layer=6, mask=2**32 - 1, group=2**53 - 1),
            "weight": [0.25, 0.0], "priority": [-7, 10**9], "locked": [True, False], "avoidance": [True, False],
            "elevation": [-0.5, 1.0], "height": [2.0, 0.0], "group_mode": ["ignore", "together"],
        }
    )  # fmt: skip
    world.remove_agents([3])
    world.step(25)
    return world


@pytest.fixture(scope="module")
def saved() -> bytes:
    """The bytes of the rich world."""
    return rich().snapshot()


def test_a_restored_world_is_the_same_and_goes_on_the_same(saved: bytes) -> None:
    world, restored = rich(), World.restore(saved)
    assert restored.snapshot() == saved == world.snapshot()
    for name in ("time_step", "options", "seed", "step_count", "time", "agent_count"):
        assert getattr(restored, name) == getattr(world, name)
    assert [restored.agent(k) for k in restored.ids] == [world.agent(k) for k in world.ids]
    reports = [one.step(30) for one in (world, restored)]
    assert reports[0] == reports[1]
    assert restored.snapshot() == world.snapshot()


def test_ids_given_after_a_restore_are_those_given_without(saved: bytes) -> None:
    world, restored = rich(), World.restore(saved)
    for one in (world, restored):
        one.add_agents(agents([(0.0, 7.0), (7.0, 7.0)]))
        one.add_obstacles([wall((7.0, 0.0), (7.0, 1.0))])
        one.add_walkable([WalkableArea(((np.array([(0, 8), (9, 8), (9, 20)]),),))])
    assert restored.ids.tolist() == world.ids.tolist()
    assert [one.id for one in restored.obstacles()] == [one.id for one in world.obstacles()]
    assert restored.snapshot() == world.snapshot()
    with pytest.raises(Exception, match="3"):
        restored.agent(3)


@pytest.mark.parametrize(
    "world", [World(time_step=0.1), world_of([(0.0, 0.0)]), world_of([], walls=[wall((0, 0), (1, 1))])]
)
def test_small_worlds_round_trip(world: World) -> None:
    restored = World.restore(world.snapshot())
    assert restored.snapshot() == world.snapshot()
    assert restored.digest() == world.digest()


def test_any_damaged_byte_is_noticed(saved: bytes) -> None:
    """One bit changed in every region: magic, version, length, header, arrays, digest; and cuts of every kind."""
    places = {*range(40), *range(40, len(saved), 97), *range(len(saved) - 40, len(saved))}
    for place in places:
        damaged = bytearray(saved)
        damaged[place] ^= 1 << (place % 8)
        with pytest.raises(SnapshotError):
            World.restore(bytes(damaged))
    for length in (0, 1, len(MAGIC), len(MAGIC) + 3, 60, len(saved) // 2, len(saved) - 1):
        with pytest.raises(SnapshotError):
            World.restore(saved[:length])
    with pytest.raises(SnapshotError):
        World.restore(saved + b"\0")


def parts(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a snapshot, read by its description and not by the library."""
    (length,) = struct.unpack_from("<I", data, len(MAGIC) + 1)
    at = len(MAGIC) + 5 + length
    header = json.loads(data[len(MAGIC) + 5 : at])
    held: dict[str, np.ndarray] = {}
    for name, dtype, shape in header["arrays"]:
        held[name] = np.frombuffer(data, dtype, int(np.prod(shape)), at).reshape(shape)
        at += held[name].nbytes
    return header, held


def forged(data: bytes, header_changes: dict[str, Any], **arrays: np.ndarray) -> bytes:
    """The snapshot with other words in its header, other arrays (`__` for the dot), and a digest that fits them."""
    header, held = parts(data)
    held.update({name.replace("__", "."): array for name, array in arrays.items()})
    return packed_up(header, held, header_changes)


def packed_up(
    header: dict[str, Any], held: dict[str, np.ndarray], header_changes: dict[str, Any] | None = None
) -> bytes:
    """The bytes of a snapshot with this header and these arrays."""
    header["arrays"] = [[name, array.dtype.str, list(array.shape)] for name, array in held.items()]
    header.update(header_changes or {})
    text = json.dumps(header).encode()
    body = MAGIC + bytes([VERSION]) + struct.pack("<I", len(text)) + text
    body += b"".join(one.tobytes() for one in held.values())
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    "changes",
    [
        {"time_step": "nonsense"},
        {"time_step": (-1.0).hex()},
        {"time_step": "nan"},
        {"options": {"profile": "text", "unheard_of": True}},
        {"options": 7},
        {"defaults": {"radius": -1.0}},
        {"seed": -3},
        {"step": "x"},
        {"arrays": []},
        {"arrays": [["agents.id", "<i8", [10**12]]]},
        {"arrays": [["agents.id", "<q9", [1]]]},
        {"arrays": None},
        {"next_id": "many"},
    ],
)
def test_a_whole_snapshot_of_what_no_world_can_be_is_refused(saved: bytes, changes: dict[str, Any]) -> None:
    assert World.restore(forged(saved, {})).snapshot() == saved
    with pytest.raises(SnapshotError):
        World.restore(forged(saved, changes))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agents.position", np.nan),
        ("agents.neighbor_distance", np.nan),
        ("agents.radius", 1e300),
        ("agents.radius", -1.0),
        ("agents.preferred_speed", -2.0),
        ("agents.max_neighbors", 10**12),
        ("agents.id", -7),
        ("agents.id", 77),
        ("agents.status", 250),
        ("agents.has_goal", 2),
        ("agents.anchor", np.inf),
        ("agents.weight", -1.0),
        ("agents.weight", np.nan),
        ("agents.priority", 10**12),
        ("agents.locked", 2),
        ("agents.avoidance", 2),
        ("agents.elevation", np.inf),
        ("agents.height", -1.0),
        ("agents.group", -1),
        ("agents.group_mode", 3),
        ("obstacles.range", np.nan),
        ("obstacles.range", 1e10),
        ("identifiers.used", -1),
        ("identifiers.used", 2**60),
        ("obstacles.points", np.nan),
        ("obstacles.points", 1e10),
        ("obstacles.length", 0),
        ("obstacles.length", -1),
        ("walkable.points", np.nan),
        ("walkable.rings", 0),
        ("boundaries.edges", np.inf),
        ("boundaries.following", 10**9),
        ("boundaries.preceding", -1),
        ("boundaries.class_start", 10**9),
    ],
)
def test_numbers_that_no_request_could_bring_in_are_refused(saved: bytes, name: str, value: float) -> None:
    """A digest tells damage, not intent: an index or a number from here would go into kernels as it is."""
    for place in (0, -1):
        _, arrays = parts(saved)
        changed = arrays[name].copy()
        changed.flat[place] = value
        with pytest.raises(SnapshotError):
            World.restore(forged(saved, {}, **{name.replace(".", "__"): changed}))


def test_arrays_of_another_shape_or_type_are_refused(saved: bytes) -> None:
    _, arrays = parts(saved)
    for name in sorted(name for name in arrays if name.startswith("agents.")):
        for changed in (arrays[name][:-1], arrays[name][:1], arrays[name].astype("<c16"), arrays[name][..., None]):
            with pytest.raises(SnapshotError):
                World.restore(forged(saved, {}, **{name.replace(".", "__"): changed}))


def test_a_snapshot_that_knows_nothing_of_who_yields_is_of_a_world_where_all_do() -> None:
    world = world_of([(-3.0, 0.0), (3.0, 0.1)], goal=np.array([(3.0, 0.0), (-3.0, 0.0)]), walls=[wall((0, 2), (1, 2))])
    world.step(4)
    header, arrays = parts(world.snapshot())
    # nor does a new one where nobody has told otherwise
    older = arrays
    assert not {f"agents.{name}" for name in MANNERS} & set(arrays)
    restored = World.restore(packed_up(header, older))
    assert restored.snapshot() == world.snapshot()
    assert restored.step(20) == world.step(20)


def test_another_version_and_other_bytes_are_told_apart(saved: bytes) -> None:
    with pytest.raises(SnapshotError, match="version 9"):
        World.restore(saved[: len(MAGIC)] + bytes([9]) + saved[len(MAGIC) + 1 :])
    with pytest.raises(SnapshotError, match="ORCACROWD"):
        World.restore(b"PNG" + saved)


def test_a_step_more_changes_the_bytes(saved: bytes) -> None:
    world = World.restore(saved)
    world.step()
    assert world.snapshot() != saved


def test_what_nobody_has_told_is_left_out_and_comes_back_all_the_same() -> None:
    world = World(time_step=0.25)
    world.add_agents({"position": [(0.0, 0.0), (5.0, 5.0)], "velocity": [(0.0, 0.0), (0.0, -0.0)]})
    _, arrays = parts(world.snapshot())
    assert "agents.goal" not in arrays
    # the sign of a zero is something that was told
    assert "agents.velocity" in arrays
    again = World.restore(world.snapshot())
    assert again.digest() == world.digest()
    assert again.agent(1) == world.agent(1)
    assert again.snapshot() == world.snapshot()
