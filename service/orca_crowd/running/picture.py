"""Picture: where everybody went and where they are in the end, as a PNG (matplotlib, of the extra `pictures`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from orca_crowd.running.recording import HUES, Recording
from orca_crowd.running.refusal import needed

__all__ = ["check_picture", "draw_picture"]

# of the longer side, in inches, and dots an inch
SIDE, DOTS = 9.0, 150
# points of one trajectory; more than that nobody sees
MOST_POINTS = 2_000
GROUND, WALL, AREA = "#f2f3f5", "#2b2f36", "#ffffff"


def check_picture() -> None:
    """Unusable where matplotlib is not installed."""
    needed("matplotlib", "pictures")


def draw_picture(recording: Recording, file: Path) -> None:
    """Write the picture; raises OSError where it cannot be written."""
    figures = needed("matplotlib.figure", "pictures")
    low_x, low_y, high_x, high_y = recording.box()
    width, height = high_x - low_x, high_y - low_y
    longer = max(width, height)
    # room for the title and the numbers at the axes beside the ground itself
    size = (max(SIDE * width / longer, 4.0) + 0.6, max(SIDE * height / longer, 2.0) + 0.8)
    figure = figures.Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.set_xlim(low_x, high_x)
    axes.set_ylim(low_y, high_y)
    axes.set_facecolor(AREA if not recording.areas else GROUND)
    axes.set_xlabel("m")
    axes.set_title(_title(recording), fontsize="medium")
    if recording.attribution is not None:
        figure.text(0.995, 0.003, recording.attribution, ha="right", va="bottom", fontsize="xx-small", color="#666666")
    _draw_ground(recording, axes)
    _draw_agents(recording, axes)
    figure.savefig(file, dpi=DOTS, format="png")


def _title(recording: Recording) -> str:
    seconds = recording.steps[-1] * recording.time_step
    agents = f"{len(recording.radii):,} agents"
    return f"{recording.title}: {agents} after {recording.steps[-1]:,} steps ({seconds:,.1f} s)"


def _draw_ground(recording: Recording, axes: Any) -> None:
    """Areas with their holes, then walls."""
    paths, patches = needed("matplotlib.path", "pictures"), needed("matplotlib.patches", "pictures")
    collections = needed("matplotlib.collections", "pictures")
    for area in recording.areas:
        rings = [paths.Path(np.vstack([ring, ring[:1]]), closed=True) for ring in area]
        shape = patches.PathPatch(paths.Path.make_compound_path(*rings), facecolor=AREA, edgecolor=WALL, linewidth=0.7)
        axes.add_patch(shape)
    axes.add_collection(collections.PolyCollection(recording.solids, facecolors=GROUND), autolim=False)
    axes.add_collection(collections.LineCollection(recording.walls, colors=WALL, linewidths=1.4), autolim=False)


def _draw_agents(recording: Recording, axes: Any) -> None:
    """Trajectories, fainter the more there are, and discs of the true size where they end."""
    count = len(recording.radii)
    if not count:
        return
    collections = needed("matplotlib.collections", "pictures")
    shown = recording.thinned(MOST_POINTS)
    ways = np.stack(shown.frames).transpose(1, 0, 2)
    colours = np.array(HUES)[recording.hues()] / 255.0
    faint = float(np.clip(6.0 / np.sqrt(count), 0.08, 0.6))
    lines = collections.LineCollection(ways, colors=colours, linewidths=0.8, alpha=faint)
    axes.add_collection(lines, autolim=False)
    side = 2.0 * recording.radii
    discs = collections.EllipseCollection(
        side,
        side,
        np.zeros(count),
        units="xy",
        offsets=shown.frames[-1],
        offset_transform=axes.transData,
        facecolors=colours,
        edgecolors="white",
        linewidths=0.4,
    )
    axes.add_collection(discs, autolim=False)
