"""The conformance vectors: all of them pass, and the service's options leave alone what is no matter of theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orca_core import Options, World, conformance
from tests.support.samples import INTERPRETED

VECTORS = Path(__file__).parent / "vectors"
SCENES: list[dict[str, Any]] = json.loads((VECTORS / "scenes.json").read_text())
# exact symmetries, put there on purpose: the service does better
MENDED = {"head_on", "stacked"}


@pytest.mark.parametrize("name", [name for name in conformance.RUNNERS if not (INTERPRETED and name == "scenes")])
def test_every_vector_passes(name: str) -> None:
    cases = json.loads((VECTORS / f"{name}.json").read_text())
    assert len(cases) >= 7
    for index, case in enumerate(cases):
        assert next(conformance.RUNNERS[name](case), None) is None, f"case {index}"


def test_the_folder_as_the_command_runs_it(capsys: pytest.CaptureFixture[str]) -> None:
    if INTERPRETED:
        pytest.skip("the single files run interpreted; the scenes would take long")
    assert conformance.main([str(VECTORS)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2262 passed, 0 failed"


def test_the_command_names_the_first_difference_in_hex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = json.loads((VECTORS / "agent_planes.json").read_text())[:3]
    wanted = float.fromhex(cases[1]["plane"][2])
    cases[1]["plane"][2] = (-wanted).hex()
    (tmp_path / "agent_planes.json").write_text(json.dumps(cases))
    assert conformance.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 passed, 1 failed"
    assert f"agent_planes.json case 1: plane[2]: got {wanted.hex()}, want {(-wanted).hex()}" in lines


def test_zero_and_minus_zero_differ_and_an_empty_folder_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(conformance.differences("x", 0.0, -0.0)) == ["x: got 0x0.0p+0, want -0x0.0p+0"]
    assert list(conformance.differences("x", [1.0], [1.0])) == []
    assert conformance.main([str(tmp_path)]) == 2
    assert conformance.main([str(tmp_path / "nowhere")]) == 2
    assert "no vectors" in capsys.readouterr().err


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: str(scene["name"]))
def test_the_service_gives_the_hashes_of_the_text(scene: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    if INTERPRETED:
        pytest.skip("the scenes would take long")
    made: list[World] = []

    def service_world(*, time_step: float, options: Options) -> World:
        assert options == Options.text()
        made.append(World(time_step=time_step, options=Options.service()))
        return made[-1]

    monkeypatch.setattr(conformance, "World", service_world)
    difference = next(conformance.RUNNERS["scenes"](scene), None)
    assert made
    assert (difference is not None) == (scene["name"] in MENDED), difference
