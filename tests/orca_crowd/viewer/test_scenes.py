"""The gallery of scenes: what each comes to is on its card, and beside what has been seen of it once it runs."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from tests.support.viewer_page import ViewerPage

OpenPage = Callable[..., ViewerPage]


def figures_of(client: httpx.Client, name: str) -> dict[str, float]:
    """What a demo is said to come to."""
    (demo,) = (demo for demo in client.get("/v1/demos").json()["demos"] if demo["name"] == name)
    figures: dict[str, float] = demo["figures"]
    return figures


def cells(page: ViewerPage) -> dict[str, list[str]]:
    """The rows of the table: so far, in the end."""
    rows = page.page.locator("#scene-figures tbody tr").all()
    return {row.locator("th").inner_text().split("\n")[0]: row.locator("td").all_inner_texts() for row in rows}


def test_the_gallery_says_what_a_scene_comes_to(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    figures = figures_of(client, "corner")
    card = page.text("#welcome-demos [data-demo=corner]")
    assert f"all there after {figures['last']:.0f} s" in card
    assert f"overlap {figures['overlap']:.2f} m" in card
    # the circle goes on for as long as somebody looks
    assert "overlap" not in page.text("#welcome-demos [data-demo=circle]")
    assert page.page.locator("#welcome-demos button").count() == len(client.get("/v1/demos").json()["demos"])


def test_a_scene_shows_what_is_seen_of_it_beside_what_it_comes_to(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    figures = figures_of(client, "corner")
    page.page.click("#welcome-demos [data-demo=corner]")
    page.until(lambda: page.page.is_visible("#scene"), "the figures of the scene")
    assert page.text("#scene-title").lower() == "l corner"
    world = page.page.url.partition("world=")[2]
    # as quick as it will go: not a minute of the test's life
    client.patch(f"/v1/worlds/{world}", json={"clock": {"mode": "manual"}})
    while client.post(f"/v1/worlds/{world}/steps", json={"count": 5}).json()["time"] < figures["last"] + 1.0:
        page.page.wait_for_timeout(5)
    page.until(lambda: cells(page)["Arrived"] == ["60", "60"], "all have arrived")
    found = {label: [float(cell) for cell in row] for label, row in cells(page).items()}
    # not every step was seen
    last, flow = found["The last one s"], found["Flow 1/s"]
    assert abs(last[0] - last[1]) < 2.0
    assert abs(flow[0] - flow[1]) < 0.3
    assert 0.0 <= found["Deepest overlap m"][0] <= found["Deepest overlap m"][1] + 1e-3
    client.delete(f"/v1/worlds/{world}")


def test_without_reciprocity_the_page_shows_how_they_swing(open_page: OpenPage, client: httpx.Client) -> None:
    page = open_page()
    said = {model: figures_of(client, f"head-on-{model}")["turned"] for model in ("vo", "rvo", "orca")}
    for model, turned in said.items():
        assert f"each turned by {turned:.0f}°" in page.text(f"#welcome-demos [data-demo=head-on-{model}]")
    page.page.click("#welcome-demos [data-demo=head-on-vo]")
    page.until(lambda: page.page.is_visible("#scene"), "the figures of the scene")
    # where they went is what there is to see
    assert page.page.is_checked("#trails")
    world = page.page.url.partition("world=")[2]
    client.patch(f"/v1/worlds/{world}", json={"clock": {"mode": "realtime", "rate": 25}})
    page.until(lambda: cells(page)["Arrived"] == ["10", "10"], "all have arrived")
    so_far, end = (float(cell) for cell in cells(page)["Turned, each °"])
    # a frame that was not seen takes something off
    assert 2.0 * max(said["rvo"], said["orca"]) < so_far <= end + 1.0
    # whatever the size of a world, how long its steps take is measured
    page.until(lambda: "ms" in page.text("#charts"), "how long a step takes")
    client.delete(f"/v1/worlds/{world}")


def test_a_world_of_ones_own_has_no_such_figures(open_page: OpenPage, pair: str) -> None:
    page = open_page(pair)
    assert not page.page.is_visible("#scene")
