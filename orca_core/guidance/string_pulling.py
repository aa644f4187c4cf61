"""String pulling: the waypoints that are left when a path is pulled tight between those that see each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orca_core.guidance.planner import Point

__all__ = ["pulled"]


def pulled(points: Sequence[Point], sees: Callable[[Point, Point], bool]) -> list[Point]:
    """Some of the points, the first and the last among them: from each the farthest one that it sees comes next.

    Neighbours in `points` must see each other. The way becomes no longer, since every stretch that is left stands in
    for a chain between its ends; it need not become a shortest one, since no point is moved.
    """
    kept = list(points[:1])
    here = 0
    while here < len(points) - 1:
        following = here + 1
        # from the far end on: the first that is seen is the farthest, whatever lies between
        for there in range(len(points) - 1, here + 1, -1):
            if sees(points[here], points[there]):
                following = there
                break
        kept.append(points[following])
        here = following
    return kept
