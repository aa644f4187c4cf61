"""Traces: off unless asked for; then a span a request, a change or step, a write to the journal, below each other."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from orca_crowd.tracing import OFF, Tracing, tracing_of_environment
from tests.orca_crowd.durability.test_return import make
from tests.support.live_server import child_environment
from tests.support.mortal_server import MortalServer

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def spans() -> Iterator[tuple[Tracing, InMemorySpanExporter]]:
    """Spans that are kept in memory."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracing = Tracing(provider)
    yield tracing, kept
    tracing.close()


def test_spans_stand_below_each_other(spans: tuple[Tracing, InMemorySpanExporter]) -> None:
    tracing, kept = spans
    headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
    with tracing.request("POST", headers, path="/"), tracing.span("step", world="w"), tracing.span("journal write"):
        pass
    write, step, request = kept.get_finished_spans()
    assert [write.name, step.name, request.name] == ["journal write", "step", "POST"]
    assert request.parent is not None
    assert step.parent is not None
    assert write.parent is not None
    assert f"{request.context.trace_id:032x}" == TRACE
    assert f"{request.parent.span_id:016x}" == PARENT
    assert (step.parent.span_id, write.parent.span_id) == (request.context.span_id, step.context.span_id)
    assert step.attributes == {"world": "w"}


def test_off_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert tracing_of_environment("1") is OFF
    assert not OFF.on
    with OFF.request("GET", {}), OFF.span("step") as span:
        assert span is None
    OFF.close()


def test_without_the_variable_nothing_of_it_is_imported() -> None:
    code = "import sys; from orca_crowd.app import create_app; create_app(); print('opentelemetry.sdk' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_without_the_extra_it_says_what_is_missing() -> None:
    # as where it was never installed
    code = (
        "import sys; sys.modules['opentelemetry.sdk'] = None\n"
        "from orca_crowd.tracing import OFF, tracing_of_environment\n"
        "assert tracing_of_environment('1') is OFF"
    )
    environment = {**child_environment(), "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "pip install 'orca-crowd[traces]'" in done.stderr


@contextmanager
def collector() -> Iterator[tuple[str, list[Span]]]:
    """Something that takes spans by OTLP over HTTP; its address, and what it was sent."""
    taken: list[Span] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    taken.extend(scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *values: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_server_sends_its_traces_by_otlp(tmp_path: Path) -> None:
    server = MortalServer(tmp_path, "--engine", "inline")
    with collector() as (address, taken):
        try:
            # what is compressed cannot be read above
            client = server.start(OTEL_EXPORTER_OTLP_ENDPOINT=address, OTEL_EXPORTER_OTLP_COMPRESSION="none")
            make(client)
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-Id": "traced"}
            client.post("/v1/worlds/w/steps", json={"count": 1}, headers=headers).raise_for_status()
            # the end sends what waits
            assert server.stop() == 0
        finally:
            server.close()
    mine = {span.name: span for span in taken if span.trace_id.hex() == TRACE}
    assert set(mine) == {"POST", "step", "journal write"}
    assert mine["POST"].parent_span_id.hex() == PARENT
    assert mine["step"].parent_span_id == mine["POST"].span_id
    assert mine["journal write"].parent_span_id == mine["step"].span_id
    told = {attribute.key: attribute.value for attribute in mine["POST"].attributes}
    assert told["url.path"].string_value == "/v1/worlds/w/steps"
    assert told["orca_crowd.request"].string_value == "traced"
    assert told["http.response.status_code"].int_value == 200
    assert told["http.route"].string_value == "/v1/worlds/{world}/steps"
    # the span tells the path and no header
    assert "authorization" not in {key.lower() for key in told}


def test_where_nobody_takes_them_the_server_works_and_ends(tmp_path: Path) -> None:
    server = MortalServer(tmp_path, "--engine", "inline")
    try:
        client: httpx.Client = server.start(OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
        make(client)
        client.post("/v1/worlds/w/steps", json={"count": 3}).raise_for_status()
        # well within the ten seconds that a server has for its end
        assert server.stop() == 0
    finally:
        server.close()
