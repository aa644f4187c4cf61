"""The page of a trace in a real browser, from a disk: it plays, obeys, tells who waits, and asks for nothing."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from orca_core.formats.movingai import parse_map
from orca_crowd.solving.page import packed, page
from orca_crowd.solving.trace_file import COLUMNS, NOTHING, Traces
from tests.orca_crowd.solving.rooms import ROOMS
from tests.support.browser import launched

IDS = [7, 8, 20]
FRAMES = 41


def traces() -> Traces:
    """Agent 7 walks through the gap, 8 waits for it, 20 makes way for 8; at the end all rest."""
    columns = {name: np.zeros((FRAMES, 3), np.int32) for name in COLUMNS}
    for name in ("wx", "wy", "corridor", "waits", "yields"):
        columns[name][:] = NOTHING
    walking = slice(0, FRAMES - 1)
    columns["x"][:, 0] = 150 + 15 * np.arange(FRAMES)
    columns["x"][:, 1:] = 650, 650
    columns["y"][:] = 350, 350, 550
    columns["vx"][walking, 0] = columns["px"][walking, 0] = 60
    columns["tx"][:, 0], columns["ty"][:, 0] = 750, 350
    columns["wx"][walking, 0], columns["wy"][walking, 0] = 750, 350
    columns["state"][walking, 1], columns["state"][walking, 2] = 1, 3
    columns["corridor"][walking, 1] = 0
    columns["waits"][walking, 1], columns["yields"][walking, 2] = 0, 1
    times = [0.25 * frame for frame in range(FRAMES)]
    return Traces(list(IDS), list(range(FRAMES)), times, columns, FRAMES, False)


def rooms() -> str:
    grid = parse_map("type octile\nheight 7\nwidth 9\nmap\n" + "\n".join(ROOMS) + "\n")
    return page("two <rooms>", traces(), radii=[0.3, 0.15, 0.45], grid=grid, goals=[(7, 3), (1, 3), (6, 5)])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def faults() -> list[str]:
    """What the page complains of, and what it asks for."""
    return []


@pytest.fixture
def shown(browser: Browser, tmp_path: Path, faults: list[str]) -> Iterator[Page]:
    """The two rooms, opened."""
    file = tmp_path / "run.html"
    file.write_text(rooms(), encoding="utf-8")
    # two dots a pixel, so that thin lines have a dot of their own colour
    opened = browser.new_page(viewport={"width": 1000, "height": 640}, device_scale_factor=2)
    # that pixels are read back is the tests' own doing
    opened.on("console", lambda said: faults.append(said.text) if "getImageData" not in said.text else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda request: faults.append(request.url) if not request.url.startswith("file:") else None)
    opened.goto(file.as_uri())
    opened.wait_for_selector("body[data-ready]", timeout=20_000)
    yield opened
    opened.close()


def on_screen(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a point of the map is in the window."""
    box = page.locator("#stage").bounding_box()
    assert box is not None
    across, down = page.evaluate("([x, y]) => toScreen(x, y).map((part) => part / dots())", [x, y])
    return box["x"] + across, box["y"] + down


def colour_at(page: Page, x: float, y: float) -> str:
    """The name of the colour of a point of the map."""
    return str(
        page.evaluate(
            """([x, y]) => {
              const [red, green, blue] = brush.getImageData(...toScreen(x, y).map(Math.round), 1, 1).data;
              const hex = '#' + [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('');
              return Object.keys(paint).find((name) => paint[name] === hex) ?? hex;
            }""",
            [x, y],
        )
    )


def colours_around(page: Page, x: float, y: float) -> set[str]:
    """Those of the dots about a point of the map."""
    around = [-2, -1, 0, 1, 2]
    unit = 1.0 / float(page.evaluate("scale()"))
    return {colour_at(page, x + dx * unit, y + dy * unit) for dx in around for dy in around}


def values_of(page: Page) -> dict[str, str]:
    """What is said of the chosen agent."""
    names = page.locator("#values dt").all_inner_texts()
    return dict(zip(names, page.locator("#values dd").all_inner_texts(), strict=True))


def counts_of(page: Page) -> dict[str, int]:
    return {
        row.get_attribute("data-state") or "": int(row.locator("td").last.inner_text())
        for row in page.locator("#legend tr").all()
    }


