"""Planning beside a world: the planner is kept while the geometry is, and a budget is shared in order."""

from __future__ import annotations

from orca_core import Obstacle, WalkableArea, World
from orca_crowd.protocol.paths import PathQuery
from orca_crowd.settings import Settings
from orca_crowd.worlds.paths import _Seen, _WorldPlanner
from orca_crowd.worlds.session import Session

ROUND = PathQuery((1.0, 5.0), (9.0, 5.0), 0.25)
HERE = PathQuery((1.0, 1.0), (1.0, 1.0), 0.25)


def hall() -> Session:
    """A world of one room with a wall in its middle."""
    world = World(time_step=0.1)
    world.add_walkable([WalkableArea((([[0, 0], [10, 0], [10, 10], [0, 10]],),))])
    world.add_obstacles([Obstacle([[5, 3], [5, 8]])])
    return Session("hall", world, Settings())


def test_a_planner_is_kept_until_the_geometry_changes() -> None:
    session, planner = hall(), _WorldPlanner()
    first = planner.plan(_Seen(session), [ROUND], 1000)["paths"][0]["waypoints"].tolist()
    made = planner._planner
    session.world.add_agents({"position": [[1, 1]]})
    session.world.step()
    again = planner.plan(_Seen(session), [ROUND], 1000)
    assert again["step"] == 1
    assert again["paths"][0]["waypoints"].tolist() == first
    assert planner._planner is made
    for change in (
        lambda world: world.set_obstacle(0, Obstacle([[5, 3], [5, 9]])),
        lambda world: world.remove_obstacle(0),
        lambda world: world.add_obstacles([Obstacle([[4, 4], [6, 6]])]),
        lambda world: world.add_walkable([WalkableArea((([[20, 0], [30, 0], [30, 10]],),))]),
        lambda world: world.remove_walkable(1),
    ):
        change(session.world)
        before = planner._planner
        planner.plan(_Seen(session), [ROUND], 1000)
        assert planner._planner is not before


def test_a_budget_is_shared_in_order() -> None:
    session, planner = hall(), _WorldPlanner()
    whole = planner.plan(_Seen(session), [ROUND, ROUND, HERE], 10_000)["paths"]
    assert [set(row) for row in whole] == [{"waypoints", "length"}] * 3
    assert planner._planner is not None
    # as much as the first takes, and no more: what needs no search is answered all the same
    each = planner._planner.spent // 2
    assert each > 0
    rows = planner.plan(_Seen(session), [ROUND, ROUND, HERE], each)["paths"]
    assert rows[0]["length"] == whole[0]["length"]
    assert rows[1] == {"unfinished": True}
    assert rows[2]["length"] == 0.0
