"""Snapshots: a whole world as bytes and back, to the same bits.

Layout, all little-endian: the magic `ORCACROWD`, a version byte, the length of the header (uint32), the header
(JSON: what is not an array, and the table of arrays: name, dtype, shape), the arrays one after the other, and the
sha256 of everything before it. The shrunk boundaries are in it, so that no version of the library that shrank them
changes a bit.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS, LARGEST, check_columns
from orca_core.columns import same_bits
from orca_core.errors import InvalidInput, SnapshotError
from orca_core.geometry.boundaries import Boundaries
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableSet
from orca_core.identifiers import MAXIMUM_IDENTIFIER
from orca_core.options import Options
from orca_core.state import FIELDS, STATUS_NAMES

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["MAGIC", "VERSION", "Captured", "capture", "dump", "load"]

MAGIC = b"ORCACROWD"
VERSION = 1
DIGEST = 32
# fields of agents that nothing else tells
KEPT = ("input", "state")
# what stands in every snapshot; another field is left out where it is the same for all, as nobody has told otherwise,
# which takes two fifths off a world that uses nothing beyond the text
ALWAYS = ("id", "position")
Arrays = dict[str, NDArray[Any]]


class Captured:
    """The state of a moment as arrays that nobody changes any more; `encode` turns it into bytes, in any thread."""

    def __init__(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Hold what `capture` found."""
        self._header = header
        self.arrays = arrays

    def encode(self) -> NDArray[np.uint8]:
        """The bytes of the snapshot (n,). Numpy copies and hashlib sums without holding up other threads."""
        little = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
        little = {name: array.astype(array.dtype.newbyteorder("<"), copy=False) for name, array in little.items()}
        table = [[name, array.dtype.str, list(self.arrays[name].shape)] for name, array in little.items()]
        text = json.dumps({**self._header, "arrays": table}, sort_keys=True).encode()
        head = MAGIC + bytes([VERSION]) + struct.pack("<I", len(text)) + text

        # one array of the whole length, filled in order
        whole = np.empty(len(head) + sum(array.nbytes for array in little.values()) + DIGEST, np.uint8)
        whole[: len(head)] = np.frombuffer(head, np.uint8)
        at = len(head)
        for array in little.values():
            whole[at : at + array.nbytes] = array.reshape(-1).view(np.uint8)
            at += array.nbytes
        whole[at:] = np.frombuffer(hashlib.sha256(whole[:at].data).digest(), np.uint8)
        return whole


def capture(world: World, *, copy: bool = True, into: Captured | None = None) -> Captured:
    """What a snapshot holds, without the work of writing it: a copy of the arrays, so that the world may go on.

    With `copy` False the arrays are the world's own, and must be encoded before it changes. `into` is an earlier one
    that nobody needs any more: its arrays are written over where they have the same shape, since memory that is new
    to the process takes longer to be had than to be filled.
    """
    population = world.population
    arrays: Arrays = {
        f"agents.{field.name}": array
        for field, array in population.state
        if field.role in KEPT
        and (field.name in ALWAYS or not same_bits(population.state.told(field.name), field.empty))
    }
    arrays["identifiers.used"] = population.identifiers.used
    if copy:
        held = {} if into is None else into.arrays
        arrays = {name: _copied(array, held.get(name)) for name, array in arrays.items()}
    for name, part in (
        ("obstacles", world.obstacle_set),
        ("walkable", world.walkable_set),
        ("boundaries", world.statics().boundaries),
    ):
        # flattened anew, or never changed once made
        arrays |= {f"{name}.{key}": array for key, array in part.to_arrays().items()}
    if world.grid_map is not None:
        arrays |= {f"grid_map.{key}": array for key, array in world.grid_map.to_arrays().items()}
    for guide in world.guides:
        arrays |= {f"guidance.{guide.name}.{key}": array for key, array in guide.kept().items()}
    header = {
        "time_step": world.time_step.hex(),
        "step": world.step_count,
        "seed": world.seed,
        "options": world.options.as_mapping(),
        "defaults": dict(population.defaults),
        "next_id": population.identifiers.next,
    }
    return Captured(header, arrays)


def _copied(array: NDArray[Any], held: NDArray[Any] | None) -> NDArray[Any]:
    """A copy, in the memory of another array where that fits."""
    if held is None or held.shape != array.shape or held.dtype != array.dtype:
        return array.copy()
    np.copyto(held, array)
    return held


def dump(world: World) -> bytes:
    """The bytes of a world; the world is not changed."""
    return capture(world, copy=False).encode().tobytes()


def load(data: bytes, make: Callable[..., World]) -> World:
    """The world of a snapshot; raises SnapshotError where the bytes are cut, changed or of another version.

    `make` is the World, which stands above this module.
    """
    header, arrays = _read(data)
    try:
        return _build(header, arrays, make)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidInput) as error:
        raise SnapshotError(f"the snapshot is whole but says what no world can be: {error}") from error


