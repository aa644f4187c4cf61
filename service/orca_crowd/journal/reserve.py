"""Room on the disk that is kept for one more write.

A command is recorded before it is answered and can be refused when there is no room. A step is done before it can be
recorded, since nobody knows beforehand that it will be: for its mark there is a little room that was taken earlier and
is given up at that moment. Until it can be taken again, the world refuses whatever would change it.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["Reserve"]

# room for the log's pages of some marks, and for the bookkeeping of the file system
RESERVE_BYTES = 131_072


class Reserve:
    """A file of fixed size that holds nothing."""

    def __init__(self, path: Path) -> None:
        """Hold nothing yet."""
        self._path = path
        # whether the room is there; read before each change and each step
        self.held = False

    def hold(self) -> None:
        """Take the room; OSError where there is none. Costs nothing while it is held."""
        if self.held:
            return
        descriptor = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            # not ftruncate: a file with holes has no room of its own
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        except OSError:
            self._path.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        self.held = True

    def release(self) -> None:
        """Give the room back; nothing happens where none is held: the file may be another's."""
        if self.held:
            self._path.unlink(missing_ok=True)
            self.held = False

    def give_up(self) -> bool:
        """Give up what an earlier process held of the same file, which is at an end; whether there was any."""
        self.held = False
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        return True
