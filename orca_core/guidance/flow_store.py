"""Flow store: the flow fields of one world, each for a goal and a radius, with the steps in which they were asked for.

A field is for what stood when it was asked for, and enters the world exactly `delay` steps later. One that is out of
date is used until the next has entered. There are at most so many places; a field that nobody uses keeps its place
until another wants it, as long as it is up to date and somebody of that radius is guided. Fields are functions of goals
and geometry: of most a snapshot tells what they are for, and only those for a geometry that is no more are in it whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orca_core.errors import SnapshotError
from orca_core.guidance.flow_field import FlowField
from orca_core.guidance.flow_grid import FlowGrid, Standing
from orca_core.guidance.flow_groups import Key

__all__ = ["FlowStore", "Later", "Place", "Surface", "Workshop"]

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
        # fields may be made by several threads at once
        self._lock = threading.Lock()

    def field_towards(self, goal: tuple[float, float]) -> Made:
        """Make the field to a goal."""
        with self._lock:
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
    `due`, for what stood at `asked`. `idle` is the step since which nobody is guided by it.

    Of a field from a snapshot, for what stands no more, `seen` or `asked` is None.
    """

    idle: int = NOT
    seen: Surface | None = None
    made: Callable[[], Made] | None = None
    due: int = NOT
    asked: Surface | None = None
    making: Callable[[], Made] | None = None


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

    def enter(self, step: int) -> bool:
        """After step `step`: let the fields in that are due; returns whether there were any."""
        due = [place for place in self._places.values() if place.due != NOT and place.due <= step]
        for place in due:
            place.seen, place.made = place.asked, place.making
            place.due, place.asked, place.making = NOT, None, None
        self.generation += len(due)
        return bool(due)

    def ask(self, step: int, wanted: Sequence[Key], surface_of: Callable[[Key], Surface]) -> None:
        """Ask for the fields that are missing or out of date, and give places up.

        `wanted` are the keys in use, those first that matter most; `surface_of` says what stands now for a radius, and
        a storey where there are several.
        """
        in_use, discs = set(wanted), {key[2:] for key in wanted}
        for key in [key for key in self._places if key not in in_use]:
            place = self._places[key]
            if place.idle == NOT:
                place.idle = step
            if key[2:] not in discs or place.made is None or not self._current(key, place, surface_of):
                del self._places[key]
                self.generation += 1
        for key in wanted:
            taken = self._places.get(key) or self._take(key, in_use)
            if taken is None:
                # the others find none either, unless they have theirs
                continue
            taken.idle = NOT
            if taken.due == NOT and (taken.made is None or not self._current(key, taken, surface_of)):
                self._begin(key, taken, step + self.delay, surface_of(key[2:]))

    def _current(self, key: Key, place: Place, surface_of: Callable[[Key], Surface]) -> bool:
        """Whether a field is for what stands now."""
        return place.seen is not None and place.seen.fingerprint == surface_of(key[2:]).fingerprint

    def _take(self, key: Key, in_use: set[Key]) -> Place | None:
        """A place for a key: a free one, or that of the field that nobody has used for longest; else None."""
        if len(self._places) >= self._limit:
            idle = [(place.idle, other) for other, place in self._places.items() if place.idle != NOT]
            if not idle:
                return None
            del self._places[min(idle)[1]]
            self.generation += 1
        self._places[key] = Place()
        return self._places[key]

    def _begin(self, key: Key, place: Place, due: int, surface: Surface) -> None:
        """Have a field made for what stands now."""
        place.due, place.asked, place.making = due, surface, self._making(key, surface)

    def _making(self, key: Key, surface: Surface) -> Callable[[], Made]:
        return self.workshop.begin(lambda: surface.field_towards((key[0], key[1])))

    # snapshots

    def discs(self) -> set[Key]:
        """For which radii, and storeys where there are several, there are places."""
        return {key[2:] for key in self._places}

    def kept(self, now: Mapping[Key, Surface]) -> dict[str, NDArray[Any]]:
        """Everything as arrays by name: what each field is for, and whole those that are not for what stands `now`, by
        radius and storey.
        """
        if not self._places:
            return {}
        places = self._places.values()
        told: dict[str, NDArray[Any]] = {
            "key": np.array(list(self._places), np.float64),
            "idle": np.array([place.idle for place in places], np.int64),
            "due": np.array([place.due for place in places], np.int64),
            "made": np.array([place.made is not None for place in places], np.uint8),
        }
        for number, (key, place) in enumerate(self._places.items()):
            for name, result, surface in (("made", place.made, place.seen), ("making", place.making, place.asked)):
                same = surface is not None and key[2:] in now and surface.fingerprint == now[key[2:]].fingerprint
                if result is not None and not same:
                    told |= _told(f"{number}.{name}", result())
        return told

    def put_back(self, kept: Mapping[str, NDArray[Any]], surface_of: Callable[[Key], Surface]) -> None:
        """Go on from what was kept; raises SnapshotError where it does not agree with itself."""
        try:
            keys = np.ascontiguousarray(kept["key"], np.float64)
            idle, due, made = (kept[name].astype(np.int64) for name in ("idle", "due", "made"))
            if keys.ndim != 2 or keys.shape[1] not in (3, 5) or not len(keys) == len(idle) == len(due) == len(made):
                raise ValueError("there is not one of each for every field")
            if len(keys) > self._limit:
                raise ValueError(f"there are {len(keys)}, and flow_fields is {self._limit}")
            for number, key in enumerate(map(tuple, keys.tolist())):
                place = Place(int(idle[number]), due=int(due[number]))
                if made[number]:
                    place.seen, place.made = self._remembered(f"{number}.made", kept, key, surface_of)
                if place.due != NOT:
                    place.asked, place.making = self._remembered(f"{number}.making", kept, key, surface_of)
                self._places[key] = place
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the flow fields of this snapshot do not agree with each other: {error}") from None
        self.generation += 1

    def _remembered(
        self, name: str, kept: Mapping[str, NDArray[Any]], key: Key, surface_of: Callable[[Key], Surface]
    ) -> tuple[Surface | None, Callable[[], Made]]:
        """A field that was there before: told whole, or to be made again for what stands now."""
        found = _found(name, kept)
        if found is not None:
            return None, found
        surface = surface_of(key[2:])
        return surface, self._making(key, surface)


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
