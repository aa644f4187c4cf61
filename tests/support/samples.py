"""How many samples a test takes: all of them compiled, few of them where kernels run interpreted.

`NUMBA_DISABLE_JIT=1` makes a kernel two hundred times slower; the same tests then run on the first few per cent of the
same inputs, so that what differs between the two modes is the mode.
"""

from __future__ import annotations

import os

__all__ = ["INTERPRETED", "samples"]

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
SHARE = 50


def samples(count: int) -> int:
    """`count`, or a fiftieth of it (at least 10) where kernels run interpreted."""
    return max(min(count, 10), count // SHARE) if INTERPRETED else count
