"""What the server says of itself, its demos, and the page."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families

from orca_core import _jit
from orca_core.options import PROFILES
from orca_crowd.scenes.expected import expected_figures
from orca_crowd.settings import LIMITS, Settings
from orca_crowd.worlds.scenes import SCENES
from tests.orca_crowd.api.checks import problem
from tests.orca_crowd.conftest import SMALL_LIMITS


def test_health_and_readiness(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_info_tells_version_kernels_limits_and_options(client: httpx.Client, small: httpx.Client) -> None:
    shown = client.get("/v1/info").json()
    assert shown["kernels"] == _jit.kernel_digest()
    assert shown["engine"] == "processes"
    assert shown["durability"] == ["none"]
    # nobody needs a key here
    assert shown["scope"] == "admin"
    assert shown["limits"] == {name: getattr(Settings(), name) for name in LIMITS}
    assert shown["options"] == {name: options.as_mapping() for name, options in PROFILES.items()}
    limits = small.get("/v1/info").json()["limits"]
    assert all(limits[name] == value for name, value in SMALL_LIMITS.items())


def samples(client: httpx.Client) -> dict[str, float]:
    """Every sample of /metrics without labels, by name."""
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    found = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            assert math.isfinite(sample.value) or sample.name.endswith("_bucket")
            if not sample.labels:
                found[sample.name] = sample.value
    return found


def test_metrics_count_steps_worlds_and_agents(client: httpx.Client, world: str) -> None:
    before = samples(client)
    client.post(f"{world}/agents", json={"agents": [{"position": [0, 0]}, {"position": [0.1, 0]}]})
    client.post(f"{world}/steps", json={"count": 7})
    problem(client.get("/v1/worlds/nobody"), 404, "not-found")
    after = samples(client)
    assert after["orca_crowd_steps_total"] - before["orca_crowd_steps_total"] == 7
    assert after["orca_crowd_agents"] - before["orca_crowd_agents"] == 2
    assert after["orca_crowd_worlds"] == before["orca_crowd_worlds"] >= 1
    assert after["orca_crowd_overlaps_total"] > before["orca_crowd_overlaps_total"]
    assert after["orca_crowd_event_loop_lag_seconds_count"] > 0
    assert after["orca_crowd_sockets"] == 0
    assert after["orca_crowd_failed_worlds"] == 0


def test_demos_run_by_themselves(client: httpx.Client) -> None:
    demos = client.get("/v1/demos").json()["demos"]
    assert [demo["name"] for demo in demos] == list(SCENES)
    # what comes to an end says to what
    shown = {demo["name"]: demo["figures"] for demo in demos}
    assert {name: figures["agents"] for name, figures in shown.items() if figures} == {
        name: figures.agents for name, figures in expected_figures().items()
    }
    problem(client.post("/v1/demos/nothing"), 404, "not-found")
    for demo, agents in (("circle", 250), ("blocks", 100), ("den312d", 300), ("building", 240), ("plaza", 500)):
        answer = client.post(f"/v1/demos/{demo}")
        assert answer.status_code == 201, answer.text
        started = answer.json()
        world = f"/v1/worlds/{started['world']['id']}"
        assert started["world"]["agents"] == agents
        assert started["world"]["clock"]["mode"] == "realtime"
        assert len(started["view"]) == 4
        # the flow of neither is counted
        assert started["gate"] is None
        deadline = time.monotonic() + 20
        while client.get(world).json()["step"] < 5 and time.monotonic() < deadline:
            time.sleep(0.02)
        shown = client.get(f"{world}/agents?fields=velocity").json()
        assert shown["step"] >= 5
        moving = sum(math.hypot(*velocity) > 0.1 for velocity in shown["velocity"])
        assert moving > agents / 2
        assert client.delete(world).status_code == 204


def test_sixty_long_requests_keep_nobody_waiting(server: str, client: httpx.Client, make_world: Any) -> None:
    worlds = [make_world() for _ in range(6)]
    for world in worlds:
        places = [[2.0 * (k % 20), 2.0 * (k // 20)] for k in range(400)]
        client.post(f"{world}/agents", json={"columns": {"position": places, "goal": places[::-1]}})
    other = make_world()
    client.post(f"{other}/agents", json={"agents": [{"position": [0, 0]}]})

    def step(number: int) -> int:
        with httpx.Client(base_url=server, timeout=120) as own:
            return own.post(f"{worlds[number % 6]}/steps", json={"count": 40}).status_code

    with ThreadPoolExecutor(60) as pool:
        long = [pool.submit(step, number) for number in range(60)]
        # all of this is answered while they are under way
        served = 0
        while not all(request.done() for request in long):
            assert client.get("/healthz").status_code == 200
            assert client.patch(f"{other}/agents/0", json={"radius": 0.25}).status_code == 200
            assert client.get(f"{worlds[served % 6]}/agents?limit=1").status_code == 200
            served += 1
        assert served >= 5
        assert [request.result() for request in long] == [200] * 60
    assert [client.get(world).json()["step"] for world in worlds] == [400] * 6
