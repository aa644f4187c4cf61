"""Limits of bodies, quality, modes and level of detail over REST: sent, shown, changed, refused, kept."""

from __future__ import annotations

import math
import struct

import httpx
import msgspec
import pytest

from tests.orca_crowd.api.checks import faults
from tests.orca_crowd.conftest import MakeWorld

FIELDS = ("quality", "max_acceleration", "max_turning_rate", "forward_preference", "heading")


def test_limits_are_shown_as_they_were_sent_and_null_takes_them_away(
    client: httpx.Client, make_world: MakeWorld
) -> None:
    world = make_world(time_step=0.1, defaults={"max_turning_rate": 1.0, "quality": "few"})
    rows = [
        {"position": [0, 0], "max_acceleration": 2.0, "quality": "all", "forward_preference": 0.5, "heading": [0, -4]},
        {"position": [5, 0], "max_turning_rate": None},
    ]
    assert client.post(f"{world}/agents", json={"agents": rows}).status_code == 201
    first, second = (client.get(f"{world}/agents/{number}").json() for number in (0, 1))
    assert [first[name] for name in FIELDS] == ["all", 2.0, 1.0, 0.5, [0.0, -1.0]]
    # null in an addition is a value left out
    assert [second[name] for name in FIELDS] == ["few", None, 1.0, 0.0, None]
    shown = client.get(f"{world}/agents", params={"fields": ",".join(FIELDS)}).json()
    assert [[shown[name][row] for name in FIELDS] for row in (0, 1)] == [
        [first[name] for name in FIELDS],
        [second[name] for name in FIELDS],
    ]
    changed = client.patch(
        f"{world}/agents/0", json={"max_acceleration": None, "heading": None, "max_turning_rate": None}
    ).json()
    assert [changed[name] for name in FIELDS] == ["all", None, None, 0.5, None]


def test_headings_travel_in_columns_and_bins(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(time_step=0.1)
    columns = {
        "position": [[0, 0], [9, 0], [18, 0]],
        "heading": [[3, 4], [0, 0], [0, -1]],
        "velocity": [[0, 0]] * 2 + [[0, 2]],
    }
    client.post(f"{world}/agents", json={"columns": columns})
    # whoever moves faces where it goes
    assert client.get(f"{world}/agents?fields=heading").json()["heading"] == [[0.6, 0.8], None, [0.0, 1.0]]
    packed = client.get(f"{world}/agents?fields=heading", headers={"accept": "application/msgpack"})
    numbers = struct.unpack("<6d", msgspec.msgpack.decode(packed.content)["heading"])
    assert numbers[:2] == (0.6, 0.8)
    assert all(map(math.isnan, numbers[2:4]))


def test_a_heading_that_was_read_may_be_sent_back(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(time_step=0.1)
    sent = [[0.6, 0.8], [3, 1], [-1e-200, 7e-200], [1e8, -3e7], [0.1, 0.7], [-2, -9]]
    rows = [{"position": [3 * at, 0], "heading": heading} for at, heading in enumerate(sent)]
    client.post(f"{world}/agents", json={"agents": rows})
    for at, heading in enumerate(sent):
        read = client.get(f"{world}/agents/{at}").json()
        assert math.hypot(*read["heading"]) == pytest.approx(1.0, abs=1e-15)
        assert math.atan2(*read["heading"]) == pytest.approx(math.atan2(*heading), abs=1e-15)
        again = client.put(f"{world}/agents/{at}", json=read).json()
        assert again["heading"] == read["heading"]
    # one long already
    assert client.get(f"{world}/agents/0").json()["heading"] == sent[0]


def test_a_step_over_the_wire_keeps_the_limits(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(time_step=0.1)
    row = {"position": [0, 0], "goal": [20, 0], "heading": [0, 1], "max_acceleration": 2.0, "max_turning_rate": 1.5}
    client.post(f"{world}/agents", json={"agents": [row]})
    before = client.get(f"{world}/agents/0").json()
    for _ in range(12):
        client.post(f"{world}/steps")
        after = client.get(f"{world}/agents/0").json()
        assert math.dist(before["velocity"], after["velocity"]) <= 0.2 + 1e-12
        (ax, ay), (bx, by) = before["heading"], after["heading"]
        assert abs(math.atan2(ax * by - ay * bx, ax * bx + ay * by)) <= 0.15 + 1e-12
        before = after
    told = client.get(f"{world}/agents/0/explain").json()
    assert told["body"]["heading"] == before["heading"]
    assert told["body"]["change"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"quality": "some"}, "quality"),
        ({"quality": 1}, "quality"),
        ({"max_acceleration": -1}, "max_acceleration"),
        ({"max_turning_rate": "fast"}, "max_turning_rate"),
        ({"forward_preference": 1.5}, "forward_preference"),
        ({"forward_preference": None}, "forward_preference"),
        ({"heading": [1]}, "heading"),
    ],
)
def test_what_is_wrong_is_named(
    row: dict[str, object], field: str, client: httpx.Client, make_world: MakeWorld
) -> None:
    world = make_world(time_step=0.1)
    refused = client.post(f"{world}/agents", json={"agents": [{"position": [0, 0]}, {"position": [9, 0], **row}]})
    assert [(item, name.split(".")[0]) for item, name in faults(refused)] == [(1, field)]
    assert client.get(world).json()["agents"] == 0


