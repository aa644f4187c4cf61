"""Frames as bytes: both subprotocols carry the same bits, in the layout that clients rely on."""

from __future__ import annotations

import json
import math
import struct

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orca_crowd.protocol.frames import (
    JSON_SUBPROTOCOL,
    MSGPACK_SUBPROTOCOL,
    ROWS_A_PIECE,
    assemble,
    choose_subprotocol,
    encode_columns,
    encode_entries,
    encode_message,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


def read(wire: str | bytes) -> dict[str, object]:
    """What a client that knows the format finds."""
    found = json.loads(wire) if isinstance(wire, str) else msgspec.msgpack.decode(wire)
    assert isinstance(found, dict)
    return found


@given(arrays.arrays(np.float64, st.tuples(st.integers(0, 40), st.just(2)), elements=finite))
def test_every_bit_of_a_vector_column_survives(column: np.ndarray) -> None:
    text = assemble([encode_columns({"position": column}, "float64", JSON_SUBPROTOCOL)], JSON_SUBPROTOCOL)
    binary = assemble([encode_columns({"position": column}, "float64", MSGPACK_SUBPROTOCOL)], MSGPACK_SUBPROTOCOL)
    from_text = np.array(read(text)["position"], np.float64).reshape(-1, 2)
    from_binary = np.frombuffer(read(binary)["position"], "<f8").reshape(-1, 2)
    assert from_text.tobytes() == column.tobytes()
    assert from_binary.tobytes() == column.tobytes()


def test_float32_is_rounded_once_and_says_so_in_both() -> None:
    column = np.array([0.1, 1.0 + 2.0**-24 + 2.0**-50, -0.0])
    text = read(assemble([encode_columns({"radius": column}, "float32", JSON_SUBPROTOCOL)], JSON_SUBPROTOCOL))
    binary = read(assemble([encode_columns({"radius": column}, "float32", MSGPACK_SUBPROTOCOL)], MSGPACK_SUBPROTOCOL))
    right = [float(np.float32(value)) for value in column.tolist()]
    assert text["radius"] == right
    assert struct.unpack("<3f", binary["radius"]) == tuple(right)  # type: ignore[arg-type]
    assert math.copysign(1.0, text["radius"][2]) == -1.0  # type: ignore[index]


def test_ids_are_int64_and_all_other_numbers_are_floating_point_in_bins() -> None:
    values = {"ids": np.array([0, 2**53 - 1]), "max_neighbors": np.array([10, 0]), "entered": np.empty(0, np.int64)}
    found = read(encode_message(values, MSGPACK_SUBPROTOCOL))
    assert struct.unpack("<2q", found["ids"]) == (0, 2**53 - 1)  # type: ignore[arg-type]
    assert struct.unpack("<2d", found["max_neighbors"]) == (10.0, 0.0)  # type: ignore[arg-type]
    assert found["entered"] == b""
    narrow = encode_columns({"max_neighbors": np.array([10, 0])}, "float32", MSGPACK_SUBPROTOCOL)
    assert read(assemble([narrow], MSGPACK_SUBPROTOCOL))["max_neighbors"] == struct.pack("<2f", 10, 0)


def test_whole_numbers_stay_whole_in_json() -> None:
    assert encode_message({"max_neighbors": np.array([10, 0])}, JSON_SUBPROTOCOL) == '{"max_neighbors":[10,0]}'


def test_a_row_without_a_value_is_null_in_json_and_nan_in_a_bin() -> None:
    goals = {"goal": np.array([[1.0, 2.0], [np.nan, np.nan]])}
    assert read(encode_message(goals, JSON_SUBPROTOCOL))["goal"] == [[1.0, 2.0], None]
    x, y, nothing, nothing_either = struct.unpack("<4d", read(encode_message(goals, MSGPACK_SUBPROTOCOL))["goal"])  # type: ignore[arg-type]
    assert (x, y) == (1.0, 2.0)
    assert math.isnan(nothing)
    assert math.isnan(nothing_either)


@pytest.mark.parametrize("rows", [0, 1, ROWS_A_PIECE - 1, ROWS_A_PIECE, ROWS_A_PIECE + 1, 2 * ROWS_A_PIECE + 7])
def test_pieces_of_a_long_column_join_to_one_array(rows: int) -> None:
    column = np.arange(2.0 * rows).reshape(rows, 2)
    assert read(encode_message({"position": column}, JSON_SUBPROTOCOL))["position"] == column.tolist()


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 40])
def test_parts_join_to_one_map_of_any_size(subprotocol: str, count: int) -> None:
    names = [f"n{place}" for place in range(count)]
    halves = names[: count // 2], names[count // 2 :]
    parts = [encode_entries({name: name.upper() for name in half}, subprotocol) for half in halves]
    assert read(assemble(parts, subprotocol)) == {name: name.upper() for name in names}


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
def test_numpy_values_deep_inside_a_message_become_plain_ones(subprotocol: str) -> None:
    result = {"step": np.int64(3), "depth": np.float64(0.5), "flag": np.bool_(True), "warnings": ({"item": None},)}
    message = {"type": "ack", "results": [result]}
    expected = {"step": 3, "depth": 0.5, "flag": True, "warnings": [{"item": None}]}
    assert read(encode_message(message, subprotocol)) == {"type": "ack", "results": [expected]}


def test_status_travels_as_strings() -> None:
    for subprotocol in (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL):
        columns = encode_columns({"status": ["moving", "arrived"]}, "float32", subprotocol)
        assert read(assemble([columns], subprotocol)) == {"status": ["moving", "arrived"]}


def test_the_clients_order_decides_between_subprotocols_and_strangers_are_passed_over() -> None:
    assert choose_subprotocol(["chat", MSGPACK_SUBPROTOCOL, JSON_SUBPROTOCOL]) == MSGPACK_SUBPROTOCOL
    assert choose_subprotocol(["orca-crowd.key.secret", JSON_SUBPROTOCOL]) == JSON_SUBPROTOCOL
    assert choose_subprotocol(["orca-crowd.v2.json"]) is None
    assert choose_subprotocol([]) is None
