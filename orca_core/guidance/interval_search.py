"""Interval search: the shortest path over a triangulation, for a point, by A* over what can be seen.

Source: M. Cui, D. Harabor, A. Grastien, Compromise-free Pathfinding on a Navigation Mesh, IJCAI 2017 (Polyanya).

A node is a root, the last turning point so far, and an interval on an edge that the root sees. Expanding it looks
through the interval into the triangle behind: what is seen keeps the root; what is hidden behind an end of the interval
that is a vertex has that vertex as its root. Its estimate is the shortest way from the root over the interval to the
goal, never more than there is to go, so that the first path that comes out is a shortest one.

A* from triangle to triangle with a funnel pulled through was rejected: it is only as short as the chain of triangles
that it happened to choose, and no factor bounds how much longer that is.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["OutOfBudget", "shortest"]

Point = tuple[float, float]
# a point of an edge, and the vertex that it is
Corner = tuple[Point, int]
WITHIN_EDGE = -1

# a root that was reached before on a way shorter by more than this part is not tried again
ROOT_SLACK = 1e-12


class OutOfBudget(Exception):
    """More expansions than allowed."""


class Chain(NamedTuple):
    """Turning points from the start on, the last first."""

    point: Point
    before: Chain | None


class Node(NamedTuple):
    """Seen from `root`: the interval `left`..`right` of the edge through which `triangle` is entered.

    `left_vertex` and `right_vertex` are -1 where the interval ends within the edge; `triangle` is -1 for a whole path.
    """

    estimate: float
    order: int
    walked: float
    root: Chain
    root_vertex: int
    triangle: int
    edge: int
    left: Point
    left_vertex: int
    right: Point
    right_vertex: int


class Search:
    """One search; everything it knows is dropped with it."""

    def __init__(
        self,
        vertices: Sequence[Point],
        triangles: Sequence[Sequence[int]],
        across: Sequence[Sequence[int]],
        goal: Point,
        goal_triangles: frozenset[int],
    ) -> None:
        """Vertices and triangles as in Triangulation, as lists."""
        self._vertices, self._triangles, self._across = vertices, triangles, across
        self._goal, self._goal_triangles = goal, goal_triangles
        self._open: list[Node] = []
        self._order = 0
        self._walked_to: dict[int, float] = {}
        # expansions so far
        self.spent = 0

    def begin(self, start: Point, start_triangles: Sequence[int]) -> None:
        """See all edges of the triangles in which the start lies."""
        root = Chain(start, None)
        for triangle in start_triangles:
            corners = self._triangles[triangle]
            for k in range(3):
                right, left = corners[k], corners[(k + 1) % 3]
                self._push(root, -1, 0.0, triangle, k, self._vertices[left], left, self._vertices[right], right)

    def run(self, expansions: int) -> list[Point]:
        """The turning points of a shortest path with both ends; raises OutOfBudget."""
        while self._open:
            node = heapq.heappop(self._open)
            if node.triangle < 0:
                return _unwound(node.root)
            if node.walked > self._limit(node.root_vertex):
                continue
            if self.spent >= expansions:
                raise OutOfBudget
            self.spent += 1
            if node.triangle in self._goal_triangles:
                self._finish(node)
            self._expand(node)
        raise AssertionError("start and goal hang together, so that a path must have come out")

    def _limit(self, vertex: int) -> float:
        """The longest way to a root that is still worth following."""
        best = self._walked_to.get(vertex, math.inf)
        return best + ROOT_SLACK * best

    def _finish(self, node: Node) -> None:
        """The goal lies in the triangle entered: the path is straight, or bends at an end of the interval."""
        root = node.root
        length, bend = _over(root.point, node.left, node.right, self._goal)
        if bend is not None:
            root = Chain(bend, root)
        self._order += 1
        whole = node._replace(
            estimate=node.walked + length, order=self._order, root=Chain(self._goal, root), triangle=-1
        )
        heapq.heappush(self._open, whole)

    def _expand(self, node: Node) -> None:
        """See the two other edges of the triangle entered."""
        corners = self._triangles[node.triangle]
        left_corner, right_corner = corners[node.edge], corners[(node.edge + 1) % 3]
        apex = corners[(node.edge + 2) % 3]
        top = self._vertices[apex]
        left_end, right_end = (self._vertices[left_corner], left_corner), (self._vertices[right_corner], right_corner)
        peak = (top, apex)
        right_edge, left_edge = (node.edge + 1) % 3, (node.edge + 2) % 3
        root, walked, triangle = node.root, node.walked, node.triangle
        seen = root.point

        # on the edge itself everything behind it is in sight
        if _turn(seen, node.right, node.left) <= 0.0:
            self._push(root, node.root_vertex, walked, triangle, left_edge, *left_end, *peak)
            self._push(root, node.root_vertex, walked, triangle, right_edge, *peak, *right_end)
            return

        # the apex hides behind the left end, behind the right one, or behind neither
        if _turn(seen, node.left, top) >= 0.0:
            begin = _meeting(seen, node.left, peak, right_end)
            end = right_end if node.right_vertex >= 0 else _meeting(seen, node.right, peak, right_end)
            self._push(root, node.root_vertex, walked, triangle, right_edge, *begin, *end)
            if node.left_vertex >= 0:
                turned, gone = Chain(node.left, root), walked + _distance(seen, node.left)
                self._push(turned, node.left_vertex, gone, triangle, left_edge, *left_end, *peak)
                self._push(turned, node.left_vertex, gone, triangle, right_edge, *peak, *begin)
        elif _turn(seen, node.right, top) <= 0.0:
            begin = left_end if node.left_vertex >= 0 else _meeting(seen, node.left, left_end, peak)
            end = _meeting(seen, node.right, left_end, peak)
            self._push(root, node.root_vertex, walked, triangle, left_edge, *begin, *end)
            if node.right_vertex >= 0:
                turned, gone = Chain(node.right, root), walked + _distance(seen, node.right)
                self._push(turned, node.right_vertex, gone, triangle, right_edge, *peak, *right_end)
                self._push(turned, node.right_vertex, gone, triangle, left_edge, *end, *peak)
        else:
            begin = left_end if node.left_vertex >= 0 else _meeting(seen, node.left, left_end, peak)
            end = right_end if node.right_vertex >= 0 else _meeting(seen, node.right, peak, right_end)
            self._push(root, node.root_vertex, walked, triangle, left_edge, *begin, *peak)
            self._push(root, node.root_vertex, walked, triangle, right_edge, *peak, *end)

    def _push(
        self,
        root: Chain,
        root_vertex: int,
        walked: float,
        triangle: int,
        edge: int,
        left: Point,
        left_vertex: int,
        right: Point,
        right_vertex: int,
    ) -> None:
        """Queue the interval of an edge of `triangle`, to be looked through from it; not at the boundary."""
        behind = self._across[triangle][edge]
        if behind < 0 or left == right or walked > self._limit(root_vertex):
            return
        if root_vertex >= 0 and walked < self._walked_to.get(root_vertex, math.inf):
            self._walked_to[root_vertex] = walked
        # the same edge as the triangle behind counts it
        entered = self._across[behind].index(triangle)
        goal = self._goal
        if _turn(goal, right, left) > 0.0:
            goal = _mirrored(goal, left, right)
        length, _ = _over(root.point, left, right, goal)
        self._order += 1
        heapq.heappush(
            self._open,
            Node(
                walked + length,
                self._order,
                walked,
                root,
                root_vertex,
                behind,
                entered,
                left,
                left_vertex,
                right,
                right_vertex,
            ),
        )


def shortest(search: Search, start: Point, start_triangles: Sequence[int], expansions: int) -> list[Point]:
    """The points of a shortest path, start and goal included; raises OutOfBudget."""
    search.begin(start, start_triangles)
    return search.run(expansions)


def _turn(a: Point, b: Point, c: Point) -> float:
    """Above 0 where c lies to the left of a -> b, below 0 to the right."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _distance(a: Point, b: Point) -> float:
    return math.sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]))


