"""The agents of a world."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi import APIRouter, Request, Response

from orca_crowd.api.documentation import described
from orca_crowd.api.queries import choice, count, field_names, identifiers, read_query
from orca_crowd.api.support import (
    CALLER_HEADERS,
    ProblemRoute,
    answer,
    caller,
    identifier,
    no_content,
    offload,
    read_body,
    the_world,
)
from orca_crowd.errors import ApiError
from orca_crowd.protocol.agents import AgentChange, AgentsBody, parse_change, parse_changes, parse_new_agents
from orca_crowd.protocol.bodies import accepted
from orca_crowd.protocol.commands import AddAgents, RemoveAgents, SetAgents
from orca_crowd.protocol.shown import (
    AddedAnswer,
    AgentAnswer,
    AgentsAnswer,
    AgentShown,
    ChangedAnswer,
    ExplainAnswer,
    RemovedAnswer,
)
from orca_crowd.protocol.steps import Selection
from orca_crowd.worlds.session import Session

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "agents"
CHANGING = ("not-found", "busy", "world-failed")
SELECTION = {
    "fields": field_names(),
    "ids": identifiers("Only these agents, in this order; left out: all."),
    "offset": count("How many agents to leave out at the beginning."),
    "limit": count("How many agents to show at most; left out: all."),
    "precision": choice("float64", "float32", description="Of the number columns; float64."),
}
# what calls that order agents about may be refused with beside
ORDERING = (*CHANGING, "gone", "owned")
REMOVED = {"ids": identifiers("Agents to remove.", required=True)}


@router.post(
    "/v1/worlds/{world}/agents",
    **described(
        "Add agents", body=AgentsBody, answer=AddedAnswer, status=201, codes=[*CHANGING, "exists", "limit"], tag=TAG
    ),
)
async def add_agents(request: Request, world: str) -> Response:
    """All of them or none."""
    runner = the_world(request)
    body = await read_body(request)
    agents = await offload(request, body.size, lambda: parse_new_agents(body.value))
    accepted = await runner.apply([AddAgents(agents)])
    return await answer(request, accepted.single(), 201, body)


@router.get(
    "/v1/worlds/{world}/agents",
    **described(
        "Show agents in columns", answer=AgentsAnswer, query=SELECTION, codes=["not-found", "gone", "invalid"], tag=TAG
    ),
)
async def show_agents(request: Request, world: str) -> Response:
    """The state between two steps."""
    runner = the_world(request)
    packed = accepted(request.headers.get("accept"), None) == "msgpack"
    selection = Selection(**read_query(request, SELECTION), packed=packed)
    shown = await runner.read(lambda session: session.agents(selection))
    return await answer(request, shown)


@router.patch(
    "/v1/worlds/{world}/agents",
    **described(
        "Change agents",
        body=AgentsBody,
        answer=ChangedAnswer,
        headers=CALLER_HEADERS,
        codes=[*ORDERING, "limit"],
        tag=TAG,
    ),
)
async def change_agents(request: Request, world: str) -> Response:
    """All of them or none."""
    runner = the_world(request)
    body = await read_body(request)
    agents = await offload(request, body.size, lambda: parse_changes(body.value))
    accepted = await runner.apply([SetAgents(agents)], controller=caller(request))
    return await answer(request, accepted.single(), 200, body)


@router.delete(
    "/v1/worlds/{world}/agents",
    **described(
        "Remove agents",
        answer=RemovedAnswer,
        query=REMOVED,
        headers=CALLER_HEADERS,
        codes=[*ORDERING, "invalid"],
        tag=TAG,
    ),
)
async def remove_agents(request: Request, world: str) -> Response:
    """All of them or none; their ids are never used again."""
    runner = the_world(request)
    ids = read_query(request, REMOVED)["ids"]
    accepted = await runner.apply([RemoveAgents(ids)], controller=caller(request))
    return await answer(request, accepted.single())


@router.get(
    "/v1/worlds/{world}/agents/{id}",
    **described("Show an agent", answer=AgentShown, codes=["not-found", "gone"], tag=TAG),
)
async def show_agent(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """The agent with its effective values."""
    runner, which = the_world(request), identifier(request)
    return await answer(request, await runner.read(lambda session: session.agent(which)))


async def change_agent(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """What is left out stays; null clears."""
    runner, which = the_world(request), identifier(request)
    body = await read_body(request)
    command, controller = SetAgents(parse_change(body.value, which)), caller(request)

    def change(session: Session) -> dict[str, Any]:
        accepted = session.apply([command], controller.name)
        # shown in the same turn: a moment later somebody else may have changed it, or taken it away
        shown = {**session.agent(which), **accepted.single()}
        return {**shown, "warnings": [{**warning, "item": None} for warning in shown["warnings"]]}

    try:
        shown = await runner.change(change)
    except ApiError as error:
        raise error.alone() from None
    return await answer(request, shown, 200, body)


_change = described(
    "Change an agent",
    body=AgentChange,
    answer=AgentAnswer,
    headers=CALLER_HEADERS,
    codes=[*ORDERING, "limit"],
    tag=TAG,
)
router.patch("/v1/worlds/{world}/agents/{id}", **_change)(change_agent)
# what is read may be put back; the two do the same
router.put("/v1/worlds/{world}/agents/{id}", **_change)(change_agent)


@router.delete(
    "/v1/worlds/{world}/agents/{id}",
    **described("Remove an agent", status=204, headers=CALLER_HEADERS, codes=[*ORDERING, "invalid"], tag=TAG),
)
async def remove_agent(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """Its id is never used again."""
    runner, which = the_world(request), identifier(request)
    command = RemoveAgents(np.array([which], np.int64))
    return no_content(await runner.apply([command], controller=caller(request)))


@router.get(
    "/v1/worlds/{world}/agents/{id}/explain",
    **described("Explain an agent", answer=ExplainAnswer, codes=["not-found", "gone"], tag=TAG),
)
async def explain_agent(request: Request, world: str, id: str) -> Response:  # noqa: A002
    """Why it will move as it will; changes nothing."""
    runner, which = the_world(request), identifier(request)
    return await answer(request, await runner.read(lambda session: session.world.explain(which)))
