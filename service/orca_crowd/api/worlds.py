"""Worlds: made, listed, shown, changed, deleted."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from orca_crowd.api.access import check_new, grant_of
from orca_crowd.api.documentation import described
from orca_crowd.api.queries import read_query
from orca_crowd.api.support import ProblemRoute, answer, no_content, read_body, services, the_world
from orca_crowd.protocol.commands import Command, SetDefaults, SetLevelOfDetail
from orca_crowd.protocol.detail import level_of_detail_of
from orca_crowd.protocol.models import validate
from orca_crowd.protocol.shown import WorldsAnswer, WorldShown
from orca_crowd.protocol.worlds import ForkBody, NewWorld, WorldChange, parse_change, parse_world

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "worlds"


@router.post(
    "/v1/worlds",
    **described(
        "Make a world",
        body=NewWorld,
        answer=WorldShown,
        status=201,
        codes=["exists", "limit", "not-available"],
        tag=TAG,
    ),
)
async def create_world(request: Request) -> Response:
    """Make a world."""
    here = services(request)
    here.check_ready()
    body = await read_body(request)
    new = parse_world(body.value, here.settings)
    check_new(request, here.door, new.id)
    runner = await here.registry.create(new)
    return await answer(request, runner.info, 201, body)


@router.get("/v1/worlds", **described("List the worlds", answer=WorldsAnswer, tag=TAG))
async def list_worlds(request: Request) -> Response:
    """Every world, the oldest first."""
    here = services(request)
    here.check_ready()
    read_query(request, {})
    seen = grant_of(request)
    return await answer(request, {"worlds": [runner.info for runner in here.registry.all() if seen.sees(runner.name)]})


@router.get("/v1/worlds/{world}", **described("Show a world", answer=WorldShown, codes=["not-found"], tag=TAG))
async def show_world(request: Request, world: str) -> Response:
    """A world, also one that has failed."""
    return await answer(request, the_world(request).info)


@router.patch(
    "/v1/worlds/{world}",
    **described(
        "Change the clock, the name, the defaults or the level of detail of a world",
        body=WorldChange,
        answer=WorldShown,
        codes=["not-found", "not-available", "busy", "world-failed"],
        tag=TAG,
    ),
)
async def change_world(request: Request, world: str) -> Response:
    """Change what is given."""
    runner = the_world(request)
    body = await read_body(request)
    change = parse_change(body.value, services(request).settings)
    given = change.model_fields_set
    commands: list[Command] = []
    if "defaults" in given:
        commands.append(SetDefaults(change.defaults.model_dump(exclude_unset=True)))
    if "level_of_detail" in given:
        commands.append(SetLevelOfDetail(level_of_detail_of(change.level_of_detail)))
    accepted = None
    if "clock" in given:
        accepted = await runner.retime(change.clock, commands)
    elif commands:
        accepted = await runner.apply(commands)
    if "name" in given:
        await runner.rename(change.name)
    # the world as it is now, but the place of this very change
    place = {} if accepted is None else {"step": accepted.step, "sequence": accepted.sequence}
    return await answer(request, {**runner.info, **place}, 200, body)


@router.delete("/v1/worlds/{world}", **described("Delete a world", status=204, codes=["not-found"], tag=TAG))
async def delete_world(request: Request, world: str) -> Response:
    """Delete a world; its watchers are told."""
    runner = the_world(request)
    await services(request).registry.remove(runner.name)
    return no_content()


@router.post(
    "/v1/worlds/{world}/restore",
    **described(
        "Bring a failed world back from its journal", answer=WorldShown, codes=["not-found", "exists"], tag=TAG
    ),
)
async def revive_world(request: Request, world: str) -> Response:
    """The world as it was acknowledged last."""
    runner = the_world(request)
    return await answer(request, (await services(request).registry.revive(runner.name)).info)


@router.post(
    "/v1/worlds/{world}/fork",
    **described(
        "Make a new world of a moment of the past",
        body=ForkBody,
        answer=WorldShown,
        status=201,
        codes=["not-found", "gone", "exists", "limit", "not-available"],
        tag=TAG,
    ),
)
async def fork_world(request: Request, world: str) -> Response:
    """A world that begins as another one was."""
    here, runner = services(request), the_world(request)
    body = await read_body(request)
    fork = validate(ForkBody, body.value)
    check_new(request, here.door, fork.id)
    made = await here.registry.fork(runner, fork)
    return await answer(request, made.info, 201, body)
