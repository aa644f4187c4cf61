"""Bars: what the project holds itself to, and whether a result reaches it.

A bar is about one scene of one size on a machine with two cores; a result without that scene has no such bar.
"""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.scenes import HEADLINE

__all__ = ["bar", "kernel_bars"]

# at most this share of the time of pyrvo's `do_step`, by number of agents, in the plain scene
SHARES = {1_000: 0.20, 10_000: 0.20, 100_000: 0.13}
# at most this many times the plain scene of as many agents, per agent
PLAIN_OF = 10_000
WITH_WALLS = 1.25
HARD = 3.0
RESTING = 0.40
# milliseconds of a step of the headline's crowd
HEADLINE_MILLISECONDS = 1.0
# the contender and the peer that the shares are about
JUDGED = "ours, service"
JUDGE = "pyrvo"


def bar(name: str, value: float, limit: float, unit: str, *, at_least: bool = False) -> dict[str, Any]:
    """A bar and whether `value` reaches it: by being at most `limit`, or at least."""
    reached = value >= limit if at_least else value <= limit
    return {"name": name, "value": value, "limit": limit, "unit": unit, "at_least": at_least, "reached": bool(reached)}


def kernel_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The bars of a step on one core."""
    found = []
    for entry in result["scenes"]:
        scene = entry["scene"]
        share = entry["ratios"].get(JUDGE, {}).get(JUDGED)
        if scene["plain"] and scene["agents"] in SHARES and share is not None:
            name = f"{scene['name']} agents, share of {JUDGE}'s time"
            found.append(bar(name, share["median"], SHARES[scene["agents"]], ""))
        if scene["plain"] and scene["agents"] == HEADLINE:
            value = entry["contenders"][JUDGED]["milliseconds_per_step"]
            found.append(bar(f"{scene['name']} agents, a step", value, HEADLINE_MILLISECONDS, "ms"))
    variants = result["variants"]
    if variants and variants[0]["scene"]["agents"] == PLAIN_OF:
        for entry in variants[1:]:
            name = f"{entry['scene']['name']}, times the plain scene"
            found.append(bar(name, entry["ratio"]["median"], _limit(entry["scene"]), ""))
    return found


def _limit(scene: dict[str, Any]) -> float:
    """The bar of a variant."""
    if scene["walls"]:
        return WITH_WALLS
    return RESTING if scene["arrangement"] == "resting" else HARD
