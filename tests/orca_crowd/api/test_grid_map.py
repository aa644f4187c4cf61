"""The grid map of a world over REST."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

GEOJSON = {"content-type": "application/geo+json"}
TEXT = {"content-type": "text/plain"}
MAP = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n"


def test_a_world_has_a_grid_map(client: httpx.Client, world: str) -> None:
    nothing = client.get(f"{world}/grid-map").json()
    assert nothing == {"step": 0, "grid_map": None}
    answer = client.post(f"{world}/map?as=grid&cell_size=2&x=-1.5&y=3", content=MAP, headers=TEXT)
    assert answer.status_code == 201, answer.text
    assert answer.json()["ids"] == []
    shown = client.get(f"{world}/grid-map").json()["grid_map"]
    assert (shown["cell_size"], shown["origin"]) == (2.0, [-1.5, 3.0])
    assert shown["rows"] == ["....", ".@@.", "...."]
    # what was read may be sent back, in a batch; and it is part of a snapshot
    batch = {"commands": [{"op": "set_grid_map", "grid_map": shown}]}
    assert client.post(f"{world}/commands", json=batch).status_code == 200
    data = client.get(f"{world}/snapshot").content
    back = client.post(
        "/v1/worlds/restore?id=mapped", content=data, headers={"content-type": "application/octet-stream"}
    )
    assert back.status_code == 201, back.text
    assert client.get("/v1/worlds/mapped/grid-map").json()["grid_map"] == shown
    client.delete("/v1/worlds/mapped")
    none = {"commands": [{"op": "set_grid_map", "grid_map": None}]}
    assert client.post(f"{world}/commands", json=none).status_code == 200
    assert client.get(f"{world}/grid-map").json()["grid_map"] is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"rows": []}, "rows"),
        ({"rows": ["..", "."]}, "line 6"),
        ({"rows": ["..\n.."]}, "line breaks"),
        ({"rows": [".."], "cell_size": 0}, "cell_size"),
        ({"rows": [".."], "origin": [0]}, "origin"),
    ],
)
def test_a_wrong_grid_map_is_refused(client: httpx.Client, world: str, body: dict[str, Any], words: str) -> None:
    answer = client.post(f"{world}/commands", json={"commands": [{"op": "set_grid_map", "grid_map": body}]})
    assert answer.status_code == 422
    assert words in answer.text


def test_geojson_is_no_grid_map(client: httpx.Client, world: str) -> None:
    answer = client.post(f"{world}/map?as=grid", json={"type": "FeatureCollection", "features": []}, headers=GEOJSON)
    assert (answer.status_code, "as" in answer.text) == (422, True)