def _meeting(origin: Point, through: Point, a: Corner, b: Corner) -> Corner:
    """Where the ray from `origin` through a point meets the edge between two corners, kept on the edge.

    An end of the edge that is met is that vertex: a path may bend there.
    """
    before, after = _turn(origin, through, a[0]), _turn(origin, through, b[0])
    part = before / (before - after) if before != after else 0.0
    if part <= 0.0 or part >= 1.0:
        return a if part <= 0.0 else b
    (ax, ay), (bx, by) = a[0], b[0]
    return (ax + part * (bx - ax), ay + part * (by - ay)), WITHIN_EDGE


def _mirrored(point: Point, a: Point, b: Point) -> Point:
    """The point on the other side of the line a-b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    twice = 2.0 * _turn(a, b, point) / (dx * dx + dy * dy)
    return point[0] + twice * dy, point[1] - twice * dx


def _over(root: Point, left: Point, right: Point, goal: Point) -> tuple[float, Point | None]:
    """Length of the shortest way from root over the interval to a goal behind it, and the end where it bends."""
    if _turn(root, left, goal) > 0.0:
        return _distance(root, left) + _distance(left, goal), left
    if _turn(root, right, goal) < 0.0:
        return _distance(root, right) + _distance(right, goal), right
    return _distance(root, goal), None


def _unwound(chain: Chain) -> list[Point]:
    """The points of a chain from its first."""
    points: list[Point] = []
    link: Chain | None = chain
    while link is not None:
        points.append(link.point)
        link = link.before
    return points[::-1]
