"""Looking at a crowd: colours, heat, trails, one agent's velocity disc, light and dark, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import numpy as np
import pytest

from tests.support.viewer_page import Pixels, ViewerPage

OpenPage = Callable[..., ViewerPage]


def stage(page: ViewerPage) -> Pixels:
    """The picture once it is still, without the pointer over it."""
    page.page.mouse.move(2, 2)
    return page.part(page.settled(), ".stage")


def test_colours_heat_and_trails_change_the_picture(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    client.post(f"/v1/worlds/{pair}/steps", json={"count": 4})
    page = open_page(pair)
    for step in (5, 6, 7, 8):
        page.key(".")
        page.until(lambda step=step: page.step == step, f"step {step}")
    seen = {"status": stage(page)}
    for name, key in (("speed", "c"), ("group", "c"), ("turns", "c"), ("status again", "c"), ("trails", "t")):
        page.key(key)
        # the panel says by what, whichever it is
        if key == "c":
            assert page.page.is_checked(f"input[name=colour][value={name.split()[0]}]")
        seen[name] = stage(page)
    assert (seen["status"] == seen["status again"]).all()
    for one, other in (
        ("status", "speed"),
        ("speed", "group"),
        ("group", "turns"),
        ("turns", "status"),
        ("status", "trails"),
    ):
        assert (seen[one] != seen[other]).any(), (one, other)
    page.key("t")
    for kind in ("density", "speed"):
        page.key("h")
        assert page.page.is_checked(f"input[name=heat][value={kind}]")
        page.until(lambda: "of each" in page.text("#legend") or "0" in page.text("#legend"), "the legend")
        seen[kind] = stage(page)
    page.key("h")
    seen["off"] = stage(page)
    assert (seen["off"] == seen["status"]).all()
    # the map lies about the agents and not everywhere
    warm = (seen["density"] != seen["off"]).any(axis=2)
    assert 0.001 < warm.mean() < 0.5
    assert (seen["density"] != seen["speed"]).any()


def test_the_legend_counts(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    client.post(f"/v1/worlds/{pair}/agents", json={"agents": [{"position": [0, 6]}]})
    page = open_page(pair)
    page.until(lambda: "moving\n2" in page.text("#legend").replace("\n\n", "\n"), "two move")
    assert "no goal\n1" in page.text("#legend").replace("\n\n", "\n")


def test_an_agent_is_explained(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    # two close by, so that there is something to explain
    client.patch(f"/v1/worlds/{pair}/agents/2", json={"position": [-6, 0.2]})
    page = open_page(pair)
    page.press(-8, 0)
    page.until(lambda: page.page.locator("#explain svg.velocity").count() == 1, "the disc is drawn")
    explained = client.get(f"/v1/worlds/{pair}/agents/1/explain").json()
    assert page.text("#agent-title").lower() == "agent 1"
    assert page.page.locator("#explain line.edge").count() == len(explained["constraints"]) > 0
    assert page.page.locator("#explain tbody tr").count() == len(explained["constraints"])
    assert page.page.locator("#explain polygon.permitted").count() == 1
    for arrow in ("now", "preferred", "chosen"):
        assert page.page.locator(f"#explain .arrow.{arrow}").count() == 1
    assert explained["program"]["status"] in page.text("#explain")
    # the tip of the chosen velocity is where the server says, in a drawing with y down
    tip = page.page.get_attribute("#explain .arrow.chosen polygon", "points")
    assert tip is not None
    x, y = (float(part) for part in tip.split()[0].split(","))
    unit = 120 / explained["program"]["max_speed"]
    assert np.allclose([x, -y], np.multiply(explained["next"]["velocity"], unit), atol=0.02)
    # a step later it is another explanation, and nobody is chosen by pressing the ground
    page.key(".")
    page.until(lambda: "at step\n1" in page.text("#explain"), "the explanation of step 1")
    page.press(0, -2)
    assert not page.page.is_visible("#agent")


def test_following_keeps_an_agent_in_the_middle(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    page.press(-8, 0)
    page.key("f")
    page.until(lambda: page.page.is_visible("#following"), "it is followed")
    page.key(".")
    page.until(lambda: page.step == 1, "a step")
    middle = page.ask("[canvas().clientWidth / 2, canvas().clientHeight / 2]")
    page.until(lambda: np.allclose(page.ask("orca.toScreen(...orca.position(1))"), middle, atol=1), "in the middle")
    # whoever moves the view looks elsewhere
    page.key("ArrowLeft")
    page.until(lambda: not page.page.is_visible("#following"), "no longer")


def test_pan_and_zoom(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    under = page.at(2, 1)
    page.page.mouse.move(*under)
    page.page.mouse.wheel(0, -400)
    page.until(lambda: page.at(3, 1)[0] - page.at(2, 1)[0] > 30, "nearer")
    assert np.allclose(page.at(2, 1), under, atol=1), "the point under the pointer stays"
    page.drag([(2, 1), (3, 2)])
    page.until(lambda: page.at(2, 1)[0] > under[0] + 20, "the ground goes with the hand")
    page.key("0")
    page.until(lambda: np.allclose(page.at(2, 1), under, atol=1), "everything is in view again")


def test_the_help_lists_the_keys(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    page.key("?")
    assert page.page.is_visible("#help-dialog")
    assert "single step" in page.text("#keys")
    # keys are not for the world while a dialog is open
    page.key(".", "Escape")
    page.until(lambda: not page.page.is_visible("#help-dialog"), "closed")
    assert page.step == 0


def test_light_and_dark(open_page: OpenPage, pair: str) -> None:
    light = open_page(pair, color_scheme="light")
    bright = light.settled()
    light.key("d")
    light.until(lambda: light.page.get_attribute("html", "data-theme") == "dark", "dark by choice")
    chosen = light.settled()
    dark = open_page(pair, color_scheme="dark")
    assert dark.page.get_attribute("html", "data-theme") == "dark"
    assert bright.mean() > 200
    assert chosen.mean() < 80
    assert dark.settled().mean() < 80
    # the choice is kept
    light.open(pair)
    assert light.page.get_attribute("html", "data-theme") == "dark"


@pytest.mark.parametrize("width", [360, 412])
def test_on_a_phone_nothing_is_cut_off(open_page: OpenPage, pair: str, width: int) -> None:
    page = open_page(pair, viewport={"width": width, "height": 740}, has_touch=True, is_mobile=True)
    assert page.ask("[document.documentElement.scrollWidth, document.body.scrollWidth]") == [width, width]
    for selector in ("#worlds", "#new", "#play", "#step", "#speed", "#scrubber", "#panel", "#figure-step"):
        box = page.page.locator(selector).bounding_box()
        assert box is not None, selector
        assert box["x"] >= 0, selector
        assert box["x"] + box["width"] <= width, selector
    assert not page.page.is_visible("#legend")
    page.page.tap("#panel")
    page.until(lambda: page.page.is_visible("#legend"), "the panel is opened")
    page.page.tap("#panel")
    page.until(lambda: not page.page.is_visible("#legend"), "and closed")
    page.page.tap("#step")
    page.until(lambda: page.step == 1, "a step by finger")
    page.page.touchscreen.tap(*page.at(*page.ask("orca.position(1)")))
    page.page.tap("#panel")
    page.until(lambda: page.page.is_visible("#explain svg"), "an agent is chosen by finger")


def test_everything_that_can_be_pressed_has_a_name(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    page.press(-8, 0)
    nameless = """[...document.querySelectorAll("button, input, select, canvas, [role=img]")].filter((one) =>
        !one.closest("[aria-hidden=true]") && !(one.getAttribute("aria-label") || one.textContent.trim() || one.title ||
          (one.labels && [...one.labels].some((label) => label.textContent.trim())))).map((one) => one.outerHTML)"""
    assert page.ask(nameless) == []
