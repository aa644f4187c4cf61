"""Several controllers of one world: who is waited for, who is answered what, and what becomes of their orders."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from orca_crowd.errors import ApiError
from orca_crowd.protocol.controllers import Disown, Own, Ready, parse_own
from orca_crowd.protocol.steps import parse_ready
from orca_crowd.protocol.worlds import ClockBody
from orca_crowd.settings import Settings
from orca_crowd.worlds.controllers import Controller
from orca_crowd.worlds.runner import Runner
from tests.orca_crowd.worlds.support import crowd, record, running

BARRIER = {"mode": "barrier", "timeout": 2}
SETTINGS = Settings()


async def joined(runner: Runner, name: str, told: list[str] | None = None) -> Controller:
    """A registered controller; `told` hears that it was replaced."""
    controller = Controller(replaced=None if told is None else told.append)
    await runner.control.register(name, controller)
    return controller


def ready(runner: Runner, controller: Controller, **members: Any) -> asyncio.Task[dict[str, Any]]:
    """Say that a controller is ready."""
    message = Ready.model_validate({"type": "ready", **members})
    request = parse_ready(message, message.for_step, SETTINGS)
    return asyncio.ensure_future(runner.control.ready(request, controller))


async def settle() -> None:
    """Let everything happen that waits for nothing but its turn; the world's thread needs moments of its own."""
    for _ in range(20):
        await asyncio.sleep(0.002)


async def refused(call: Awaitable[Any], code: str) -> ApiError:
    """What a call is refused with."""
    with pytest.raises(ApiError) as refusal:
        await call
    assert refusal.value.code == code
    return refusal.value


async def test_a_step_is_taken_when_everybody_is_ready_and_each_is_answered() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        first, second = await joined(runner, "a"), await joined(runner, "b")
        for step in range(1, 4):
            one = ready(runner, first, for_step=step, **{"return": "agents", "fields": ["position"], "ids": [1]})
            await settle()
            assert not one.done()
            assert runner.facts.step == step - 1
            other = ready(runner, second, commands=[{"op": "set_agents", "agents": [{"id": 2, "goal": [0, step]}]}])
            answers = await asyncio.gather(one, other)
            assert [answer["step"] for answer in answers] == [step, step]
            assert answers[0]["agents"]["ids"].tolist() == [1]
            assert "sequence" not in answers[0]
            assert (answers[1]["sequence"], answers[1]["results"]) == (1 + step, [{"warnings": []}])
            assert answers[0]["events"] == []


async def test_nobody_there_is_a_world_that_stands() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        worlds.clock.advance(1000)
        await settle()
        assert runner.facts.step == 0
        # time begins with the first one
        await joined(runner, "a")
        worlds.clock.advance(1.5)
        await settle()
        assert runner.facts.step == 0
        worlds.clock.advance(0.5)
        await settle()
        assert runner.facts.step == 1


async def test_a_step_that_waits_no_longer_names_who_was_not_ready() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        heard = record(runner)
        present, absent = await joined(runner, "here"), await joined(runner, "asleep")
        for step in (1, 2):
            answer = ready(runner, present)
            await settle()
            worlds.clock.advance(2)
            told = [event for event in (await answer)["events"] if event["kind"] == "barrier-timeout"]
            assert told == [{"kind": "barrier-timeout", "step": step, "controllers": ["asleep"]}]
        assert [event["step"] for each in heard for event in each.events if event["kind"] == "barrier-timeout"] == [
            1,
            2,
        ]
        assert worlds.sample("orca_crowd_barrier_timeouts_total") == 2
        # once it wakes up nothing is late
        answers = await asyncio.gather(ready(runner, present), ready(runner, absent, for_step=3))
        assert [answer["step"] for answer in answers] == [3, 3]
        assert answers[0]["events"] == []


async def test_the_dead_are_not_waited_for() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        alive, dead = await joined(runner, "alive"), await joined(runner, "dead")
        answer = ready(runner, alive)
        await settle()
        runner.control.leave(dead)
        assert (await answer)["step"] == 1
        assert (await ready(runner, alive))["step"] == 2
        assert worlds.sample("orca_crowd_barrier_timeouts_total") == 0


