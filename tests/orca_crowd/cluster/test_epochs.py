"""Older lives of a world are not believed."""

from __future__ import annotations

from orca_crowd.cluster.epochs import Epochs


def test_the_newest_life_counts() -> None:
    epochs = Epochs()
    assert epochs.believed("w", 5)
    assert epochs.believed("w", 5)
    assert epochs.believed("w", 7)
    assert not epochs.believed("w", 5)
    assert epochs.believed("other", 5)