def test_columns_come_out_of_the_browser_as_they_went_in(shown: Page, faults: list[str]) -> None:
    columns = traces().columns
    for name in COLUMNS:
        assert shown.evaluate("(name) => [...columns[name]]", name) == columns[name].reshape(-1).tolist()
    # wide differences too, which wrap round
    plain = zlib.decompress(base64.b64decode(packed(columns)))
    assert len(plain) == 4 * len(COLUMNS) * FRAMES * 3
    assert faults == []


def test_it_plays_to_its_end_and_again(shown: Page, faults: list[str]) -> None:
    assert shown.locator("h1").inner_text() == "two <rooms>"
    assert shown.locator("#time").inner_text() == "step 0 of 40 · 0.00 of 10.00 s"
    first = shown.locator("#stage").screenshot()
    shown.select_option("#speed", "10")
    shown.click("#play")
    assert shown.locator("#play").inner_text() == "Pause"
    shown.get_by_role("button", name="Play", exact=True).wait_for(timeout=20_000)
    assert shown.locator("#time").inner_text() == "step 40 of 40 · 10.00 of 10.00 s"
    assert shown.locator("#stage").screenshot() != first
    assert counts_of(shown) == {"ORCA": 0, "DRIFT": 0, "MAPF": 0, "YIELD": 0, "rest": 3}
    assert shown.locator("#waiting li").count() == 0
    # at the end it begins anew
    shown.click("#play")
    shown.click("#play")
    assert shown.evaluate("now.frame") < 40
    assert faults == []


def test_the_slider_the_buttons_the_keys_and_the_strip_choose_the_moment(shown: Page, faults: list[str]) -> None:
    def step() -> int:
        return int(shown.locator("#time").inner_text().split()[1])

    shown.locator("#moment").fill("20")
    assert step() == 20
    shown.click("#on")
    shown.click("#on")
    shown.click("#back")
    assert step() == 21
    shown.locator("body").press("ArrowLeft")
    assert step() == 20
    shown.locator("body").press("End")
    assert step() == 40
    shown.locator("body").press("Home")
    assert step() == 0
    box = shown.locator("#states").bounding_box()
    assert box is not None
    shown.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert step() == 20
    assert faults == []


def test_agents_have_the_colour_of_their_state_and_corridors_are_seen(shown: Page) -> None:
    assert counts_of(shown) == {"ORCA": 1, "DRIFT": 1, "MAPF": 0, "YIELD": 1, "rest": 0}
    # beside the arrows, which go from middle to middle
    places = {"ORCA": (1.5, 3.3), "DRIFT": (6.42, 3.42), "YIELD": (6.3, 5.5)}
    assert {state: colour_at(shown, *place) for state, place in places.items()} == {name: name for name in places}
    assert (colour_at(shown, 4.5, 3.2), colour_at(shown, 4.5, 1.5), colour_at(shown, 2.5, 1.5)) == (
        "marked",
        "wall",
        "free",
    )
    # nobody waits for it in the end
    shown.locator("#moment").fill("40")
    assert colour_at(shown, 4.5, 3.2) == "corridor"
    shown.uncheck("#show-corridors")
    assert colour_at(shown, 4.5, 3.2) == "free"


def test_each_is_drawn_and_clicked_with_its_own_radius(shown: Page) -> None:
    middles = {"ORCA": (1.5, 3.5), "DRIFT": (6.5, 3.5), "YIELD": (6.5, 5.5)}
    for (state, (x, y)), radius in zip(middles.items(), (0.3, 0.15, 0.45), strict=True):
        # a little within the rim and a little beyond it, away from arrows
        reach = [share * radius for share in (0.85, 1.2)]
        inner, outer = (colour_at(shown, x + 0.8 * away, y - 0.6 * away) for away in reach)
        assert (inner, outer) == (state, "free")
    # the small one is chosen beside the rim of the large one, and the large one far from its middle
    for point, agent in (((6.5, 3.62), "8"), ((6.5, 5.1), "20")):
        shown.mouse.click(*on_screen(shown, *point))
        assert shown.locator("#agent").input_value() == agent
    # an arrow ends at the rim of whom it points to, who is small
    shown.locator("body").press("Escape")
    assert "YIELD" in colours_around(shown, 6.5, 3.72)


def test_who_waits_for_whom_is_drawn_and_listed(shown: Page) -> None:
    rows = [" ".join(text.split()) for text in shown.locator("#waiting li").all_inner_texts()]
    assert rows == ["8 → 7 corridor 0", "20 → 8"]
    # half way between the two
    assert "DRIFT" in colours_around(shown, 5.5, 3.5)
    assert "YIELD" in colours_around(shown, 6.5, 4.5)
    shown.uncheck("#show-waiting")
    assert (colours_around(shown, 5.5, 3.5), colours_around(shown, 6.5, 4.5)) == ({"free"}, {"free"})


