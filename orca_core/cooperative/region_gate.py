"""Region gate: agents take turns at corridors of walkable polygons, whatever guides them to their goals.

Whoever is in a corridor lets in, from its other ends, nobody that it could not get past. Of those who come to an empty
one the nearest to its entrance goes first, of equal ones the one with the lower row, and stays the first until it is in
or comes no nearer for a while. From the same end one goes in after the other. After so many from one end the others
have their turn, if anybody waits there. Who has to wait drifts: it takes the velocity of its fastest neighbour that is
neither waiting nor coming in, keeps away from the mouth, and else stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orca_core.cooperative.polygon_corridors import RegionCorridors
from orca_core.cooperative.precedence import BY_PLACE, MOST, NOBODY, Precedence
from orca_core.guidance.trouble import Trouble

if TYPE_CHECKING:
    from orca_core.world import World

__all__ = ["MOST", "RegionGate"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

# multiples of the largest radius: within which of a mouth somebody comes in, keeps away from it, and looks at others
COMING = 8.0
KEEP = 5.0
NEAR = 6.0
# part of the maximum speed at which somebody goes away from a mouth, and from which on a neighbour counts as moving
RETREAT = 0.5
MOVING = 0.2

BY_AGENT = ("inside", "side", "waits_at", "wait_for")


class RegionGate:
    """The turns at the corridors of one world: it replaces the wishes of those who have to wait."""

    def __init__(self, world: World, corridors: RegionCorridors) -> None:
        """Nobody is anywhere yet."""
        self.corridors = corridors
        self._trouble = Trouble()
        agents, count = world.agent_count, self.corridors.count
        self._ids = world.ids.copy()
        # by agent: the corridor that it is in and the mouth it came in by; the mouth that it waits at, and for which
        # row
        self.inside = np.full(agents, NOBODY, np.int64)
        self.side = np.full(agents, NOBODY, np.int64)
        self.waits_at = np.full(agents, NOBODY, np.int64)
        self.wait_for = np.full(agents, NOBODY, np.int64)
        # who goes first at each corridor; its sides are mouths
        self._precedence = Precedence(count, world.time_step)
        # the box about each, lower left and upper right
        self._boxes = np.empty((count, 4))
        for corridor in range(count):
            edges = corridors.edges[corridors.first[corridor] : corridors.first[corridor + 1]]
            low, high = np.minimum(edges[:, :2], edges[:, 2:]), np.maximum(edges[:, :2], edges[:, 2:])
            self._boxes[corridor] = (*low.min(axis=0), *high.max(axis=0))
        self._wish = np.zeros((agents, 2))

    def kept(self) -> Mapping[str, NDArray[Any]]:
        """What it knows of everybody."""
        return {"ids": self._ids, **{name: getattr(self, name) for name in BY_AGENT}, **self._precedence.kept()}

    def put_back(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `kept` said; raises KeyError or ValueError where that is of another world."""
        ids = kept["ids"].copy()
        for name in (*BY_AGENT, *BY_PLACE):
            if kept[name].shape != (len(ids) if name in BY_AGENT else self.corridors.count,):
                raise ValueError(f"{name} is not as long as it should be")
        for name in ("inside", "side", "waits_at", "wait_for", "first", "turn"):
            most = {"inside": self.corridors.count, "wait_for": len(ids), "first": len(ids)}
            if (kept[name] < NOBODY).any() or (kept[name] >= most.get(name, len(self.corridors.mouths))).any():
                raise ValueError(f"{name} names what is not there")
        for name in BY_AGENT:
            setattr(self, name, kept[name].copy())
        self._precedence.put_back(kept)
        self._ids, self._wish = ids, np.zeros((len(ids), 2))

    def _align(self, world: World) -> None:
        """Know of the agents that there are, where somebody has come or gone."""
        ids = world.ids
        if np.array_equal(ids, self._ids):
            return
        place = {identifier: row for row, identifier in enumerate(self._ids.tolist())}
        old = np.array([place.get(identifier, NOBODY) for identifier in ids.tolist()], np.int64)
        for name in BY_AGENT:
            column = np.append(getattr(self, name), NOBODY)
            setattr(self, name, column[old])
        # whoever is named by its row has another one now
        following = np.full(len(self._ids) + 1, NOBODY)
        following[old[old >= 0]] = np.flatnonzero(old >= 0)
        self._precedence.first, self.wait_for = following[self._precedence.first], following[self.wait_for]
        self._ids, self._wish = ids.copy(), np.zeros((len(ids), 2))

    # before a step

    def guide(self, world: World) -> bool:
        """Before a step: have those who wait drift; whether there are any."""
        if not self.corridors.count:
            return False
        self._align(world)
        agents = world.population.state
        self._wish = self._trouble.look(world).copy()
        waiting = np.flatnonzero(self.waits_at >= 0)
        if not len(waiting):
            return False
        agents.own("guided")
        drifting = [self._drift(world, agent) for agent in waiting.tolist()]
        agents["steer_velocity"][waiting] = drifting
        agents["guided"][waiting] = 1
        return True

    def _drift(self, world: World, agent: int) -> Floats:
        """What an agent wants that has to wait."""
        agents, corridors = world.population.state, self.corridors
        position, velocity, limit = agents["position"], agents["velocity"], float(agents["max_speed"][agent])
        size = float(agents["radius"].max())
        mouth = int(self.waits_at[agent])
        middle = 0.5 * (corridors.mouths[mouth, :2] + corridors.mouths[mouth, 2:])
        dx, dy = position[:, 0] - position[agent, 0], position[:, 1] - position[agent, 1]
        vx, vy = velocity[:, 0], velocity[:, 1]
        apart, speed = np.sqrt(dx * dx + dy * dy), np.sqrt(vx * vx + vy * vy)
        inward_x, inward_y = corridors.inward[mouth].tolist()
        incoming = vx * inward_x + vy * inward_y > 0.0
        moving = (apart < NEAR * size) & (self.waits_at < 0) & ~incoming & (speed > MOVING * limit)
        # those who come toward it: who goes away takes nobody along
        moving &= dx * vx + dy * vy < 0.0
        moving[agent] = False
        if moving.any():
            fastest = int(np.argmax(np.where(moving, speed, -1.0)))
            return np.asarray(velocity[fastest] * min(1.0, limit / float(speed[fastest])))
        out = position[agent] - middle
        far = float(np.sqrt(out[0] * out[0] + out[1] * out[1]))
        if far < KEEP * size:
            back = out / far if far > 1e-9 else -corridors.inward[mouth]
            return np.asarray(back * RETREAT * limit)
        return np.zeros(2)

    # after a step

    def conclude(self, world: World) -> None:
        """After a step: who is where, and who goes first."""
        self._align(world)
        position, radius = world.population.state["position"], world.population.state["radius"]
        self.waits_at[:] = self.wait_for[:] = NOBODY
        far = COMING * float(radius.max(initial=0.0))
        for corridor in range(self.corridors.count):
            # a corridor is nobody's business who is far from it
            x0, y0, x1, y1 = self._boxes[corridor].tolist()
            x, y = position[:, 0], position[:, 1]
            near = np.flatnonzero((x > x0 - far) & (x < x1 + far) & (y > y0 - far) & (y < y1 + far))
            self._enter_and_leave(corridor, near, position)
            mouth, distance = self._coming(corridor, near, position, radius)
            self._decide(world, corridor, mouth, distance, radius)

    def _enter_and_leave(self, corridor: int, near: Integers, position: Floats) -> None:
        within = np.zeros(len(position), np.bool_)
        within[near] = self.corridors.within(corridor, position[near])
        self.inside[(self.inside == corridor) & ~within] = NOBODY
        new = np.flatnonzero(within & (self.inside != corridor))
        if not len(new):
            return
        self.side[new], _ = self.corridors.nearest_mouth(corridor, position[new])
        self.inside[new] = corridor
        for agent, side in zip(new.tolist(), self.side[new].tolist(), strict=True):
            self._precedence.enter(corridor, agent, side)

    def _coming(
        self, corridor: int, near: Integers, position: Floats, radius: Floats
    ) -> tuple[Integers, Floats]:  # fmt: skip
        """The mouth by which each comes into a corridor, -1 for who does not, and how far it is from it."""
        corridors = self.corridors
        all_mouths, all_distances = np.full(len(position), NOBODY), np.full(len(position), np.inf)
        mouth, distance = corridors.nearest_mouth(corridor, position[near])
        rows = corridors.mouth_first[corridor] + mouth
        (ax, ay, bx, by), (nx, ny) = corridors.mouths[rows].T, corridors.inward[rows].T
        (px, py), (wx, wy) = position[near].T, self._wish[near].T
        mx, my = 0.5 * (ax + bx), 0.5 * (ay + by)
        ahead = wx * nx + wy * ny
        # where the wish meets the line of the mouth: between its ends, and a disc beside them
        depth = (mx - px) * nx + (my - py) * ny
        along = depth / np.maximum(ahead, 1e-9)
        off_x, off_y = px + wx * along - mx, py + wy * along - my
        half = 0.5 * np.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        beside = np.sqrt(off_x * off_x + off_y * off_y) > half + 2.0 * radius[near]
        comes = (ahead > 0.0) & (depth > 0.0) & ~beside & (distance < COMING * radius.max(initial=0.0))
        all_mouths[near] = np.where(comes & (self.inside[near] != corridor), mouth, NOBODY)
        all_distances[near] = distance
        return all_mouths, all_distances

    def _decide(self, world: World, corridor: int, mouth: Integers, distance: Floats, radius: Floats) -> None:
        """Let in whoever may come, and have the others wait."""
        coming = np.flatnonzero(mouth >= 0)
        occupants = np.flatnonzero(self.inside == corridor)
        if not len(coming):
            return
        order = coming[np.lexsort((coming, distance[coming]))]
        precedence = self._precedence
        first = precedence.choose(corridor, coming, mouth, distance, self.side[occupants], world.step_count)
        base = int(self.corridors.mouth_first[corridor])
        # whose way is taken: those who are in, then whoever goes first, then those that are let in after it
        granted = occupants.tolist()
        sides = self.side[occupants].tolist()
        tired = precedence.tired(corridor, mouth[coming])
        ahead: set[int] = set()
        for agent in ([first] if first >= 0 else []) + [other for other in order.tolist() if other != first]:
            side = int(mouth[agent])
            others = np.array(granted, np.int64)
            blocked = self.corridors.conflict(corridor, float(radius[agent]), radius[others])
            against = others[blocked & (np.array(sides, np.int64) != side)]
            # one after the other, and no more of one side than its share
            closed = side in ahead or (tired and side == precedence.turn[corridor] and agent != first)
            if len(against) or closed:
                self.waits_at[agent] = base + side
                self.wait_for[agent] = int(against[0]) if len(against) else first
                continue
            granted.append(agent)
            sides.append(side)
            ahead.add(side)
