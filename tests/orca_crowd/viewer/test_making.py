"""Making worlds on the page: empty, from a map that is dropped, with walls and areas and agents drawn by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import numpy as np
import pytest

from tests.support.viewer_page import ViewerPage

OpenPage = Callable[..., ViewerPage]

MAP = "type octile\nheight 4\nwidth 6\nmap\n......\n.@@...\n.@@...\n......\n"
GEOJSON = '{"type": "Polygon", "coordinates": [[[0, 0], [30, 0], [30, 20], [0, 20], [0, 0]]]}'
CROSSING = '{"type": "Polygon", "coordinates": [[[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]]]}'


@pytest.fixture(autouse=True)
def no_world_left(client: httpx.Client) -> Iterator[None]:
    """Worlds that were made by hand go away by hand."""
    yield
    for world in client.get("/v1/worlds").json()["worlds"]:
        client.delete(f"/v1/worlds/{world['id']}")


def only_world(client: httpx.Client) -> str:
    """Path of the one world there is."""
    (world,) = client.get("/v1/worlds").json()["worlds"]
    return f"/v1/worlds/{world['id']}"


def create(page: ViewerPage) -> None:
    """Press Create, and wait until the world is open."""
    page.page.click("#new-create")
    page.until(lambda: page.state() == "live" and not page.page.is_visible("#new-dialog"), "the world is open")


def test_an_empty_world_with_a_wall_agents_and_a_way_back(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    page.page.click("#welcome-new")
    page.page.fill("#new-name", "By hand")
    page.page.fill("#new-time-step", "0.2")
    create(page)
    world = only_world(client)
    assert client.get(world).json()["name"] == "By hand"
    assert client.get(world).json()["time_step"] == 0.2

    # a wall of three points, the last of which is taken back
    page.key("w")
    page.press(-5, -4)
    page.press(5, -4)
    page.press(9, 9)
    page.key("Escape", "Enter")
    page.until(lambda: client.get(f"{world}/obstacles").json()["obstacles"] != [], "the server has the wall")
    (wall,) = client.get(f"{world}/obstacles").json()["obstacles"]
    assert np.allclose(wall["points"], [[-5, -4], [5, -4]], atol=0.1)
    assert wall["closed"] is False

    # pressing the first point closes it
    for point in ((6, 4), (9, 4), (9, 7), (6, 4)):
        page.press(*point)
    page.until(lambda: len(client.get(f"{world}/obstacles").json()["obstacles"]) == 2, "the server has the block")
    assert client.get(f"{world}/obstacles").json()["obstacles"][1]["closed"] is True

    # agents, from where they start to where they go
    page.key("g")
    page.page.fill("#place-count", "5")
    page.drag([(-6, 2), (0, 3), (6, 1)])
    page.until(lambda: page.ask("orca.agents()") == 5, "they are shown though no step was taken")
    columns = client.get(f"{world}/agents?fields=position,goal").json()
    assert np.allclose(np.mean(columns["position"], axis=0), [-6, 2], atol=0.5)
    assert np.allclose(np.subtract(columns["goal"], columns["position"]), [12, -1], atol=0.2)

    # undone one after the other: the agents, the block, the wall
    page.page.click("#hint-undo")
    page.until(lambda: page.ask("orca.agents()") == 0, "the agents are gone")
    page.page.locator("#view").focus()
    page.key("u", "u")
    page.until(lambda: client.get(f"{world}/obstacles").json()["obstacles"] == [], "the walls are gone")


def test_a_walkable_area_is_drawn_and_a_wrong_one_is_refused(open_page: OpenPage, client: httpx.Client) -> None:
    client.post("/v1/worlds", json={"id": "meadow", "time_step": 0.1})
    page = open_page("meadow")
    page.key("a")
    # a ring that crosses itself: the server's words are shown, and nothing was changed
    for point in ((-5, -5), (5, 5), (5, -5), (-5, 5)):
        page.press(*point)
    page.key("Enter")
    page.until(lambda: page.page.locator("#messages .problem").count() == 1, "the refusal is shown")
    said = page.text("#messages")
    assert "geometry" in said
    assert client.get("/v1/worlds/meadow/walkable").json()["areas"] == []
    # the drawing is still there and can be mended
    page.key("Escape", "Escape")
    page.press(5, 8)
    page.press(-5, 8)
    page.key("Enter")
    page.until(lambda: len(client.get("/v1/worlds/meadow/walkable").json()["areas"]) == 1, "the server has the area")
    ring = client.get("/v1/worlds/meadow/walkable").json()["areas"][0]["geometry"]["coordinates"][0]
    assert np.allclose(ring[:4], [[-5, -5], [5, 5], [5, 8], [-5, 8]], atol=0.1)
    # what the browser says of a refused request is not a complaint of ours
    page.complaints[:] = [complaint for complaint in page.complaints if "status of 422" not in complaint]


def test_a_map_is_dropped_as_walls(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    page.drop("arena.map", MAP)
    page.until(lambda: "arena.map" in page.text("#new-file-name"), "the file is read")
    assert page.page.input_value("#new-name") == "arena"
    page.page.fill("#new-cell", "2")
    create(page)
    world = only_world(client)
    rim, block = client.get(f"{world}/obstacles").json()["obstacles"]
    # what is free is not filled
    assert (rim["closed"], block["closed"]) == (False, True)
    assert np.ptp(block["points"], axis=0).tolist() == [4.0, 4.0]
    assert client.get(f"{world}/walkable").json()["areas"] == []


def test_geojson_is_dropped_as_a_walkable_area_into_the_open_world(open_page: OpenPage, client: httpx.Client) -> None:
    client.post("/v1/worlds", json={"id": "open", "time_step": 0.1})
    page = open_page("open")
    before = page.part(page.settled(), ".stage")
    page.drop("square.geojson", GEOJSON)
    page.until(lambda: page.page.is_visible("#new-map-fields"), "the file is read")
    page.page.check("input[name=as][value=walkable]", force=True)
    page.page.check("#new-into")
    create(page)
    assert only_world(client) == "/v1/worlds/open"
    assert len(client.get("/v1/worlds/open/walkable").json()["areas"]) == 1
    assert (page.part(page.settled(), ".stage") != before).any()


def test_a_map_that_is_refused_leaves_no_world_behind(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    page.drop("notes.txt", "just words")
    page.until(lambda: page.page.is_visible("#new-problem"), "it is said what would be right")
    assert "MovingAI" in page.text("#new-problem")
    page.page.click("#new-cancel")
    page.drop("crossing.json", CROSSING)
    page.until(lambda: page.page.is_visible("#new-map-fields"), "the file is read")
    page.page.click("#new-create")
    page.until(lambda: page.page.is_visible("#new-problem"), "the server's words are shown")
    assert page.page.is_visible("#new-dialog")
    assert client.get("/v1/worlds").json()["worlds"] == []
    page.complaints[:] = [complaint for complaint in page.complaints if "status of 422" not in complaint]


def test_worlds_are_listed_and_chosen(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    client.post("/v1/worlds", json={"id": "one", "time_step": 0.1, "name": "The first"})
    client.post("/v1/worlds", json={"id": "two", "time_step": 0.1})
    page.until(lambda: "The first" in page.text("#worlds") and "two" in page.text("#worlds"), "both are listed")
    page.page.select_option("#worlds", "two")
    page.until(lambda: page.state() == "live", "it is open")
    assert page.page.url.endswith("?world=two")
    assert page.page.title().startswith("two")