def test_an_agent_that_is_clicked_tells_its_values(shown: Page, faults: list[str]) -> None:
    shown.mouse.click(*on_screen(shown, 6.5, 3.5))
    assert shown.locator("#agent").input_value() == "8"
    assert values_of(shown) == {
        "state": "DRIFT",
        "position": "(6.50, 3.50)",
        "velocity": "(0.00, 0.00), speed 0.00",
        "preferred": "(0.00, 0.00), speed 0.00",
        "target": "(0.00, 0.00)",
        "goal": "(1.50, 3.50)",
        "corridor": "0",
        "waits for": "7",
        "awaited by": "20",
    }
    # from one to the next
    shown.click("#values .link >> nth=0")
    values = values_of(shown)
    assert (values["position"], values["velocity"], values["waypoint"]) == (
        "(1.50, 3.50)",
        "(0.60, 0.00), speed 0.60",
        "(7.50, 3.50)",
    )
    # values follow the moment
    shown.locator("#moment").fill("10")
    assert values_of(shown)["position"] == "(3.00, 3.50)"
    # the way it went, and the one before it
    assert "accent" in colours_around(shown, 2.0, 3.5)
    shown.locator("body").press("Escape")
    assert values_of(shown) == {}
    assert colours_around(shown, 2.0, 3.5) == {"free"}
    # a click beside everybody chooses nobody
    shown.mouse.click(*on_screen(shown, 6.5, 3.5))
    shown.mouse.click(*on_screen(shown, 2.5, 1.5))
    assert values_of(shown) == {}
    assert faults == []


def test_a_chain_of_waiting_is_told_to_its_end(shown: Page) -> None:
    shown.fill("#agent", "20")
    assert values_of(shown)["yields to"] == "8 → 7"
    shown.evaluate("columns.waits[0 * agents + 0] = 2; show(0)")
    assert values_of(shown)["yields to"] == "8 → 7 → 20 in a circle"
    shown.fill("#agent", "9")
    assert shown.evaluate("find('agent').validationMessage") == "nobody has this number"
    assert values_of(shown) == {}


def test_one_looks_closer_and_back(shown: Page) -> None:
    before = on_screen(shown, 1.5, 3.5)
    shown.mouse.move(*before)
    assert shown.locator("#hint").inner_text() == "7 ORCA"
    shown.mouse.wheel(0, -400)
    # asked again and again: the page's policy forbids the browser's own way of waiting
    for _ in range(500):
        if shown.evaluate("look.zoom") > 2.0:
            break
        shown.wait_for_timeout(20)
    # what is under the pointer stays there
    assert on_screen(shown, 1.5, 3.5) == pytest.approx(before, abs=3.0)
    shown.mouse.down()
    shown.mouse.move(before[0] + 60, before[1] - 30, steps=4)
    shown.mouse.up()
    assert on_screen(shown, 1.5, 3.5) == pytest.approx((before[0] + 60, before[1] - 30), abs=5.0)
    # a drag is no click
    assert values_of(shown) == {}
    shown.click("#whole")
    assert on_screen(shown, 1.5, 3.5) == pytest.approx(before, abs=1.0)
    # who is followed stays in the middle
    shown.fill("#agent", "7")
    shown.check("#follow")
    shown.locator("#moment").fill("30")
    box = shown.locator("#stage").bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert on_screen(shown, 6.0, 3.5) == pytest.approx(middle, abs=1.0)


def test_what_is_left_out_is_said_and_no_map_is_needed(browser: Browser, tmp_path: Path) -> None:
    whole = traces()
    thinned = Traces(whole.ids, whole.steps, whole.times, whole.columns, 90_000, True)
    file = tmp_path / "run.html"
    file.write_text(page("run", thinned, radii=[0.3] * 3), encoding="utf-8")
    looks = []
    for scheme in ("light", "dark"):
        opened = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
        opened.goto(file.as_uri())
        opened.wait_for_selector("body[data-ready]", timeout=20_000)
        assert opened.locator("#note").inner_text() == (
            "41 of 90,000 steps: the trace is too large for all of them; the last step was cut off and is left out"
        )
        assert not opened.locator("#goals-box").is_visible()
        looks.append(opened.evaluate("[...brush.getImageData(2, 2, 1, 1).data].slice(0, 3)"))
        opened.close()
    assert min(looks[0]) > 200
    assert max(looks[1]) < 60
