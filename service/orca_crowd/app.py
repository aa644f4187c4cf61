"""The application: what it is made of, in which order that starts and ends. Nothing happens at import."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from orca_crowd import __version__
from orca_crowd.api import agents, documentation, geometry, server, state, stepping, worlds
from orca_crowd.api.paths import router as path_router
from orca_crowd.api.relay import Relay
from orca_crowd.api.requests import REQUEST_ID, Requests
from orca_crowd.api.support import Services, problem, refusal_of
from orca_crowd.api.viewer import viewer_router
from orca_crowd.clock import Clock, SystemClock
from orca_crowd.cluster.front import Front
from orca_crowd.engine.choice import make_engine
from orca_crowd.engine.warmup import Progress, Warmup
from orca_crowd.journal.watch import writing_watched
from orca_crowd.keys.buckets import Buckets
from orca_crowd.keys.doorkeeper import Doorkeeper
from orca_crowd.keys.tries import FailedTries
from orca_crowd.metrics import LAG_PERIOD, LAG_PERIOD_HOSTED, Metrics
from orca_crowd.protocol.compatibility import CLIENT_HEADER
from orca_crowd.protocol.controllers import CONTROLLER_HEADER
from orca_crowd.settings import Settings
from orca_crowd.streaming.relays import Relays
from orca_crowd.streaming.router import router as stream_router
from orca_crowd.streaming.streams import Streams
from orca_crowd.tracing import Tracing, tracing_of_environment
from orca_crowd.worlds.archive import Archive
from orca_crowd.worlds.demos import Demos
from orca_crowd.worlds.hosted import Hosted
from orca_crowd.worlds.journals import Journals
from orca_crowd.worlds.paths import Paths
from orca_crowd.worlds.planning import PlannerPool
from orca_crowd.worlds.registry import Registry

__all__ = ["create_app", "drain"]

# how long the end waits for a compilation, which cannot be interrupted
WARMUP_SECONDS = 2.0
# how much of the time for the drain the worlds may take, so that clients are told in the rest
WORLDS_SHARE = 0.4


def create_app(
    settings: Settings | None = None,
    *,
    clock: Clock | None = None,
    progress: Progress | None = None,
    tracing: Tracing | None = None,
    hosted: Hosted | None = None,
) -> FastAPI:
    """Make the application; threads and tasks begin with its lifespan and have ended when that has.

    `clock` is the only clock that it reads; `progress` hears of every kernel that is compiled at the start; `tracing`
    is what the environment asks for unless it is given. `hosted` says that it holds worlds for front ends.
    """
    settings = settings if settings is not None else Settings()
    clock = clock if clock is not None else SystemClock()
    app = FastAPI(
        title="orca-crowd",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    tracing = tracing if tracing is not None else tracing_of_environment(__version__)
    metrics = Metrics()
    engine = make_engine(settings, hosted=hosted is not None)
    metrics.engine(engine, __version__)
    writing = writing_watched(metrics, clock, tracing)
    # a front end holds no world itself, so it keeps none
    front = Front(settings, clock, metrics) if settings.engine == "ray" and hosted is None else None
    archive: Journals | None = None
    if hosted is not None:
        archive = hosted.journals(writing)
    elif settings.folder is not None and front is None:
        archive = Archive(settings.folder, settings, writing)
    planners = PlannerPool(settings.planners)
    registry = Registry(
        settings=settings,
        engine=engine,
        clock=clock,
        metrics=metrics,
        archive=archive,
        tracing=tracing,
        planners=planners,
        hosted=hosted,
    )
    demos = Demos(registry, engine)
    paths = Paths(settings, engine)
    door = Doorkeeper(
        settings.key_file,
        FailedTries(tries=settings.failed_tries, seconds=60.0),
        Buckets(rate=settings.requests_per_second, burst=2.0 * settings.requests_per_second),
        refused=metrics.key_refused,
    )
    warmup = Warmup(progress, engine.start)
    if hosted is not None:
        door = hosted.door
    app.state.hosted = hosted
    app.state.services = Services(
        settings, clock, metrics, engine, registry, demos, paths, planners, warmup, door, tracing, front
    )
    if front is not None:
        app.state.services.relay = Relay(front).answer
    app.state.streams = Streams(clock=clock, settings=settings, offload=engine.serve)
    statistics = app.state.streams.statistics
    metrics.streams(statistics, app.state.streams.waiting)
    app.state.relays = None
    if front is not None:
        app.state.relays = Relays(front, clock=clock, settings=settings, statistics=statistics)

    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=[
                *("Authorization", "Content-Type", "Orca-Crowd-Lease", REQUEST_ID),
                *(CONTROLLER_HEADER, CLIENT_HEADER),
            ],
            expose_headers=[REQUEST_ID, "Orca-Crowd-Step", "Orca-Crowd-Sequence", "Retry-After"],
        )
    # the last that is added is the outermost
    app.add_middleware(Requests, clock=clock, metrics=metrics, tracing=tracing)

    async def refuse(request: Request, error: Exception) -> Response:
        return problem(request, refusal_of(error))

    # unknown paths and methods never reach a route, so they are caught here
    app.add_exception_handler(HTTPException, refuse)
    # restore before the routes of single worlds: it is no world's name there
    for router in (
        server.router,
        state.router,
        worlds.router,
        agents.router,
        geometry.router,
        stepping.router,
        path_router,
        stream_router,
    ):
        app.include_router(router)
    app.include_router(viewer_router())
    documentation.install(app)
    return app


async def drain(app: FastAPI) -> None:
    """Stop taking work: readiness ends at once, sockets are closed with 1012, running slices finish.

    A second call does nothing.
    """
    services: Services = app.state.services
    services.draining = True
    if services.drained:
        return
    services.drained = True
    with suppress(TimeoutError):
        async with asyncio.timeout(services.settings.drain_seconds):
            await services.demos.close()
            # journals are closed before clients are let go; a world that takes too long holds up no other's clients
            with suppress(TimeoutError):
                async with asyncio.timeout(WORLDS_SHARE * services.settings.drain_seconds):
                    await services.registry.drain()
            if app.state.relays is not None:
                await app.state.relays.close()
            await app.state.streams.close()


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    services.warmup.start()
    services.registry.start(services.warmup.wait)
    if services.front is not None:
        services.front.start()
    period = LAG_PERIOD if app.state.hosted is None else LAG_PERIOD_HOSTED
    lag = asyncio.create_task(services.metrics.watch_loop(period), name="event loop lag")
    try:
        yield
    finally:
        await drain(app)
        lag.cancel()
        await asyncio.wait([lag])
        if services.front is not None:
            await services.front.close()
        await services.engine.close()
        await asyncio.to_thread(services.planners.close)
        services.registry.close()
        services.door.close()
        await asyncio.to_thread(services.tracing.close)
        await asyncio.to_thread(services.warmup.join, WARMUP_SECONDS)
