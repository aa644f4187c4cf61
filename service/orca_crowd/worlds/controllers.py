"""Who controls a world: the controllers that are registered, each name once. Pure."""

from __future__ import annotations

from collections.abc import Callable

from orca_crowd.errors import ApiError

__all__ = ["Controller", "Controllers"]


class Controller:
    """Whoever gives orders over one connection or in one call: under a name, or under none."""

    def __init__(self, name: str | None = None, replaced: Callable[[str], None] | None = None) -> None:
        """Orders are those of `name`; `replaced` is called when another connection takes that name over."""
        self.name = name
        self.connected = True
        self.replaced = replaced


class Controllers:
    """Registered controllers by name, in the order of their registration; at most `limit`."""

    def __init__(self, world: str, limit: int) -> None:
        """Start without any."""
        self._world = world
        self._limit = limit
        self._registered: dict[str, Controller] = {}

    def names(self) -> list[str]:
        """The names, in order."""
        return list(self._registered)

    def has(self, controller: Controller, name: str | None) -> bool:
        """Whether it is the controller of this name."""
        return name is not None and self._registered.get(name) is controller

    def check_room(self, name: str, controller: Controller) -> None:
        """Refuse one more where there are as many as may be; one that is there may change its name."""
        others = len(self._registered) - self.has(controller, controller.name)
        if name not in self._registered and others >= self._limit:
            raise ApiError(
                "limit",
                f"{self._limit} controllers are registered in world {self._world!r}, the limit controllers_per_world",
            )

    def register(self, name: str, controller: Controller) -> None:
        """Let it be the controller of this name; whoever was it is told, and is none any more."""
        older = self._registered.get(name)
        self._registered[name] = controller
        controller.name = name
        if older is not None and older is not controller:
            older.name = None
            if older.replaced is not None:
                older.replaced(name)

    def leave(self, controller: Controller) -> str | None:
        """Let it be none any more; the name that is free now, None where it had none.

        Its `name` stays, since what it ordered before may still wait to be carried out.
        """
        name = controller.name
        if name is None or not self.has(controller, name):
            return None
        del self._registered[name]
        return name
