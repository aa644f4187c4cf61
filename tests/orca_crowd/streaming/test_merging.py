"""Whatever happens in a world, a client that follows the merging rule knows what reading the agents gives."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orca_crowd.protocol.frames import JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL
from orca_crowd.protocol.steps import Selection
from orca_crowd.worlds.runner import Runner
from tests.orca_crowd.streaming.harness import Client, client, serving
from tests.orca_crowd.streaming.mirror import Mirror

FIELDS = ("position", "velocity", "radius", "goal", "status")

INTERESTS: list[dict[str, Any]] = [
    {"kind": "all"},
    {"kind": "ids", "ids": [1, 3, 4]},
    {"kind": "rectangle", "min": [-1.0, -2.0], "max": [6.0, 4.0]},
    {"kind": "circle", "center": [2.0, 2.0], "radius": 4.0},
    {"kind": "around", "id": 2, "radius": 3.5},
]


def chosen(interest: dict[str, Any], ids: np.ndarray, position: np.ndarray) -> list[int]:
    """Whom an interest is about, one agent at a time."""
    found = []
    places = dict(zip(ids.tolist(), position.tolist(), strict=True))
    for identifier, (x, y) in places.items():
        if interest["kind"] == "ids":
            inside = identifier in interest["ids"]
        elif interest["kind"] == "rectangle":
            (left, bottom), (right, top) = interest["min"], interest["max"]
            inside = left <= x <= right and bottom <= y <= top
        elif interest["kind"] == "all":
            inside = True
        else:
            center = interest["center"] if interest["kind"] == "circle" else places.get(interest["id"])
            inside = center is not None and (x - center[0]) ** 2 + (y - center[1]) ** 2 <= interest["radius"] ** 2
        if inside:
            found.append(identifier)
    return found


async def compare(runner: Runner, mirror: Mirror, interest: dict[str, Any]) -> None:
    """Hold what a client knows against the world."""
    read = await runner.read(lambda session: session.agents(Selection(FIELDS)))
    assert mirror.step == read["step"]
    ids = chosen(interest, read["ids"], read["position"])
    assert sorted(mirror.values) == sorted(ids)
    rows = [read["ids"].tolist().index(identifier) for identifier in ids]
    assert [mirror.values[identifier]["status"] for identifier in ids] == [read["status"][row] for row in rows]
    for name in FIELDS[:-1]:
        right, known = read[name][rows], mirror.column(name, ids)
        if mirror.precision == "float64":
            assert right.tobytes() == known.reshape(right.shape).tobytes(), name
        elif mirror.precision == "float32" or name not in ("position", "velocity"):
            assert np.array_equal(right.astype(np.float32), known.reshape(right.shape), equal_nan=True), name
        else:
            scales = np.array([mirror.scales[identifier][name] for identifier in ids]).reshape(-1, 1)
            # half a unit, and the rounding of the base where the client adds up in float64
            assert (np.abs(right - known.reshape(right.shape)) <= scales / 2 + 1e-12).all(), name


place = st.tuples(st.integers(-6, 10), st.integers(-6, 10)).map(lambda pair: [pair[0] * 1.0, pair[1] * 1.0])
change = st.one_of(
    st.just({"op": "step"}),
    st.integers(1, 4).map(lambda count: {"op": "steps", "count": count}),
    place.map(lambda point: {"op": "add", "position": point}),
    st.integers(0, 8).map(lambda pick: {"op": "remove", "pick": pick}),
    st.tuples(st.integers(0, 8), place).map(lambda pair: {"op": "put", "pick": pair[0], "position": pair[1]}),
    st.tuples(st.integers(0, 8), place).map(lambda pair: {"op": "send", "pick": pair[0], "goal": pair[1]}),
    st.tuples(st.integers(0, 8), st.just(30_000.0)).map(
        lambda pair: {"op": "put", "pick": pair[0], "position": [pair[1], 0.0]}
    ),
)


async def carry_out(runner: Runner, change: dict[str, Any], alive: list[int], numbers: Any) -> None:
    """One change of the world; what needs an agent is left out where there is none."""
    if change["op"] in ("step", "steps"):
        await runner.step({"count": change.get("count", 1)})
        return
    if change["op"] == "add":
        alive.append(next(numbers))
        command = {"op": "add_agents", "agents": [{"id": alive[-1], "position": change["position"], "radius": 0.25}]}
    elif not alive:
        return
    elif change["op"] == "remove":
        command = {"op": "remove_agents", "ids": [alive.pop(change["pick"] % len(alive))]}
    else:
        values = {name: value for name, value in change.items() if name not in ("op", "pick")}
        command = {"op": "set_agents", "agents": [{"id": alive[change["pick"] % len(alive)], **values}]}
    await runner.command({"commands": [command]})


async def follow(viewer: Client, mirror: Mirror, step: int) -> None:
    """Take frames up to a step."""
    while mirror.step < step:
        mirror.apply(await viewer.until("frame"))
        await viewer.send("got", step=mirror.step)


async def one_life(
    interest: dict[str, Any], precision: str, rows: str, every: int, delivery: str, subprotocol: str, changes: Any
) -> None:
    """A world, a viewer, and changes; the viewer is compared with the world at every step that it is shown."""
    async with serving(keyframe_steps=3, kept_steps=4) as served:
        runner = await served.world(0, options={"profile": "text"})
        numbers = itertools.count(5)
        alive = [0, 1, 2, 3, 4]
        first = [{"id": each, "position": [each * 1.5, each * 0.5], "radius": 0.25, "goal": [4, 9]} for each in alive]
        await runner.command({"commands": [{"op": "add_agents", "agents": first}]})
        async with client(served, subprotocol=subprotocol) as viewer:
            mirror = Mirror(precision)
            mirror.apply(
                await viewer.subscribe(
                    fields=list(FIELDS), interest=interest, precision=precision, rows=rows, every=every,
                    delivery=delivery, window=2,
                )
            )  # fmt: skip
            await compare(runner, mirror, interest)
            for change in changes:
                await carry_out(runner, change, alive, numbers)
                due = runner.facts.step - runner.facts.step % every
                await follow(viewer, mirror, due)
                if change["op"] == "step" and due == runner.facts.step:
                    await compare(runner, mirror, interest)
            # one more frame shows all changes
            await runner.step({"count": every - runner.facts.step % every})
            await follow(viewer, mirror, runner.facts.step)
            await compare(runner, mirror, interest)


@pytest.mark.parametrize("interest", INTERESTS, ids=[each["kind"] for each in INTERESTS])
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    precision=st.sampled_from(["float64", "float32", "int16", "int8"]),
    rows=st.sampled_from(["changed", "all"]),
    every=st.integers(1, 3),
    delivery=st.sampled_from(["latest", "every"]),
    subprotocol=st.sampled_from([JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL]),
    changes=st.lists(change, min_size=4, max_size=14),
)
def test_a_client_that_follows_the_rule_knows_what_reading_gives(
    interest: dict[str, Any], precision: str, rows: str, every: int, delivery: str, subprotocol: str, changes: Any
) -> None:
    asyncio.run(one_life(interest, precision, rows, every, delivery, subprotocol, changes))


async def test_who_rests_is_not_told_of() -> None:
    async with serving() as served:
        runner = await served.world(0)
        agents = [{"position": [place % 100 * 5.0, place // 100 * 5.0]} for place in range(10_000)]
        agents += [{"position": [place * 5.0, -50.0], "preferred_velocity": [0.0, 1.0]} for place in range(10)]
        await runner.command({"commands": [{"op": "add_agents", "agents": agents}]})
        async with client(served, subprotocol=MSGPACK_SUBPROTOCOL, max_queue=None) as viewer:
            mirror = Mirror("float32")
            mirror.apply(await viewer.subscribe(precision="float32", delivery="every"))
            assert mirror.rows == 10_010
            await runner.step({"count": 5})
            for _ in range(5):
                wire = await viewer.connection.recv()
                assert len(wire) <= 10 * (8 + 2 * 8) + 150
                mirror.apply(viewer.read(wire))
                assert mirror.rows <= 10


async def test_subscribers_who_keep_up_are_one_encoding_a_step_however_many_and_however_late_they_came() -> None:
    async with serving() as served:
        runner = await served.world(5)
        await runner.command({"commands": [{"op": "add_agents", "agents": [{"position": [-50.0, 0.0]}]}]})
        connections = [client(served, subprotocol=MSGPACK_SUBPROTOCOL) for _ in range(30)]
        viewers = [await each.__aenter__() for each in connections]
        try:
            for number, viewer in enumerate(viewers):
                await viewer.subscribe(delivery=("latest", "every")[number % 2])
                if number % 10 == 9:
                    await runner.step({})
                    for watching in viewers[: number + 1]:
                        await watching.until("frame")
            before = served.streams.statistics.frames_encoded
            for step in range(3, 23):
                await runner.step({})
                for viewer in viewers:
                    assert (await viewer.until("frame"))["step"] == step + 1
            assert served.streams.statistics.frames_encoded - before == 20
        finally:
            for each in connections:
                await each.__aexit__(None, None, None)


async def test_the_interest_names_who_is_here() -> None:
    async with serving() as served:
        runner = await served.world(3)
        await runner.command({"commands": [{"op": "remove_agents", "ids": [1]}]})
        async with client(served) as viewer:
            await viewer.subscribe(delivery="every")
            for interest, code in (
                ({"kind": "ids", "ids": [0, 1]}, "gone"),
                ({"kind": "ids", "ids": [0, 77]}, "not-found"),
                ({"kind": "around", "id": 1, "radius": 5}, "gone"),
                ({"kind": "around", "id": 78, "radius": 5}, "not-found"),
            ):
                await viewer.send("subscribe", interest=interest)
                assert (await viewer.until("error"))["problem"]["code"] == code
            # the one before is still there
            await runner.step({})
            frame = await viewer.until("frame")
            assert ("ids" not in frame, len(frame["position"])) == (True, 2)
            full = await viewer.subscribe(interest={"kind": "ids", "ids": [2, 0]}, delivery="every")
            assert full["ids"] == [0, 2]
            # who is removed later leaves
            await runner.step({"commands": [{"op": "remove_agents", "ids": [0]}]})
            frame = await viewer.until("frame")
            assert (frame["left"], frame["entered"]) == ([0], [])