def _read(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Check the frame and take it apart."""
    start = len(MAGIC)
    if data[:start] != MAGIC:
        raise SnapshotError("these bytes are not a snapshot: they do not begin with ORCACROWD")
    if len(data) < start + 5 + DIGEST:
        raise SnapshotError(f"the snapshot is cut off after {len(data)} bytes")
    if data[start] != VERSION:
        raise SnapshotError(f"the snapshot has version {data[start]}; this library reads version {VERSION}")
    if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise SnapshotError("the snapshot is damaged or cut off: its sha256 does not fit its bytes")
    (length,) = struct.unpack_from("<I", data, start + 1)
    at = start + 5 + length
    try:
        header = json.loads(data[start + 5 : at])
        arrays: Arrays = {}
        for name, dtype, shape in header["arrays"]:
            count = int(np.prod(shape, dtype=np.int64))
            array = np.frombuffer(data, np.dtype(dtype), count, at).reshape(shape)
            arrays[name] = array.astype(array.dtype.newbyteorder("="))
            at += array.nbytes
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot cannot be read: {error}") from error
    if at != len(data) - DIGEST:
        raise SnapshotError(f"the snapshot has {len(data) - DIGEST - at} bytes that belong to nothing")
    return header, arrays


def _part(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    prefix = f"{name}."
    return {key[len(prefix) :]: array for key, array in arrays.items() if key.startswith(prefix)}


def _build(header: dict[str, Any], arrays: Arrays, make: Callable[..., World]) -> World:
    # what an older library did not know of it did not do
    options = Options.from_mapping({**Options.text().as_mapping(), **header["options"]})
    world = make(time_step=float.fromhex(header["time_step"]), options=options, seed=header["seed"])
    world.step_count = _count(header, "step")
    population = world.population
    population.set_defaults(header["defaults"])
    population.identifiers.next = _count(header, "next_id")
    population.identifiers.used = _checked_intervals(arrays["identifiers.used"])
    agents = _checked_agents(_part(arrays, "agents"), population.identifiers.was_used)
    rows = population.state.append(len(agents["id"]), agents, all_have_goals=bool(agents["has_goal"].all()))
    for name, array in agents.items():
        population.state.put(name, rows, array)
    # a sum or a comparison with what is not finite says nothing, and an index from it is anywhere
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise SnapshotError(f"the snapshot holds numbers that are not finite in {name}")
    for name in ("obstacles.points", "walkable.points"):
        if (np.abs(arrays[name]) > LARGEST).any():
            raise SnapshotError(f"the snapshot holds points beyond {LARGEST:g} in {name}")
    for name, least in (
        ("obstacles.length", 2),
        ("walkable.length", 3),
        ("walkable.rings", 1),
        ("walkable.polygons", 1),
    ):
        if (arrays[name] < least).any():
            raise SnapshotError(f"the snapshot holds fewer than {least} in {name}")
    world.obstacle_set = ObstacleSet.from_arrays(_part(arrays, "obstacles"))
    world.walkable_set = WalkableSet.from_arrays(_part(arrays, "walkable"))
    grid_map = _part(arrays, "grid_map")
    world.grid_map = PlacedGrid.from_arrays(grid_map) if grid_map else None
    world.kept_guidance = _part(arrays, "guidance")
    world.walkable_set.adopt(Boundaries.from_arrays(_part(arrays, "boundaries")), options.merge_collinear)
    return world


def _count(header: Mapping[str, Any], name: str) -> int:
    """A whole number from 0 to 2^53 in the header."""
    value = header[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAXIMUM_IDENTIFIER + 1:
        raise SnapshotError(f"the snapshot says {name} = {value!r}, where a whole number from 0 to 2^53 should stand")
    return value


def _checked_intervals(array: NDArray[Any]) -> NDArray[np.int64]:
    """The intervals of ids that were used: half-open, ascending and apart."""
    used = np.ascontiguousarray(array, np.int64).reshape(-1, 2)
    flat = used.ravel()
    if (np.diff(flat) <= 0).any() or (len(flat) and not 0 <= flat[0] <= flat[-1] <= MAXIMUM_IDENTIFIER + 1):
        raise SnapshotError("the ids of this snapshot do not agree: the intervals of used ones do not ascend")
    return used


def _checked_agents(agents: Arrays, was_used: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Arrays:
    """The agents' arrays with the shapes, types and values that commands could have brought about.

    What a request cannot bring into a world, a snapshot cannot either: its sha256 tells damage, not intent.
    """
    count = len(agents["id"])
    for field in FIELDS:
        if field.role not in KEPT:
            continue
        if field.name not in agents:
            # left out, or written before there was such a field: nobody had asked for what it does
            shape = (count,) if field.width == 1 else (count, field.width)
            agents[field.name] = np.broadcast_to(np.array(field.empty, np.dtype(field.dtype).newbyteorder("=")), shape)
        array, shape = agents[field.name], (count,) if field.width == 1 else (count, field.width)
        if array.shape != shape or array.dtype != np.dtype(field.dtype).newbyteorder("="):
            raise SnapshotError(
                f"the agents of this snapshot do not agree: {field.name} is {array.dtype} {array.shape}"
            )
    unset = {name: agents[name] != rule.unset for name, rule in COLUMNS.items() if rule.unset is not None}
    check_columns({name: agents[name] for name in COLUMNS}, count, unset)
    ids = agents["id"]
    if len(np.unique(ids)) != count or not was_used(ids).all():
        raise SnapshotError("the agents of this snapshot do not agree: an id stands twice, or was never given")
    limits = {
        "status": len(STATUS_NAMES) - 1,
        "has_goal": 1,
        "overlapping": 1,
        "caught": 7,
        "yielding": 3,
        "cooperation": 4,
    }
    for name, largest in limits.items():
        if (agents[name] > largest).any():
            raise SnapshotError(f"the agents of this snapshot do not agree: {name} is above {largest}")
    return {field.name: agents[field.name] for field in FIELDS if field.role in KEPT}
