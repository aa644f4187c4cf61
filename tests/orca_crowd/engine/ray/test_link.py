"""Links: arrays as they are, a key that both ends must know, and an other end that is gone or silent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from orca_crowd.engine.ray.link import Link, accept, connect, listen
from orca_crowd.engine.workmate import Hung, Lost

KEY = b"k" * 32


@contextmanager
def accepting(key: bytes = KEY) -> Iterator[tuple[int, list[Link | None]]]:
    """Somebody who listens and accepts once; the port, and whom he has accepted when the block is left."""
    accepted: list[Link | None] = []
    with listen("127.0.0.1") as listening:
        thread = threading.Thread(target=lambda: accepted.append(accept(listening, key)))
        thread.start()
        try:
            yield listening.getsockname()[1], accepted
        finally:
            thread.join()


@contextmanager
def both_ends(deadline: float) -> Iterator[tuple[Link, Link]]:
    """The end that connected, and the one that accepted."""
    with accepting() as (port, accepted):
        ours = connect("127.0.0.1", port, KEY, deadline)
    (theirs,) = accepted
    assert theirs is not None
    try:
        yield ours, theirs
    finally:
        ours.close()
        theirs.close()


def test_headers_and_arrays_arrive_as_they_were() -> None:
    sent = (np.random.default_rng(1).random((30_000, 5)), np.arange(7), np.zeros((0, 2)), np.ones(3, np.uint8))
    found = [np.empty_like(array) for array in sent]
    with both_ends(5.0) as (ours, theirs):
        thread = threading.Thread(target=lambda: theirs.send(("name", 1, None), *sent))
        thread.start()
        assert ours.receive() == ("name", 1, None)
        ours.fill(*found)
        thread.join()
    for one, other in zip(sent, found, strict=True):
        assert np.array_equal(one, other)


def test_who_does_not_know_the_key_gets_nowhere() -> None:
    with accepting() as (port, accepted), pytest.raises(Lost, match="does not know the key"):
        connect("127.0.0.1", port, b"other", 5.0)
    assert accepted == [None]


def test_nobody_listens() -> None:
    with listen("127.0.0.1") as listening:
        port = listening.getsockname()[1]
    with pytest.raises(Lost, match="nobody listens"):
        connect("127.0.0.1", port, KEY, 5.0)


def test_an_other_end_that_is_silent_or_gone() -> None:
    with both_ends(0.05) as (ours, theirs):
        with pytest.raises(Hung):
            ours.receive()
        theirs.close()
        with pytest.raises(Lost):
            ours.receive()


def test_a_header_of_impossible_length_is_refused() -> None:
    with listen("127.0.0.1") as listening, socket.create_connection(listening.getsockname()[:2]) as raw:
        connection, _ = listening.accept()
        link = Link(connection, 1.0)
        raw.sendall(b"\xff\xff\xff\xff")
        with pytest.raises(Lost, match="is none"):
            link.receive()
        link.close()
