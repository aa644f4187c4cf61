"""Corridor turns: the guide of worlds whose agents take turns at narrow places of walkable ground.

Asked for by `Options.corridor_turns`, and behind whatever finds ways. It looks for corridors after a step, whenever the
ground, the walls or the radii that decide what is narrow are others; how agents take turns at them is the business of
orca_core.cooperative.region_gate. What was found is kept in snapshots, so that no library's version changes a bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperation import COOPERATION_STATES
from orca_core.cooperative.polygon_corridors import RegionCorridors, deciding_radii, identify_regions
from orca_core.cooperative.region_gate import RegionGate
from orca_core.errors import SnapshotError
from orca_core.report import Event

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["CorridorTurns"]

# of what is kept of the corridors beside what is kept of the agents
PREFIX = "corridors_"
DRIFT = COOPERATION_STATES.index("drift")


class CorridorTurns:
    """The guide of one world."""

    name = "corridor-turns"

    def __init__(self) -> None:
        """Nothing is looked for yet."""
        self.gate: RegionGate | None = None
        # of what the corridors were found, and what has to be others before it is asked again
        self._found_in = np.zeros(6)
        self._seen: tuple[object, ...] = ()
        # whether columns of agents say anything
        self._told = False

    @classmethod
    def of(cls, world: World, kept: Mapping[str, NDArray[Any]]) -> CorridorTurns:
        """A guide for this world; raises SnapshotError where what was kept does not agree with itself."""
        made = cls()
        if not world.options.corridor_turns:
            return made
        if not kept:
            made._look_for_corridors(world)
            return made
        try:
            made._found_in = kept["found_in"].copy()
            made.gate = RegionGate(world, RegionCorridors.from_arrays(_corridors(kept)))
            made.gate.put_back(kept)
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the corridors of this snapshot do not agree with themselves: {error}") from None
        made._told = True
        return made

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """The corridors, what they were found in, and who is where."""
        if self.gate is None:
            return {}
        told = {f"{PREFIX}{name}": array for name, array in self.gate.corridors.to_arrays().items()}
        return {"found_in": self._found_in, **told, **self.gate.kept()}

    def guide(self, world: World) -> bool:
        """Have those who wait drift; whether there are any."""
        return self.gate is not None and self.gate.guide(world)

    def conclude(self, world: World) -> list[Event]:
        """Look for corridors where the world is another one, decide who goes first, and show who waits for whom."""
        if not world.options.corridor_turns:
            return []
        self._look_for_corridors(world)
        gate = self.gate
        assert gate is not None, "made just now at the latest"
        gate.conclude(world)
        waiting = np.flatnonzero(gate.waits_at >= 0)
        agents = world.population.state
        if self._told:
            agents.clear("cooperation", "waits_for")
        self._told = bool(len(waiting))
        if self._told:
            agents.put("cooperation", waiting, np.full(len(waiting), DRIFT, np.uint8))
            other = gate.wait_for[waiting]
            agents.put("waits_for", waiting, np.where(other >= 0, agents["id"][np.maximum(other, 0)], -1))
        return []

    def _look_for_corridors(self, world: World) -> None:
        """Find them anew where the ground, the walls or the radii are others, and begin anew with these."""
        agents = world.population.state
        seen = (world.statics(), agents.tuned, agents.placed, agents.count)
        if self.gate is not None and self._seen == seen:
            return
        self._seen = seen
        found_in = _deciding(world)
        if self.gate is None or not np.array_equal(found_in, self._found_in):
            self._found_in = found_in
            self.gate = RegionGate(world, identify_regions(world, world.options.corridor_margin))


def _corridors(kept: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(PREFIX): array for name, array in kept.items() if name.startswith(PREFIX)}


def _deciding(world: World) -> NDArray[np.float64]:
    """All that decides which corridors there are, as six numbers: a digest of ground and walls, and the radii."""
    told = hashlib.sha256()
    for area in world.walkable():
        for polygon in area.polygons:
            for ring in polygon:
                told.update(np.int64(len(ring)).tobytes())
                told.update(np.ascontiguousarray(ring, np.float64).tobytes())
    for wall in world.obstacle_set.acting():
        told.update(np.int64(-2 * len(wall.points) - wall.closed).tobytes())
        told.update(np.ascontiguousarray(wall.points, np.float64).tobytes())
    words = np.frombuffer(told.digest(), np.uint32)[:4]
    return np.concatenate([words.astype(np.float64), deciding_radii(world)])
