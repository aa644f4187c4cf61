"""A handle on one world, for threads; `orca_crowd_client.async_world` has the same names for asyncio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from orca_crowd_client.columns import Identifiers
from orca_crowd_client.commands import AreaLike, Command, ObstacleLike, Rows
from orca_crowd_client.protocol import agents as agent_calls
from orca_crowd_client.protocol import geometry as geometry_calls
from orca_crowd_client.protocol import stepping, worlds
from orca_crowd_client.protocol.agents import Precision
from orca_crowd_client.protocol.call import Call
from orca_crowd_client.protocol.geometry import MapKind, MapSource, PathQuery
from orca_crowd_client.protocol.stepping import Return
from orca_crowd_client.protocol.subscription import Delivery, StreamedRows, StreamPrecision, Subscription
from orca_crowd_client.protocol.worlds import CONTROLLER_HEADER
from orca_crowd_client.results import (
    Acknowledged,
    Added,
    Agents,
    Changed,
    Digest,
    Lease,
    Obstacle,
    PathsFound,
    Removed,
    Stepped,
    WalkableArea,
)
from orca_crowd_client.retry import RECONNECTING, Backoff
from orca_crowd_client.stream import Stream
from orca_crowd_client.transport import LARGEST_MESSAGE

if TYPE_CHECKING:
    from orca_crowd_client.client import Client

__all__ = ["World"]

Result = TypeVar("Result")


class World:
    """One world of a server.

    `description` is what the server said of it when this handle was made or last refreshed by `describe` or `update`;
    empty for a handle made from an id alone. Every method raises the errors of `orca_crowd_client.errors`; a refused
    request has changed nothing.
    """

    def __init__(self, client: Client, id: str, description: dict[str, Any] | None = None) -> None:  # noqa: A002
        """Hold on to the client; nothing is sent."""
        self.id = id
        self.description = description or {}
        self._client = client
        # in whose name calls go: set it to the name that a stream of yours has registered
        self.controller: str | None = None
        self._holder: str | None = None

    def __repr__(self) -> str:
        """Name the world."""
        return f"{type(self).__name__}({self.id!r})"

    # ---- the world as a whole

    def describe(self) -> dict[str, Any]:
        """Ask for name, clock, options, defaults, step, time and whatever else the server tells of the world."""
        self.description = self._call(worlds.describe_world(self.id))
        return self.description

    def update(
        self,
        *,
        clock: Mapping[str, Any] | None = None,
        name: str | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Change clock, name or the defaults of fields that are left out when agents are added."""
        self.description = self._call(worlds.update_world(self.id, clock=clock, name=name, defaults=defaults))
        return self.description

    def delete(self) -> None:
        """Delete the world; its streams end with `WorldGone`."""
        self._call(worlds.delete_world(self.id))

    def digest(self) -> Digest:
        """Ask for the hash over the bits of every agent's position and velocity."""
        return self._call(worlds.digest(self.id))

    def snapshot(self) -> bytes:
        """Take the whole world as bytes, for `restore` of a client."""
        return self._call(worlds.snapshot(self.id))

    # ---- agents

    def add_agents(self, agents: Rows | None = None, /, **columns: Any) -> Added:
        """Add agents, in columns or as a list of rows.

        A column is a numpy array or a sequence with one row an agent; a single value stands for all:
        `add_agents(position=[(0, 0), (9, 0)], goal=[(9, 0), (0, 0)], radius=0.4)`. `id=` chooses the ids. What is left
        out takes the world's default. Not repeated when the connection breaks, unlike `commands`.
        """
        return self._call(agent_calls.add_agents(self._client.encoding, self.id, agents, columns))

    def agents(
        self,
        *,
        fields: Sequence[str] | None = None,
        ids: Sequence[int] | Identifiers | None = None,
        offset: int | None = None,
        limit: int | None = None,
        precision: Precision | None = None,
    ) -> Agents:
        """Read agents in columns: all or `ids`, `fields` (left out: position and velocity), in one moment."""
        return self._call(agent_calls.get_agents(self.id, fields, ids, offset, limit, precision))

    def set_agents(self, ids: Sequence[int] | Identifiers, /, **columns: Any) -> Changed:
        """Change fields of the agents `ids`; a single value goes to all of them, None clears."""
        return self._call(agent_calls.set_agents(self._client.encoding, self.id, ids, columns))

    def remove_agents(self, ids: Sequence[int] | Identifiers, /) -> Removed:
        """Remove agents, all of them or none; their ids are never given again."""
        return self._call(agent_calls.remove_many(self._client.encoding, self.id, ids))

    def agent(self, id: int, /) -> dict[str, Any]:  # noqa: A002
        """Read one agent with its effective values and `status`."""
        return self._call(agent_calls.describe_agent(self.id, id))

    def set_agent(self, id: int, /, **fields: Any) -> dict[str, Any]:  # noqa: A002
        """Change fields of one agent, None clears; gives what the server answers."""
        return self._call(agent_calls.set_agent(self.id, id, fields))

    def remove_agent(self, id: int, /) -> None:  # noqa: A002
        """Remove one agent."""
        self._call(agent_calls.remove_agent(self.id, id))

    def explain(self, id: int, /) -> dict[str, Any]:  # noqa: A002
        """Ask why an agent moves as it does: neighbours, constraints (kind, source, point, normal), program, status."""
        return self._call(agent_calls.explain(self.id, id))

    # ---- geometry

    def add_obstacles(self, obstacles: Sequence[ObstacleLike], /) -> Added:
        """Add obstacles: `Obstacle`, mappings, or bare lists of points."""
        return self._call(geometry_calls.add_obstacles(self.id, obstacles))

    def obstacles(self) -> list[Obstacle]:
        """Read all obstacles."""
        return self._call(geometry_calls.list_obstacles(self.id))

    def obstacle(self, id: int, /) -> Obstacle:  # noqa: A002
        """Read one obstacle."""
        return self._call(geometry_calls.get_obstacle(self.id, id))

    def set_obstacle(self, id: int, obstacle: ObstacleLike, /) -> Changed:  # noqa: A002
        """Replace an obstacle."""
        return self._call(geometry_calls.set_obstacle(self.id, id, obstacle))

    def set_door(self, id: int, /, *, open: bool) -> Changed:  # noqa: A002
        """Let an obstacle stand open as a door, or close it."""
        return self._call(geometry_calls.set_door(self.id, id, open))

    def remove_obstacle(self, id: int, /) -> None:  # noqa: A002
        """Remove an obstacle."""
        self._call(geometry_calls.remove_obstacle(self.id, id))

    def add_walkable(self, areas: Sequence[AreaLike], /) -> Added:
        """Add walkable areas: `WalkableArea`, mappings, or bare GeoJSON geometries."""
        return self._call(geometry_calls.add_walkable(self.id, areas))

    def walkable(self) -> list[WalkableArea]:
        """Read all walkable areas."""
        return self._call(geometry_calls.list_walkable(self.id))

    def walkable_area(self, id: int, /) -> WalkableArea:  # noqa: A002
        """Read one walkable area."""
        return self._call(geometry_calls.get_area(self.id, id))

    def set_walkable(self, id: int, area: AreaLike, /) -> Changed:  # noqa: A002
        """Replace a walkable area."""
        return self._call(geometry_calls.set_area(self.id, id, area))

    def remove_walkable(self, id: int, /) -> None:  # noqa: A002
        """Remove a walkable area."""
        self._call(geometry_calls.remove_area(self.id, id))

    def paths(self, queries: Sequence[PathQuery], /) -> PathsFound:
        """Find shortest ways over the geometry as it is, for somebody who steers himself; nothing is changed.

        A query is `{"from": (x, y), "to": (x, y), "radius": r, "z_range": (low, high)}`; the radius left out is that of
        the world's defaults, and without heights what stands at any height is in the way.
        """
        return self._call(geometry_calls.paths(self.id, queries))

    def add_map(self, source: MapSource, *, as_: MapKind, cell_size: float | None = None) -> Added:
        """Load a MovingAI map or GeoJSON, from a file or as text, as obstacles or as walkable areas."""
        return self._call(geometry_calls.load_map(self.id, source, as_, cell_size))

    # the name that this call had before
    load_map = add_map

    # ---- commands and steps

    def commands(self, commands: Sequence[Command], /, *, key: str | None = None) -> Acknowledged:
        """Run commands (see `orca_crowd_client.commands`), all or nothing, in one step.

        A key is made where none is given, so that a request repeated over a broken connection has one effect.
        """
        body = stepping.commands_body(self._client.encoding, commands, key)
        return self._call(stepping.run_commands(self.id, body))

    def step(
        self,
        count: int = 1,
        *,
        expected_step: int | None = None,
        commands: Sequence[Command] | None = None,
        key: str | None = None,
        return_: Return = "none",
        fields: Sequence[str] | None = None,
        ids: Sequence[int] | Identifiers | None = None,
    ) -> Stepped:
        """Take steps in a manual world, after `commands`; with `return_="agents"` gives `fields` of `ids` after them.

        A key is made where none is given, so that a request repeated over a broken connection steps once. Raises
        `Conflict` where `expected_step` is not the number of steps taken so far, or another holds the lease.
        """
        body = stepping.step_body(
            self._client.encoding,
            count,
            expected_step=expected_step,
            commands=commands,
            key=key,
            return_=return_,
            fields=fields,
            ids=ids,
        )
        return self._call(stepping.step_world(self.id, body, self._holder))

    def lease(self, holder: str, ttl: float) -> Lease:
        """Take or renew the sole right to step for `ttl` seconds; this handle's steps and streams then show it."""
        lease = self._call(worlds.lease(self.id, holder, ttl))
        self._holder = holder
        return lease

    def release_lease(self) -> None:
        """Give the lease of this handle back; without one nothing is sent."""
        if self._holder is not None:
            self._call(worlds.release(self.id, self._holder))
            self._holder = None

    # the name that this call had before
    release = release_lease

    # ---- the stream

    def stream(
        self,
        *,
        fields: Sequence[str] | None = None,
        precision: StreamPrecision = "float64",
        every: int = 1,
        delivery: Delivery = "latest",
        interest: Mapping[str, Any] | None = None,
        window: int = 3,
        rows: StreamedRows = "changed",
        watch: bool = True,
        max_size: int = LARGEST_MESSAGE,
        reconnect: Backoff = RECONNECTING,
    ) -> Stream:
        """Open a stream of frames and events, which takes commands and steps too; see `Stream`.

        `delivery` `latest` leaves out frames that a slow reader has not taken, `every` leaves out none. `watch=False`
        subscribes to nothing, for a loop that only sends commands and steps. `max_size` bounds one message in bytes:
        the default of 64 MiB holds every field of 50,000 agents several times over.
        """
        return Stream(
            self._client.stream_url(self.id),
            self._client.encoding,
            Subscription(fields, precision, every, delivery, interest, window, rows) if watch else None,
            headers=self._client.stream_headers(self._holder),
            max_size=max_size,
            connect=self._client.retry,
            reconnect=reconnect,
        )

    def _call(self, call: Call[Result]) -> Result:
        """Send a call about this world, in the name of the controller if there is one."""
        if self.controller is not None:
            call = replace(call, headers={**call.headers, CONTROLLER_HEADER: self.controller})
        return self._client.call(call)
