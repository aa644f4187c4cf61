"""No kernel holds a fused multiply-add: not in the code made for this machine, nor in that for any other.

A fused operation rounds once where the text rounds twice. LLVM makes one only where a flag on the operation permits
it, so the flags are read as well as the instructions; a control with that flag shows that the reading finds them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

import numba
import pytest

from tests.support.imports import ROOT
from tests.support.lane import Lane
from tests.support.machine_code import (
    ARM_FUSED,
    FEW_TARGETS,
    TARGETS,
    X86_FUSED,
    Target,
    fused_instructions,
    inexact_calls,
)

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="with the compiler off there is no machine code"
)


Reports = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def reports(lane: Lane) -> Reports:
    """Findings of two processes that compile every kernel afresh."""
    ended = {which: lane.outcome(which) for which in ("--this", "--others")}
    for outcome in ended.values():
        assert outcome.code == 0, outcome.complained
    return {which: json.loads(outcome.said) for which, outcome in ended.items()}


def test_no_fused_instruction_on_this_machine(reports: Reports) -> None:
    found = reports["--this"]
    assert found["kernels"] > 40
    assert found["fused"] == {}


def test_no_permission_to_fuse_reassociate_or_approximate(reports: Reports) -> None:
    assert reports["--this"]["flags"] == {}


def test_no_function_whose_bits_a_library_decides(reports: Reports) -> None:
    assert reports["--this"]["calls"] == {}


def test_no_fused_instruction_on_other_machines(reports: Reports) -> None:
    found = reports["--others"]
    assert found["kernels"] == reports["--this"]["kernels"]
    assert found["fused"] == {}
    # there was arithmetic to read on each of them
    assert set(found["multiplications"]) == {target.name for target in FEW_TARGETS}
    assert min(found["multiplications"].values()) > 100


@pytest.mark.soak
def test_no_fused_instruction_on_any_other_machine() -> None:
    command = [sys.executable, "-m", "tests.support.machine_code", "--all-others"]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert found["fused"] == {}
    assert set(found["multiplications"]) == {target.name for target in TARGETS}


# The controls: with the permission the same reading finds fused instructions on every machine, without it none.


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_contracted_kernel_is_found_out(target: Target, reports: Reports) -> None:
    assert reports["--others"]["contracted"]["fused"][target.name] != []
    assert reports["--others"]["plain"]["fused"][target.name] == []


def test_a_contracted_kernel_is_found_out_by_its_flags(reports: Reports) -> None:
    assert reports["--others"]["contracted"]["flags"] == ["contract"]
    assert "flags" not in reports["--others"]["plain"]


def test_a_call_of_a_library_is_found_out() -> None:
    compiled = numba.njit("f8(f8)")(lambda x: x**2.5)
    assert inexact_calls(compiled.inspect_llvm(compiled.signatures[0])) != []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (X86_FUSED, "\tvfmadd231sd\t%xmm1, %xmm2, %xmm0"),
        (X86_FUSED, "\tvfnmsub132pd\t(%rax), %ymm2, %ymm0"),
        (X86_FUSED, "\tvfmaddsub213pd\t%ymm1, %ymm2, %ymm0"),
        (X86_FUSED, "\tvrsqrt14pd\t%zmm1, %zmm0"),
        (X86_FUSED, "\tcallq\tfma@PLT"),
        (ARM_FUSED, "\tfmadd\td0, d1, d2, d3"),
        (ARM_FUSED, "\tfnmsub\td0, d1, d2, d3"),
        (ARM_FUSED, "\tfmla\tv0.2d, v1.2d, v2.2d"),
        (ARM_FUSED, "\tfmls\tv0.2d, v1.2d, v2.d[0]"),
        (ARM_FUSED, "\tfmad\tz0.d, p0/m, z1.d, z2.d"),
        (ARM_FUSED, "\tbl\tfma"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_each_fused_instruction_has_a_name_that_is_known(pattern: re.Pattern[str], line: str) -> None:
    assert fused_instructions(line, pattern) != []


@pytest.mark.parametrize(
    "line", ["\tvmulsd\t%xmm1, %xmm0, %xmm0", "\tfmul\td0, d1, d2", "\tfmov\td0, d1", '\t.ascii "fmadd"', "fmadd:"]
)
def test_an_ordinary_line_is_not_one(line: str) -> None:
    assert fused_instructions(line, X86_FUSED) == fused_instructions(line, ARM_FUSED) == []
