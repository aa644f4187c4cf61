"""The page as a person uses it: pressed, typed on and looked at, in a browser.

Waiting is asking again until something holds: the page's policy forbids the browser's own way, which evaluates strings.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

__all__ = ["ViewerPage"]

# of a machine that has much else to do; usually far less than one
LONGEST_SECONDS = 30.0
POLL_MILLISECONDS = 20

Pixels = NDArray[np.uint8]

DROP = """([name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name));
    for (const kind of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
    }
}"""


class ViewerPage:
    """A page that is open, and what it complained about."""

    def __init__(self, page: Page, server: str) -> None:
        """Listen to complaints; nothing is opened yet."""
        self.page = page
        self.server = server
        self.complaints: list[str] = []
        page.on("console", lambda said: self._heard(said.type, said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, world: str | None = None) -> None:
        """Open the page, on a world where one is named."""
        self.page.goto(self.server if world is None else f"{self.server}/?world={world}")
        if world is None:
            self.page.wait_for_selector("#welcome-demos button")
        else:
            self.until(lambda: self.state() == "live" and self.ask("canvas().dataset.step") is not None, "live")

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    # ---- asking

    def ask(self, expression: str) -> Any:
        """The value of a line of JavaScript; `orca` is what the page shows of itself, `canvas()` the drawing."""
        names = "const orca = window.orcaCrowd, canvas = () => document.getElementById('view');"
        return self.page.evaluate(f"() => {{ {names} return {expression}; }}")

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while not holds():
            assert time.monotonic() < deadline, f"not within {LONGEST_SECONDS} s: {what}; {self.complaints}"
            self.page.wait_for_timeout(POLL_MILLISECONDS)

    @property
    def step(self) -> int:
        """Step of the frame that is shown."""
        return int(self.ask("orca.step()"))

    def state(self) -> str | None:
        """How the connection stands."""
        return self.page.get_attribute("#connection", "data-state")

    def text(self, selector: str) -> str:
        """What an element says."""
        return self.page.inner_text(selector)

    # ---- doing

    def key(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the world is on the screen."""
        box = self.page.locator("#view").bounding_box()
        assert box is not None
        across, down = self.ask(f"orca.toScreen({x}, {y})")
        return box["x"] + across, box["y"] + down

    def press(self, x: float, y: float) -> None:
        """Press a point of the world."""
        self.page.mouse.click(*self.at(x, y))

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Drag from point to point of the world."""
        places = [self.at(*point) for point in points]
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=4)
        self.page.mouse.up()

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the page."""
        self.page.evaluate(DROP, [name, text])

    # ---- looking

    def settled(self) -> Pixels:
        """The page as it looks once nothing moves any more: (height, width, 3)."""
        before = self.look()
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            self.page.wait_for_timeout(150)
            now = self.look()
            if np.array_equal(before, now):
                return now
            assert time.monotonic() < deadline, "the page does not come to rest"
            before = now

    def look(self) -> Pixels:
        """The page as it looks now."""
        with Image.open(io.BytesIO(self.page.screenshot())) as picture:
            return np.asarray(picture.convert("RGB"))

    def part(self, pixels: Pixels, selector: str) -> Pixels:
        """What an element covers of a look at the page."""
        box: Mapping[str, float] | None = self.page.locator(selector).bounding_box()  # type: ignore[assignment]
        assert box is not None, selector
        left, top = int(box["x"]), int(box["y"])
        return pixels[top : int(box["y"] + box["height"]), left : int(box["x"] + box["width"])]
