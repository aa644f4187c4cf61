"""What the server says of itself: health, readiness, metrics, what it is, its demos."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from orca_core import _jit
from orca_core.options import PROFILES
from orca_crowd import __version__
from orca_crowd.api.access import check_new, grant_of
from orca_crowd.api.documentation import described
from orca_crowd.api.support import INFO_PATH, ProblemRoute, answer, services
from orca_crowd.protocol.compatibility import OLDEST_CLIENTS
from orca_crowd.protocol.demos import DemosAnswer, StartedDemo
from orca_crowd.protocol.shown import HealthAnswer, InfoAnswer
from orca_crowd.scenes.expected import expected_figures
from orca_crowd.settings import LIMITS

__all__ = ["router"]

router = APIRouter(route_class=ProblemRoute)
TAG = "server"


@router.get("/healthz", **described("Whether the process answers", answer=HealthAnswer, tag=TAG))
async def healthz(request: Request) -> Response:
    """Up from the first moment, whatever the worlds do."""
    return await answer(request, {"status": "ok"})


@router.get("/readyz", **described("Whether requests are taken", answer=HealthAnswer, tag=TAG))
async def readyz(request: Request) -> Response:
    """503 until every kernel is compiled, and again once the server stops.

    A failed world does not make the server unready.
    """
    services(request).check_ready()
    return await answer(request, {"status": "ready"})


@router.get("/metrics", **described("Metrics for Prometheus", answer_types=["text/plain"], tag=TAG))
async def metrics(request: Request) -> Response:
    """Counts and measurements."""
    here = services(request)
    return Response(await here.engine.serve(here.metrics.text), media_type="text/plain; version=0.0.4")


@router.get(INFO_PATH, **described("What this server is", answer=InfoAnswer, tag=TAG))
async def info(request: Request) -> Response:
    """Version, oldest clients, digest of the kernels, limits, both profiles of options, and what the key allows."""
    here = services(request)
    digest = await here.engine.serve(_jit.kernel_digest)
    return await answer(
        request,
        {
            "version": __version__,
            "clients": dict(OLDEST_CLIENTS),
            "kernels": digest,
            "engine": here.engine.name,
            "durability": list(here.settings.durabilities),
            "limits": {name: getattr(here.settings, name) for name in LIMITS},
            "options": {name: options.as_mapping() for name, options in PROFILES.items()},
            "scope": grant_of(request).scope,
        },
    )


@router.get("/v1/demos", **described("List the demos", answer=DemosAnswer, tag=TAG))
async def list_demos(request: Request) -> Response:
    """Scenes that can be started."""
    here = services(request)
    figures = await here.engine.serve(expected_figures)
    demos = [
        {
            "name": scene.name,
            "title": scene.title,
            "description": scene.description,
            "figures": figures[scene.name].as_mapping() if scene.name in figures else None,
        }
        for scene in here.demos.scenes()
    ]
    return await answer(request, {"demos": demos})


@router.post(
    "/v1/demos/{name}",
    **described("Start a demo", answer=StartedDemo, status=201, codes=["not-found", "limit"], tag=TAG),
)
async def start_demo(request: Request, name: str) -> Response:
    """Make the world of a scene and let it run."""
    here = services(request)
    here.check_ready()
    check_new(request, here.door, None)
    runner, scene = await here.demos.start(name)
    shown = {
        "world": runner.info,
        "view": list(scene.view),
        "attribution": scene.attribution,
        "gate": None if scene.gate is None else [list(end) for end in scene.gate],
        "arrival": scene.near_enough,
    }
    return await answer(request, shown, 201)
