"""Who yields to whom, as columns over a stream: whole state, and what a command has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from tests.orca_crowd.api.test_yielding import NEUTRAL, OTHERS
from tests.orca_crowd.streaming.harness import client, serving
from tests.orca_crowd.streaming.mirror import ids_of


def plain(message: dict[str, Any]) -> dict[str, list[Any]]:
    """The columns of a message as lists."""
    return {
        name: np.frombuffer(message[name], "<f8").tolist() if isinstance(message[name], bytes) else message[name]
        for name in NEUTRAL
    }


@pytest.mark.parametrize("subprotocol", [JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL])
async def test_columns_of_who_yields_are_told(subprotocol: str) -> None:
    async with serving() as served:
        runner = await served.world(3)
        async with client(served, subprotocol=subprotocol) as viewer:
            full = await viewer.subscribe(fields=list(NEUTRAL), delivery="every")
            assert plain(full) == {name: [value] * 3 for name, value in NEUTRAL.items()}
            await runner.step({"commands": [{"op": "set_agents", "agents": [{"id": 1, **OTHERS}]}]})
            frame = await viewer.until("frame")
            while not ids_of(frame.get("ids", [])):
                frame = await viewer.until("frame")
            assert ids_of(frame["ids"]) == [1]
            assert plain(frame) == {name: [value] for name, value in OTHERS.items()}
