"""Whole worlds as a digest or as bytes, and one step of a world that is not kept."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from orca_crowd.api.access import check_new
from orca_crowd.api.documentation import described
from orca_crowd.api.queries import count, read_query, text
from orca_crowd.api.support import ProblemRoute, answer, offload, read_body, read_bytes, services, the_world
from orca_crowd.errors import ApiError
from orca_crowd.protocol.bodies import media_type
from orca_crowd.protocol.shown import DigestAnswer, SteerAnswer, WorldShown
from orca_crowd.protocol.steer import SteerBody, parse_steer
from orca_crowd.protocol.worlds import check_name
from orca_crowd.worlds.steering import steer as steer_once

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "state"
BYTES = "application/octet-stream"
MOMENT = {"step": count("A moment of the past, by the steps taken then; left out: now.")}
RESTORED = {"id": text(check_name, "Id of the new world; left out: given by the server.")}


@router.get(
    "/v1/worlds/{world}/digest", **described("Digest of the state", answer=DigestAnswer, codes=["not-found"], tag=TAG)
)
async def show_digest(request: Request, world: str) -> Response:
    """What two runs, machines or servers compare."""
    shown = await the_world(request).read(
        lambda session: {"step": session.world.step_count, "sha256": session.world.digest()}
    )
    return await answer(request, shown)


@router.get(
    "/v1/worlds/{world}/snapshot",
    **described(
        "Snapshot of the world",
        answer_types=[BYTES],
        query=MOMENT,
        codes=["not-found", "gone", "not-available", "invalid"],
        tag=TAG,
    ),
)
async def take_snapshot(request: Request, world: str) -> Response:
    """The whole world as bytes: as it is, or as it was when it left a step."""
    runner = the_world(request)
    step = read_query(request, MOMENT).get("step")
    if step is not None:
        return Response(await services(request).registry.past(runner, step), media_type=BYTES)
    data = await runner.read(lambda session: session.world.snapshot())
    return Response(data, media_type=BYTES)


@router.post(
    "/v1/worlds/restore",
    **described(
        "Make a world from a snapshot",
        body_types=[BYTES],
        answer=WorldShown,
        status=201,
        query=RESTORED,
        codes=["exists", "limit", "bad-snapshot"],
        tag=TAG,
    ),
)
async def restore_world(request: Request) -> Response:
    """A world with the same bits."""
    here = services(request)
    here.check_ready()
    name = read_query(request, RESTORED).get("id")
    check_new(request, here.door, name)
    kind, _ = media_type(request.headers.get("content-type"))
    if kind != BYTES:
        raise ApiError("unsupported-type", f"a snapshot is {BYTES}, not {kind!r}")
    runner = await here.registry.restore(await read_bytes(request), name)
    return await answer(request, runner.info, 201)


@router.post(
    "/v1/steer",
    **described(
        "One step for a world that you keep yourself", body=SteerBody, answer=SteerAnswer, codes=["limit"], tag=TAG
    ),
)
async def steer(request: Request) -> Response:
    """Velocities for these agents; nothing is kept."""
    here = services(request)
    here.check_ready()
    body = await read_body(request)
    steering = await offload(request, body.size, lambda: parse_steer(body.value))
    return await answer(request, await steer_once(here.engine, here.settings, steering), 200, body)