async def test_whoever_goes_while_its_registration_waits_is_never_waited_for() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        alive, gone = await joined(runner, "alive"), Controller()
        registration = asyncio.ensure_future(runner.control.register("gone", gone))
        runner.control.leave(gone)
        await registration
        assert (await ready(runner, alive))["step"] == 1


async def test_a_name_is_taken_over_by_the_newer_one() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        told: list[str] = []
        older = await joined(runner, "a", told)
        await runner.control.own(parse_own(Own(type="own", ids=[1])), older)
        waiting = ready(runner, older, commands=[{"op": "set_agents", "agents": [{"id": 1, "goal": [5, 5]}]}])
        # not alone, so that the step does not come
        other = await joined(runner, "b")
        newer = Controller()
        answer = await runner.control.register("a", newer)
        assert told == ["a"]
        assert answer["results"][0]["controller"] == "a"
        assert answer["results"][0]["owned"].tolist() == [1]
        error = await refused(waiting, "replaced")
        # its commands have taken effect all the same, and it is told so
        assert error.more["sequence"] == 3
        await refused(runner.control.own(parse_own(Own(type="own", ids=[2])), older), "not-registered")
        await refused(ready(runner, older), "not-registered")
        # the name's readiness went with the older one
        both = asyncio.gather(ready(runner, newer), ready(runner, other))
        assert [each["step"] for each in await both] == [1, 1]


async def test_one_that_unregisters_is_answered_and_leaves_its_agents_its_own() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        controller, other = await joined(runner, "a"), await joined(runner, "b")
        await runner.control.own(parse_own(Own(type="own", ids=[1, 2])), controller)
        waiting = ready(runner, controller)
        await settle()
        answer = await runner.control.unregister(controller)
        assert answer["results"][0]["owned"].tolist() == [1, 2]
        error = await refused(waiting, "not-registered")
        assert "sequence" not in error.more
        goal = {"commands": [{"op": "set_agents", "agents": [{"id": 1, "goal": [5, 5]}]}]}
        await refused(runner.command(goal, controller=other), "owned")
        await refused(runner.command(goal, controller=controller), "owned")
        assert (await runner.command(goal, controller=Controller("a")))["results"] == [{"warnings": []}]
        await refused(runner.control.unregister(controller), "not-registered")


async def test_orders_for_the_agents_of_another_are_refused_whole() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        first, second = await joined(runner, "a"), await joined(runner, "b")
        await runner.control.own(parse_own(Own(type="own", ids=[1])), first)
        await refused(runner.control.own(parse_own(Own(type="own", ids=[2, 1])), second), "owned")
        before = await runner.read(lambda session: session.world.snapshot())
        batch = [
            {"op": "set_agents", "agents": [{"id": 2, "radius": 0.25}]},
            {"op": "remove_agents", "ids": [1]},
        ]
        for controller in (second, Controller(), Controller("stranger")):
            error = await refused(runner.command({"commands": batch}, controller=controller), "owned")
            assert [(fault.item, fault.field) for fault in error.errors] == [(1, "[0].id")]
            error = await refused(runner.step({"commands": batch}, controller=controller), "owned")
            assert (await runner.read(lambda session: session.world.snapshot())) == before
        assert runner.facts.sequence == 2
        # nobody's agents are everybody's, and given back is nobody's
        await runner.command({"commands": batch[:1]}, controller=second)
        await refused(runner.control.own(parse_own(Disown(type="disown", ids=[1])), second), "owned")
        await runner.control.own(parse_own(Disown(type="disown", ids=[1])), first)
        await runner.command({"commands": batch}, controller=second)
        await refused(runner.control.own(parse_own(Own(type="own", ids=[1])), first), "gone")
        await refused(runner.control.own(parse_own(Own(type="own", ids=[9])), first), "not-found")
        await refused(runner.control.own(parse_own(Own(type="own", ids=[2, 2])), first), "invalid")