def test_modes_are_options(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(time_step=0.1, options={"avoidance_model": "vo", "slow_when_dense": True})
    options = client.get(world).json()["options"]
    assert (options["avoidance_model"], options["slow_when_dense"], options["level_of_detail"]) == ("vo", True, None)
    refused = client.post("/v1/worlds", json={"time_step": 0.1, "options": {"avoidance_model": "boids"}})
    assert [field for _, field in faults(refused)] == ["options.avoidance_model"]


DETAIL = {"distance": 3.0, "every": 4, "neighbors": 2, "points": [[1.0, 2.0]], "boxes": [[0.0, 0.0, 5.0, 5.0]]}


def test_the_level_of_detail_is_an_option_that_may_change(client: httpx.Client, make_world: MakeWorld) -> None:
    world = make_world(time_step=0.1, options={"level_of_detail": {"distance": 3.0}})
    plain = {"distance": 3.0, "every": 1, "neighbors": None, "points": [], "boxes": []}
    assert client.get(world).json()["options"]["level_of_detail"] == plain
    changed = client.patch(world, json={"level_of_detail": DETAIL})
    assert changed.json()["options"]["level_of_detail"] == DETAIL
    assert changed.json()["sequence"] == 1
    order = {"commands": [{"op": "set_level_of_detail", "level_of_detail": None}]}
    assert client.post(f"{world}/commands", json=order).status_code == 200
    assert client.get(world).json()["options"]["level_of_detail"] is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"every": 0}, "every"),
        ({"every": 2.5}, "every"),
        ({"distance": -1}, "distance"),
        ({"points": [[1]]}, "points"),
        ({"boxes": [[5, 0, 0, 5]]}, "boxes"),
        ({"nearest": 3}, "nearest"),
    ],
)
def test_a_level_of_detail_that_is_none_is_refused(
    change: dict[str, object], field: str, client: httpx.Client, make_world: MakeWorld
) -> None:
    world = make_world(time_step=0.1)
    for refused, prefix in (
        (client.patch(world, json={"level_of_detail": {**DETAIL, **change}}), "level_of_detail."),
        (
            client.post("/v1/worlds", json={"time_step": 0.1, "options": {"level_of_detail": {**DETAIL, **change}}}),
            "options.level_of_detail.",
        ),
    ):
        assert all(name.startswith(f"{prefix}{field}") for _, name in faults(refused)), refused.text
    assert client.get(world).json()["options"]["level_of_detail"] is None
