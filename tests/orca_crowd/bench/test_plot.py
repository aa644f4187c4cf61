"""Pictures show what is in the result, and the same result gives the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orca_crowd.bench.dispatch import DIVIDED
from orca_crowd.bench.plot import distributions, drawable, series
from tests.orca_crowd.bench.results import (
    behaviour_result,
    durability_result,
    engine_result,
    kernel_result,
    scale_result,
    stream_result,
)


def test_the_picture_shows_plain_scenes_by_agents() -> None:
    both = kernel_result()
    both["scenes"] += kernel_result(agents=1_000)["scenes"] + kernel_result(walls=200)["scenes"]
    assert series(both)["pyrvo"] == [(1_000, 2.0, 1.9, 2.5), (10_000, 2.0, 1.9, 2.5)]


def test_distributions_are_those_of_steps_in_milliseconds() -> None:
    found = distributions(engine_result())
    assert list(found) == [DIVIDED, "a tick of 1,064 agents", "late, 200 worlds"]
    assert found["a tick of 1,064 agents"][0] == pytest.approx(2.4)
    assert found["late, 200 worlds"][-1] == pytest.approx(20.0)


def test_the_start_has_no_picture() -> None:
    assert not drawable({"benchmark": "start"})


@pytest.mark.parametrize(
    "result",
    [
        *(kernel_result(), scale_result(), engine_result(), stream_result(), durability_result()),
        *(behaviour_result(), {**behaviour_result(), "pedestrians": None}),
    ],
    ids=["kernel", "scale", "engine", "stream", "durability", "behaviour", "behaviour of scenes alone"],
)
def test_the_same_result_gives_the_same_picture(tmp_path: Path, result: dict[str, Any]) -> None:
    pytest.importorskip("matplotlib", reason="in the extra `bench`")
    assert drawable(result)
    # a process of its own: matplotlib keeps its fonts open for ever
    script = (
        "import json, sys; from pathlib import Path; from orca_crowd.bench.plot import draw\n"
        "for name in ('a.svg', 'b.svg'): draw(json.loads(sys.argv[1]), Path(sys.argv[2]) / 'images' / name)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", script, json.dumps(result), str(tmp_path)], env=environment, check=True)
    first, second = ((tmp_path / "images" / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert b"<svg" in first
    assert first == second
