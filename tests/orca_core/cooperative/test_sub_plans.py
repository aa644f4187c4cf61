"""Sub-plans: the order of entry, and members that follow it as discs that move straight."""

from __future__ import annotations

import numpy as np
import pytest

from orca_core._jit import compile_all
from orca_core.cooperative.sub_plans import SubPlans, order_of_entry, turns_in_place
from orca_core.mapf.plan import Plan
from orca_core.mapf.push_and_rotate import push_and_rotate
from orca_core.mapf.search import Search
from tests.orca_core.mapf.maps import instance_of, random_instance


def paths_of(*paths: list[int]) -> list[np.ndarray]:
    return [np.array(path) for path in paths]


def test_who_enters_a_cell_waits_for_the_one_before_to_come_to_its_next() -> None:
    # the second follows the first, and the first comes back into the cell that the second has left again
    walked, waits_for, waits_until = order_of_entry(paths_of([1, 1, 2, 3, 3, 3, 2], [0, 0, 1, 2, 9]))
    assert [path.tolist() for path in walked] == [[1, 2, 3, 2], [0, 1, 2, 9]]
    assert [row.tolist() for row in waits_for] == [[-1, -1, -1, 1], [-1, 0, 0, -1]]
    assert [row.tolist() for row in waits_until] == [[-1, -1, -1, 3], [-1, 1, 2, -1]]


def test_who_stands_in_a_cell_that_is_not_its_first_is_waited_for() -> None:
    _, waits_for, waits_until = order_of_entry(paths_of([0, 1], [5, 6]), standing=np.array([0, 1]))
    assert [row.tolist() for row in waits_for] == [[-1, 1], [-1, -1]]
    assert [row.tolist() for row in waits_until] == [[-1, 0], [-1, -1]]


@pytest.mark.parametrize(
    ("paths", "turns"),
    [
        ([[0, 1], [1, 3], [3, 2], [2, 0]], True),
        ([[0, 1], [1, 3], [3, 2], [2, 2, 0]], False),
        ([[7, 0], [0, 1], [1, 3], [3, 2], [2, 0]], True),
        ([[0, 1], [1, 2], [2, 3]], False),
    ],
)
def test_a_ring_that_turns_with_nobody_to_begin_is_found(paths: list[list[int]], turns: bool) -> None:
    assert turns_in_place(Plan(paths_of(*paths), complete=True)) is turns


def followed(plan: Plan, width: int, seed: int) -> tuple[list[list[int]], int]:
    """Follow a plan with discs that move straight at speeds of their own; the cells by agent and the least distance."""
    compile_all()
    random_state = np.random.default_rng(seed)
    walked, waits_for, waits_until = order_of_entry(plan.paths)
    count = len(walked)
    plans = SubPlans()
    # another group before and one behind, so that places and members are counted from where they stand
    other = [np.array([[50.0, 50.0], [51.0, 50.0]])]
    none = [np.full(2, -1, np.int64)]
    before = plans.add(0, np.array([count]), other, none, none)
    centers = [np.stack([path % width + 0.5, path // width + 0.5], axis=1) for path in walked]
    plans.add(0, np.arange(count), centers, waits_for, waits_until)
    behind = plans.add(0, np.array([count + 1]), other, none, none)
    position = np.concatenate([[center[0] for center in centers], [[0.0, 0.0], [0.0, 0.0]]])
    speed = random_state.uniform(0.3, 1.0, count + 2)
    target = np.zeros((count + 2, 2))
    visited = [[int(path[0])] for path in walked]
    nearest = np.inf
    for step in range(20_000):
        if step == 5:
            plans.remove(before)
        if step == 9:
            plans.remove(behind)
        plans.aim(target)
        away = target - position
        far = np.sqrt((away * away).sum(axis=1))
        position += away * np.minimum(1.0, 0.25 * speed / np.maximum(far, 1e-9))[:, None]
        for agent, center in enumerate(centers):
            done = len(visited[agent])
            if done < len(center) and np.abs(position[agent] - center[done]).max() < 0.2:
                visited[agent].append(int(walked[agent][done]))
        gaps = position[:count, None] - position[None, :count]
        apart = np.sqrt((gaps * gaps).sum(axis=2)) + 9.0 * np.eye(count)
        nearest = min(nearest, float(apart.min()))
        plans.advance(step, 0.2, position)
        if all(len(v) == len(p) for v, p in zip(visited, walked, strict=True)):
            break
    return visited, nearest


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_is_followed_to_its_end_without_a_touch(seed: int) -> None:
    instance = random_instance(seed, 20, side=8, blocked=0.1)
    plan = push_and_rotate(Search(instance))
    visited, nearest = followed(plan, 8, seed)
    assert [cells[-1] for cells in visited] == instance.goals.tolist()
    # nobody is held up by a follower that is too near: discs of 0.3 never touch
    assert nearest > 0.6


def test_who_has_come_to_its_end_is_free_and_the_group_is_over_with_the_last() -> None:
    walked, waits_for, waits_until = order_of_entry(paths_of([0, 1], [10, 11, 12]))
    plans = SubPlans()
    centers = [np.stack([path % 5 + 0.5, path // 5 + 0.5], axis=1) for path in walked]
    number = plans.add(0, np.array([4, 7]), centers, waits_for, waits_until)
    position = np.zeros((8, 2))
    position[4], position[7] = (0.5, 0.5), (0.5, 2.5)
    assert plans.advance(1, 0.3, position).tolist() == []
    position[4], position[7] = (1.4, 0.5), (1.5, 2.4)
    assert plans.advance(2, 0.3, position).tolist() == [4]
    assert plans.members(number).tolist() == [7]
    assert plans.finished() == []
    position[7] = (2.4, 2.5)
    assert plans.advance(3, 0.3, position).tolist() == [7]
    assert plans.finished() == [number]
    plans.remove(number)
    assert len(plans) == len(plans.places) == 0


def test_what_is_kept_goes_on() -> None:
    instance = instance_of("@@.@@ aB.bA")
    walked, waits_for, waits_until = order_of_entry(push_and_rotate(Search(instance)).paths)
    plans = SubPlans()
    centers = [np.stack([path % 5 + 0.5, path // 5 + 0.5], axis=1) for path in walked]
    plans.add(3, np.array([0, 1]), centers, waits_for, waits_until)
    again = SubPlans.restored(plans.kept())
    position = np.array([center[0] for center in centers])
    for step in range(4, 30):
        for each in (plans, again):
            each.advance(step, 0.3, position)
        assert again.at.tolist() == plans.at.tolist()
        member = step % 2
        position[member] = plans.places[min(plans.at[member] + 1, plans.stop[member] - 1)]
    assert again.released.tolist() == plans.released.tolist()
