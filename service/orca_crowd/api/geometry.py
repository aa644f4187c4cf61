"""Obstacles, walkable areas and maps of a world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from fastapi import APIRouter, Request, Response

from orca_crowd.api.documentation import described
from orca_crowd.api.queries import choice, decimal, read_query
from orca_crowd.api.support import (
    ProblemRoute,
    answer,
    identifier,
    no_content,
    offload,
    read_body,
    read_bytes,
    services,
    the_world,
)
from orca_crowd.errors import ApiError, Fault
from orca_crowd.protocol import commands as c
from orca_crowd.protocol import geometry as g
from orca_crowd.protocol.grid_maps import shown_grid_map
from orca_crowd.protocol.maps import MAP_TYPES, check_map_type, parse_map_upload
from orca_crowd.protocol.shown import (
    AddedAnswer,
    AreasAnswer,
    AreaShown,
    ChangedAnswer,
    GridMapAnswer,
    ObstaclesAnswer,
    ObstacleShown,
)

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
CHANGING = ("not-found", "busy", "world-failed", "limit")
MAP = {
    "as": choice(
        "obstacles", "walkable", "grid", description="What the map becomes; `grid`: of the world.", required=True
    ),
    "cell_size": decimal("Side of a cell of a grid map; 1."),
    "x": decimal("Where the lower left corner of a grid map lies; 0."),
    "y": decimal("Where the lower left corner of a grid map lies; 0."),
}


async def _add(request: Request, parse: Callable[[object], c.Command]) -> Response:
    """POST: all of the list or none."""
    runner = the_world(request)
    body = await read_body(request)
    command = await offload(request, body.size, lambda: parse(body.value))
    accepted = await runner.apply([command])
    return await answer(request, accepted.single(), 201, body)


async def _replace(request: Request, parse: Callable[[object, int], c.Command]) -> Response:
    """PUT: another one in the place of one."""
    runner, which = the_world(request), identifier(request)
    body = await read_body(request)
    command = await offload(request, body.size, lambda: parse(body.value, which))
    try:
        accepted = await runner.apply([command])
    except ApiError as error:
        error.errors = [Fault(None, fault.field, fault.message) for fault in error.errors]
        raise
    return await answer(request, accepted.single(), 200, body)


@router.post(
    "/v1/worlds/{world}/obstacles",
    **described(
        "Add obstacles",
        body=g.ObstaclesBody,
        answer=AddedAnswer,
        status=201,
        codes=[*CHANGING, "exists"],
        tag="obstacles",
    ),
)
async def add_obstacles(request: Request, world: str) -> Response:
    """They act in the very next step."""
    return await _add(request, lambda body: c.AddObstacles(g.parse_obstacles(body)))


@router.get(
    "/v1/worlds/{world}/obstacles",
    **described("List obstacles", answer=ObstaclesAnswer, codes=["not-found"], tag="obstacles"),
)
async def list_obstacles(request: Request, world: str) -> Response:
    """All obstacles in the order of their creation."""
    return await answer(request, await the_world(request).read(lambda session: session.obstacles()))


@router.get(
    "/v1/worlds/{world}/obstacles/{id}",
    **described("Show an obstacle", answer=ObstacleShown, codes=["not-found", "gone"], tag="obstacles"),
)
async def show_obstacle(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """One obstacle."""
    runner, which = the_world(request), identifier(request)
    return await answer(request, await runner.read(lambda session: session.obstacle(which)))


@router.put(
    "/v1/worlds/{world}/obstacles/{id}",
    **described(
        "Replace an obstacle", body=g.ObstacleRow, answer=ChangedAnswer, codes=[*CHANGING, "gone"], tag="obstacles"
    ),
)
async def set_obstacle(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """It keeps its place in the order."""
    return await _replace(request, lambda body, which: c.SetObstacle(which, g.parse_obstacle(body, which)))


@router.patch(
    "/v1/worlds/{world}/obstacles/{id}",
    **described(
        "Open or close a door", body=g.DoorBody, answer=ChangedAnswer, codes=[*CHANGING, "gone"], tag="obstacles"
    ),
)
async def set_door(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """An open obstacle stays where it is in the order and does not act; the very next step sees it."""
    return await _replace(request, lambda body, which: c.SetDoors(np.array([which], np.int64), g.parse_door(body)))


@router.delete(
    "/v1/worlds/{world}/obstacles/{id}",
    **described("Remove an obstacle", status=204, codes=[*CHANGING, "gone"], tag="obstacles"),
)
async def remove_obstacle(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """It is gone in the very next step."""
    return no_content(await the_world(request).apply([c.RemoveObstacle(identifier(request))]))


@router.post(
    "/v1/worlds/{world}/walkable",
    **described(
        "Add walkable areas",
        body=g.AreasBody,
        answer=AddedAnswer,
        status=201,
        codes=[*CHANGING, "exists"],
        tag="walkable",
    ),
)
async def add_walkable(request: Request, world: str) -> Response:
    """Several areas are a union."""
    return await _add(request, c.add_walkable)


@router.get(
    "/v1/worlds/{world}/walkable",
    **described("List walkable areas", answer=AreasAnswer, codes=["not-found"], tag="walkable"),
)
async def list_walkable(request: Request, world: str) -> Response:
    """All areas in the order of their creation, as they were given."""
    return await answer(request, await the_world(request).read(lambda session: session.walkable()))


@router.get(
    "/v1/worlds/{world}/walkable/{id}",
    **described("Show a walkable area", answer=AreaShown, codes=["not-found", "gone"], tag="walkable"),
)
async def show_walkable(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """One area."""
    runner, which = the_world(request), identifier(request)
    return await answer(request, await runner.read(lambda session: session.area(which)))


@router.put(
    "/v1/worlds/{world}/walkable/{id}",
    **described(
        "Replace a walkable area", body=g.AreaRow, answer=ChangedAnswer, codes=[*CHANGING, "gone"], tag="walkable"
    ),
)
async def set_walkable(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """It keeps its place in the order."""
    return await _replace(request, c.set_walkable)


@router.delete(
    "/v1/worlds/{world}/walkable/{id}",
    **described("Remove a walkable area", status=204, codes=[*CHANGING, "gone"], tag="walkable"),
)
async def remove_walkable(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """With the last one gone the plane is free."""
    return no_content(await the_world(request).apply([c.RemoveWalkable(identifier(request))]))


@router.post(
    "/v1/worlds/{world}/map",
    **described(
        "Upload a MovingAI grid or GeoJSON",
        body_types=MAP_TYPES,
        answer=AddedAnswer,
        status=201,
        query=MAP,
        codes=CHANGING,
        tag="maps",
    ),
)
async def upload_map(request: Request, world: str) -> Response:
    """The map becomes obstacles, a walkable area or the grid map of the world, all of it or nothing."""
    runner = the_world(request)
    query = read_query(request, MAP)
    media = check_map_type(request.headers.get("content-type"))
    data = await read_bytes(request)
    settings = services(request).settings
    upload = await offload(
        request, len(data), lambda: parse_map_upload(data, media, query.pop("as"), settings, **query)
    )
    try:
        accepted = await runner.apply([upload.command])
    except ApiError as error:
        raise upload.located(error) from None
    notices = [{"code": n.code, "item": n.item, "field": n.field, "message": n.message} for n in upload.notices]
    shown = accepted.single()
    return await answer(request, {**shown, "warnings": notices + shown["warnings"]}, 201)


@router.get(
    "/v1/worlds/{world}/grid-map",
    **described("Show the grid map", answer=GridMapAnswer, codes=["not-found"], tag="maps"),
)
async def show_grid_map(request: Request, world: str) -> Response:
    """The grid map on which is planned cell by cell, null where the world has none."""
    step, found = await the_world(request).read(lambda session: (session.world.step_count, session.world.grid_map))
    # nobody ever changes one in place, so it can be shown in another thread
    cells = 0 if found is None else found.grid.free.size
    return await answer(
        request, {"step": step, "grid_map": await offload(request, cells, lambda: shown_grid_map(found))}
    )
