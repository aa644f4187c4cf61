"""What moves a world: commands in a batch, steps, and the right to step."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from orca_crowd.api.documentation import described
from orca_crowd.api.support import (
    CALLER_HEADERS,
    ProblemRoute,
    answer,
    caller,
    no_content,
    read_body,
    services,
    the_world,
)
from orca_crowd.protocol.commands import CommandsBody
from orca_crowd.protocol.shown import CommandsAnswer, LeaseAnswer, StepAnswer
from orca_crowd.protocol.steps import StepBody
from orca_crowd.protocol.worlds import LeaseBody, parse_lease

__all__ = ["LEASE_HEADER", "router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "stepping"
LEASE_HEADER = "Orca-Crowd-Lease"
HEADERS = {LEASE_HEADER: "The holder of the lease on this world."}
REFUSED = ("owned", "not-found", "gone", "exists", "limit", "busy", "key-reused", "world-failed")


@router.post(
    "/v1/worlds/{world}/commands",
    **described(
        "Apply a batch of commands",
        body=CommandsBody,
        answer=CommandsAnswer,
        headers=CALLER_HEADERS,
        codes=REFUSED,
        tag=TAG,
    ),
)
async def apply_commands(request: Request, world: str) -> Response:
    """All or nothing, between two steps."""
    runner = the_world(request)
    body = await read_body(request)
    done = await runner.command(body.value, controller=caller(request), size=body.size)
    return await answer(request, done, 200, body)


@router.post(
    "/v1/worlds/{world}/steps",
    **described(
        "Take steps",
        body=StepBody,
        body_required=False,
        answer=StepAnswer,
        headers={**HEADERS, **CALLER_HEADERS},
        codes=[*REFUSED, "wrong-step", "wrong-clock", "leased"],
        tag=TAG,
    ),
)
async def take_steps(request: Request, world: str) -> Response:
    """Answered when they are taken; without a body one step."""
    runner = the_world(request)
    body = await read_body(request, optional=True)
    lease = request.headers.get(LEASE_HEADER)
    stepped = await runner.step(body.value, lease=lease, controller=caller(request), size=body.size)
    return await answer(request, stepped, 200, body)


@router.post(
    "/v1/worlds/{world}/lease",
    **described("Hold the right to step", body=LeaseBody, answer=LeaseAnswer, codes=["not-found", "leased"], tag=TAG),
)
async def take_lease(request: Request, world: str) -> Response:
    """Take it, or hold it longer; until it expires only this holder steps."""
    runner = the_world(request)
    here = services(request)
    body = await read_body(request)
    lease = parse_lease(body.value, here.settings)
    runner.lease.take(lease.holder, lease.ttl, here.clock.now())
    return await answer(request, {"holder": lease.holder, "expires": here.clock.wall() + lease.ttl}, 200, body)


@router.delete(
    "/v1/worlds/{world}/lease",
    **described("Give the right to step back", status=204, headers=HEADERS, codes=["not-found", "leased"], tag=TAG),
)
async def release_lease(request: Request, world: str) -> Response:
    """By its holder, who is named in the header; nothing happens where nobody holds it."""
    runner = the_world(request)
    runner.lease.release(request.headers.get(LEASE_HEADER), services(request).clock.now())
    return no_content()
