"""One scene under every setting of the compiler and the interpreter: one digest, and the same events."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.determinism.scene import everything
from tests.support.imports import ROOT

# by name: what the environment of the process adds. Not optimised: where kernels are compiled so to be read,
# tests/architecture/test_machine_code.py
VARIANTS = {
    "generic processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "bounds checked": {"NUMBA_BOUNDSCHECK": "1"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    "compiled": {"PYTHONHASHSEED": "0"},
    "other hash seed": {"PYTHONHASHSEED": "1"},
}

# of a machine that has much else to do and compiles every kernel first
LONGEST_SECONDS = 900


@pytest.fixture(scope="module")
def here() -> dict[str, object]:
    """What the scenes come to in this process."""
    return everything()


@pytest.mark.timeout(LONGEST_SECONDS)
@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_bits_and_events(name: str, here: dict[str, object]) -> None:
    environment = {**os.environ, **VARIANTS[name], "PYTHONPATH": str(ROOT)}
    # warnings end it, as they end a test
    command = [sys.executable, "-W", "error", "-m", "tests.determinism.scene"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == here
