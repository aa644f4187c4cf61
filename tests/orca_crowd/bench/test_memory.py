"""Memory is that of the whole family, and what is shared counts once."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from orca_crowd.bench.memory import PROC, family, peak, reset_peak, resident

pytestmark = pytest.mark.skipif(not PROC.exists(), reason="only Linux tells")
SIZE = 64 * 2**20


def test_what_is_written_is_counted_and_what_is_freed_is_not() -> None:
    before = resident()
    assert before is not None
    block = np.ones(SIZE // 8)
    during = resident()
    assert during is not None
    assert during - before == pytest.approx(SIZE, rel=0.1)
    del block
    after = resident()
    assert after is not None
    assert after - before < SIZE // 8


def test_an_array_in_a_plain_file_is_counted_and_one_that_is_only_read_is_not(tmp_path: Path) -> None:
    # a folder in shared memory would be counted as that
    file = tmp_path / "array"
    file.write_bytes(b"x" * SIZE)
    before = resident()
    assert before is not None
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), SIZE) as array:
        array[::4096] = b"y" * (SIZE // 4096)
        during = resident()
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), SIZE, access=mmap.ACCESS_READ) as array:
        assert array[:].count(b"y") == SIZE // 4096
        reading = resident()
    assert during is not None
    assert reading is not None
    assert during - before == pytest.approx(SIZE, rel=0.1)
    assert reading - before < SIZE // 8


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system has no anonymous files")
def test_an_anonymous_file_counts_as_a_whole_though_it_is_not_touched() -> None:
    before = resident()
    assert before is not None
    descriptor = os.memfd_create("of-a-test")
    try:
        os.posix_fallocate(descriptor, 0, SIZE)
        with mmap.mmap(descriptor, SIZE) as array:
            untouched = resident()
            array[::4096] = b"y" * (SIZE // 4096)
            touched = resident()
    finally:
        os.close(descriptor)
    assert untouched is not None
    assert touched is not None
    assert untouched - before == pytest.approx(SIZE, rel=0.1)
    assert touched - before == pytest.approx(SIZE, rel=0.1)


def test_the_peak_remembers_until_it_is_reset() -> None:
    reset_peak()
    before = peak()
    assert before is not None
    block = np.ones(SIZE // 8)
    del block
    highest = peak()
    assert highest is not None
    assert highest - before > SIZE // 2
    reset_peak()
    again = peak()
    assert again is not None
    assert again < highest - SIZE // 2


def test_children_belong_to_the_family_and_a_shared_page_counts_once() -> None:
    shared = mmap.mmap(-1, SIZE)
    shared.write(b"x" * SIZE)
    before = resident()
    assert before is not None
    code = "import sys; block = bytearray(32 * 2**20); print(flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in family(os.getpid())
        during = resident()
        child.communicate()
    assert during is not None
    # the block of the child and its interpreter, and not our pages once more
    assert 32 * 2**20 < during - before < SIZE
    assert child.pid not in family(os.getpid())
    shared.close()
