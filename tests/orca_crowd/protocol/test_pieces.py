"""Long JSON, read in pieces: the values and the refusals of the one parser."""

from __future__ import annotations

import json
import math
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from orca_crowd.protocol import pieces
from orca_crowd.protocol.pieces import read_json

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=8), st.dictionaries(st.text(max_size=6), inner, max_size=6)),
    max_leaves=60,
)
layouts = st.sampled_from([None, 1, "\t"])


def same(one: Any, other: Any) -> bool:
    """Equal to the bit, types and order of members included; NaN is NaN."""
    return repr(one) == repr(other)


@given(value=values, indent=layouts, text=st.booleans(), data=st.data())
def test_any_value_is_that_of_the_one_parser(value: Any, indent: Any, text: bool, data: st.DataObject) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    with pytest.MonkeyPatch.context() as patch:
        # so short that a small value is cut as a large one is
        patch.setattr(pieces, "PIECE", data.draw(st.integers(1, 40)))
        assert same(read_json(written if text else written.encode()), from_json(written, allow_inf_nan=True))


@given(data=st.one_of(st.binary(max_size=60), st.text('[]{}",:0123 \\ntfa\n.eE-', max_size=40).map(str.encode)))
def test_what_is_wrong_is_wrong_in_the_same_words(data: bytes) -> None:
    def outcome(read: Any) -> Any:
        try:
            return repr(read(data))
        except ValueError as error:
            return str(error)

    expected = outcome(lambda text: from_json(text, allow_inf_nan=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 1)
        assert outcome(read_json) == expected


def test_a_crowd_is_read_as_it_is() -> None:
    rows = [{"id": k, "position": [k * 0.1, -0.0], "goal": None, "name": 'ä"]},{'} for k in range(5000)]
    columns = {"position": [[k / 7, 1e-310] for k in range(5000)], "radius": [0.1] * 9000, "bad": [math.nan, math.inf]}
    for value in ({"agents": rows, "key": "k"}, {"columns": columns}, [rows, columns, "x" * 100_000]):
        text = json.dumps(value)
        assert len(text) > 2 * pieces.PIECE
        assert same(read_json(text.encode()), from_json(text, allow_inf_nan=True))


def test_others_run_while_it_is_read() -> None:
    text = json.dumps({"agents": [{"id": k, "position": [k * 0.1, 0.5]} for k in range(60_000)]}).encode()
    ran = threading.Event()
    seen: list[float] = []

    def other() -> None:
        while not ran.is_set():
            seen.append(time.thread_time())
            time.sleep(0)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        before = len(seen)
        read_json(text)
        during = len(seen) - before
    finally:
        ran.set()
        thread.join()
    # parsed in one go it would have had its turn once or not at all
    assert during > 10
