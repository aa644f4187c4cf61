"""The scenes of the conformance vectors, built, steered and stepped over HTTP alone, to the same hashes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.imports import ROOT

SCENES = {
    scene["name"]: scene
    for scene in json.loads((ROOT / "tests" / "orca_core" / "vectors" / "scenes.json").read_text(encoding="utf-8"))
}
# on these the server's default does better than the text on purpose
MENDED = ("head_on", "stacked")
# in these agents are blocked for long, and with what the deadlock layer does about it left off the bits are the text's
JAMMED = ("dense",)
WITHOUT_LAYER = dict.fromkeys(
    ("settle_crowds", "detect_blocked", "bias_blocked", "courtesy", "back_out", "replan_jams"), False
)


def number(value: Any) -> Any:
    """A value of the vectors, hex floats and lists of them, as JSON sends it."""
    if isinstance(value, list):
        return [number(inner) for inner in value]
    return float.fromhex(value) if isinstance(value, str) else value


def preferred(position: list[float], goal: list[float], speed: float) -> list[float]:
    """Toward the goal as the vectors have it, operation by operation."""
    x, y = goal[0] - position[0], goal[1] - position[1]
    length = math.sqrt(x * x + y * y)
    return [x, y] if length <= speed else [(x / length) * speed, (y / length) * speed]


@pytest.mark.parametrize(
    ("name", "profile"),
    [(name, profile) for name in SCENES for profile in ("text", "service") if profile == "text" or name not in MENDED],
)
def test_a_scene_has_the_hashes_of_the_text(
    client: httpx.Client, make_world: Callable[..., str], name: str, profile: str
) -> None:
    scene = SCENES[name]
    options = {"profile": profile, **(WITHOUT_LAYER if name in JAMMED else {})}
    world = make_world(time_step=number(scene["dt"]), options=options)
    walls = [{"points": number(segment)} for segment in scene["segments"]]
    assert client.post(f"{world}/obstacles", json={"obstacles": walls}).status_code == 201
    agents = [{field: number(value) for field, value in agent.items()} for agent in scene["agents"]]
    goals = [agent.pop("goal") for agent in agents]
    ids = client.post(f"{world}/agents", json={"agents": agents}).json()["ids"]
    positions = [agent["position"] for agent in agents]
    hashes = {int(step): digest for step, digest in scene["sha256_after_step"].items()}
    found = {}
    for step in range(1, max(hashes) + 1):
        wanted = [preferred(*pair, number(scene["speed"])) for pair in zip(positions, goals, strict=True)]
        orders = [{"op": "set_agents", "ids": ids, "columns": {"preferred_velocity": wanted}}]
        body = {"commands": orders, "expected_step": step - 1, "return": "agents", "fields": ["position"]}
        answer = client.post(f"{world}/steps", json=body)
        assert answer.status_code == 200, answer.text
        positions = answer.json()["agents"]["position"]
        if step in hashes:
            found[step] = client.get(f"{world}/digest").json()["sha256"]
    assert found == hashes
