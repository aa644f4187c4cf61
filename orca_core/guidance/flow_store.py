"""Flow store: the flow fields of one world, each for a goal and a radius, with the steps in which they were asked for.

A field is for what stood when it was asked for, and enters the world exactly `delay` steps later. One that is out of
date is used until the next has entered. There are at most so many places; a field that nobody uses keeps its place until
another wants it, as long as it is up to date and somebody of that radius is guided. Fields are functions of goals and
geometry, so a snapshot tells of them what they are for, and those for a geometry that is no more whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError
from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.flow_grid import FlowGrid, Standing

__all__ = ["FlowStore", "Key", "Later", "Place", "Surface", "Workshop"]

# x and y of the goal, and a radius (m)
Key = tuple[float, float, float]
# None where nothing stands, and every way is straight
Made = FlowField | None
# there is none
NOT = -1


class Workshop(Protocol):
    """Where fields are made: beside the steps or in them."""

    def begin(self, work: Callable[[], Made]) -> Callable[[], Made]:
        """Have it done; what is returned waits for the result, and tells it as often as it is called."""


class Later:
    """A workshop that does the work when the result is wanted, in the thread that wants it."""

    def begin(self, work: Callable[[], Made]) -> Callable[[], Made]:
        """Remember it."""
        done: list[Made] = []

        def result() -> Made:
            if not done:
                done.append(work())
            return done[0]

        return result


class Surface:
    """What stands for one radius, with the grid over it, made once when it is first needed."""

    def __init__(self, standing: Standing, size: float | None, cells: int) -> None:
        """Cells of `size` (m; None: one that suits), at most so many."""
        self.standing = standing
        self.fingerprint = standing.fingerprint()
        self._size, self._cells = size, cells
        self._grid: list[FlowGrid | None] = []

    def field_towards(self, goal: tuple[float, float]) -> Made:
        """Make the field to a goal."""
        if not self._grid:
            self._grid.append(FlowGrid.over(self.standing, size=self._size, cells=self._cells))
        grid = self._grid[0]
        return None if grid is None else FlowField.towards(grid, [goal])

    @property
    def nowhere(self) -> bool:
        """Whether no disc of that radius has a place."""
        return self.standing.edges is not None and not len(self.standing.edges)


@dataclass
class Place:
    """A field that is in use, `made`, for what stood at `seen`; and one that was asked for, which enters after step
    `due`, for what stood at `asked`. `used` is the last step in which somebody was guided by it.
    """

    used: int
    seen: Surface | None = None
    made: Callable[[], Made] | None = None
    due: int = NOT
    asked: Surface | None = None
    making: Callable[[], Made] | None = None
    # of a field from a snapshot what stood is not known any more, but that it was something else
    outdated: bool = field(default=False)


class FlowStore:
    """Places by key, in the order in which they were taken."""

    def __init__(self, delay: int, places: int) -> None:
        """Fields enter `delay` steps after they are asked for."""
        self.delay = delay
        self._limit = places
        self.workshop: Workshop = Later()
        self._places: dict[Key, Place] = {}
        # changes whenever other fields are in use
        self.generation = 0

    def __len__(self) -> int:
        """How many places are taken."""
        return len(self._places)

    def ready(self) -> dict[Key, Place]:
        """The places that have a field by now."""
        return {key: place for key, place in self._places.items() if place.made is not None}

    def clear(self) -> None:
        """Nobody is guided any more."""
        self._places.clear()
        self.generation += 1

    def conclude(self, step: int, wanted: Sequence[Key], surface_of: Callable[[float], Surface]) -> None:
        """After step `step`: let fields enter that are due, and ask for those that are missing or out of date.

        `wanted` are the keys in use, those first that matter most; `surface_of` says what stands for a radius now.
        """
        for place in self._places.values():
            if place.due != NOT and place.due <= step:
                place.seen, place.made, place.outdated = place.asked, place.making, place.asked is None
                place.due, place.asked, place.making = NOT, None, None
                self.generation += 1
        in_use, radii = set(wanted), {key[2] for key in wanted}
        for key in [key for key in self._places if key not in in_use]:
            place = self._places[key]
            if key[2] not in radii or place.made is None or not self._current(key, place, surface_of):
                del self._places[key]
                self.generation += 1
        for key in wanted:
            taken = self._places.get(key)
            if taken is None:
                taken = self._take(key, step, in_use)
            if taken is None:
                continue
            taken.used = step
            if taken.due == NOT and (taken.made is None or not self._current(key, taken, surface_of)):
                self._ask(key, taken, step + self.delay, surface_of(key[2]))

    def _current(self, key: Key, place: Place, surface_of: Callable[[float], Surface]) -> bool:
        """Whether a field is for what stands now."""
        if place.outdated or place.seen is None:
            return False
        now = surface_of(key[2])
        if place.seen is not now and place.seen.fingerprint == now.fingerprint:
            place.seen = now
        return place.seen is now

    def _take(self, key: Key, step: int, in_use: set[Key]) -> Place | None:
        """A place for a key: a free one, or that of the field that nobody has used for longest; else None."""
        if len(self._places) >= self._limit:
            idle = [(place.used, other) for other, place in self._places.items() if other not in in_use]
            if not idle:
                return None
            del self._places[min(idle)[1]]
            self.generation += 1
        self._places[key] = Place(step)
        return self._places[key]

    def _ask(self, key: Key, place: Place, due: int, surface: Surface) -> None:
        """Have a field made for what stands now."""
        place.due, place.asked = due, surface
        place.making = self.workshop.begin(lambda: surface.field_towards((key[0], key[1])))

    # snapshots

    def kept(self, surface_of: Callable[[float], Surface]) -> dict[str, NDArray[Any]]:
        """Everything as arrays by name: what each field is for, and fields for another geometry themselves."""
        if not self._places:
            return {}
        told: dict[str, NDArray[Any]] = {
            "key": np.array(list(self._places), np.float64).reshape(-1, 3),
            "used": np.array([place.used for place in self._places.values()], np.int64),
            "due": np.array([place.due for place in self._places.values()], np.int64),
            "made": np.array([place.made is not None for place in self._places.values()], np.uint8),
        }
        for number, (key, place) in enumerate(self._places.items()):
            if place.made is not None and not self._current(key, place, surface_of):
                told |= _told(f"{number}.made", place.made())
            if place.making is not None and (
                place.asked is None or place.asked.fingerprint != surface_of(key[2]).fingerprint
            ):
                told |= _told(f"{number}.making", place.making())
        return told

    def put_back(self, kept: Mapping[str, NDArray[Any]], surface_of: Callable[[float], Surface]) -> None:
        """Go on from what was kept; raises SnapshotError where it does not agree with itself."""
        try:
            keys, used = np.ascontiguousarray(kept["key"], np.float64), kept["used"].astype(np.int64)
            due, made = kept["due"].astype(np.int64), kept["made"].astype(np.uint8)
            if keys.ndim != 2 or keys.shape[1] != 3 or not len(keys) == len(used) == len(due) == len(made):
                raise ValueError("there is not one of each for every field")
            for number, (x, y, radius) in enumerate(keys.tolist()):
                key, place = (x, y, radius), Place(int(used[number]), due=int(due[number]))
                if made[number]:
                    place.made = _found(f"{number}.made", kept)
                    place.outdated = place.made is not None
                    if place.made is None:
                        place.seen = surface_of(radius)
                        place.made = self._again(key, place.seen)
                if place.due != NOT:
                    place.making = _found(f"{number}.making", kept)
                    if place.making is None:
                        place.asked = surface_of(radius)
                        place.making = self._again(key, place.asked)
                self._places[key] = place
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the flow fields of this snapshot do not agree with each other: {error}") from None
        self.generation += 1

    def _again(self, key: Key, surface: Surface) -> Callable[[], Made]:
        """A field that there was before."""
        return self.workshop.begin(lambda: surface.field_towards((key[0], key[1])))


def _told(name: str, made: Made) -> dict[str, NDArray[Any]]:
    """A field as arrays; that nothing stood takes one without numbers."""
    arrays = {} if made is None else made.to_arrays()
    return {f"{name}.there": np.array([made is not None], np.uint8)} | {
        f"{name}.{key}": array for key, array in arrays.items()
    }


def _found(name: str, kept: Mapping[str, NDArray[Any]]) -> Callable[[], Made] | None:
    """The field of `_told`, if it was told."""
    if f"{name}.there" not in kept:
        return None
    prefix = f"{name}."
    arrays = {key[len(prefix) :]: array for key, array in kept.items() if key.startswith(prefix)}
    made = FlowField.from_arrays(arrays) if int(kept[f"{name}.there"][0]) else None
    return lambda: made
