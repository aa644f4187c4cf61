"""Shares: how many leaves each gets, so that all are done at the same time."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["cuts_of", "smoothed"]

# how much of a pace the last step decides
WEIGHT = 0.25


def smoothed(pace: float | None, leaves: int, seconds: float) -> float:
    """The pace after a step: leaves a second, everything around them included."""
    now = leaves / max(seconds, 1e-6)
    return now if pace is None else (1.0 - WEIGHT) * pace + WEIGHT * now


def cuts_of(leaves: int, paces: Sequence[float | None]) -> list[int]:
    """Cuts [0, …, leaves] that give each a share by its pace; one whose pace nobody knows yet is as the mean of the
    others.
    """
    known = [pace for pace in paces if pace is not None]
    usual = sum(known) / len(known) if known else 1.0
    cuts, before = [0], 0.0
    whole = sum(usual if pace is None else pace for pace in paces)
    for pace in paces[:-1]:
        before += usual if pace is None else pace
        cuts.append(min(leaves, max(cuts[-1], int(leaves * before / whole))))
    return [*cuts, leaves]