async def test_an_agent_that_was_removed_and_put_back_by_a_refused_batch_is_still_owned() -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        owner = await joined(runner, "a")
        await runner.control.own(parse_own(Own(type="own", ids=[1])), owner)
        batch = [{"op": "remove_agents", "ids": [1]}, {"op": "remove_agents", "ids": [7]}]
        await refused(runner.command({"commands": batch}, controller=owner), "not-found")
        await refused(runner.command({"commands": batch[:1]}), "owned")
        # a step request whose answer asks for what its commands remove is refused whole as well
        body = {"commands": batch[:1], "return": "agents", "ids": [1]}
        await refused(runner.step(body, controller=owner), "gone")
        await refused(runner.command({"commands": batch[:1]}), "owned")


async def test_a_ready_for_another_step_or_another_clock_is_refused() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        controller = await joined(runner, "a")
        before = await runner.read(lambda session: session.world.snapshot())
        order = [{"op": "set_agents", "agents": [{"id": 1, "goal": [5, 5]}]}]
        error = await refused(ready(runner, controller, for_step=2, commands=order), "wrong-step")
        assert error.more == {"step": 0}
        await refused(runner.step({}), "wrong-clock")
        assert (await runner.read(lambda session: session.world.snapshot())) == before
        assert (await ready(runner, controller, for_step=1))["step"] == 1
        other = await joined(runner, "b")
        waiting = ready(runner, controller)
        await settle()
        await runner.retime(ClockBody(mode="manual"))
        await refused(waiting, "wrong-clock")
        await refused(ready(runner, other), "wrong-clock")
        assert (await runner.step({}))["step"] == 2
        # and back again: both are there, neither is ready
        await runner.retime(ClockBody(mode="barrier", timeout=2))
        both = asyncio.gather(ready(runner, controller), ready(runner, other))
        assert [answer["step"] for answer in await both] == [3, 3]


async def test_a_ready_sent_again_with_its_key_has_one_effect() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        controller, other = await joined(runner, "a"), await joined(runner, "b")
        members = {"key": "k", "commands": [{"op": "add_agents", "agents": [{"position": [50, 0]}]}]}
        first = ready(runner, controller, **members)
        await settle()
        # the connection breaks, and the controller comes back and says it again
        runner.control.leave(controller)
        await refused(first, "not-registered")
        controller = await joined(runner, "a")
        again = ready(runner, controller, **members)
        await settle()
        await refused(ready(runner, controller, key="k"), "key-reused")
        answers = await asyncio.gather(again, ready(runner, other))
        assert answers[0]["step"] == 1
        assert runner.facts.agents == 3
        # and after the step it is the same answer
        assert await ready(runner, controller, **members) == answers[0]
        assert runner.facts.agents == 3


async def test_there_are_so_many_controllers_and_no_more() -> None:
    async with running(controllers_per_world=2) as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        first = await joined(runner, "a")
        await joined(runner, "b")
        await refused(runner.control.register("c", Controller()), "limit")
        # one that is there already may be taken over
        await joined(runner, "a")
        runner.control.leave(first)
        await refused(runner.control.register("c", Controller()), "limit")


async def test_the_end_of_the_world_answers_who_waits() -> None:
    async with running() as worlds:
        runner = await crowd(worlds, clock=BARRIER)
        controller = await joined(runner, "a")
        await joined(runner, "b")
        waiting = ready(runner, controller)
        await settle()
        await worlds.registry.remove("w")
        await refused(waiting, "not-found")


@pytest.mark.parametrize("key", [None, "k"])
async def test_own_is_answered_with_its_place_and_what_is_owned(key: str | None) -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        controller = await joined(runner, "a")
        request = parse_own(Own(type="own", ids=[2], key=key))
        answer = await runner.control.own(request, controller)
        assert (answer["step"], answer["sequence"]) == (0, 2)
        again = await runner.control.own(request, controller)
        assert again["sequence"] == (3 if key is None else 2)
        more = await runner.control.own(parse_own(Own(type="own", ids=[1])), controller)
        assert more["results"][0]["owned"].tolist() == [1, 2]
