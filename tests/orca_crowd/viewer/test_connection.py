"""A server that goes away and comes back: the page says so, waits, and goes on."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import httpx
from playwright.sync_api import Browser

from tests.support.live_server import live_server
from tests.support.viewer_page import ViewerPage


def free_port() -> str:
    """A port that nobody has at the moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def test_a_restart_is_shown_and_survived(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    with ExitStack() as first:
        address = first.enter_context(live_server(tmp_path, "--port", port))
        url = f"http://{address}"
        httpx.post(f"{url}/v1/worlds", json={"id": "hall", "time_step": 0.1})
        httpx.post(f"{url}/v1/worlds/hall/agents", json={"agents": [{"position": [0, 0], "goal": [9, 0]}]})
        context = browser.new_context(locale="en-GB")
        page = ViewerPage(context.new_page(), url)
        page.open("hall")
        snapshot = httpx.get(f"{url}/v1/worlds/hall/snapshot").content
    page.until(lambda: page.state() == "reconnecting", "the loss is shown")
    assert "trying again" in page.text("#connection")
    assert page.ask("orca.agents()") == 1, "what was seen last stays in view"
    with live_server(tmp_path, "--port", port):
        # the page comes back as soon as the world is there again, or says that it is not
        page.until(lambda: page.state() == "ended", "a world that the server no longer has is gone")
        assert "gone" in page.text("#connection")
        # nobody is left who would take an order
        off = "[...document.querySelectorAll('#play, #step, #speed, [data-tool=wall]')].map((one) => one.disabled)"
        assert page.ask(off) == [True] * 4
        kind = {"content-type": "application/octet-stream"}
        restored = httpx.post(f"{url}/v1/worlds/restore?id=hall", content=snapshot, headers=kind)
        assert restored.status_code == 201, restored.text
        page.open("hall")
        httpx.post(f"{url}/v1/worlds/hall/steps")
        page.until(lambda: page.step == 1, "it goes on")
        assert page.ask(off) == [False] * 4
        context.close()
