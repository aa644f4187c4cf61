"""A world on the page: it opens, it runs, a step is a step, and only what should changes on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import numpy as np

from tests.support.viewer_page import ViewerPage

OpenPage = Callable[..., ViewerPage]


def test_it_opens_and_invites_to_begin(open_page: OpenPage) -> None:
    page = open_page()
    assert page.page.is_visible("#welcome")
    assert page.page.locator("#welcome-demos button").count() >= 3
    assert page.page.is_disabled("#play")
    assert page.state() == "none"


def test_nothing_is_asked_of_anybody_else(open_page: OpenPage, server: str) -> None:
    page = open_page()
    asked: list[str] = []
    page.page.on("request", lambda request: asked.append(request.url))
    page.page.on("websocket", lambda socket: asked.append(socket.url.replace("ws://", "http://")))
    page.page.reload()
    page.page.click("#welcome-demos [data-demo=circle]")
    page.until(lambda: page.step > 3, "the demo runs")
    assert len(asked) > 8
    assert [url for url in asked if not url.startswith((f"{server}/", "data:"))] == []


def test_a_demo_starts_in_one_click_and_its_agents_move(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    page.page.click("#welcome-demos [data-demo=den312d]")
    page.until(lambda: page.step > 5, "steps come")
    assert page.ask("orca.agents()") == 300
    assert not page.page.is_visible("#welcome")
    before, places = page.part(page.look(), ".stage"), page.ask("[0, 1, 2, 3].map(orca.position)")
    page.until(lambda: page.step > 15, "more steps come")
    page.until(lambda: page.ask("[0, 1, 2, 3].map(orca.position)") != places, "they move")
    page.until(lambda: (page.part(page.look(), ".stage") != before).any(), "the picture is another")
    page.until(lambda: "MovingAI" in page.text("#attribution"), "whose map it is")
    world = page.page.url.partition("world=")[2]
    assert client.get(f"/v1/worlds/{world}").json()["clock"]["mode"] == "realtime"
    # pause means pause: nothing comes, and the picture stands still
    page.key("Space")
    page.until(lambda: page.page.get_attribute("#play", "aria-label") == "Play", "it is paused")
    assert client.get(f"/v1/worlds/{world}").json()["clock"] == {"mode": "manual"}
    page.until(lambda: page.step == client.get(f"/v1/worlds/{world}").json()["step"], "the last step is shown")
    client.delete(f"/v1/worlds/{world}")


def test_a_step_is_a_step_and_changes_the_picture_alone(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    page = open_page(pair)
    before = page.settled()
    page.page.click("#step")
    page.until(lambda: page.step == 1, "the step is shown")
    assert client.get(f"/v1/worlds/{pair}").json()["step"] == 1
    shown = client.get(f"/v1/worlds/{pair}/agents").json()
    assert np.allclose(page.ask("[1, 2].map(orca.position)"), shown["position"], atol=1e-5)
    page.page.mouse.move(5, 400)
    after = page.settled()
    stage = page.part(after, ".stage") != page.part(before, ".stage")
    assert stage.any()
    # the agents are in the upper half of the picture, the wall below them stands
    x, y = page.at(-8, 0)
    left, top = page.part(after, ".stage").shape[:2][::-1]
    assert 0 < x < left
    assert 0 < y < top + 60
    changed = np.argwhere((after != before).any(axis=2))
    moved = {tuple(spot) for spot in changed}
    for selector in (".bar h1", "#new", "#tools", "#speed"):
        box = page.page.locator(selector).bounding_box()
        assert box is not None
        inside = [
            spot for spot in moved
            if box["y"] <= spot[0] < box["y"] + box["height"] and box["x"] <= spot[1] < box["x"] + box["width"]
        ]  # fmt: skip
        assert inside == [], selector


def test_play_and_pause_by_keyboard(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    page = open_page(pair)
    page.key(".", ".", "Space")
    page.until(lambda: page.step > 5, "it runs")
    clock = client.get(f"/v1/worlds/{pair}").json()["clock"]
    assert clock == {"mode": "realtime", "rate": 4.0}
    page.page.select_option("#speed", "5")
    page.until(lambda: client.get(f"/v1/worlds/{pair}").json()["clock"]["rate"] == 20.0, "it runs faster")
    page.key("<")
    page.until(lambda: client.get(f"/v1/worlds/{pair}").json()["clock"]["rate"] == 12.0, "and slower")
    page.key("Space")
    page.until(lambda: client.get(f"/v1/worlds/{pair}").json()["clock"]["mode"] == "manual", "it stands")
    # the speed is kept for the next time
    page.key("Space")
    page.until(lambda: client.get(f"/v1/worlds/{pair}").json()["clock"].get("rate") == 12.0, "as before")


def test_the_scrubber_goes_back_and_says_so(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    for step in range(1, 8):
        page.key(".")
        page.until(lambda step=step: page.step == step, f"step {step}")
    now = page.part(page.settled(), ".stage")
    page.page.locator("#scrubber").fill("2")
    page.until(lambda: page.step == 2, "an older step is shown")
    page.until(lambda: page.page.is_visible("#past") and "step 2" in page.text("#past"), "and said to be one")
    assert (page.part(page.settled(), ".stage") != now).any()
    # a key goes one kept step on, and the button to the newest
    page.page.locator("#view").focus()
    page.key(",")
    page.until(lambda: page.step == 1, "one back")
    page.key(".")
    page.until(lambda: page.step == 2, "one on, of those kept")
    page.page.click("#live")
    page.until(lambda: page.step == 7, "live again")
    page.until(lambda: not page.page.is_visible("#past"), "nothing of the past is shown")
    assert 0 < page.ask("orca.keptBytes()") < 100e6


def test_what_others_do_to_a_standing_world_is_seen(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    page = open_page(pair)
    client.post(f"/v1/worlds/{pair}/agents", json={"agents": [{"position": [0, 5]}]})
    page.until(lambda: page.ask("orca.agents()") == 3, "somebody came")
    client.delete(f"/v1/worlds/{pair}/agents/1")
    page.until(lambda: page.ask("orca.agents()") == 2, "somebody left")
    assert page.ask("orca.position(1)") is None


def test_a_world_that_is_deleted_says_so(open_page: OpenPage, pair: str, client: httpx.Client) -> None:
    page = open_page(pair)
    client.delete(f"/v1/worlds/{pair}")
    page.until(lambda: page.state() == "ended", "the end is told")
    assert "gone" in page.text("#connection")


def test_a_frame_takes_little_of_the_main_thread(open_page: OpenPage, client: httpx.Client) -> None:
    # a crowd that runs; how long a frame takes is measured by hand, that it is measured is tested here
    columns = {"position": [[2 * (i % 50), 2 * (i // 50)] for i in range(2000)], "velocity": [[1, 0]] * 2000}
    client.post("/v1/worlds", json={"id": "many", "time_step": 0.1})
    client.post("/v1/worlds/many/agents", json={"columns": columns})
    page = open_page("many")
    for _ in range(3):
        client.post("/v1/worlds/many/steps")
        time.sleep(0.1)
    page.until(lambda: page.step == 3, "the steps are shown")
    times = page.ask("orca.frameTimes")
    assert len(times) >= 3
    assert all(milliseconds >= 0 for milliseconds in times)
    client.delete("/v1/worlds/many")
