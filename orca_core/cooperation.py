"""Cooperation: whether agents of a world follow plans that are made for all of them, and take turns where it is narrow.

The library of it is orca_core.cooperative; this is what a world is asked for, beside its other options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.agent_columns import COLUMNS
from orca_core.errors import InvalidInput, Problem

__all__ = [
    *("COOPERATION_STATES", "COOPERATION_VARIANTS", "COOPERATIVE", "REFUSED", "Cooperation"),
    *("check_cooperative", "largest_radius", "too_wide"),
]

COOPERATION_VARIANTS = ("orca", "orca-mapf", "corca", "corca-mapf")
# what an agent is doing: nothing of all this, or as in a trace
COOPERATION_STATES = ("none", "orca", "drift", "mapf", "yield")

# of the agents that follow such a plan
COOPERATIVE = COLUMNS["guidance"].choices.index("cooperative")
REFUSED = "must not be cooperative: this world has no guidance, which is given when a world is made"

# of a cell: what a gap one cell wide must be wider than a disc. Rounding alone holds up one of exactly its width, and
# with a ten-thousandth it still creeps
ROOM = 1e-3

INITIAL = ("PP", "PIBT")
WHOLE = {"neighbor_size": (1, 1000), "max_iterations": (0, 100_000)}


@dataclass(frozen=True)
class Cooperation:
    """`variant` says how: `orca` is a path each and nothing else, `corca` plans for all and takes turns in narrow
    places, `-mapf` also takes those who have locked each other up out by a plan of their own.

    `init_algo` PP or PIBT, `neighbor_size` and `max_iterations` are those of the planner (orca_core.mapf.lns2).
    """

    variant: str = "corca-mapf"
    init_algo: str = "PP"
    neighbor_size: int = 8
    max_iterations: int = 0

    @classmethod
    def from_mapping(cls, given: object, field: str = "guidance") -> Cooperation | None:
        """Build from `{variant, …}`, all but the variant optional; None from None. Raises InvalidInput naming every
        fault by its place under `field`.
        """
        if given is None or isinstance(given, Cooperation):
            return given
        if not isinstance(given, Mapping):
            raise InvalidInput([Problem(None, field, f"must be an object or null, not {given!r}")])
        problems = [
            Problem(None, f"{field}.{name}", f"is not a member; there are {', '.join(cls.__dataclass_fields__)}")
            for name in given
            if name not in cls.__dataclass_fields__
        ]
        for name, allowed in (("variant", COOPERATION_VARIANTS), ("init_algo", INITIAL)):
            value = given.get(name, cls.__dataclass_fields__[name].default if name != "variant" else None)
            if value not in allowed:
                problems.append(Problem(None, f"{field}.{name}", f"must be one of {', '.join(allowed)}, not {value!r}"))
        for name, (low, high) in WHOLE.items():
            value = given.get(name, low)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                problems.append(
                    Problem(None, f"{field}.{name}", f"must be an integer from {low} to {high}, not {value!r}")
                )
        if problems:
            raise InvalidInput(problems)
        return cls(**given)

    def as_mapping(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    @property
    def takes_turns(self) -> bool:
        """Whether there is a plan for all, and an order at narrow places."""
        return self.variant.startswith("corca")

    @property
    def repairs(self) -> bool:
        """Whether those who have locked each other up get a plan of their own."""
        return self.variant.endswith("-mapf")


def check_cooperative(cooperation: Cooperation | None, columns: Mapping[str, Any]) -> None:
    """Refuse agents that are to cooperate in a world that has no cooperation, naming each by its place."""
    if cooperation is not None or "guidance" not in columns:
        return
    wanted = np.flatnonzero(np.asarray(columns["guidance"]) == COOPERATIVE)
    if len(wanted):
        raise InvalidInput([Problem(int(item), "guidance", REFUSED) for item in wanted])


def largest_radius(cell_size: float) -> float:
    """That of the largest disc that gets through a gap one cell wide."""
    # to so many digits that what is said of it is what holds
    return float(f"{0.5 * (1.0 - ROOM) * cell_size:.12g}")


def too_wide(cell_size: float, radius: NDArray[np.float64], guidance: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The places, of agents with `radius` float64 (n,) and `guidance` uint8 (n,), of those who are to follow a plan
    cell by cell and get through no gap one cell wide.
    """
    return np.flatnonzero((guidance == COOPERATIVE) & (radius > largest_radius(cell_size)))
