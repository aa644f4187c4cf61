"""One browser a module, one page a test, and not a word of complaint in its console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser

from tests.support.browser import launched
from tests.support.viewer_page import ViewerPage

OpenPage = Callable[..., ViewerPage]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with launched() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser, server: str) -> Iterator[OpenPage]:
    """Opens pages, each with a memory of its own; in the end none of them has complained."""
    pages: list[ViewerPage] = []

    def open_one(world: str | None = None, **context: Any) -> ViewerPage:
        settings = {"viewport": {"width": 1200, "height": 760}, "locale": "en-GB", "reduced_motion": "reduce"}
        page = browser.new_context(**{**settings, **context}).new_page()
        pages.append(ViewerPage(page, server))
        pages[-1].open(world)
        return pages[-1]

    yield open_one
    complaints = [complaint for page in pages for complaint in page.complaints]
    for page in pages:
        page.page.context.close()
    assert complaints == []


@pytest.fixture
def pair(client: httpx.Client) -> Iterator[str]:
    """Id of a standing world in which two agents on their way pass a wall."""
    made = client.post("/v1/worlds", json={"id": "pair", "time_step": 0.25})
    assert made.status_code == 201, made.text
    agents = [
        {"id": 1, "position": [-8, 0], "goal": [8, 0]},
        {"id": 2, "position": [8, 1], "goal": [-8, 1]},
    ]
    client.post("/v1/worlds/pair/agents", json={"agents": agents})
    client.post("/v1/worlds/pair/obstacles", json={"obstacles": [{"points": [[-3, -3], [3, -3]]}]})
    yield "pair"
    client.delete("/v1/worlds/pair")
