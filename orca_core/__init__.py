"""orca_core: ORCA crowds, exact to the bit. Arrays in, arrays out; no clock, no sockets, no processes, no web.

Source: van den Berg, Guy, Lin and Manocha, Reciprocal n-body collision avoidance, ISRR 2011.
"""

from orca_core.errors import AlreadyExists, Gone, InvalidInput, NotFound, Notice, OrcaError, Problem, SnapshotError
from orca_core.geometry.obstacles import Obstacle
from orca_core.geometry.walkable import WalkableArea
from orca_core.options import Options
from orca_core.report import Added, Event, StepReport
from orca_core.world import World

__all__ = [
    "Added",
    "AlreadyExists",
    "Event",
    "Gone",
    "InvalidInput",
    "NotFound",
    "Notice",
    "Obstacle",
    "Options",
    "OrcaError",
    "Problem",
    "SnapshotError",
    "StepReport",
    "WalkableArea",
    "World",
]
