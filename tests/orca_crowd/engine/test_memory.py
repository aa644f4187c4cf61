"""The lender: zeroed, aligned, used again, given back with the last view, and a clear word where there is no memory."""

from __future__ import annotations

import errno
import gc
import mmap
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from orca_crowd.engine import memory
from orca_crowd.engine.memory import BLOCK_BYTES, LINE, Lender, attach
from orca_crowd.errors import ApiError


@pytest.fixture
def lender() -> Iterator[Lender]:
    lender = Lender(1 << 16)
    yield lender
    lender.close()


def descriptors() -> int:
    """How many descriptors of shared memory this process has."""
    count = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            count += "orca-crowd" in os.readlink(link)
        except OSError:
            continue
    return count


@pytest.mark.parametrize("dtype", ["<f8", "<i8", "<i4", "<u1"])
@pytest.mark.parametrize("shape", [(1,), (7,), (1000,), (33, 5), (20000, 2)])
def test_arrays_are_zeroed_aligned_writable_and_as_asked(lender: Lender, shape: tuple[int, ...], dtype: str) -> None:
    first = lender.allocate("one", shape, dtype)
    first.fill(7)
    del first
    again = lender.allocate("one", shape, dtype)
    assert (again.shape, again.dtype) == (shape, np.dtype(dtype))
    assert not again.any()
    assert again.ctypes.data % LINE == 0
    assert again.flags.c_contiguous
    assert again.flags.writeable


def test_arrays_do_not_overlap(lender: Lender) -> None:
    sizes = [1, 63, 64, 65, 1000, 8191, 8192, 30000]
    arrays = [lender.allocate("one", (size,), "<u1") for size in sizes]
    for number, array in enumerate(arrays):
        array.fill(number + 1)
    for number, array in enumerate(arrays):
        assert (array == number + 1).all()


def test_a_place_is_the_array_elsewhere(lender: Lender) -> None:
    array = lender.allocate("one", (40, 2), "<f8")
    array[:] = np.arange(80).reshape(40, 2)
    place = lender.place(array)
    (block,) = lender.blocks({place[0]})
    other = attach(place, lambda number: mmap.mmap(block.descriptor, block.size))
    assert (other == array).all()
    other[3, 1] = -5.0
    assert array[3, 1] == -5.0


def test_memory_comes_back_only_with_the_last_view(lender: Lender) -> None:
    array = lender.allocate("one", (1000,), "<f8")
    view = array[10:20][::2]
    view[:] = 4.0
    del array
    others = [lender.allocate("one", (1000,), "<f8") for _ in range(3)]
    for other in others:
        other.fill(9.0)
    assert (view == 4.0).all()
    assert lender.bytes_held == 1 << 16
    del view, others, other
    assert lender.bytes_held == 0
    assert descriptors() == 0


def test_gaps_are_joined_and_used_again(lender: Lender) -> None:
    quarter = (1 << 16) // 4
    arrays = [lender.allocate("one", (quarter,), "<u1") for _ in range(4)]
    assert lender.bytes_held == 1 << 16
    # two in the middle, in either order, make room for one of twice the size in the same block
    for second, first in ((1, 2), (2, 1)):
        arrays[first] = arrays[second] = np.empty(0)
        large = lender.allocate("one", (2 * quarter,), "<u1")
        assert lender.bytes_held == 1 << 16
        del large
        arrays[1], arrays[2] = (lender.allocate("one", (quarter,), "<u1") for _ in range(2))
    assert lender.bytes_held == 1 << 16


def test_what_is_larger_than_a_block_gets_its_own(lender: Lender) -> None:
    small = lender.allocate("one", (8,), "<f8")
    large = lender.allocate("two", (100_000,), "<f8")
    assert lender.place(small)[0] != lender.place(large)[0]
    assert lender.released() == 0
    held = {lender.place(small)[0], lender.place(large)[0]}
    gone = lender.place(large)[0]
    del large
    assert lender.released() == 1
    assert lender.gone(held) == {gone}
    assert lender.bytes_held == 1 << 16


def test_worlds_of_usual_size_share_a_block() -> None:
    lender = Lender()
    arrays = [lender.allocate("one", (16, 2), "<f8") for _ in range(1000)]
    assert lender.bytes_held == BLOCK_BYTES
    assert descriptors() == 2
    del arrays
    lender.close()
    assert descriptors() == 0


