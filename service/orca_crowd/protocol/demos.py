"""Demos as they are shown: the scenes there are, and the world that one runs in."""

from __future__ import annotations

from pydantic import Field

from orca_crowd.protocol.shown import Pair, Shown, WorldShown

__all__ = ["DemoShown", "DemosAnswer", "FiguresShown", "StartedDemo"]


class FiguresShown(Shown):
    """How the crowd of a scene fares, in seconds and metres."""

    agents: int
    arrived: int
    last: float | None = Field(description="When the last one arrives; null where not all do.")
    delay: float = Field(description="Mean of what each takes longer than the free path at the preferred speed.")
    overlap: float = Field(description="Deepest of any two discs.")
    stalled: float = Field(description="Mean time for which somebody on its way stands.")
    flow: float | None = Field(description="Agents a second across the gate; null without a gate.")
    turned: float | None = Field(
        description="Mean of the degrees by which each turns on its way; null in a scene that is not about it."
    )


class DemoShown(Shown):
    """A scene that can be started."""

    name: str
    title: str
    description: str
    figures: FiguresShown | None = Field(description="What it comes to; null where it goes on for ever.")


class DemosAnswer(Shown):
    """All scenes."""

    demos: list[DemoShown]


class StartedDemo(Shown):
    """The world that a demo runs in, and what part of the plane to show."""

    world: WorldShown
    view: list[float] = Field(description="min x, min y, max x, max y")
    attribution: str | None
    gate: list[Pair] | None = Field(description="Ends of the line across which its flow is counted.")
    arrival: float = Field(description="How near to its goal somebody has arrived, in metres.")
