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
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import InvalidInput, SnapshotError
from orca_core.geometry.boundaries import Boundaries
from orca_core.geometry.obstacles import ObstacleSet
from orca_core.geometry.walkable import WalkableSet
from orca_core.options import Options
from orca_core.state import FIELDS

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["MAGIC", "VERSION", "dump", "load"]

MAGIC = b"ORCACROWD"
VERSION = 1
DIGEST = 32
Arrays = dict[str, NDArray[Any]]


def dump(world: World) -> bytes:
    """The bytes of a world; the world is not changed."""
    population = world.population
    arrays: Arrays = {f"agents.{field.name}": population.state[field.name] for field in FIELDS if field.role != "hint"}
    arrays["identifiers.used"] = population.identifiers.used
    for name, part in (
        ("obstacles", world.obstacle_set),
        ("walkable", world.walkable_set),
        ("boundaries", world.statics().boundaries),
    ):
        arrays |= {f"{name}.{key}": array for key, array in part.to_arrays().items()}
    header = {
        "time_step": world.time_step.hex(),
        "step": world.step_count,
        "seed": world.seed,
        "options": world.options.as_mapping(),
        "defaults": population.defaults,
        "next_id": population.identifiers.next,
        "arrays": [[name, array.dtype.newbyteorder("<").str, list(array.shape)] for name, array in arrays.items()],
    }
    text = json.dumps(header, sort_keys=True).encode()
    parts = [MAGIC, bytes([VERSION]), struct.pack("<I", len(text)), text]
    parts += [
        np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        for array in arrays.values()
    ]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def load(data: bytes, make: type[World]) -> World:
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


def _build(header: dict[str, Any], arrays: Arrays, make: type[World]) -> World:
    options = replace(Options(), **header["options"])
    world = make(time_step=float.fromhex(header["time_step"]), options=options, seed=header["seed"])
    world.step_count = int(header["step"])
    population = world.population
    population.set_defaults(header["defaults"])
    agents = _part(arrays, "agents")
    rows = population.state.append(len(agents["id"]))
    for field in FIELDS:
        if field.role != "hint":
            population.state[field.name][rows] = agents[field.name]
    population.identifiers.used = np.ascontiguousarray(arrays["identifiers.used"], np.int64).reshape(-1, 2)
    population.identifiers.next = int(header["next_id"])
    world.obstacle_set = ObstacleSet.from_arrays(_part(arrays, "obstacles"))
    world.walkable_set = WalkableSet.from_arrays(_part(arrays, "walkable"))
    world.walkable_set.adopt(Boundaries.from_arrays(_part(arrays, "boundaries")), options.merge_collinear)
    return world
