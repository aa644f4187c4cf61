"""Memory that workers share: anonymous files without a name, cut into arrays.

A named segment outlives whoever is killed, and /dev/shm may hold as little as 64 MB; a memfd has no name, is gone
with the last
process that holds it, and is bounded by the machine's memory alone. Pages are reserved when a block is made, so that
want
of memory is an error here and never a SIGBUS in a worker. Where there is no memfd an unlinked temporary file does.

The parent owns all of it; workers get descriptors over their pipes and only attach.
"""

from __future__ import annotations

import itertools
import mmap
import os
import tempfile
import threading
import weakref
from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.errors import ApiError

__all__ = ["Block", "Lender", "Place", "attach"]

# block, offset, shape and dtype of an array
Place = tuple[int, int, tuple[int, ...], str]

BLOCK_BYTES = 4 << 20
# a further block is at least as large as this part of all that there are, up to so many bytes
SHARE = 128
LARGEST_SPARE = 256 << 20
# arrays begin at cache lines
LINE = 64


def _anonymous(size: int) -> int:
    """A descriptor of so many reserved bytes without a name."""
    descriptor = -1
    try:
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("orca-crowd", os.MFD_CLOEXEC)
        else:  # pragma: no cover - a system without memfd
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, size)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        raise _no_room(size, error) from error
    return descriptor


def _no_room(size: int, error: OSError) -> ApiError:
    return ApiError("no-room", f"{size >> 20} MB more for the arrays of a world cannot be had: {error.strerror}")


class Block:
    """One anonymous file, mapped; `free` holds (offset, size) of its gaps in order."""

    def __init__(self, number: int, size: int) -> None:
        """Reserve and map it; raises ApiError (507) where there is no memory for it."""
        self.number = number
        self.size = size
        self.descriptor = _anonymous(size)
        try:
            self.map = mmap.mmap(self.descriptor, size)
        except OSError as error:
            os.close(self.descriptor)
            raise _no_room(size, error) from error
        self.free: list[tuple[int, int]] = [(0, size)]

    def take(self, size: int) -> int | None:
        """The offset of a gap of this size, which is no gap any more, or None."""
        for index, (offset, room) in enumerate(self.free):
            if room >= size:
                self.free[index : index + 1] = [(offset + size, room - size)] if room > size else []
                return offset
        return None

    def give_back(self, offset: int, size: int) -> bool:
        """Make it a gap again, joined with its neighbours; whether nothing of the block is in use now."""
        insort(self.free, (offset, size))
        joined: list[tuple[int, int]] = []
        for start, room in self.free:
            if joined and joined[-1][0] + joined[-1][1] == start:
                joined[-1] = (joined[-1][0], joined[-1][1] + room)
            else:
                joined.append((start, room))
        self.free = joined
        return self.free == [(0, self.size)]


class Lender:
    """Lends zeroed arrays out of blocks and takes them back when nobody holds them any more. Safe for threads."""

    def __init__(self, block_bytes: int = BLOCK_BYTES) -> None:
        """No block yet; each has so many bytes, or as many as one array needs."""
        self._block_bytes = block_bytes
        self._blocks: dict[int, Block] = {}
        self._numbers = itertools.count()
        self._places: dict[int, Place] = {}
        # how many blocks were given back to the system, for workers that may still hold them
        self._released = 0
        # a finalizer may run in the middle of anything, this class included
        self._lock = threading.RLock()
        self._returned: list[tuple[int, int, int, int]] = []

    def allocate(self, name: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
        """A zeroed array; its memory is free again when the array and all its views are gone."""
        bytes_needed = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        size = max(LINE, -(-bytes_needed // LINE) * LINE)
        with self._lock:
            self._take_back()
            block, offset = self._find(size)
            np.frombuffer(block.map, np.uint8, bytes_needed, offset).fill(0)
            array: NDArray[Any] = np.frombuffer(
                block.map, np.dtype(dtype), bytes_needed // np.dtype(dtype).itemsize, offset
            ).reshape(shape)
            # all views hold on to the array that stands on the map, and not to one another
            owner = array.base
            assert isinstance(owner, np.ndarray)
            key = id(owner)
            self._places[key] = (block.number, offset, shape, np.dtype(dtype).str)
            weakref.finalize(owner, self._returned.append, (key, block.number, offset, size)).atexit = False
            return array

    def _find(self, size: int) -> tuple[Block, int]:
        for block in self._blocks.values():
            offset = block.take(size)
            if offset is not None:
                return block, offset
        block = self._another(-(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
        self._blocks[block.number] = block
        offset = block.take(size)
        assert offset is not None
        return block, offset

    def _another(self, least: int) -> Block:
        """A block with room for `least` bytes and for what may come: it grows with what there is already.

        Each block costs this process two descriptors, for mmap keeps one of its own, and every worker one. With blocks
        of one size a hundred gigabytes would need fifty thousand; so it is less than two thousand, and no more than one
        part in 128 lies in reserve.
        """
        held = sum(block.size for block in self._blocks.values())
        share = min(held // SHARE, LARGEST_SPARE) // mmap.PAGESIZE * mmap.PAGESIZE
        wanted = max(self._block_bytes, share, least)
        try:
            return Block(next(self._numbers), wanted)
        except ApiError:
            # what is not needed now may be too much to ask for
            if wanted == max(self._block_bytes, least):
                raise
        return Block(next(self._numbers), max(self._block_bytes, least))

    def _take_back(self) -> None:
        """What finalizers have reported becomes free; whole blocks are given to the system."""
        while self._returned:
            key, number, offset, size = self._returned.pop()
            # meanwhile another array may have got the identity of the one that is gone, but not its place
            if self._places.get(key, (-1, -1))[:2] == (number, offset):
                del self._places[key]
            block = self._blocks.get(number)
            # none is left once the lender is closed
            if block is not None and block.give_back(offset, size):
                del self._blocks[number]
                os.close(block.descriptor)
                self._released += 1

    def place(self, array: NDArray[Any]) -> Place:
        """Where an array stands that this lender has lent."""
        return self._places[id(array.base)]

    def blocks(self, numbers: Iterable[int]) -> list[Block]:
        """These blocks, in order."""
        return [self._blocks[number] for number in sorted(numbers)]

    def released(self) -> int:
        """How many blocks were given back so far."""
        with self._lock:
            self._take_back()
            return self._released

    def gone(self, numbers: set[int]) -> set[int]:
        """Which of these blocks were given back; numbers are never used again."""
        return numbers - self._blocks.keys()

    @property
    def bytes_held(self) -> int:
        """Bytes of all blocks."""
        with self._lock:
            self._take_back()
            return sum(block.size for block in self._blocks.values())

    def close(self) -> None:
        """Give back every descriptor; arrays that are still held go on until they are not."""
        with self._lock:
            for block in self._blocks.values():
                os.close(block.descriptor)
            self._blocks.clear()
            self._returned.clear()


def attach(place: Place, block: Callable[[int], mmap.mmap]) -> NDArray[Any]:
    """The array at a place, on the map that `block` gives for its number."""
    number, offset, shape, dtype = place
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(block(number), np.dtype(dtype), count, offset).reshape(shape)
