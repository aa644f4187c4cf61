"""Figures: what a result comes down to, a name, a unit and a spread each, so that two runs can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orca_crowd.bench.compare import spread

__all__ = ["figure", "kernel_figures", "start_figures"]

Figure = dict[str, Any]


def figure(name: str, unit: str, values: Sequence[float] | dict[str, float]) -> Figure:
    """One figure from its measurements or from their spread; smaller is better unless the unit ends in `a second`."""
    found = values if isinstance(values, dict) else spread(values)
    return {"name": name, "unit": unit, **{key: float(found[key]) for key in ("median", "p10", "p90")}}


def kernel_figures(result: dict[str, Any]) -> list[Figure]:
    """µs per agent and step of everybody, shares of the peers' times, ratios of the variants to the plain scene."""
    found = []
    for entry in result["scenes"]:
        scene = entry["scene"]["name"]
        for name, facts in entry["contenders"].items():
            found.append(figure(f"{scene}: {name}", "µs per agent and step", facts["microseconds_per_agent_step"]))
        for peer, shares in entry["ratios"].items():
            for name, share in shares.items():
                found.append(figure(f"{scene}: {name} to {peer}", "ratio", share))
    for entry in result["variants"][1:]:
        plain = result["variants"][0]["scene"]["name"]
        found.append(figure(f"{entry['scene']['name']} to {plain}", "ratio", entry["ratio"]))
    return found


def start_figures(result: dict[str, Any]) -> list[Figure]:
    """Seconds to each answer, by kernel cache."""
    return [
        figure(f"{answer} with {cache} cache", "s", [run[key] for run in result[kind]])
        for kind, cache in (("cold", "an empty"), ("warm", "a full"))
        for answer, key in (("/healthz", "healthz_seconds"), ("/readyz", "readyz_seconds"))
        if result[kind]
    ]
