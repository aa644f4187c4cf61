"""Where the stream and its description are served."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, WebSocket
from fastapi.responses import JSONResponse
from starlette.routing import WebSocketRoute

import orca_crowd
from orca_crowd.api.origins import check_origin
from orca_crowd.api.support import ProblemRoute, Services
from orca_crowd.errors import ApiError, problem_of
from orca_crowd.logs import world_id
from orca_crowd.protocol.asyncapi import asyncapi_document
from orca_crowd.protocol.compatibility import CLIENT_HEADER, check_client
from orca_crowd.streaming.admission import Admission
from orca_crowd.streaming.relays import Relays
from orca_crowd.streaming.streams import Streams, deny

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)


async def stream(websocket: WebSocket) -> None:
    """Watch a world and give it orders; 400 without a subprotocol, 404 without a world, 503 while not ready."""
    world: str = websocket.path_params["world"]
    services: Services = websocket.app.state.services
    streams: Streams = websocket.app.state.streams
    world_id.set(world)
    try:
        check_client(websocket.headers.get(CLIENT_HEADER))
        check_origin(websocket.headers, services.settings)
        admission = Admission(websocket, services.door, services.clock, world)
        relays: Relays | None = websocket.app.state.relays
        if relays is not None:
            services.check_open()
            await relays.serve(websocket, world, admission)
            return
        services.check_ready()
        await services.registry.wake(world)
        await streams.serve(websocket, services.registry.get(world), admission)
    except ApiError as refusal:
        await deny(websocket, refusal, streams.statistics)
    except Exception as error:
        # before the connection was accepted there is still an answer to give
        if websocket.application_state.name != "CONNECTING":
            raise
        await deny(websocket, problem_of(error), streams.statistics)


# A plain route: what the framework would set up to inject dependencies stays as long as the connection does, and takes
# an eighth of its memory.
router.routes.append(WebSocketRoute("/v1/worlds/{world}/stream", stream))


@router.get("/asyncapi.json", tags=["about"], summary="The stream, described as AsyncAPI 3.")
async def asyncapi() -> JSONResponse:
    """The AsyncAPI document, written by the models that check the messages."""
    document: dict[str, Any] = asyncapi_document(orca_crowd.__version__)
    return JSONResponse(document)
