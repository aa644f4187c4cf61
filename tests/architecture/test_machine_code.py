"""No kernel holds a fused multiply-add: not in the code made for this machine, nor in that for any other.

A fused operation rounds once where the text rounds twice. LLVM makes one only where a flag on the operation permits
it, so the flags are read as well as the instructions; a control with that flag shows that the reading finds them.
One process compiles every kernel, not optimised, and LLVM optimises that for each machine: the same bits come out of a
scene with these kernels as with those of this process. What numba itself makes here is read by `make soak`.
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

from tests.determinism.scene import everything
from tests.support.imports import ROOT
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


# of a machine that has much else to do
LONGEST_SECONDS = 1200

Report = dict[str, Any]


def read(which: str) -> Report:
    """Findings of a process that compiles every kernel afresh."""
    command = [sys.executable, "-W", "error", "-m", "tests.support.machine_code", which]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert isinstance(report, dict)
    return report


@pytest.fixture(scope="module")
def report() -> Report:
    """What is found for this machine and for one other of each kind."""
    return read("--few")


@pytest.mark.timeout(LONGEST_SECONDS)
def test_no_fused_instruction_on_any_machine(report: Report) -> None:
    assert report["kernels"] > 40
    assert report["fused"] == {}
    # there was arithmetic to read on each of them
    assert set(report["multiplications"]) == {"this", *(target.name for target in FEW_TARGETS)}
    assert min(report["multiplications"].values()) > 100


def test_no_permission_to_fuse_reassociate_or_approximate(report: Report) -> None:
    assert report["flags"] == []


def test_no_function_whose_bits_a_library_decides(report: Report) -> None:
    assert report["calls"] == []


def test_kernels_that_were_not_optimised_give_the_same_bits_and_events(report: Report) -> None:
    assert report["scene"] == everything()


@pytest.mark.soak
def test_no_fused_instruction_on_all_other_machines() -> None:
    found = read("--all")
    assert found["fused"] == {}
    assert set(found["multiplications"]) == {"this", *(target.name for target in TARGETS)}


@pytest.mark.soak
def test_nothing_of_the_kind_in_what_the_compiler_has_made_here() -> None:
    found = read("--made")
    assert found["kernels"] > 40
    assert (found["fused"], found["flags"], found["calls"]) == ({}, {}, {})


# The controls: with the permission the same reading finds fused instructions on every machine, without it none.


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_contracted_kernel_is_found_out(target: Target, report: Report) -> None:
    assert report["contracted"]["fused"][target.name] != []
    assert report["plain"]["fused"][target.name] == []


def test_a_contracted_kernel_is_found_out_by_its_flags(report: Report) -> None:
    assert report["contracted"]["flags"] == ["contract"]
    assert "flags" not in report["plain"]


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
