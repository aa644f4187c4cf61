"""The asyncio side of a world: order, slices, the bounded queue, watchers, failure, the end."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import numpy as np
import pytest

from orca_core import World
from orca_core.options import Options
from orca_crowd.clock import SystemClock
from orca_crowd.errors import ApiError
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.worlds.publication import Publication
from orca_crowd.worlds.runner import Runner
from orca_crowd.worlds.session import Session
from tests.orca_crowd.worlds.support import crowd, record, running


def break_steps(monkeypatch: pytest.MonkeyPatch, runner: Runner, after: int) -> None:
    """Let the world of a runner fail in the step after so many."""
    world, whole = runner._session.world, World.step

    def step(count: int = 1, **options: Any) -> Any:
        if world.step_count + count > after:
            raise FloatingPointError("injected")
        return whole(world, count, **options)

    monkeypatch.setattr(world, "step", step)


async def hold(runner: Runner) -> threading.Event:
    """Keep a runner busy inside a read until the event is set; it has begun when this returns."""
    entered, free = threading.Event(), threading.Event()

    def inside(session: Session) -> None:
        entered.set()
        assert free.wait(20)

    task = asyncio.ensure_future(runner.read(inside))
    while not entered.is_set():
        await asyncio.sleep(0.001)
    task.add_done_callback(lambda done: done.exception())
    return free


async def test_jobs_take_effect_in_the_order_in_which_they_arrive() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        free = await hold(runner)
        jobs = [
            asyncio.ensure_future(job)
            for job in (
                runner.step({"count": 2}),
                runner.command({"commands": [{"op": "set_agents", "agents": [{"id": 1, "radius": 0.25}]}]}),
                runner.step({"count": 3, "expected_step": 2}),
                runner.step({"count": 1, "expected_step": 5}),
                runner.command({"commands": [{"op": "remove_agents", "ids": [2]}]}),
            )
        ]
        await asyncio.sleep(0)
        free.set()
        answers = await asyncio.gather(*jobs)
        assert [answer["step"] for answer in answers] == [2, answers[1]["step"], 5, 6, 6]
        assert answers[1]["step"] in (1, 2)


async def test_a_long_request_is_cut_and_others_are_served_in_between() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        # somebody watches, so that every slice is one step
        heard = record(runner)
        long = asyncio.ensure_future(runner.step({"count": 300, "return": "digest"}))
        while not heard:
            await asyncio.sleep(0.001)
        read = await runner.read(lambda session: session.world.step_count)
        command = await runner.command({"commands": [{"op": "set_agents", "agents": [{"id": 1, "goal": [9, 9]}]}]})
        assert not long.done()
        assert 0 < read <= command["step"] < 300
        answer = await long
        assert answer["step"] == 300
        # the bits are those of a library that was told the same at the same step
        library = World(time_step=0.25, options=Options.service())
        library.add_agents({"id": [1, 2], "position": [[0, 0], [9, 0.1]], "goal": [[9, 0], [0, 0]]})
        library.step(command["step"])
        library.set_agents([1], {"goal": [[9, 9]]})
        library.step(300 - command["step"])
        assert answer["digest"] == library.digest()


async def test_two_long_requests_do_not_mix() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        record(runner)
        first, second = await asyncio.gather(runner.step({"count": 20}), runner.step({"count": 30}))
        assert (first["step"], second["step"]) == (20, 50)


async def test_a_full_queue_refuses_and_drops_nothing() -> None:
    async with running(command_queue=3) as worlds:
        runner = await crowd(worlds)
        free = await hold(runner)
        waiting = [asyncio.ensure_future(runner.step({})) for _ in range(3)]
        await asyncio.sleep(0)
        for call in (runner.step({}), runner.command({"commands": []}), runner.read(lambda session: None)):
            with pytest.raises(ApiError) as refusal:
                await call
            assert (refusal.value.code, refusal.value.status) == ("busy", 429)
        free.set()
        assert [answer["step"] for answer in await asyncio.gather(*waiting)] == [1, 2, 3]
        assert (await runner.step({}))["step"] == 4


async def test_watchers_hear_of_every_step_and_every_change_once() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        await runner.step({"count": 5})
        heard: list[Publication] = []
        runner.listeners.add(heard.append)
        whole = await runner.snapshot_publication()
        assert whole.step == 5
        assert whole.ids.tolist() == [1, 2]
        await runner.step({"count": 3})
        assert [publication.step for publication in heard] == [6, 7, 8]
        await runner.command({"commands": [{"op": "remove_agents", "ids": [1]}]})
        await runner.command({"commands": [{"op": "add_obstacles", "obstacles": [{"points": [[50, 0], [51, 0]]}]}]})
        await runner.step({"count": 1})
        assert [(publication.step, publication.removed) for publication in heard[3:]] == [(8, [1]), (9, [])]
        assert heard[3].ids.tolist() == [2]
        # what was published never changes, and says what a read says
        shown = await runner.read(lambda session: session.world.column("position").copy())
        assert np.array_equal(heard[-1].columns["position"], shown)
        assert not np.array_equal(heard[0].columns["position"], heard[1].columns["position"])
        assert not heard[0].columns["position"].flags.writeable
        runner.listeners.discard(heard.append)


async def test_a_watcher_who_joins_late_is_not_told_of_what_went_before() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        await runner.command({"commands": [{"op": "remove_agents", "ids": [1]}]})
        heard = record(runner)
        await runner.step({})
        assert [publication.removed for publication in heard] == [[]]


async def test_refused_commands_are_not_published() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        heard = record(runner)
        with pytest.raises(ApiError):
            await runner.command(
                {"commands": [{"op": "remove_agents", "ids": [1]}, {"op": "remove_agents", "ids": [9]}]}
            )
        assert heard == []
        await runner.step({})
        assert [publication.removed for publication in heard] == [[]]


async def test_a_watcher_that_fails_does_not_stop_the_world(caplog: pytest.LogCaptureFixture) -> None:
    def fail(publication: Publication) -> None:
        raise RuntimeError("the watcher's own fault")

    async with running() as worlds:
        runner = await crowd(worlds)
        runner.listeners.add(fail)
        heard = record(runner)
        assert (await runner.step({"count": 2}))["step"] == 2
        assert len(heard) == 2
    assert "the watcher's own fault" in caplog.text


async def test_a_gate_holds_the_world() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        opened = asyncio.Event()

        async def gate() -> None:
            await opened.wait()

        runner.gates.add(gate)
        step = asyncio.ensure_future(runner.step({}))
        await asyncio.sleep(0.02)
        assert not step.done()
        opened.set()
        assert (await step)["step"] == 1


@pytest.mark.parametrize("realtime", [False, True])
async def test_a_world_that_fails_says_so_and_others_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, realtime: bool
) -> None:
    async with running() as worlds:
        bad, good = await crowd(worlds, "bad"), await crowd(worlds, "good")
        endings: list[tuple[str, str]] = []
        bad.endings.add(lambda kind, reason: endings.append((kind, reason)))
        break_steps(monkeypatch, bad, 3)
        record(bad)
        if realtime:
            await bad.retime(ClockBody(mode="realtime", rate=10))
            while bad.state == "ready":
                worlds.clock.advance(0.1)
                gc.collect()
                await asyncio.sleep(0.001)
        else:
            waiting = asyncio.ensure_future(bad.step({"count": 10}))
            behind = asyncio.ensure_future(bad.step({}))
            for call in (waiting, behind):
                with pytest.raises(ApiError) as refusal:
                    await call
                assert refusal.value.code == "world-failed"
        await asyncio.wait([bad._task])  # type: ignore[list-item]
        assert bad.info["state"] == "failed"
        assert bad.info["step"] == 3
        assert "FloatingPointError" in bad.info["reason"]
        # not what happened inside, only its kind
        assert "injected" not in bad.info["reason"]
        assert [kind for kind, _ in endings] == ["failed"]
        for call in (bad.step({}), bad.command({"commands": []}), bad.read(lambda session: session.facts())):
            with pytest.raises(ApiError) as refusal:
                await call
            assert (refusal.value.code, refusal.value.status) == ("world-failed", 503)
        assert (await good.step({"count": 5}))["step"] == 5
        assert worlds.sample("orca_crowd_world_failures_total") == 1
        assert worlds.sample("orca_crowd_failed_worlds") == 1
        assert "injected" in caplog.text
        await worlds.registry.remove("bad")
        assert worlds.sample("orca_crowd_failed_worlds") == 0


async def test_a_command_that_fails_inside_fails_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as worlds:
        runner = await crowd(worlds)

        def fail(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(runner._session.world, "remove_agents", fail)
        with pytest.raises(ApiError) as refusal:
            await runner.command({"commands": [{"op": "remove_agents", "ids": [1]}]})
        assert refusal.value.code == "world-failed"


async def test_worlds_that_step_together_fail_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick steps of several worlds are taken in one go; whether one is quick, the machine's own clock tells."""
    async with running(clock=SystemClock()) as worlds:
        clock = {"mode": "realtime", "rate": 50}
        runners = [await crowd(worlds, f"w{number}", clock=clock) for number in range(12)]
        while not any(thread.name.startswith("orca-round") for thread in threading.enumerate()):
            await asyncio.sleep(0.01)

        def fail(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(runners[7]._session.world, "step", fail)
        others = [runner for runner in runners if runner is not runners[7]]
        while runners[7].state == "ready":
            await asyncio.sleep(0.01)
        heard, begun = [record(runner) for runner in runners], [runner.facts.step for runner in others]
        while any(runner.facts.step < step + 5 for runner, step in zip(others, begun, strict=True)):
            await asyncio.sleep(0.01)
        assert [runner.state for runner in runners] == ["failed" if number == 7 else "ready" for number in range(12)]
        assert heard[7] == []
        for publications in (publications for number, publications in enumerate(heard) if number != 7):
            steps = [publication.step for publication in publications]
            assert steps == list(range(steps[0], steps[0] + len(steps)))


async def test_a_read_that_fails_is_an_internal_error_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as worlds:
        runner = await crowd(worlds)

        def fail(session: Session) -> None:
            raise ZeroDivisionError("a secret of the inside")

        with pytest.raises(ApiError) as refusal:
            await runner.read(fail)
        assert (refusal.value.code, refusal.value.status) == ("internal", 500)
        assert "secret" not in refusal.value.detail
        assert "secret" in caplog.text
        assert (await runner.step({}))["step"] == 1


async def test_who_gives_up_waiting_changes_nothing_for_others() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        free = await hold(runner)
        given_up = asyncio.ensure_future(runner.step({"count": 2}))
        other = asyncio.ensure_future(runner.step({}))
        await asyncio.sleep(0)
        given_up.cancel()
        free.set()
        # what was asked for is done, whether or not somebody waits for it
        assert (await other)["step"] == 3


async def test_deleting_a_world_ends_a_long_request_and_tells_the_watchers() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        heard = record(runner)
        endings: list[str] = []
        runner.endings.add(lambda kind, _: endings.append(kind))
        long = asyncio.ensure_future(runner.step({"count": 100_000}))
        behind = asyncio.ensure_future(runner.step({}))
        while not heard:
            await asyncio.sleep(0.001)
        await worlds.registry.remove("w")
        with pytest.raises(ApiError) as refusal:
            await long
        assert refusal.value.code == "not-found"
        assert f"{refusal.value.more['step']} of 100000" in refusal.value.detail
        with pytest.raises(ApiError):
            await behind
        assert endings == ["gone"]
        with pytest.raises(ApiError) as refusal:
            await runner.step({})
        assert refusal.value.code == "not-found"


async def test_draining_finishes_the_running_slice_and_refuses_the_rest() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        heard = record(runner)
        endings: list[str] = []
        runner.endings.add(lambda kind, _: endings.append(kind))
        long = asyncio.ensure_future(runner.step({"count": 100_000}))
        while not heard:
            await asyncio.sleep(0.001)
        await worlds.registry.drain()
        with pytest.raises(ApiError) as refusal:
            await long
        assert refusal.value.code == "draining"
        assert refusal.value.more["step"] == heard[-1].step
        assert endings == ["restarting"]
        with pytest.raises(ApiError) as refusal:
            await worlds.make("other")
        assert refusal.value.code == "draining"
