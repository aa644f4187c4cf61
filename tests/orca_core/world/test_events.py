"""Statuses and events: arrival, stalling without a false alarm, overlaps as they begin, results that are not finite."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from orca_core import Event, Obstacle, Options, World
from tests.support.worlds import PROFILES, box, wall, world_of


def kinds(events: list[Event]) -> Counter[str]:
    """How often each kind occurred."""
    return Counter(event.kind for event in events)


def test_a_report_says_where_the_world_stands() -> None:
    world = world_of([(0.0, 0.0)], time_step=0.1)
    report = world.step(3)
    assert (report.step, report.time, report.events) == (3, 3 * 0.1, [])
    assert (world.step_count, world.time) == (3, 3 * 0.1)


@pytest.mark.parametrize("profile", PROFILES)
def test_arrival_is_told_once_with_its_step_and_again_after_a_new_order(profile: str) -> None:
    world = world_of([(0.0, 0.0), (9.0, 0.0), (20.0, 0.0)], goal=np.array([(1.0, 0.0), (9.5, 0.0), (0.0, 50.0)]),
                     preferred_speed=1.0, options=PROFILES[profile])  # fmt: skip
    events = world.step(20).events
    assert [(event.kind, event.step, event.ids) for event in events] == [("arrived", 2, [1]), ("arrived", 4, [0])]
    assert [world.agent(k)["status"] for k in (0, 1, 2)] == ["arrived", "arrived", "moving"]
    world.set_agents([0], {"goal": [(2.0, 0.0)]})
    assert world.agent(0)["status"] == "moving"
    assert [(event.kind, event.ids) for event in world.step(10).events] == [("arrived", [0])]
    # the same goal again is no new arrival
    world.set_agents([0], {"goal": [(2.0, 0.0)]})
    assert world.agent(0)["status"] == "arrived"
    assert world.step(5).events == []


TRAP = [wall((0.0, -3.0), (0.0, 3.0)), wall((0.0, 3.0), (-4.0, 3.0)), wall((0.0, -3.0), (-4.0, -3.0))]


@pytest.mark.parametrize(("walls", "place"), [(TRAP, (-6.0, 0.3)), ([wall((0.0, -2.0), (0.0, 2.0))], (-3.0, 0.0))])
def test_who_gets_no_farther_is_stalled_after_a_while(walls: list[Obstacle], place: tuple[float, float]) -> None:
    world = world_of([place], walls=walls, goal=(6.0, 0.0), preferred_speed=1.0)
    events = world.step(120).events
    assert kinds(events) == {"stalled": 1}
    # it walked for a few seconds, and then stood for three
    assert 3.0 < events[0].step * 0.25 < 15.0
    assert world.agent(0)["status"] == "stalled"
    assert world.column("position")[0, 0] <= -0.5 + 1e-6
    world.remove_obstacle(0)
    later = world.step(60).events
    assert kinds(later) == {"arrived": 1}, "free again it goes on by itself"


def test_two_in_a_corridor_that_neither_can_share_are_stalled_within_ten_seconds() -> None:
    for width in (1.2, 1.9, 2.0):
        corridor = [wall((-10.0, width / 2), (10.0, width / 2)), wall((-10.0, -width / 2), (10.0, -width / 2))]
        world = world_of([(-5.0, 0.0), (5.0, 0.01)], walls=corridor, goal=np.array([(5.0, 0.0), (-5.0, 0.0)]),
                         preferred_speed=1.0)  # fmt: skip
        events = []
        for _ in range(80):
            events += world.step().events
            gap = np.hypot(*(world.column("position")[0] - world.column("position")[1]))
            assert gap >= 1.0 - 1e-3
        stalled = {identifier: event.step for event in reversed(events) for identifier in event.ids}
        assert kinds(events).keys() == {"stalled"}
        assert stalled.keys() == {0, 1}
        # they meet after some five seconds
        assert max(stalled.values()) * 0.25 <= 5.0 + 10.0


def test_no_false_alarm_within_the_stall_time() -> None:
    """A door that opens after two and a half seconds; agents that have arrived, stand by choice, or creep by choice."""
    world = world_of(
        [(-0.6, 0.0), (20.0, 0.0), (30.0, 0.0), (40.0, 0.0)], walls=[box(0.0, -9.0, 1.0, 9.0)], max_neighbors=0
    )
    world.set_agents([0, 1], {"goal": [(6.0, 0.0), (20.0, 0.0)]})
    world.set_agents([3], {"preferred_velocity": [(1e-3, 0.0)]})
    assert kinds(world.step(10).events) == {"arrived": 1}
    world.remove_obstacle(0)
    assert kinds(world.step(400).events) == {"arrived": 1}
    assert [world.agent(k)["status"] for k in range(4)] == ["arrived", "arrived", "no-goal", "moving"]


@pytest.mark.parametrize("stall_time", [0.5, 3.0, 10.0])
def test_the_stall_time_is_an_option_and_decides_no_bit(stall_time: float) -> None:
    world, usual = (
        world_of([(-0.5, 0.0)], walls=[wall((0.0, -9.0), (0.0, 9.0))], goal=(6.0, 0.0),
                 options=replace(Options.service(), stall_time=seconds))
        for seconds in (stall_time, 3.0)
    )  # fmt: skip
    (event,) = world.step(80).events
    assert event.step * 0.25 == pytest.approx(stall_time, abs=0.25)
    usual.step(80)
    assert world.digest() == usual.digest()


def test_an_overlap_is_told_when_it_begins_with_whom_and_how_deep() -> None:
    world = world_of([(0.0, 0.0), (0.8, 0.0), (50.0, 0.0)], options=Options.text())
    (event,) = world.step().events
    assert (event.kind, event.step, event.ids) == ("overlap", 1, [0, 1])
    assert event.data["other"] == [1, 0]
    assert event.data["depth"] == pytest.approx([0.2, 0.2])
    assert world.step(10).events == []
    world.set_agents([2], {"position": [(0.4, 0.0)]})
    events = world.step().events
    assert [event.kind for event in events] == ["overlap"]
    assert 2 in events[0].ids
    # a touch to the last bit is none
    quiet = world_of([(0.0, 0.0), (1.0, 0.0), (1.0 - 1e-9, 5.0), (0.0, 5.0)])
    assert quiet.step(20).events == []


def test_an_overlap_of_agents_with_walls_between_is_one_too() -> None:
    world = world_of([(0.0, 0.0), (0.6, 0.0)], walls=[wall((0.3, -5.0), (0.3, 5.0))])
    assert kinds(world.step(1).events) == {"overlap": 1}


def not_finite(options: Options) -> World:
    """Nobody can bring such a number in; here it is put into the state by hand, as a fault of the machine might."""
    world = world_of([(0.0, 0.0), (6.0, 0.0), (30.0, 0.3), (34.0, 0.2)], options=options,
                     preferred_velocity=np.array([(0.5, 0.0), (-1.0, 0.0), (1.0, 0.0), (-1.0, 0.0)]))  # fmt: skip
    world.population.state["preferred_velocity"][0] = np.nan
    return world


def test_a_result_that_is_not_finite_stops_that_agent_and_is_told() -> None:
    world = not_finite(Options.service())
    (event,) = world.step().events
    assert (event.kind, event.step, event.ids) == ("non-finite", 1, [0])
    assert world.column("velocity")[0].tolist() == [0.0, 0.0]
    # the others keep their bits
    others = world_of(
        [(6.0, 0.0), (30.0, 0.3), (34.0, 0.2)], preferred_velocity=np.array([(-1.0, 0.0), (1.0, 0.0), (-1.0, 0.0)])
    )
    others.step()
    assert (world.column("position")[1:] == others.column("position")).all()
    # told again at every step, and healed by the next good order
    assert kinds(world.step(3).events) == {"non-finite": 3}
    world.set_agents([0], {"preferred_velocity": [(0.5, 0.0)]})
    assert world.step().events == []
    assert world.column("velocity")[0, 0] > 0.0


def test_a_velocity_that_is_not_finite_spreads_to_nobody() -> None:
    world = world_of([(0.0, 0.0), (2.0, 0.0), (4.0, 0.3)], preferred_velocity=np.array([(0.5, 0), (1.0, 0), (-1.0, 0)]))
    world.population.state["velocity"][0] = np.nan
    for _ in range(10):
        world.step()
        assert np.isfinite(world.column("position")).all()
        assert np.isfinite(world.column("velocity")).all()


def test_without_the_option_it_is_told_all_the_same() -> None:
    world = not_finite(replace(Options.service(), stop_non_finite=False))
    (event,) = world.step().events
    assert (event.kind, event.ids) == ("non-finite", [0])
    assert not np.isfinite(world.column("velocity")[0]).any()


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_a_group_sent_to_one_point_keeps_apart(count: int) -> None:
    generator = np.random.default_rng(1)
    places = generator.permutation(np.indices((5, 5)).reshape(2, -1).T)[:count] * 2.5 - 6.0
    world = world_of(places, goal=(0.0, 0.0), preferred_speed=1.0)
    for _ in range(200):
        world.step()
        offset = world.column("position")[:, None] - world.column("position")[None]
        distance = np.hypot(offset[..., 0], offset[..., 1])[~np.eye(count, dtype=bool)]
        assert distance.min() >= 1.0 - 0.05
    assert np.hypot(*world.column("position").T).max() < 4.0
