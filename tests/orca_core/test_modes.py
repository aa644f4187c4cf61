"""The tests of the kernels again, interpreted and with every index checked, each in a process of its own.

They take the same inputs, the first few per cent of them where kernels run two hundred times slower. Compiled they
have run before; a kernel that passes there and not here does something that differs between the two, such as reading
beyond an array, overflowing an integer or dividing by zero (a warning here, and warnings are errors).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.samples import INTERPRETED

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests/orca_core"
KERNELS = [f"{HERE}/kernels", f"{HERE}/test_step.py", f"{HERE}/test_vectors.py"]
# what runs again in each mode; whole scenes and hashes have a matrix of their own
AGAIN = {
    "interpreted": (KERNELS, {"NUMBA_DISABLE_JIT": "1"}),
    "bounds checked": ([*KERNELS, f"{HERE}/mendings", f"{HERE}/world"], {"NUMBA_BOUNDSCHECK": "1"}),
}


@pytest.mark.parametrize("mode", AGAIN)
@pytest.mark.skipif(INTERPRETED or "NUMBA_BOUNDSCHECK" in os.environ, reason="this is the run in another mode")
def test_the_kernels_pass_in_another_mode(mode: str) -> None:
    folders, changes = AGAIN[mode]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *folders]
    environment = {**os.environ, **changes, "CI": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) > 100
