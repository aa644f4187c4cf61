"""The stream under a server that is not ours: slower, and otherwise the same."""

from __future__ import annotations

from typing import Any

import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.settings import Settings
from tests.orca_crowd.streaming import harness
from tests.orca_crowd.streaming.harness import client, eventually, serving
from tests.orca_crowd.streaming.mirror import Mirror
from tests.orca_crowd.streaming.test_pressure import only_socket


@pytest.fixture(autouse=True)
def another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn with the protocol that it brings along."""

    def options(settings: Settings) -> dict[str, Any]:
        return {"ws": "websockets-sansio", "ws_max_size": settings.message_bytes}

    monkeypatch.setattr(harness, "socket_options", options)


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
async def test_messages_frames_and_the_end(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(400)
        async with client(served, subprotocol=subprotocol) as viewer:
            assert only_socket(served)._transport is None
            mirror = Mirror()
            mirror.apply(await viewer.subscribe(delivery="every"))
            for _ in range(20):
                await viewer.send("step")
            # answers and frames share the way; each comes in its order
            answers = []
            while len(answers) < 20 or mirror.step < 20:
                message = await viewer.receive()
                if message["type"] == "stepped":
                    answers.append(message["step"])
                else:
                    mirror.apply(message)
            assert answers == list(range(1, 21))
            read = await runner.read(lambda session: session.agents(Selection()))
            assert mirror.column("position", read["ids"].tolist()).tobytes() == read["position"].tobytes()
            # no pings can be asked for, so that a window is no bound, and the newest comes all the same
            await viewer.subscribe(window=1)
            await viewer.send("unsubscribe")
            await viewer.subscribe()
            await runner.step({"count": 5})
            while (await viewer.until("frame"))["step"] < 25:
                pass
            await served.registry.remove("w")
            assert await viewer.closed() == (4004, "the world was deleted")
        await eventually(lambda: not served.streams.statistics.sockets)


async def test_a_client_who_goes_away_leaves_nothing() -> None:
    async with serving(resume_seconds=0) as served:
        runner = await served.world(2)
        for _ in range(5):
            async with client(served) as viewer:
                await viewer.subscribe(delivery="every")
                await runner.step({})
                viewer.connection.transport.abort()
        await eventually(lambda: not served.streams.statistics.sockets)
        assert served.streams.statistics.subscribers == 0
        assert not runner.listeners
