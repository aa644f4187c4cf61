"""When a barrier opens, told the time by hand."""

from __future__ import annotations

from orca_crowd.worlds.barrier import Barrier


def test_nobody_registered_is_nobody_waited_for() -> None:
    barrier = Barrier(2.0, [], now=10.0)
    assert barrier.deadline() is None
    assert not barrier.due(1e9)
    # the first one has the whole time from when it came
    barrier.join("a", 100.0)
    assert barrier.deadline() == 102.0
    assert not barrier.due(101.9)
    assert barrier.due(102.0)
    assert barrier.absent() == ["a"]


def test_it_opens_when_the_last_one_is_ready_and_closes_with_the_step() -> None:
    barrier = Barrier(2.0, ["a", "b"], now=0.0)
    barrier.ready("b")
    assert not barrier.due(1.0)
    barrier.ready("a")
    assert barrier.due(1.0)
    assert barrier.absent() == []
    barrier.stepped(1.0)
    assert barrier.absent() == ["a", "b"]
    assert barrier.deadline() == 3.0


def test_who_leaves_is_waited_for_no_longer() -> None:
    barrier = Barrier(2.0, ["a", "b"], now=0.0)
    barrier.ready("a")
    barrier.leave("b")
    assert barrier.due(0.5)
    barrier.stepped(0.5)
    barrier.leave("a")
    barrier.leave("a")
    assert barrier.deadline() is None


def test_the_timeout_runs_from_the_step_before_and_names_who_is_missing() -> None:
    barrier = Barrier(2.0, ["a"], now=0.0)
    barrier.join("b", 1.5)
    # one that comes later does not prolong it
    assert barrier.deadline() == 2.0
    barrier.ready("b")
    assert barrier.due(2.0)
    assert barrier.absent() == ["a"]
    barrier.stepped(2.25)
    assert barrier.deadline() == 4.25


def test_who_registers_anew_is_not_ready_any_more() -> None:
    barrier = Barrier(2.0, ["a", "b"], now=0.0)
    for name in ("a", "b", "nobody"):
        barrier.ready(name)
    barrier.join("a", 1.0)
    assert barrier.absent() == ["a"]
    assert not barrier.due(1.0)


def test_another_timeout_keeps_who_is_ready() -> None:
    barrier = Barrier(2.0, ["a", "b"], now=0.0)
    barrier.ready("a")
    barrier.retime(5.0, 1.0)
    assert (barrier.absent(), barrier.deadline()) == (["b"], 6.0)
