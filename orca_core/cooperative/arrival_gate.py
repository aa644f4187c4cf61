"""Arrival gate: at narrow places of a map whoever arrives first goes first, in place of the order of the plan.

An agent comes to a place once its next waypoint is there and it is near. Of those who come one at a time is let in, as
`Precedence` says: the nearest to its gate, and it stays the first until it is in. While somebody is in, nobody is let
in from another side; from its own side the next one is, once it is past the gate. `Admissions` keeps them in order.

Who ends in a narrow place waits for all who have to get through there. What circles there are among those who wait to
be let in are found by following whom each waits for, and one of a circle is let in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.admissions import Admissions, VisitTable
from orca_core.cooperative.config import Config
from orca_core.cooperative.precedence import NOBODY, Precedence
from orca_core.kernels.visits import HELD, NEXT

__all__ = ["COMING", "ArrivalGate"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.uint8]
Marks = NDArray[np.bool_]

# who is in a place, and the visit by which it is
Occupants = dict[int, list[tuple[int, int]]]

# cells from its gate within which somebody comes
COMING = 4.0


class ArrivalGate:
    """Says before every look who may come in."""

    def __init__(self, table: VisitTable, place: NDArray[np.int32], width: int, config: Config) -> None:
        """Nobody has come yet, but those who begin in a narrow place. `place` is by cell, `width` cells in a row."""
        self._table = table
        size = config.cell_size
        self._eps = config.gate_match_eps / size
        self._precedence = Precedence(int(place.max(initial=-1)) + 1, config.timestep, config.priority_threshold / size)
        self._admissions = Admissions(table)
        cell, before = table.cell, table.before
        self._place = place[cell].astype(np.int64)
        # a side is the cell before the first of a passage
        passes = self._admissions.follows.copy()
        passes[1:] &= self._place[1:] == self._place[:-1]
        self._side = before[np.maximum.accumulate(np.where(passes, 0, np.arange(len(cell))))]
        # the gate of a visit is between its cell and the one before it
        middle = np.stack((cell % width + 0.5, cell // width + 0.5), axis=1)
        mouth = np.where(before[:, None] >= 0, np.stack((before % width + 0.5, before // width + 0.5), axis=1), middle)
        self._gate, self._inward = 0.5 * (middle + mouth), middle - mouth

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """What it must know to go on."""
        table = self._table
        arrays: dict[str, NDArray[Any]] = {
            "order": table.order, "rank": table.rank, "admitted": table.admitted, "holder": table.holder,
            **self._precedence.kept(),
        }  # fmt: skip
        return {f"gate.{name}": array for name, array in arrays.items()}

    def look(self, step: int, position: Floats, walk: Integers, until: Integers, taken: Flags) -> None:
        """After a step, before anybody is looked at: let in who may come.

        `position` (n, 2) in cells, `until` (n,) the place in its path up to which each looks, `taken` (n,) who is
        steered by somebody else.
        """
        table, admissions = self._table, self._admissions
        table.holder[:] = NOBODY
        live = walk[:, NEXT] < table.first[1:]
        if not live.any():
            return
        agents = np.arange(len(walk))
        following = np.minimum(walk[:, NEXT], len(table.cell) - 1)
        entered = walk[:, HELD] < walk[:, NEXT]
        within = entered & admissions.follows[following]
        # whoever has come into a stretch in a way of its own has to get out of it
        for agent in np.flatnonzero(live & within & (table.admitted[following] == 0)).tolist():
            admissions.admit(admissions.stretch(int(following[agent])))
        shut = live & (table.admitted[following] == 0)
        away = position - self._gate[following]
        distance = np.sqrt(away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1])
        coming = shut & (taken == 0) & (table.step[following] <= until) & (distance <= COMING)
        # whoever is at its gate is not before it any more
        distance = np.maximum(distance - self._eps, 0.0)
        side, places = self._side[following], self._place[following]
        heads = live & ~shut & ~within
        inside = self._occupants(walk, agents[entered])
        for place in np.unique(places[coming]).tolist():
            here = places == place
            self._decide(
                step, place, agents[coming & here], agents[heads & here], inside.get(place, []), following, side,
                distance, position,
            )  # fmt: skip
        self._tell(live, following, inside)
        self._break_circles(coming, following, distance)

    def _occupants(self, walk: Integers, entered: Integers) -> Occupants:
        """Who is in each place."""
        found: Occupants = {}
        for agent in entered.tolist():
            # the last cell that it has come into says where it is
            visit = int(walk[agent, NEXT]) - 1
            found.setdefault(int(self._place[visit]), []).append((agent, visit))
        return found

    def _decide(
        self, step: int, place: int, coming: Integers, heads: Integers, inside: list[tuple[int, int]],
        following: Integers, side: Integers, distance: Floats, position: Floats,
    ) -> None:  # fmt: skip
        """Let in one of those who come to a place, if one may. `heads` are let in and have not come in yet."""
        precedence, admissions = self._precedence, self._admissions
        for agent, visit in inside:
            if precedence.first[place] == agent:
                precedence.first[place] = NOBODY
            # one at a time: the one before is past its gate
            off, inward = position[agent] - self._gate[visit], self._inward[visit]
            if off[0] * inward[0] + off[1] * inward[1] <= self._eps and not admissions.follows[visit]:
                return
        may = coming[[not self._waits_for_others(visit) for visit in following[coming].tolist()]]
        occupied = np.array([self._side[visit] for _, visit in inside], np.int64)
        if len(occupied) and not precedence.tired(place, side[may]):
            # occupants hold up those from other sides
            may = may[(side[may][:, None] == occupied[None]).all(axis=1)]
        waiting = np.concatenate((heads, may))
        if not len(waiting):
            return
        first = precedence.choose(place, waiting, side, distance, occupied, step)
        if (heads == first).any():
            return
        # nobody else comes in before the one that was let in, unless that one has lost its turn
        stretches = [admissions.stretch(visit) for visit in following[heads].tolist()]
        if any(admissions.is_relied_on(stretch) for stretch in stretches):
            return
        for stretch in stretches:
            admissions.withdraw(stretch)
        admissions.admit(admissions.stretch(int(following[first])))
        precedence.enter(place, NOBODY, int(side[first]))

    def _waits_for_others(self, visit: int) -> bool:
        """Whether the path ends in the stretch of a visit, and others have to get through there."""
        return bool(self._admissions.ends[visit]) and self._admissions.others(visit) >= 0

    def _tell(self, live: Marks, following: Integers, inside: Occupants) -> None:
        """Write whom each waits for that is not let in: who is in or is let in, else who has to get through."""
        table, admissions = self._table, self._admissions
        granted = table.admitted[following] != 0
        first = {place: [agent for agent, _ in who] for place, who in inside.items()}
        for agent in np.flatnonzero(live & granted).tolist():
            first.setdefault(int(self._place[following[agent]]), []).append(agent)
        for agent in np.flatnonzero(live & ~granted).tolist():
            visit = int(following[agent])
            others = [other for other in first.get(int(self._place[visit]), []) if other != agent]
            if others:
                table.holder[agent] = others[0]
            elif admissions.ends[visit]:
                table.holder[agent] = admissions.others(visit)

    def _break_circles(self, coming: Marks, following: Integers, distance: Floats) -> None:
        """Of those who wait for each other in a circle let in one, who does not end there if there is one."""
        table, admissions = self._table, self._admissions
        seen: set[int] = set()
        for begin in np.flatnonzero(coming & (table.admitted[following] == 0)).tolist():
            chain: list[int] = []
            agent = begin
            while agent >= 0 and agent not in seen and coming[agent] and table.admitted[following[agent]] == 0:
                seen.add(agent)
                chain.append(agent)
                agent = int(table.holder[agent])
            if agent in chain:
                circle = np.array(chain[chain.index(agent) :], np.int64)
                through = circle[~admissions.ends[following[circle]]]
                freed = self._precedence.nearest(through if len(through) else circle, distance)
                admissions.admit_with_those_before(following[[freed]])
