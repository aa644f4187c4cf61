"""Kernels take what they were declared for: any other array is an error, never a second version of the kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from orca_core import _jit
from orca_core.kernels.frame import write_leaf_firsts
from orca_core.kernels.linear_program import solve
from orca_core.kernels.preferred import gather_parameters
from tests.support.samples import INTERPRETED

PLANES = np.zeros((4, 4))
READ_ONLY = PLANES.copy()
READ_ONLY.flags.writeable = False

WRONG: dict[str, Callable[[], object]] = {
    "float32": lambda: solve(PLANES.astype(np.float32), 2, 1.0, 0.0, 0.0),
    "strided": lambda: solve(np.zeros((4, 8))[:, ::2], 2, 1.0, 0.0, 0.0),
    "transposed": lambda: solve(PLANES.T, 2, 1.0, 0.0, 0.0),
    "read-only": lambda: solve(READ_ONLY, 2, 1.0, 0.0, 0.0),
    "one dimension": lambda: solve(PLANES[0], 2, 1.0, 0.0, 0.0),
    "int32 order": lambda: gather_parameters(
        0, 1, np.zeros(1, np.int32), *[np.zeros(1)] * 4, np.zeros(1, np.int64), np.zeros((1, 5))
    ),
}


@pytest.mark.skipif(INTERPRETED, reason="without compilation there are no signatures")
@pytest.mark.parametrize("name", WRONG)
def test_an_array_of_another_kind_is_a_type_error(name: str) -> None:
    before = _jit.signature_counts()
    with pytest.raises(TypeError):
        WRONG[name]()
    assert _jit.signature_counts() == before


def test_arrays_of_no_rows_are_taken() -> None:
    assert solve(np.empty((0, 4)), 0, 1.0, 0.5, 0.0) == (0, 0.5, 0.0)
    write_leaf_firsts(0, 0, np.empty(0, np.int64), np.empty(0, np.int64))
