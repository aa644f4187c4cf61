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

import pytest

from tests.support.imports import ROOT
from tests.support.samples import INTERPRETED

# whole scenes and hashes have a matrix of their own
CORE = "tests/orca_core"
KERNELS = (f"{CORE}/kernels", f"{CORE}/test_step.py", f"{CORE}/test_vectors.py")
CHECKED = (*KERNELS, f"{CORE}/test_columns.py", f"{CORE}/mendings", f"{CORE}/world")

# of a machine that has much else to do and compiles every kernel first
LONGEST_SECONDS = 900


@pytest.mark.parametrize(
    ("variable", "value", "tests"),
    [("NUMBA_DISABLE_JIT", "1", KERNELS), ("NUMBA_BOUNDSCHECK", "1", CHECKED)],
    ids=["interpreted", "bounds checked"],
)
@pytest.mark.skipif(INTERPRETED or "NUMBA_BOUNDSCHECK" in os.environ, reason="this is the run in another mode")
@pytest.mark.timeout(LONGEST_SECONDS)
def test_the_kernels_pass_in_another_mode(variable: str, value: str, tests: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    # not as one of the processes that share the tests of this run
    environment = {name: found for name, found in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        command, cwd=ROOT, env={**environment, variable: value, "CI": "1"}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) > 100
