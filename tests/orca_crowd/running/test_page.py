"""The page that `orca-crowd run` writes, in a real browser from a disk: it plays, obeys, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from orca_crowd.running.page import write_page
from tests.orca_crowd.running.test_recording import recorded
from tests.support.browser import launched


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def faults() -> list[str]:
    """What the page complains of, and what it asks for."""
    return []


@pytest.fixture
def page(browser: Browser, tmp_path: Path, faults: list[str]) -> Iterator[Page]:
    """The crossing, sixty steps of a tenth of a second, opened."""
    file = tmp_path / "crossing.html"
    write_page(recorded(tmp_path, 60), file)
    page = browser.new_page(viewport={"width": 500, "height": 600})
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: faults.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(file.as_uri())
    yield page
    page.close()


def time_of(page: Page) -> float:
    """The moment that is shown, in seconds."""
    return float(page.locator("#time").inner_text().split()[0])


def test_it_plays_to_its_end_and_again(page: Page, faults: list[str]) -> None:
    assert page.locator("#time").inner_text() == "0.0 of 6.0 s"
    assert page.locator("h1").inner_text() == "a <crossing>"
    first = page.locator("#stage").screenshot()
    page.select_option("#speed", "8")
    page.click("#play")
    assert page.locator("#play").inner_text() == "Pause"
    page.get_by_role("button", name="Play", exact=True).wait_for(timeout=20_000)
    assert time_of(page) == 6.0
    assert page.locator("#stage").screenshot() != first
    # at the end it begins anew
    page.click("#play")
    page.click("#play")
    assert time_of(page) < 6.0
    assert faults == []


def test_the_slider_the_buttons_and_the_keys_choose_the_moment(page: Page, faults: list[str]) -> None:
    page.locator("#moment").fill("40")
    assert time_of(page) == 4.0
    page.click("#on")
    page.click("#on")
    page.click("#back")
    assert time_of(page) == 4.1
    page.locator("body").press("ArrowLeft")
    assert time_of(page) == 4.0
    page.locator("#moment").fill("0")
    page.click("#back")
    assert time_of(page) == 0.0
    assert faults == []


def test_trails_are_drawn_where_they_are_wanted(page: Page) -> None:
    page.locator("#moment").fill("30")
    without = page.locator("#stage").screenshot()
    page.check("#trails")
    assert page.locator("#stage").screenshot() != without
    page.uncheck("#trails")
    assert page.locator("#stage").screenshot() == without


def test_agents_are_where_they_were(page: Page) -> None:
    # the middle of what has the colour of the first agent, back in metres
    seen = page.evaluate(
        """() => {
          const scale = Math.min(stage.width / (right - left), stage.height / (high - low));
          const pixels = brush.getImageData(0, 0, stage.width, stage.height).data;
          const colour = data.colours[data.hues[0]].match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16));
          let across = 0, down = 0, count = 0;
          for (let k = 0; k < pixels.length; k += 4) {
            if (colour.every((part, c) => pixels[k + c] === part)) {
              across += (k / 4) % stage.width; down += Math.floor(k / 4 / stage.width); count++;
            }
          }
          return [(across / count - stage.width / 2) / scale + (left + right) / 2,
                  (stage.height / 2 - down / count) / scale + (low + high) / 2];
        }"""
    )
    assert seen == pytest.approx([0.0, 0.0], abs=0.05)


def test_it_is_dark_where_the_reader_wants_that(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "crossing.html"
    write_page(recorded(tmp_path, 5), file)
    looks = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(file.as_uri())
        looks.append(page.evaluate("[...brush.getImageData(2, 2, 1, 1).data].slice(0, 3)"))
        page.close()
    assert min(looks[0]) > 200
    assert max(looks[1]) < 60
