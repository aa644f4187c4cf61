"""Page: the recording as one HTML file that plays it, with nothing to fetch, so that it opens from a disk.

Positions travel as 16-bit whole numbers over the drawn box, a fraction of a pixel, in base64 inside the page.
"""

from __future__ import annotations

import base64
import html
import json
from importlib.resources import files
from pathlib import Path

import numpy as np

from orca_crowd.running.recording import HUES, Recording

__all__ = ["MOST_FRAMES", "page", "write_page"]

# frames of a page where nobody said otherwise
MOST_FRAMES = 600
LARGEST = 65_535


def write_page(recording: Recording, file: Path) -> None:
    """Write the page; raises OSError where it cannot be written."""
    file.write_text(page(recording), encoding="utf-8")


def page(recording: Recording) -> str:
    """The whole page."""
    low_x, low_y, high_x, high_y = recording.box()
    low, size = np.array([low_x, low_y]), np.array([high_x - low_x, high_y - low_y])
    agents = len(recording.radii)
    frames = np.stack(recording.frames).astype(np.float64)
    places = np.rint((frames - low) / size * LARGEST).clip(0, LARGEST).astype("<u2")
    data = {
        "title": recording.title,
        "timeStep": recording.time_step,
        "box": [low_x, low_y, high_x, high_y],
        "steps": recording.steps,
        "radii": np.round(recording.radii, 6).tolist(),
        "hues": recording.hues().tolist() if agents else [],
        "colours": [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in HUES],
        "walls": [np.round(wall, 4).tolist() for wall in recording.walls],
        "solids": [np.round(solid, 4).tolist() for solid in recording.solids],
        "areas": [[np.round(ring, 4).tolist() for ring in area] for area in recording.areas],
        "attribution": recording.attribution or "",
        "places": base64.b64encode(places.tobytes()).decode("ascii"),
    }
    template = files("orca_crowd.running").joinpath("page.html").read_text(encoding="utf-8")
    # inside a script nothing may look like its end
    script = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return template.replace("{{title}}", html.escape(recording.title)).replace("{{data}}", script)
