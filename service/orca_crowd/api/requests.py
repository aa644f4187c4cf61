"""Around every request and handshake: its id, its line in the log, its span, and what is counted of it."""

from __future__ import annotations

import logging
from typing import Final

from prometheus_client import Counter
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orca_crowd.clock import Clock
from orca_crowd.logs import identifier, request_id
from orca_crowd.metrics import Metrics
from orca_crowd.tracing import Tracing

__all__ = ["REQUEST_ID", "Requests"]

REQUEST_ID: Final = "X-Request-Id"
HEADER: Final = b"x-request-id"

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
        # looked up by label only once
        self._counters: dict[tuple[str, int], Counter] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, the answer with the id in its headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), None)
        own = identifier(None if given is None else given.decode("latin-1"))
        before = request_id.set(own)
        started = self._clock.now()
        span = None

        async def answer(message: Message) -> None:
            if message["type"] in ANSWERS:
                message = {**message, "headers": [*message.get("headers", ()), (HEADER, own.encode())]}
                status = message.get("status", 101)
                self._answered(scope, status, self._clock.now() - started)
                if span is not None:
                    span.set_attribute("http.response.status_code", status)
                    span.set_attribute("http.route", getattr(scope.get("route"), "path", ""))
            await send(message)

        try:
            if self._tracing.on:
                method = scope.get("method", "WEBSOCKET")
                named = {"http.request.method": method, "url.path": scope["path"], "orca_crowd.request": own}
                with self._tracing.request(method, Headers(scope=scope), **named) as span:
                    await self._app(scope, receive, answer)
            else:
                await self._app(scope, receive, answer)
        finally:
            request_id.reset(before)

    def _answered(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope.get("method", "WEBSOCKET")
        counter = self._counters.get((method, status))
        if counter is None:
            named = method if method in METHODS or "method" not in scope else "other"
            counter = self._metrics.requests.labels(named, str(status))
            if named == method:
                self._counters[method, status] = counter
        counter.inc()
        self._metrics.request_seconds.observe(seconds)
        if log.isEnabledFor(logging.DEBUG):
            # the path alone: a query may hold what is nobody's business
            log.debug("%s %s: %d after %.1f ms", method, scope["path"], status, seconds * 1e3)
