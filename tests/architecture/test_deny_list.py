"""No kernel uses an operation whose bits depend on the compiler, the machine or a library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.deny_list import violations
from tests.support.imports import ROOT

SOURCES = sorted((ROOT / "orca_core" / "kernels").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_kernel_uses_only_what_is_reproducible(path: Path) -> None:
    assert violations(path.read_text(encoding="utf-8")) == []


IMPORTS = "import math\nimport numpy as np\nimport numpy\n"


@pytest.mark.parametrize(
    "line",
    [
        "x ** 2",
        "x **= 2",
        "pow(x, 2)",
        "math.pow(x, 2)",
        "math.hypot(x, y)",
        "np.hypot(x, y)",
        "np.power(x, 2)",
        "np.sum(a)",
        "numpy.sum(a)",
        "sum(a)",
        "a.sum()",
        "np.mean(a)",
        "a.mean()",
        "np.dot(a, b)",
        "a.dot(b)",
        "a @ b",
        "np.linalg.norm(a)",
        "np.linalg.solve(a, b)",
        "np.einsum('i,i', a, b)",
        "np.prod(a)",
        "np.cumsum(a)",
        "a.cumsum()",
        "math.fsum(a)",
        "math.sin(x)",
        "math.cos(x)",
        "math.tan(x)",
        "math.atan2(y, x)",
        "math.acos(x)",
        "math.exp(x)",
        "math.log(x)",
        "math.cbrt(x)",
        "math.fma(x, y, z)",
        "math.fmod(x, y)",
        "math.pi",
        "np.sin(x)",
        "np.arctan2(y, x)",
        "np.exp(x)",
        "np.reciprocal(x)",
        "round(x)",
        "np.round(x)",
        "a.round()",
        "np.sort(a)",
        "a.sort()",
        "np.argsort(a)",
        "a.argsort()",
        "sorted(a)",
        "np.random.random()",
        "np.float32(x)",
        "np.empty(3)",
        "np.zeros((2, 2))",
        "a.copy()",
        "a.astype(np.float64)",
        "divmod(x, y)",
        "{1, 2}",
        "{1: 2}",
        "{i for i in a}",
        "{i: i for i in a}",
        "set(a)",
        "dict(a)",
        "1j * x",
        "hash(x)",
        "import random",
        "import time",
        "import numba",
        "from math import sqrt",
        "from numpy.linalg import norm",
        "from time import time",
    ],
)
def test_each_denied_operation_is_caught(line: str) -> None:
    assert len(violations(IMPORTS + line)) >= 1


@pytest.mark.parametrize(
    "line",
    [
        *("x * x", "x / y", "x // y", "x % y", "x < y", "abs(x)", "min(x, y)"),
        *("math.sqrt(x)", "math.floor(x)", "math.inf", "np.int64(x)"),
    ],
)
def test_what_is_exact_or_correctly_rounded_is_not(line: str) -> None:
    assert violations(IMPORTS + line) == []
