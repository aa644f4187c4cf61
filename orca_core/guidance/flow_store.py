"""Flow store: the flow fields of one world, each for a goal and a radius, with the steps in which they were asked for.

A field is for what stood when it was asked for, and enters the world exactly `delay` steps later. One that is out of
date is used until the next has entered, which is given some more steps, so that none has to wait for it. There are at
most so many places; a field that nobody uses keeps its place until another wants it, as long as it is up to date and
somebody of that radius is guided. Fields are functions of goals and of what stands: a snapshot tells what they are for,
with what stood where that is no more, and they are made again.
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
from orca_core.guidance.flow_grid import FlowChange, FlowGrid
from orca_core.guidance.flow_groups import Key
from orca_core.guidance.flow_standing import Standing

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
    """What stands for one radius, with the grid over it, made once when it is first needed.

    Where it differs by a few walls from what stood before, its grid and its fields are those, repaired: the same bits.
    """

    def __init__(self, standing: Standing, size: float | None, cells: int, before: Surface | None = None) -> None:
        """Cells of `size` (m; None: one that suits), at most so many; `before` was made with the same."""
        self.standing = standing
        self.fingerprint = standing.fingerprint()
        self._size, self._cells = size, cells
        self._grid: list[FlowGrid | None] = []
        # the last one that has a grid, until there is one here; and what that has become
        self._before: Surface | None = before if before is None or before._grid else before._before
        self._change: FlowChange | None = None
        # fields may be made by several threads at once
        self._lock = threading.Lock()

    def field_towards(self, goal: tuple[float, float], before: Made = None) -> Made:
        """Make the field to a goal; `before` is one to the same goal, for what stood before if that is of any use."""
        with self._lock:
            if not self._grid:
                self._grid.append(self._made())
        grid = self._grid[0]
        if grid is None:
            return None
        if before is not None and self._change is not None and before.grid is self._change.before:
            return before.over(self._change)
        return FlowField.towards(grid, [goal])

    def _made(self) -> FlowGrid | None:
        """The grid, out of the one before where that can be."""
        before, self._before = self._before, None
        if before is not None and before._grid[0] is not None:
            self._change = before._grid[0].changed(self.standing, size=self._size, cells=self._cells)
            if self._change is not None:
                return self._change.grid
        return FlowGrid.over(self.standing, size=self._size, cells=self._cells)

    @property
    def nowhere(self) -> bool:
        """Whether no disc of that radius has a place."""
        return self.standing.edges is not None and not len(self.standing.edges)


@dataclass
class Place:
    """A field that is in use, `made`, for what stood at `seen`; and one that was asked for, which enters after step
    `due`, for what stood at `asked`. `idle` is the step since which nobody is guided by it.
    """

    idle: int = NOT
    seen: Surface | None = None
    made: Callable[[], Made] | None = None
    due: int = NOT
    asked: Surface | None = None
    making: Callable[[], Made] | None = None


class FlowStore:
    """Places by key, in the order in which they were taken."""

    def __init__(self, delay: int, settling: int, places: int) -> None:
        """Fields enter `delay` steps after they are asked for, and `settling` steps if there is an older one until
        then.
        """
        self.delay, self._settling = delay, max(delay, settling)
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
                later = self.delay if taken.made is None else self._settling
                self._begin(key, taken, step + later, surface_of(key[2:]))

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
        place.due, place.asked, place.making = due, surface, self._making(key, surface, place.made)

    def _making(self, key: Key, surface: Surface, before: Callable[[], Made] | None = None) -> Callable[[], Made]:
        goal = (key[0], key[1])
        return self.workshop.begin(lambda: surface.field_towards(goal, None if before is None else before()))

    # snapshots

    def discs(self) -> set[Key]:
        """For which radii, and storeys where there are several, there are places."""
        return {key[2:] for key in self._places}

    def kept(self, now: Mapping[Key, Surface]) -> dict[str, NDArray[Any]]:
        """Everything as arrays by name: what each field is for, and what stood where that is not what stands `now`, by
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
        # fields to many goals stand on the same
        numbers: dict[tuple[Any, ...], int] = {}
        for name in ("seen", "asked"):
            stood = np.full(len(self._places), NOT)
            for place, (key, taken) in enumerate(self._places.items()):
                surface: Surface | None = getattr(taken, name)
                if surface is None or (key[2:] in now and surface.fingerprint == now[key[2:]].fingerprint):
                    continue
                which = (key[2:], surface.fingerprint)
                if which not in numbers:
                    numbers[which] = len(numbers)
                    arrays = surface.standing.to_arrays()
                    told |= {f"stood.{numbers[which]}.{part}": array for part, array in arrays.items()}
                stood[place] = numbers[which]
            told[name] = stood
        return told

    def put_back(
        self,
        kept: Mapping[str, NDArray[Any]],
        surface_of: Callable[[Key], Surface],
        surface_over: Callable[[Standing], Surface],
    ) -> None:
        """Go on from what was kept; raises SnapshotError where it does not agree with itself."""
        try:
            keys = np.ascontiguousarray(kept["key"], np.float64)
            rows = [kept[name].astype(np.int64).tolist() for name in ("idle", "due", "made", "seen", "asked")]
            if keys.ndim != 2 or keys.shape[1] not in (3, 5) or any(len(row) != len(keys) for row in rows):
                raise ValueError("there is not one of each for every field")
            if len(keys) > self._limit:
                raise ValueError(f"there are {len(keys)}, and flow_fields is {self._limit}")
            count = max([NOT, *rows[3], *rows[4]]) + 1
            stood = [surface_over(Standing.from_arrays(_part(f"stood.{number}.", kept))) for number in range(count)]
            for key, idle, due, made, seen, asked in zip(map(tuple, keys.tolist()), *rows, strict=True):
                place = Place(idle, due=due)
                if made:
                    place.seen = surface_of(key[2:]) if seen < 0 else _for_disc(key[2], stood[seen])
                    place.made = self._making(key, place.seen)
                if due != NOT:
                    place.asked = surface_of(key[2:]) if asked < 0 else _for_disc(key[2], stood[asked])
                    place.making = self._making(key, place.asked)
                self._places[key] = place
        except (KeyError, ValueError, IndexError) as error:
            raise SnapshotError(f"the flow fields of this snapshot do not agree with each other: {error}") from None
        self.generation += 1


def _part(prefix: str, kept: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin so, by the rest of their names."""
    return {name[len(prefix) :]: array for name, array in kept.items() if name.startswith(prefix)}


def _for_disc(radius: float, surface: Surface) -> Surface:
    """A surface, if it is one for discs of this radius."""
    if surface.standing.radius != radius:
        raise ValueError(f"what stood for discs of {surface.standing.radius} m is not for those of {radius} m")
    return surface
