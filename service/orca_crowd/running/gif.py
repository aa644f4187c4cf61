"""GIF: the recording in motion, drawn with Pillow, which comes with matplotlib (extra `pictures`).

Every frame is drawn at twice its size and halved, since Pillow draws without smooth edges. The ground is drawn once,
and all frames share one palette, so that nothing flickers.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.running.recording import HUES, Recording
from orca_crowd.running.refusal import needed

__all__ = ["MOST_FRAMES", "check_gif", "draw_gif", "durations_of"]

# frames of a GIF where nobody said otherwise, and pixels of its longer side
MOST_FRAMES = 200
SIDE = 640
TWICE = 2
# seconds that a GIF counts in; in these, the shortest time of a frame that browsers keep to, and the longest that still
# looks like motion
TICK, SHORTEST, LONGEST = 0.01, 2, 6
GROUND, WALL, AREA, WORDS = (242, 243, 245), (43, 47, 54), (255, 255, 255), (90, 96, 106)
COLOURS = 128


def check_gif() -> None:
    """Unusable where Pillow is not installed."""
    needed("PIL.Image", "pictures")


def draw_gif(recording: Recording, file: Path) -> None:
    """Write the animation, in real time or, where its frames are farther apart, quicker, with the time in its corner.

    Raises OSError where it cannot be written.
    """
    images, drawing = needed("PIL.Image", "pictures"), needed("PIL.ImageDraw", "pictures")
    stage = _Stage(recording)
    ground = stage.ground(images, drawing)
    colours = [HUES[hue] for hue in recording.hues().tolist()] if len(recording.radii) else []
    frames: list[Any] = []
    palette = None
    for step, positions in zip(recording.steps, recording.frames, strict=True):
        image = ground.copy()
        stage.draw_agents(drawing.Draw(image), positions, colours)
        small = image.reduce(TWICE)
        drawing.Draw(small).text((6, 4), f"{step * recording.time_step:.1f} s", fill=WORDS)
        if palette is None:
            palette = small.quantize(COLOURS)
        frames.append(small.quantize(palette=palette, dither=images.Dither.NONE))
    first, *others = frames
    # the last one stays for a moment
    durations = durations_of(recording)
    first.save(file, format="GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=False)


def durations_of(recording: Recording) -> list[int]:
    """Milliseconds of each frame, whole ticks: the time until the next one, within what a GIF can show."""
    steps = np.diff(recording.steps) * recording.time_step
    ticks = [min(max(SHORTEST, round(seconds / TICK)), LONGEST) for seconds in steps.tolist()]
    return [10 * tick for tick in (*ticks, 100)]


class _Stage:
    """Metres to pixels of the image at twice its size."""

    def __init__(self, recording: Recording) -> None:
        """Fit everything."""
        self.recording = recording
        low_x, low_y, high_x, high_y = recording.box()
        self.scale = TWICE * SIDE / max(high_x - low_x, high_y - low_y)
        # whole pixels after halving
        wide, high = ((math.ceil(self.scale * length / TWICE)) for length in (high_x - low_x, high_y - low_y))
        self.size = (TWICE * wide, TWICE * high)
        self._left, self._top = low_x, high_y

    def pixels(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Points (n, 2) in the image, whose y points down."""
        return np.column_stack([points[:, 0] - self._left, self._top - points[:, 1]]) * self.scale

    def ground(self, images: Any, drawing: Any) -> Any:
        """Areas with their holes, then walls."""
        image = images.new("RGB", self.size, GROUND if self.recording.areas else AREA)
        draw = drawing.Draw(image)
        for outer, *holes in self.recording.areas:
            draw.polygon(self._flat(outer), fill=AREA, outline=WALL, width=TWICE)
            for hole in holes:
                draw.polygon(self._flat(hole), fill=GROUND, outline=WALL, width=TWICE)
        for solid in self.recording.solids:
            draw.polygon(self._flat(solid), fill=GROUND)
        for wall in self.recording.walls:
            draw.line(self._flat(wall), fill=WALL, width=2 * TWICE, joint="curve")
        return image

    def draw_agents(self, draw: Any, positions: NDArray[np.float32], colours: list[tuple[int, int, int]]) -> None:
        """A disc each, at least a pixel wide."""
        middles = self.pixels(positions)
        reach = np.maximum(self.recording.radii * self.scale, 0.5 * TWICE)[:, None]
        corners = np.hstack([middles - reach, middles + reach]).tolist()
        for corner, colour in zip(corners, colours, strict=True):
            draw.ellipse(corner, fill=colour)

    def _flat(self, points: NDArray[np.float64]) -> list[float]:
        flat: list[float] = self.pixels(points).ravel().tolist()
        return flat
