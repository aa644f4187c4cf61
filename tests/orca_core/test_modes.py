"""The tests of the kernels again, interpreted and with every index checked, each in a process of its own.

They take the same inputs, the first few per cent of them where kernels run two hundred times slower. Compiled they
have run before; a kernel that passes there and not here does something that differs between the two, such as reading
beyond an array, overflowing an integer or dividing by zero (a warning here, and warnings are errors). Which tests these
are stands in `tests/support/lane.py`; they run beside all others.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.support.lane import Lane
from tests.support.samples import INTERPRETED


@pytest.mark.parametrize("mode", ["interpreted", "bounds checked"])
@pytest.mark.skipif(INTERPRETED or "NUMBA_BOUNDSCHECK" in os.environ, reason="this is the run in another mode")
def test_the_kernels_pass_in_another_mode(mode: str, lane: Lane) -> None:
    run = lane.outcome(mode)
    assert run.code == 0, run.said[-4000:] + run.complained[-1000:]
    passed = re.search(r"(\d+) passed", run.said)
    assert passed is not None
    assert int(passed[1]) > 100
