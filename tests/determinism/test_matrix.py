"""One scene under every setting of the compiler and the interpreter: one digest, and the same events."""

from __future__ import annotations

import pytest

from tests.determinism.conftest import VARIANTS, Outcomes
from tests.determinism.scene import everything


@pytest.fixture(scope="module")
def here() -> dict[str, object]:
    """What the scenes come to in this process."""
    return everything()


# the slowest last: they have been running all the while
@pytest.mark.parametrize("name", sorted(VARIANTS, key=list(VARIANTS).index, reverse=True))
def test_the_same_bits_and_events(name: str, variants: Outcomes, here: dict[str, object]) -> None:
    assert variants(name) == here
