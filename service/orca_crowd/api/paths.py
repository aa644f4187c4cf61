"""Paths for somebody who steers himself."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from orca_crowd.api.documentation import described
from orca_crowd.api.support import ProblemRoute, answer, offload, read_body, services, the_world
from orca_crowd.protocol.paths import PathsBody, parse_paths
from orca_crowd.protocol.shown import PathsAnswer

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "paths"


@router.post(
    "/v1/worlds/{world}/paths",
    **described(
        "Find paths",
        body=PathsBody,
        answer=PathsAnswer,
        codes=["not-found", "limit", "busy", "world-failed"],
        tag=TAG,
    ),
)
async def find_paths(request: Request, world: str) -> Response:
    """Shortest paths over walkable areas and round obstacles as they are; nothing is changed."""
    here, runner = services(request), the_world(request)
    body = await read_body(request)
    queries = await offload(request, body.size, lambda: parse_paths(body.value, here.settings))
    return await answer(request, await here.paths.plan(runner, queries), 200, body)