def test_blocks_grow_with_what_there_is_so_that_descriptors_are_few() -> None:
    """Blocks of one size would be so many descriptors that no process may have them."""
    lender = Lender(1 << 12)
    arrays = [lender.allocate("one", (1 << 9,), "<f8") for _ in range(4000)]
    used = 4000 << 12
    assert descriptors() <= 2 * 700
    # and little is held in reserve
    assert used <= lender.bytes_held <= used * 1.01
    del arrays
    assert lender.bytes_held == 0
    assert descriptors() == 0
    lender.close()


def test_where_a_larger_block_cannot_be_had_a_small_one_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    lender = Lender(1 << 16)
    arrays = [lender.allocate("one", (1 << 13,), "<f8") for _ in range(300)]
    assert lender.bytes_held > 300 << 16
    held = lender.bytes_held
    reserve = os.posix_fallocate

    def rationed(descriptor: int, offset: int, size: int) -> None:
        if size > 1 << 16:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        reserve(descriptor, offset, size)

    monkeypatch.setattr(os, "posix_fallocate", rationed)
    arrays += [lender.allocate("one", (1 << 13,), "<f8") for _ in range(100)]
    assert held + (90 << 16) <= lender.bytes_held <= held + (100 << 16)
    del arrays
    lender.close()


def test_a_place_survives_another_array_of_the_same_identity(lender: Lender) -> None:
    """The identity of an array that is gone may be given to the next before anybody has heard that it is gone."""
    first = lender.allocate("one", (8,), "<f8")
    key, place = id(first.base), lender.place(first)
    # as if the next array had got it
    lender._places[key] = (99, 0, (8,), "<f8")
    del first
    assert lender.bytes_held == 0
    assert lender._places == {key: (99, 0, (8,), "<f8")}
    assert place[0] == 0


def test_threads_and_cycles() -> None:
    lender = Lender(1 << 14)
    wrong = []

    def use(seed: int) -> None:
        generator = np.random.default_rng(seed)
        held = []
        for number in range(300):
            array = lender.allocate("one", (int(generator.integers(1, 3000)),), "<u1")
            if array.any():
                wrong.append("not zeroed")
            array.fill(seed + 1)
            held.append((array, lender.place(array)))
            # in a cycle, so that only the collector of cycles gives it back, in whatever thread it runs
            ring: list[object] = [array[:1]]
            ring.append(ring)
            if len(held) > 10:
                one, place = held.pop(int(generator.integers(len(held))))
                if (one != seed + 1).any() or lender.place(one) != place:
                    wrong.append("somebody else wrote here")
            if number % 150 == 149:
                gc.collect()

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert wrong == []
    assert lender.bytes_held == 0
    assert lender._places == {}
    lender.close()


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.ENOSPC])
def test_no_memory_is_a_clear_refusal(lender: Lender, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = lender.allocate("one", (8,), "<f8")

    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ApiError, match=f"8 MB more .* cannot be had: {os.strerror(number)}") as refused:
        lender.allocate("two", (1 << 20,), "<f8")
    assert (refused.value.code, refused.value.status) == ("no-room", 507)
    # its traceback holds on to everything here
    del refused
    # what fits into the block that is there can still be had
    lender.allocate("three", (8,), "<f8")
    monkeypatch.undo()
    lender.allocate("two", (1 << 20,), "<f8")
    assert kept[0] == 0.0
    del kept


def test_no_room_in_the_address_space_gives_the_descriptor_back(
    lender: Lender, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(memory.mmap, "mmap", full)
    with pytest.raises(ApiError, match="cannot be had"):
        lender.allocate("one", (8,), "<f8")
    monkeypatch.undo()
    assert descriptors() == 0
    assert lender.bytes_held == 0


def test_after_the_end_arrays_go_on_until_nobody_holds_them() -> None:
    lender = Lender()
    array = lender.allocate("one", (8,), "<f8")
    lender.close()
    array[:] = 3.0
    assert array.sum() == 24.0
    del array
    assert lender.bytes_held == 0
    assert descriptors() == 0
