"""The application without a server around it: not ready, draining, unforeseen failures, the page."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI

from orca_crowd.app import create_app
from orca_crowd.settings import Settings
from tests.orca_crowd.api.checks import problem


@pytest.fixture
def app() -> FastAPI:
    """An application whose lifespan has not begun, so that no kernel is compiled."""
    return create_app(Settings())


@pytest.fixture
async def asked(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client of that application."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
        yield client
    # what answered in a helper thread has started one
    await app.state.services.engine.close()


CALLS = [
    ("GET", "/readyz"),
    ("GET", "/v1/worlds"),
    ("POST", "/v1/worlds"),
    ("POST", "/v1/steer"),
    ("POST", "/v1/worlds/restore"),
    ("POST", "/v1/demos/circle"),
    ("GET", "/v1/worlds/w"),
    ("POST", "/v1/worlds/w/steps"),
    ("GET", "/v1/worlds/w/agents"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_before_the_kernels_are_compiled_nothing_that_needs_them_is_taken(
    asked: httpx.AsyncClient, method: str, path: str
) -> None:
    answer = await asked.request(method, path)
    problem(answer, 503, "not-ready")
    assert answer.headers["retry-after"]


async def test_before_the_kernels_are_compiled_the_server_answers(asked: httpx.AsyncClient) -> None:
    assert (await asked.get("/healthz")).json() == {"status": "ok"}
    assert (await asked.get("/metrics")).status_code == 200
    assert (await asked.get("/openapi.json")).status_code == 200


async def test_kernels_that_cannot_be_compiled_are_said(app: FastAPI, asked: httpx.AsyncClient) -> None:
    app.state.services.warmup.failed = True
    assert "could not be compiled" in problem(await asked.get("/readyz"), 503, "not-ready")["detail"]


@pytest.mark.parametrize(("method", "path"), CALLS)
async def test_once_it_stops_the_server_takes_nothing(
    app: FastAPI, asked: httpx.AsyncClient, method: str, path: str
) -> None:
    app.state.services.warmup.ready = True
    app.state.services.draining = True
    problem(await asked.request(method, path), 503, "draining")
    assert (await asked.get("/healthz")).status_code == 200


async def test_what_nobody_foresaw_is_500_without_a_word_of_the_inside(
    app: FastAPI, asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> None:
        raise RuntimeError("a secret of the inside")

    app.state.services.warmup.ready = True
    monkeypatch.setattr(app.state.services.registry, "get", fail)
    document = problem(await asked.get("/v1/worlds/w"), 500, "internal")
    assert "secret" not in str(document)
    assert "RuntimeError" not in str(document)
    # the log has it, under the id that the answer names
    incident = document["detail"].split()[-4]
    assert incident in caplog.text
    assert "a secret of the inside" in caplog.text
    sample = app.state.services.metrics.registry.get_sample_value("orca_crowd_problems_total", {"code": "internal"})
    assert sample == 1


async def test_the_page_loads_nothing_from_elsewhere(asked: httpx.AsyncClient) -> None:
    page = await asked.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name, kind in (("app.js", "text/javascript"), ("style.css", "text/css")):
        answer = await asked.get(f"/{name}")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["content-security-policy"] == policy
    for name in ("__init__.py", "maps/den312d.map", "../settings.py", "nothing.js"):
        assert (await asked.get(f"/{name}")).status_code == 404


async def test_the_lifespan_compiles_drains_and_leaves_nothing_behind(app: FastAPI) -> None:
    services = app.state.services
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        services.warmup.join(60)
        assert (await client.get("/readyz")).status_code == 200
        made = await client.post(
            "/v1/worlds", json={"id": "w", "time_step": 0.25, "clock": {"mode": "realtime", "rate": 50}}
        )
        assert made.status_code == 201
        assert (await client.post("/v1/demos/circle")).status_code == 201
    assert services.draining
    assert all(runner.state == "ended" for runner in services.registry.all())
