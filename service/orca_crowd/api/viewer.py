"""The page that shows a world: the files of the viewer, with a policy that lets them load nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from fastapi import APIRouter, Request, Response

from orca_crowd.api.support import ProblemRoute

__all__ = ["viewer_router"]

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
# everything comes from here, and whatever is not named is not allowed at all; 'self' holds for the stream too
POLICY = (
    "default-src 'none'",
    *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
    *(f"{what} 'none'" for what in ("base-uri", "form-action", "frame-ancestors")),
)
HEADERS = {
    "Content-Security-Policy": "; ".join(POLICY),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def viewer_router() -> APIRouter:
    """One route a file that is there, and the page itself at `/`."""
    router = APIRouter(route_class=ProblemRoute, include_in_schema=False)
    for entry in files("orca_crowd").joinpath("viewer").iterdir():
        suffix = "." + entry.name.rpartition(".")[2]
        if entry.is_file() and suffix in TYPES:
            path = "/" if entry.name == "index.html" else f"/{entry.name}"
            _serve(router, path, entry.read_bytes(), TYPES[suffix])
    return router


def _serve(router: APIRouter, path: str, data: bytes, media: str) -> None:
    async def send(request: Request) -> Response:
        return Response(data, media_type=media, headers=HEADERS)

    router.get(path, response_class=Response, response_model=None)(send)
