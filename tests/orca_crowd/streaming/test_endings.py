"""How a stream ends: the world deleted or failed, the server stopping; told first, with a code that says the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.streaming.harness import client, eventually, serving
from tests.orca_crowd.streaming.test_pressure import CROWD, connections, stalling


async def test_a_deleted_world_closes_its_sockets_and_no_others() -> None:
    async with serving() as served:
        await served.world()
        other = await served.world(name="other")
        async with (
            client(served) as one,
            client(served, subprotocol=MSGPACK_SUBPROTOCOL) as two,
            client(served, "other") as stranger,
        ):
            await one.subscribe()
            await stranger.subscribe(delivery="every")
            await served.registry.remove("w")
            for watcher in (one, two):
                said: list[dict[str, Any]] = []
                assert (await watcher.closed(said.append))[0] == 4004
                assert said == [{"type": "closing", "reason": "the world was deleted"}]
            await other.step({})
            assert (await stranger.until("frame"))["step"] == 1
        assert served.streams.statistics.closed == {4004: 2}


async def test_a_failed_world_tells_its_watchers_and_refuses_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as served:
        runner = await served.world()
        other = await served.world(name="other")

        def fail(count: int) -> list[object]:
            raise RuntimeError("inside")

        async with client(served) as watcher, client(served, "other") as stranger:
            await stranger.subscribe(delivery="every")
            monkeypatch.setattr(runner._session, "advance", fail)
            await watcher.send("step", key="k")
            said: list[dict[str, Any]] = []
            code, reason = await watcher.closed(said.append)
            assert code == 4009
            assert "step 0" in reason
            assert [message["type"] for message in said] == ["error", "closing"]
            assert said[0]["problem"]["code"] == "world-failed"
            assert "inside" not in said[0]["problem"]["detail"].replace("inside the server", "")
            await other.step({})
            assert (await stranger.until("frame"))["step"] == 1
        with pytest.raises(InvalidStatus) as caught:
            await connect(served.url(), subprotocols=[Subprotocol(JSON_SUBPROTOCOL)])
        assert caught.value.response.status_code == 503


async def test_a_stopping_server_tells_everybody_and_closes_with_1012() -> None:
    async with serving() as served:
        runner = await served.world(50)
        endings = []

        async def watch(subprotocol: str) -> None:
            async with client(served, subprotocol=subprotocol) as watcher:
                await watcher.subscribe(delivery="every")
                said: list[dict[str, Any]] = []
                code, reason = await watcher.closed(said.append)
                endings.append((code, reason, said[-1]))

        watchers = [asyncio.create_task(watch(kind)) for kind in (JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL) * 10]
        await eventually(lambda: served.streams.statistics.fulls_encoded == 20)
        stepping = asyncio.create_task(runner.step({"count": 100_000}))
        await eventually(lambda: runner.facts.step > 20)
        # what a signal does
        served.server.handle_exit(15, None)
        served.server._captured_signals.clear()
        await asyncio.gather(*watchers)
        reason = "the server is restarting"
        assert endings == [(1012, reason, {"type": "closing", "reason": reason})] * 20
        await asyncio.gather(stepping, return_exceptions=True)
        assert runner.state == "ended"


async def test_a_client_who_is_slow_to_read_still_learns_why_the_server_stops() -> None:
    async with serving() as served:
        runner = await served.world(CROWD)
        async with stalling(served) as slow:
            await slow.send("subscribe", window=3)
            await eventually(lambda: served.streams.statistics.fulls_encoded == 1)
            for _ in range(5):
                await runner.step({})
            served.server.should_exit = True
            # longer than a connection is kept for one who is taken leave of
            await eventually(lambda: not served.streams.statistics.sockets)
            await asyncio.sleep(1.0)
            said: list[dict[str, Any]] = []
            assert await slow.closed(said.append) == (1012, "the server is restarting")
            assert [message["type"] for message in said] == ["full", "frame", "frame", "frame", "closing"]


async def test_a_reader_who_has_stopped_holds_up_no_stop() -> None:
    async with serving(frame_queue=8) as served:
        runner = await served.world(CROWD)
        async with stalling(served) as closed, stalling(served) as open_still:
            await closed.send("subscribe", delivery="every")
            await open_still.send("subscribe")
            await eventually(lambda: served.streams.statistics.fulls_encoded == 2)
            while served.streams.statistics.sockets == 2:
                await runner.step({})
            assert len(connections(served)) == 2
            before = asyncio.get_running_loop().time()
            await served.streams.close()
            # the one that is open has its time to read what waits, and is then cut off
            assert asyncio.get_running_loop().time() - before < 5.0
            assert served.streams.statistics.sockets == 0
            served.server.should_exit = True
            await eventually(lambda: not connections(served), 10.0)
