"""The bounds of every setting, read off the settings themselves."""

from __future__ import annotations

import math
from typing import Any

import annotated_types as at

from orca_crowd.settings import Settings

__all__ = ["bounds"]


def bounds() -> list[tuple[str, Any, Any]]:
    """Name, the last value that fits, and the next beyond it, for every bound of every setting."""
    found: list[tuple[str, Any, Any]] = []
    for name, field in Settings.model_fields.items():
        whole = field.annotation is int
        for bound in field.metadata:
            if isinstance(bound, at.Ge):
                found.append((name, bound.ge, bound.ge - 1 if whole else math.nextafter(bound.ge, -math.inf)))
            elif isinstance(bound, at.Le):
                found.append((name, bound.le, bound.le + 1 if whole else math.nextafter(bound.le, math.inf)))
            elif isinstance(bound, at.Gt):
                found.append((name, bound.gt + 1 if whole else math.nextafter(bound.gt, math.inf), bound.gt))
    return found
