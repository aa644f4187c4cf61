"""Surroundings: agents and what stands around them, and what becomes of the ones when the other changes.

A world without time: its obstacles, walkable areas and grid map come, go, open and close here, each change whole or not
at all, and act in the very next step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from orca_core.arrays import Allocate
from orca_core.caught import catch
from orca_core.cooperation import largest_radius, too_wide
from orca_core.errors import InvalidInput, Notice, Problem
from orca_core.geometry.obstacles import Obstacle, ObstacleSet
from orca_core.geometry.placed_grid import PlacedGrid
from orca_core.geometry.walkable import WalkableArea, WalkableSet
from orca_core.notices import about_places
from orca_core.options import Options
from orca_core.population import Population
from orca_core.report import Added
from orca_core.state import BY_NAME
from orca_core.statics import Statics, Walls

__all__ = ["Surroundings"]

Integers = NDArray[np.int64]


class Surroundings:
    """Agents, obstacles and walkable areas; what a World is made of."""

    def __init__(self, time_step: float, options: Options, allocate: Allocate) -> None:
        """Nobody and nothing; `allocate` lends the memory of the agents' arrays."""
        self.time_step = time_step
        self.options = options
        self.step_count = 0
        self.population = Population(time_step, allocate)
        self.obstacle_set = ObstacleSet()
        self.walkable_set = WalkableSet()
        # what is planned cell by cell is planned on it; it stands in nobody's way
        self.grid_map: PlacedGrid | None = None
        self._statics: Statics | None = None
        self._stepping = False

    # what the world is

    @property
    def time(self) -> float:
        """Simulated seconds: the number of steps times the time step, never a running sum."""
        return self.step_count * self.time_step

    @property
    def agent_count(self) -> int:
        """How many agents there are."""
        return self.population.state.count

    @property
    def defaults(self) -> Mapping[str, float | int | str]:
        """Values for fields left out in additions, where they differ from the library's."""
        return self.population.defaults

    @property
    def ids(self) -> Integers:
        """Ids (n,) in index order: the order of creation, which removals keep."""
        return self.column("id")

    def column(self, name: str) -> NDArray[Any]:
        """A read-only view of a per-agent array by its name in FIELDS; valid until the world changes."""
        if name not in BY_NAME:
            raise InvalidInput([Problem(None, name, f"is not a column of agents; there are {', '.join(BY_NAME)}")])
        view = self.population.state[name].view()
        view.flags.writeable = False
        return view

    def agent(self, identifier: int) -> dict[str, Any]:
        """One agent as plain Python values, effective ones; raises NotFound or Gone."""
        return self.population.agent(identifier)

    def index_of(self, ids: ArrayLike) -> Integers:
        """Indices of ids; raises InvalidInput, NotFound or Gone."""
        return self.population.index_of(ids)

    # commands: each either takes effect whole or raises and changes nothing

    def obstacles(self) -> list[Obstacle]:
        """The obstacles in the order of their creation."""
        return self.obstacle_set.items()

    def add_obstacles(self, obstacles: Sequence[Obstacle]) -> Added:
        """Add walls that block from both sides; they act in the very next step."""
        self._refuse_while_stepping()
        with self._geometry():
            ids = self.obstacle_set.add(obstacles)
            return Added(np.asarray(ids, np.int64), self._walls_changed(ids))

    def set_obstacle(self, identifier: int, obstacle: Obstacle) -> list[Notice]:
        """Replace the points of an obstacle, which keeps its place in the order."""
        self._refuse_while_stepping()
        with self._geometry():
            self.obstacle_set.set(identifier, obstacle)
            return self._walls_changed([identifier])

    def open_obstacles(self, ids: Sequence[int], is_open: bool = True) -> list[Notice]:
        """Let obstacles stand open, so that they do not act, or close them: doors. Raises NotFound or Gone."""
        self._refuse_while_stepping()
        with self._geometry():
            return self._walls_changed(self.obstacle_set.set_open(ids, is_open))

    def remove_obstacle(self, identifier: int) -> None:
        """Remove an obstacle; raises NotFound or Gone."""
        self._refuse_while_stepping()
        with self._geometry():
            self.obstacle_set.remove(identifier)
            self._walls_changed([identifier])

    def walkable(self) -> list[WalkableArea]:
        """The walkable areas in the order of their creation."""
        return self.walkable_set.items()

    def add_walkable(self, areas: Sequence[WalkableArea]) -> Added:
        """Add walkable areas; several are a union."""
        self._refuse_while_stepping()
        with self.transaction():
            ids = self.walkable_set.add(areas)
            self._surface_changed()
            return Added(np.asarray(ids, np.int64), about_places(self) + catch(self, None))

    def set_walkable(self, identifier: int, area: WalkableArea) -> list[Notice]:
        """Replace a walkable area, which keeps its place in the order."""
        self._refuse_while_stepping()
        with self.transaction():
            self.walkable_set.set(identifier, area)
            self._surface_changed()
            return about_places(self) + catch(self, None)

    def remove_walkable(self, identifier: int) -> list[Notice]:
        """Remove a walkable area, and say who is off the surface now; with the last one gone the plane is free."""
        self._refuse_while_stepping()
        with self.transaction():
            self.walkable_set.remove(identifier)
            self._surface_changed()
            return about_places(self) + catch(self, None)

    def set_grid_map(self, grid_map: PlacedGrid | None) -> None:
        """Let the world have this grid map, or none; what was planned on another is planned anew.

        Raises InvalidInput where agents that are to follow plans on it get through no gap of it.
        """
        self._refuse_while_stepping()
        wide = self._too_wide(grid_map, slice(None))
        if grid_map is not None and len(wide):
            agents = self.population.state
            widest = wide[int(np.argmax(agents["radius"][wide]))]
            size, most = f"of {grid_map.cell_size:g}", f"{largest_radius(grid_map.cell_size):g} at most"
            who = f"agent {agents['id'][widest]}, which is to follow plans, has {agents['radius'][widest]:g}"
            right = "make the cells larger, or give the agent a smaller radius or the guidance straight first"
            said = f"{size} has gaps for a radius of {most}, and {who}: {right}"
            raise InvalidInput([Problem(None, "cell_size", said)])
        self.grid_map = grid_map

    def _too_wide(self, grid_map: PlacedGrid | None, rows: slice | Integers) -> Integers:
        """Who of these is to follow plans on a grid map and gets through no gap of it, by its place among them."""
        if grid_map is None or self.options.cooperation is None:
            return np.empty(0, np.int64)
        agents = self.population.state
        return too_wide(grid_map.cell_size, agents["radius"][rows], agents["guidance"][rows])

    def _check_room(self, rows: slice | Integers) -> None:
        """Refuse those of these agents, by their place among them, who are to follow plans and get through no gap."""
        grid, wide = self.grid_map, self._too_wide(self.grid_map, rows)
        if grid is not None and len(wide):
            most, radius = largest_radius(grid.cell_size), self.population.state["radius"][rows]
            what = f"must be at most {most:g}, a little under half a cell of the grid map, or it gets through no gap"
            raise InvalidInput(
                [
                    Problem(int(k), "radius", f"{what}; with guidance straight it may be wider; it is {radius[k]:g}")
                    for k in wide
                ]
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo everything since entry when the block raises. Blocks may be nested."""
        population = self.population.keep()
        kept = (self.obstacle_set.copy(), self.walkable_set.copy(), self._statics, self.step_count, self.options)
        grid_map = self.grid_map
        try:
            yield
        except BaseException:
            self.population.put_back(population)
            self.obstacle_set, self.walkable_set, self._statics, self.step_count, self.options = kept
            self.grid_map = grid_map
            raise

    @contextmanager
    def _geometry(self) -> Iterator[None]:
        """Undo what the block has done to the obstacles when it raises; agents it may touch only at its very end."""
        kept = (self.obstacle_set.copy(), self._statics)
        try:
            yield
        except BaseException:
            self.obstacle_set, self._statics = kept
            raise

    # geometry as the solver takes it

    def statics(self) -> Statics:
        """Walls and boundaries flattened for the radii in use; made when first asked for after a change."""
        if self._statics is None:
            radii = np.unique(self.population.state["radius"])
            self._statics = Statics.build(self.obstacle_set, self.walkable_set, radii, self.options)
            self._classify(self._statics)
        return self._statics

    def _classify(self, statics: Statics) -> None:
        """Tell each agent its class of boundaries."""
        state = self.population.state
        if statics.boundaries.class_count:
            # kernels look it up
            state.own("radius_class")
        if state.owns("radius_class"):
            state["radius_class"][:] = statics.classes_of(state["radius"])
        state.write_anew()

    def _walls_changed(self, changed: Collection[int]) -> list[Notice]:
        """Other walls, and whom the obstacles that are others now have caught; the warnings."""
        if changed and self._statics is not None:
            self._statics = self._statics.with_walls(Walls.of(self.obstacle_set, self.options))
        return self._merge_notice() + catch(self, changed)

    def _surface_changed(self) -> None:
        self._statics = None
        self.population.state["on_surface"][:] = 0
        self.statics()

    def _radii_changed(self) -> None:
        """A radius not seen before shrinks the walkable areas once more; old classes stay, and keep their bits."""
        if self._statics is not None:
            known = self._statics.boundaries.class_radius
            if len(self.walkable_set) and not np.isin(self.population.state["radius"], known).all():
                self._statics = None
                self.statics()
            else:
                self._classify(self._statics)

    def _merge_notice(self) -> list[Notice]:
        merged = self.statics().merged
        if not merged:
            return []
        return [Notice("merged", None, None, f"{merged} collinear touching wall pieces act as part of others")]

    def _refuse_while_stepping(self) -> None:
        if self._stepping:
            raise RuntimeError("a world cannot be changed or stepped while it takes a step")
