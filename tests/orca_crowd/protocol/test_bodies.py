"""Bodies: numbers keep their bits in both encodings and directions, and only plain values reach an encoder."""

from __future__ import annotations

import json
import struct

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from orca_crowd.errors import ApiError
from orca_crowd.protocol.bodies import Encoding, accepted, decode, encode, encoding_of, size_of, weight_of
from orca_crowd.protocol.columns import read_column, read_identifiers

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(value=finite)
def test_a_number_keeps_its_bits_in_json(value: float) -> None:
    data = encode({"x": value}, "json")
    assert struct.pack("<d", decode(data, "json")["x"]) == struct.pack("<d", value)
    # and in a reader that is not ours
    assert struct.pack("<d", json.loads(data)["x"]) == struct.pack("<d", value)


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
@given(column=hnp.arrays(np.float64, st.tuples(st.integers(0, 40), st.just(2)), elements=finite))
def test_a_column_keeps_its_bits(encoding: Encoding, column: np.ndarray) -> None:
    shown = decode(encode({"position": column}, encoding), encoding)["position"]
    read, held, faults = read_column("position", shown, nullable=False)
    assert faults == []
    assert held.all()
    assert read.shape == column.shape
    assert read.tobytes() == column.tobytes()


@given(column=hnp.arrays(np.float64, st.integers(0, 3000), elements=finite))
def test_a_long_column_is_the_same_as_a_short_one(column: np.ndarray) -> None:
    assert json.loads(encode({"radius": column}, "json"))["radius"] == column.tolist()


@given(ids=hnp.arrays(np.int64, st.integers(0, 40), elements=st.integers(0, 2**53 - 1)))
def test_ids_are_whole_in_both_encodings(ids: np.ndarray) -> None:
    for encoding in ("json", "msgpack"):
        read, faults = read_identifiers(decode(encode({"ids": ids}, encoding), encoding)["ids"], "ids")  # type: ignore[arg-type]
        assert faults == []
        assert read.tolist() == ids.tolist()


def test_a_row_without_a_goal_is_null_in_json() -> None:
    goals = np.array([[np.nan, np.nan], [1.0, -0.0]])
    assert encode({"goal": goals}, "json") == b'{"goal":[null,[1.0,-0.0]]}'


def test_values_beside_columns_are_plain() -> None:
    value = {"a": [{"ids": np.array([1, 2]), "x": None}], "b": {"y": -0.0}, "c": "ä", "d": []}
    assert json.loads(encode(value, "json")) == {"a": [{"ids": [1, 2], "x": None}], "b": {"y": -0.0}, "c": "ä", "d": []}
    packed = msgspec.msgpack.decode(encode(value, "msgpack"))
    assert packed["a"][0]["ids"] == struct.pack("<2q", 1, 2)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_refusal(data: bytes) -> None:
    for encoding in ("json", "msgpack"):
        codes = []
        try:
            decode(data, encoding)  # type: ignore[arg-type]
        except ApiError as refusal:
            codes.append(refusal.code)
        assert codes in ([], ["malformed"])


def test_not_a_number_comes_through_to_be_refused_by_its_field() -> None:
    assert str(decode(b"[NaN, Infinity, 1e999]", "json")) == "[nan, inf, inf]"


@given(header=st.text(max_size=60))
def test_any_header_is_an_encoding_or_a_refusal(header: str) -> None:
    assert accepted(header, None) in ("json", "msgpack")
    statuses = []
    try:
        assert encoding_of(header) in ("json", "msgpack")
    except ApiError as refusal:
        statuses.append(refusal.status)
    assert statuses in ([], [415])


@given(
    values=st.lists(
        st.one_of(
            finite,
            st.integers(-(2**70), 2**70),
            st.booleans(),
            st.none(),
            st.text(max_size=2),
            st.lists(finite, max_size=3),
        ),
        max_size=8,
    )
)
def test_a_list_is_a_column_or_each_fault_is_named(values: list[object]) -> None:
    for name in ("radius", "position", "max_neighbors"):
        column, _, faults = read_column(name, values, nullable=False)
        if faults:
            assert all(fault.field == name and fault.item is not None for fault in faults)
        else:
            assert len(column) == len(values)
            assert not any(isinstance(value, bool) for value in values)


def test_sizes_are_about_right() -> None:
    assert size_of({"position": np.zeros((1000, 2))}) >= 16_000
    assert size_of({"step": 5}) < 1000
    assert size_of([[1.0, 2.0]] * 100) > 1000


def test_a_bin_weighs_less_than_a_list() -> None:
    rows = [[0.5, 1.5]] * 10_000
    packed = np.array(rows).tobytes()
    assert weight_of({"columns": {"position": packed}}) < 10_000
    assert weight_of({"columns": {"position": rows}}) > len(packed)
    assert weight_of([{"op": "add_agents", "agents": [{"id": 1, "position": [0, 0]}] * 1000}]) > 30_000
    assert weight_of([]) < 100
