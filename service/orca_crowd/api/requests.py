"""Around every request and handshake: its id, its line in the log, its span, and what is counted of it."""

from __future__ import annotations

import logging
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orca_crowd.clock import Clock
from orca_crowd.logs import identifier, request_id
from orca_crowd.metrics import Metrics
from orca_crowd.tracing import Tracing

__all__ = ["REQUEST_ID", "Requests"]

REQUEST_ID: Final = "X-Request-Id"

log = logging.getLogger("orca_crowd.requests")

# methods that have a count of their own; a client can invent others, and counts of those would never end
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# messages that answer a request or a handshake
ANSWERS: Final = frozenset({"http.response.start", "websocket.accept", "websocket.http.response.start"})


class Requests:
    """Middleware of the plain kind: nothing is buffered and no task is added."""

    def __init__(self, app: ASGIApp, *, clock: Clock, metrics: Metrics, tracing: Tracing) -> None:
        """Take the application below."""
        self._app = app
        self._clock = clock
        self._metrics = metrics
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, the answer with the id in its headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        own = identifier(headers.get(REQUEST_ID))
        before = request_id.set(own)
        started = self._clock.now()
        method = scope.get("method", "WEBSOCKET")

        async def answer(message: Message) -> None:
            if message["type"] in ANSWERS:
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", own.encode())]}
                self._answered(method, scope["path"], message.get("status", 101), self._clock.now() - started)
                if span is not None:
                    route = scope.get("route")
                    span.set_attribute("http.response.status_code", message.get("status", 101))
                    span.set_attribute("http.route", getattr(route, "path", ""))
            await send(message)

        named = {"http.request.method": method, "url.path": scope["path"], "orca_crowd.request": own}
        try:
            with self._tracing.request(method, headers, **named) as span:
                await self._app(scope, receive, answer)
        finally:
            request_id.reset(before)

    def _answered(self, method: str, path: str, status: int, seconds: float) -> None:
        self._metrics.requests.labels(method if method in METHODS or status == 101 else "other", str(status)).inc()
        self._metrics.request_seconds.observe(seconds)
        # the path alone: a query may hold what is nobody's business
        log.debug("%s %s: %d after %.1f ms", method, path, status, seconds * 1e3)
