"""Handshakes and messages that are refused: like over REST, once each, and nothing changes."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.streaming.harness import client, digest, eventually, serving


@pytest.mark.parametrize(
    ("world", "subprotocols", "status", "code"),
    [
        ("w", None, 400, "subprotocol"),
        ("w", ["chat"], 400, "subprotocol"),
        ("nowhere", [JSON_SUBPROTOCOL], 404, "not-found"),
    ],
)
async def test_a_refused_handshake_answers_like_rest(
    world: str, subprotocols: Any, status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[str] = []
    monkeypatch.setattr(logging.getLogger("uvicorn.error"), "error", lambda said, *_: errors.append(said))
    async with serving() as served:
        await served.world()
        with pytest.raises(InvalidStatus) as caught:
            await connect(served.url(world), subprotocols=subprotocols)
        response = caught.value.response
        assert response.status_code == status
        assert response.headers["content-type"] == "application/problem+json"
        assert msgspec.json.decode(response.body or b"")["code"] == code
        assert served.streams.statistics.sockets == 0
    # whoever asks for what there is not is no error of the server
    assert errors == []


async def test_a_handshake_before_the_kernels_are_compiled_answers_503() -> None:
    async with serving() as served:
        await served.world()
        served.app.state.services.warmup.ready = False
        with pytest.raises(InvalidStatus) as caught:
            await connect(served.url(), subprotocols=[JSON_SUBPROTOCOL])
        assert caught.value.response.status_code == 503


async def test_one_socket_over_the_limit_answers_429() -> None:
    async with serving(sockets=1) as served:
        await served.world()
        async with client(served):
            with pytest.raises(InvalidStatus) as caught:
                await connect(served.url(), subprotocols=[JSON_SUBPROTOCOL])
            assert caught.value.response.status_code == 429
        await eventually(lambda: served.streams.statistics.sockets == 0)
        async with client(served):
            pass


GARBAGE: list[str | bytes] = [
    "{",
    "[]",
    '{"op": "nope"}',
    "[" * 10_000 + "]" * 10_000,
    b'{"type": "ping"}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 9223372036854775808, "radius": 1}]}]}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 0, "radius": true}]}]}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 0, "radius": "1"}]}]}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 0, "radius": NaN}]}]}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 0, "position": [1e999, 0]}]}]}',
    '{"type": "command", "commands": [{"op": "nope"}]}',
    '{"type": "command", "commands": [{"op": "set_agents", "agents": [{"id": 0, "raduis": 1}]}]}',
    '{"type": "step", "count": -1}',
    '{"type": "got", "step": 5}',
]


async def test_each_piece_of_garbage_gets_one_error_and_changes_nothing() -> None:
    async with serving() as served:
        runner = await served.world()
        before = await digest(runner)
        async with client(served) as player:
            await player.subscribe()
            for data in GARBAGE:
                await player.connection.send(data)
            errors = [await player.receive() for _ in GARBAGE]
            assert [error["type"] for error in errors] == ["error"] * len(GARBAGE)
            assert [error["problem"]["status"] for error in errors] == [400, 422, 422, 400, 400] + [422] * 9
            assert all("type" in error["problem"] and error["problem"]["detail"] for error in errors)
            # still open, and nothing but these errors was sent
            await player.send("ping")
            assert await player.receive() == {"type": "pong"}
        assert await digest(runner) == before
        assert served.streams.statistics.messages_refused == len(GARBAGE)


async def test_text_and_garbage_on_a_messagepack_socket_get_one_error_each() -> None:
    async with serving() as served:
        await served.world()
        async with client(served, subprotocol=MSGPACK_SUBPROTOCOL) as player:
            for data in ('{"type": "ping"}', b"\xc1", b"\x91" * 10_000 + b"\xc0", msgspec.msgpack.encode([1])):
                await player.connection.send(data)
            codes = [(await player.receive())["problem"]["code"] for _ in range(4)]
            assert codes == ["malformed", "malformed", "malformed", "invalid"]
            await player.send("ping", data="x")
            assert await player.receive() == {"type": "pong", "data": "x"}


async def test_a_message_over_the_limit_closes_with_the_limit_in_the_reason() -> None:
    async with serving(message_bytes=100_000) as served:
        await served.world()
        async with client(served) as player:
            await player.connection.send('{"type": "ping", "data": "' + "x" * 99_000 + '"}')
            assert (await player.receive())["problem"]["code"] == "invalid"
            await asyncio.gather(player.connection.send("x" * 3_000_000), return_exceptions=True)
            code, reason = await player.closed()
            assert code == 1009
            assert "100000" in reason
        await eventually(lambda: served.streams.statistics.sockets == 0)
