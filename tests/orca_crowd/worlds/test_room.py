"""Memory that cannot be had: 507 and a world as it was, or, where that cannot be promised, a world that has failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_crowd.errors import ApiError
from tests.orca_crowd.worlds.support import crowd, running

# more than any address space: numpy refuses it at once, with its own MemoryError
TOO_MANY = 1 << 58


async def test_memory_that_cannot_be_had_refuses_the_command_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as worlds:
        runner = await crowd(worlds)
        before = await runner.read(lambda session: session.world.snapshot())
        world = runner._session.world

        def too_large(*_: Any) -> None:
            np.empty(TOO_MANY)

        # the rows stand already when the solver's arrays have to grow
        monkeypatch.setattr(world._solver, "reserve", too_large)
        new = {"op": "add_agents", "agents": [{"position": [40, 40]}]}
        gone = {"op": "remove_agents", "ids": [1]}
        for commands in ([new], [gone, new]):
            for ask in (
                lambda commands=commands: runner.command({"commands": commands}),
                lambda commands=commands: runner.step({"commands": commands}),
            ):
                with pytest.raises(ApiError) as refusal:
                    await ask()
                assert (refusal.value.code, refusal.value.status) == ("no-room", 507)
        with pytest.raises(ApiError) as refusal:
            await runner.read(lambda _: np.empty(TOO_MANY))
        assert refusal.value.code == "no-room"
        monkeypatch.undo()
        assert await runner.read(lambda session: session.world.snapshot()) == before
        assert runner.state == "ready"
        assert (await runner.command({"commands": [new]}))["step"] == 0


async def test_memory_that_ends_half_way_through_an_order_in_place_fails_the_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was overwritten by then cannot be had back, unless the order came with others and could be undone."""
    async with running() as worlds:
        for number, others in enumerate(([], [{"op": "set_agents", "agents": [{"id": 2, "max_speed": 1.0}]}])):
            runner = await crowd(worlds, f"w{number}")
            population = runner._session.world.population
            write = population._write

            def half(name: str, *arguments: Any, write: Any = write) -> None:
                if name == "goal":
                    np.empty(TOO_MANY)
                write(name, *arguments)

            monkeypatch.setattr(population, "_write", half)
            order = {"op": "set_agents", "agents": [{"id": 1, "max_speed": 0.5, "goal": [3, 3]}]}
            with pytest.raises(ApiError) as refusal:
                await runner.command({"commands": [*others, order]})
            assert refusal.value.code == ("no-room" if others else "world-failed")
            monkeypatch.undo()
        speed = await runner.read(lambda session: session.world.column("max_speed").copy())
        assert (speed != 0.5).all()
