"""The viewer benchmark: what a frame of the page takes of the browser's main thread, with a large crowd that runs.

The browser has no window and draws in software, so how many frames it shows a second says nothing of a machine with a
graphics card. What the page itself computes for a frame, from the messages of the stream to the last call for the
card, is the same everywhere, and it is what must fit into a sixtieth of a second.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure
from orca_crowd.bench.machine import facts
from orca_crowd.bench.scenes import scenes_for
from orca_crowd.bench.serving import Remote, serving

if TYPE_CHECKING:
    from playwright.async_api import Page

__all__ = ["LOOKS", "browser_program", "measure_viewer", "viewer_result"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")

# a frame of 60 a second, and the crowd that it is promised for
FRAME_MILLISECONDS = 1000.0 / 60.0
PROMISED = 20_000
RATE = 10.0
PATIENCE = 60.0

# the keys that bring each look, from the one before
LOOKS = {
    "coloured by status": (),
    "by speed, with the heat map of densities": ("c", "h"),
    "by speed, with heat map and trails": ("t",),
}


def browser_program() -> str | None:
    """Chromium as it is found on the path; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def measure_viewer(
    program: str, *, agents: int = PROMISED, frames: int = 60, tell: Callable[[str], None] = lambda what: None
) -> dict[str, Any]:
    """Open the page on a crowd that runs at 10 steps a second, and take `frames` frames of each look."""
    with serving("processes", 2) as address:
        times, version = asyncio.run(_measure(program, address, agents, frames, tell))
    result = viewer_result(agents, times)
    return {**result, "facts": [f"Chromium {version} without a window, in software; {frames} frames each"]}


def viewer_result(agents: int, times: dict[str, Sequence[float]]) -> dict[str, Any]:
    """The result of measured milliseconds by look."""
    name = f"{agents:,} agents"
    figures = []
    for look, values in times.items():
        ordered = sorted(values)
        figures.append(figure(f"{name}, {look}", "ms", spread(values)))
        figures.append(figure(f"{name}, {look}, 99th percentile", "ms", [ordered[int(0.99 * (len(ordered) - 1))]]))
    bars = []
    if agents == PROMISED:
        worst = max(spread(values)["p90"] for values in times.values())
        bars.append(bar(f"{name}: a frame, 90th percentile of every look", worst, round(FRAME_MILLISECONDS, 1), "ms"))
    return {"benchmark": "viewer", "format": 1, "machine": facts(), "agents": agents, "figures": figures, "bars": bars}


async def _measure(
    program: str, address: str, agents: int, frames: int, tell: Callable[[str], None]
) -> tuple[dict[str, Sequence[float]], str]:
    # at hand only where the extra `bench` is installed
    from playwright.async_api import async_playwright

    async with Remote(address) as remote, async_playwright() as playwright:
        tell("making the crowd")
        (scene,) = scenes_for([agents], 0)
        world = await remote.create(scene)
        await remote.call("PATCH", f"/v1/worlds/{world}", {"clock": {"mode": "realtime", "rate": RATE}})
        browser = await playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        try:
            page = await browser.new_page(viewport={"width": 1000, "height": 700}, locale="en-GB")
            await page.goto(f"http://{address}/?world={world}")
            await _until(page, "window.orcaCrowd?.step() > 20")
            times: dict[str, Sequence[float]] = {}
            for look, keys in LOOKS.items():
                tell(f"{agents:,} agents, {look}")
                for key in keys:
                    await page.keyboard.press(key)
                times[look] = await _frames(page, frames)
            return times, browser.version
        finally:
            await browser.close()


async def _frames(page: Page, count: int) -> list[float]:
    """Milliseconds of the main thread for so many frames, after some that do not count."""
    found: list[float] = []
    await page.wait_for_timeout(1000)
    await page.evaluate("() => void (window.orcaCrowd.frameTimes.length = 0)")
    while len(found) < count:
        await page.wait_for_timeout(250)
        found += await page.evaluate("() => window.orcaCrowd.frameTimes.splice(0)")
    return found[:count]


async def _until(page: Page, expression: str) -> None:
    """Wait until an expression holds; the page's policy forbids the browser's own way of waiting."""
    for _ in range(int(PATIENCE * 20)):
        if await page.evaluate(f"() => {expression}"):
            return
        await page.wait_for_timeout(50)
    raise RuntimeError(f"the page did not get so far within {PATIENCE:g} s: {expression}")
