"""A server that wants keys, as a person meets it: the page asks, says what is wrong, keeps a key, and forgets it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext

from orca_crowd.keys.store import KeyStore
from tests.support.live_server import live_server
from tests.support.viewer_page import ViewerPage

WRONG = "orca_aaaaaaaa_" + "x" * 43
HELD = "[sessionStorage.getItem('orca-crowd.key'), localStorage.getItem('orca-crowd.key')]"


@dataclass(frozen=True)
class Guarded:
    """A server with keys, its file of keys, and a key of each scope."""

    url: str
    store: KeyStore
    read: str
    control: str
    admin: str

    def ask(self, method: str, path: str, **rest: object) -> httpx.Response:
        """Ask as its administrator."""
        answer = httpx.request(
            method, f"{self.url}{path}", headers={"Authorization": f"Bearer {self.admin}"}, timeout=30, **rest
        )  # type: ignore[arg-type]
        answer.raise_for_status()
        return answer


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A server that wants keys, with a standing world in it."""
    folder = tmp_path_factory.mktemp("guarded")
    with closing(KeyStore(folder / "keys.sqlite", make=True)) as store:
        read, control, admin = (store.create(scope=scope, now=0.0).text() for scope in ("read", "control", "admin"))
        with live_server(folder, "--engine", "inline", "--data", str(folder)) as address:
            made = Guarded(f"http://{address}", store, read, control, admin)
            made.ask("POST", "/v1/worlds", json={"id": "hall", "time_step": 0.25})
            agents = [{"id": 1, "position": [-8, 0], "goal": [8, 0]}]
            made.ask("POST", "/v1/worlds/hall/agents", json={"agents": agents})
            yield made


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that remembers nothing yet."""
    context = browser.new_context(
        viewport={"width": 1200, "height": 760}, locale="en-GB", reduced_motion="reduce", color_scheme="light"
    )
    yield context
    context.close()


@pytest.fixture
def visit(context: BrowserContext, guarded: Guarded) -> Iterator[Callable[..., ViewerPage]]:
    """Opens tabs of one browser; the console tells of nothing but requests that were refused."""
    pages: list[ViewerPage] = []

    def one(query: str = "") -> ViewerPage:
        page = ViewerPage(context.new_page(), guarded.url)
        pages.append(page)
        page.page.goto(f"{guarded.url}/{query}")
        return page

    yield one
    complaints = [text for page in pages for text in page.complaints]
    assert [text for text in complaints if not any(code in text for code in ("401", "403", "429"))] == []


def asked(page: ViewerPage) -> None:
    """Wait until the page asks for a key."""
    page.until(lambda: page.page.is_visible("#key-dialog"), "the page asks for a key")


def enter(page: ViewerPage, key: str) -> None:
    """Type a key and send it."""
    page.page.fill("#key-text", key)
    page.page.press("#key-text", "Enter")


def entered(page: ViewerPage, key: str) -> None:
    """Give a key that the server takes."""
    asked(page)
    enter(page, key)
    page.until(lambda: not page.page.is_visible("#key-dialog"), "the key is taken")


def test_a_key_is_asked_for_and_wrong_ones_are_refused(visit: Callable[..., ViewerPage]) -> None:
    page = visit()
    asked(page)
    assert "wants a key" in page.text("#key-title")
    assert page.ask("document.activeElement.id") == "key-text"
    assert page.page.get_attribute("#key-text", "type") == "password"
    assert not page.page.is_checked("#key-remember")
    page.page.click("#key-enter")
    assert "Paste the key" in page.text("#key-problem")
    # what is no key at all is not sent, since every wrong one counts
    sent: list[str] = []
    page.page.on("request", lambda request: sent.append(request.url))
    enter(page, "orca_something")
    page.until(lambda: "not a key" in page.text("#key-problem"), "it has not the form of one")
    assert sent == []
    enter(page, WRONG)
    page.until(lambda: "does not take this key" in page.text("#key-problem"), "the server refuses it")
    assert sent != []
    assert page.page.is_visible("#key-dialog")
    assert page.ask(HELD) == [None, None]
    # it can be looked at, and is covered again
    page.page.click("#key-show")
    assert page.page.get_attribute("#key-text", "type") == "text"
    page.page.click("#key-show")
    assert page.page.get_attribute("#key-text", "type") == "password"
    # who has none may look at the empty page, and come back to it
    page.key("Escape")
    page.until(lambda: not page.page.is_visible("#key-dialog"), "closed")
    assert page.text("#key-state") == "key wanted"
    page.page.click("#key")
    asked(page)
    assert page.page.input_value("#key-text") == ""


def test_a_right_key_opens_worlds_and_streams_and_shows_nowhere(
    visit: Callable[..., ViewerPage], guarded: Guarded
) -> None:
    page = visit("?world=hall")
    addresses: list[str] = []
    page.page.on("request", lambda request: addresses.append(request.url))
    page.page.on("websocket", lambda socket: addresses.append(socket.url))
    entered(page, f"  Bearer {guarded.admin}\n")
    page.until(lambda: page.state() == "live", "the stream is open")
    before = page.step
    guarded.ask("POST", "/v1/worlds/hall/steps")
    page.until(lambda: page.step == before + 1, "the step came by the stream")
    page.until(lambda: "hall" in page.text("#worlds"), "worlds are listed")
    page.until(lambda: page.text("#key-state") == "admin", "what the key allows")
    page.page.click("#step")
    page.until(lambda: page.step == before + 2, "a step from the page")
    page.until(lambda: any("/metrics" in address for address in addresses), "measured")
    assert any(address.startswith("ws:") for address in addresses)
    assert page.page.url.endswith("/?world=hall")
    secret = guarded.admin.split("_", 2)[2]
    assert [address for address in addresses if secret in address] == []
    assert secret not in page.page.content()
    assert page.ask("[...document.querySelectorAll('input')].map((input) => input.value).join()").find(secret) == -1
    # kept for this tab alone
    assert page.ask(HELD) == [guarded.admin, None]
    page.page.reload()
    page.until(lambda: page.state() == "live", "it is not asked for again")
    asked(visit())


def test_a_key_is_remembered_where_that_is_wanted_and_forgotten(
    visit: Callable[..., ViewerPage], guarded: Guarded
) -> None:
    page = visit("?world=hall")
    asked(page)
    page.page.check("#key-remember")
    entered(page, guarded.control)
    page.until(lambda: page.state() == "live", "open")
    assert page.ask(HELD) == [None, guarded.control]
    other = visit("?world=hall")
    other.until(lambda: other.state() == "live", "another tab has it as well")
    other.until(lambda: other.text("#key-state") == "control", "and knows its scope")
    assert other.page.is_enabled("#step")
    assert not other.page.is_visible("#key-dialog")
    other.key("k")
    asked(other)
    assert guarded.control.split("_")[1] in other.text("#key-words")
    assert "remembered on this device" in other.text("#key-words")
    other.page.click("#key-forget")
    other.until(lambda: "wants a key" in other.text("#key-title"), "it is asked for again")
    asked(other)
    assert other.ask(HELD) == [None, None]
    assert other.state() == "none"
    assert other.ask("orca.agents()") == 0
    assert "hall" not in other.text("#worlds")


def test_a_key_that_reads_changes_nothing_and_is_told_why(visit: Callable[..., ViewerPage], guarded: Guarded) -> None:
    page = visit()
    entered(page, guarded.read)
    page.until(lambda: page.text("#key-state") == "read only", "its scope is shown")
    page.until(lambda: page.page.locator("#new-demos button").count() >= 3, "demos are known")
    assert page.page.locator("[data-demo]:enabled").count() == 0
    assert not page.page.is_visible("#welcome-demos")
    assert "scope admin" in page.text("#welcome-hint")
    page.page.select_option("#worlds", "hall")
    page.until(lambda: page.state() == "live", "the world is shown")
    step = guarded.ask("GET", "/v1/worlds/hall").json()["step"]
    for selector in ("#play", "#step", "#speed", "#new", "[data-tool=wall]", "[data-tool=area]", "[data-tool=agents]"):
        assert page.page.is_disabled(selector), selector
        assert "needs a key with scope control" in (page.page.get_attribute(selector, "title") or ""), selector
    # keys of the keyboard do nothing either, and say why
    page.page.locator("#view").focus()
    for key in (".", "Space", "w", "n"):
        page.key(key)
        page.until(lambda: "scope control" in page.text("#messages"), "it is said")
        page.page.click("#messages .message button[aria-label=Dismiss]")
    assert not page.page.is_visible("#new-dialog")
    assert page.page.get_attribute(".stage", "data-tool") == "select"
    shown = guarded.ask("GET", "/v1/worlds/hall").json()
    assert (shown["step"], shown["clock"]["mode"]) == (step, "manual")
    # looking is not less for it
    guarded.ask("POST", "/v1/worlds/hall/steps", json={"count": 1})
    page.until(lambda: page.step == step + 1, "steps of others are seen")
    page.press(*page.ask("orca.position(1)"))
    page.until(lambda: page.page.locator("#explain svg.velocity").count() == 1, "an agent is explained")
    assert page.page.is_disabled("#agent-remove")


def test_a_world_that_the_key_does_not_go_for(visit: Callable[..., ViewerPage], guarded: Guarded) -> None:
    bound = guarded.store.create(scope="control", now=0.0, worlds=["elsewhere"]).text()
    page = visit("?world=hall")
    entered(page, bound)
    page.until(lambda: "does not go for world 'hall'" in page.text("#messages"), "the server's words")
    page.page.click("#messages button:has-text('another key')")
    asked(page)
    enter(page, guarded.read)
    page.until(lambda: page.state() == "live", "with another key it opens")


def test_a_key_that_is_revoked_is_noticed(visit: Callable[..., ViewerPage], guarded: Guarded) -> None:
    key = guarded.store.create(scope="read", now=0.0)
    page = visit("?world=hall")
    entered(page, key.text())
    page.until(lambda: page.state() == "live", "open")
    guarded.store.revoke(key.name, time.time())
    asked(page)
    assert "not valid any more" in page.text("#key-problem")
    assert page.ask(HELD) == [None, None]
    enter(page, guarded.read)
    page.until(lambda: page.state() == "live", "another key goes on")


def test_too_many_wrong_keys_have_to_wait(
    context: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCA_CROWD_FAILED_TRIES", "1")
    with closing(KeyStore(tmp_path / "keys.sqlite", make=True)) as store:
        store.create(scope="read", now=0.0)
    with live_server(tmp_path, "--engine", "inline", "--data", str(tmp_path)) as address:
        page = ViewerPage(context.new_page(), f"http://{address}")
        page.page.goto(page.server)
        asked(page)
        enter(page, WRONG)
        page.until(lambda: "does not take" in page.text("#key-problem"), "wrong")
        enter(page, WRONG)
        page.until(lambda: "Too many keys" in page.text("#key-problem"), "too often")
        assert "Another try is possible in " in page.text("#key-problem")
        assert page.page.is_disabled("#key-enter")
        first = page.text("#key-problem")
        page.until(lambda: page.text("#key-problem") != first, "the seconds count down")
        assert page.page.is_disabled("#key-enter")


@pytest.mark.parametrize("width", [360, 412])
def test_the_dialog_fits_on_a_phone(browser: Browser, guarded: Guarded, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 700}, has_touch=True, is_mobile=True)
    page = ViewerPage(context.new_page(), guarded.url)
    page.page.goto(f"{guarded.url}/?world=hall")
    asked(page)
    for selector in ("#key-dialog", "#key-text", "#key-show", "#key-remember", "#key-cancel", "#key-enter"):
        box = page.page.locator(selector).bounding_box()
        assert box is not None, selector
        assert box["x"] >= 0, selector
        assert box["x"] + box["width"] <= width, selector
    entered(page, guarded.read)
    page.until(lambda: page.state() == "live", "open")
    assert page.ask("[document.documentElement.scrollWidth, document.body.scrollWidth]") == [width, width]
    for selector in ("#worlds", "#key", "#panel", "#play"):
        box = page.page.locator(selector).bounding_box()
        assert box is not None, selector
        assert box["x"] + box["width"] <= width, selector
    context.close()
