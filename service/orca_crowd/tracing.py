"""Traces, where somebody wants them: a span a request, a step, a write to a journal.

Off unless the extra `orca-crowd[traces]` is installed and OTEL_EXPORTER_OTLP_ENDPOINT says where they go; then
OpenTelemetry's own variables (OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS, …) hold. Spans are
sent in the background, dropped where nobody takes them, and hold up nothing.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["OFF", "Tracing", "tracing_of_environment"]

log = logging.getLogger("orca_crowd")

# how long the end waits for the last spans to be sent
FLUSH_SECONDS = 1.0
ENDPOINT: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# how a service downstream is told of a trace, and how one upstream tells us
CARRIED: Final = ("traceparent", "tracestate")


class Tracing:
    """Begins spans; without a provider there are none, and nothing of OpenTelemetry is imported."""

    def __init__(self, provider: TracerProvider | None = None, version: str | None = None) -> None:
        """Send what is traced to this provider, which is ours to end."""
        self._provider = provider
        self._tracer = None if provider is None else provider.get_tracer("orca_crowd", version)

    @property
    def on(self) -> bool:
        """Whether anything is traced."""
        return self._tracer is not None

    def span(self, name: str, parent: Context | None = None, **attributes: Any) -> AbstractContextManager[Any]:
        """A span for the block, below the one that is open here, or in the context of `parent`."""
        if self._tracer is None:
            return nullcontext()
        from opentelemetry import context

        above = None if parent is None else parent.run(context.get_current)
        return self._tracer.start_as_current_span(name, above, attributes=attributes)

    def request(self, name: str, headers: Mapping[str, str], **attributes: Any) -> AbstractContextManager[Any]:
        """A span for a request, below the one that its headers name."""
        if self._tracer is None:
            return nullcontext()
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carried = {name: headers[name] for name in CARRIED if name in headers}
        above = TraceContextTextMapPropagator().extract(carried)
        return self._tracer.start_as_current_span(name, above, kind=SpanKind.SERVER, attributes=attributes)

    def close(self) -> None:
        """Send what waits, for a moment; for a helper thread."""
        if self._provider is not None:
            # where nobody takes the spans this would go on trying for half a minute
            sending = threading.Thread(target=self._provider.shutdown, name="orca-traces", daemon=True)
            sending.start()
            sending.join(FLUSH_SECONDS)


OFF: Final = Tracing()


def tracing_of_environment(version: str) -> Tracing:
    """What the environment asks for; a warning where it asks for traces and they are not installed."""
    if not any(os.environ.get(name) for name in ENDPOINT):
        return OFF
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.warning("there are no traces: %s is set, but pip install 'orca-crowd[traces]' is missing", ENDPOINT[0])
        return OFF
    named = {SERVICE_VERSION: version} | ({} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: "orca-crowd"})
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider, version)
