"""What the first pages claim is so by the tables that are measured."""

from __future__ import annotations

import re

from orca_crowd.bench.behaviour_scenes import SCENES
from tests.support.documents import prose, table_rows
from tests.support.imports import ROOT

README = ROOT / "README.md"
PERFORMANCE = ROOT / "docs" / "performance.md"


def test_of_four_only_ours_arrive_everywhere() -> None:
    claim = "in the scenes of the benchmark ours is the only one of four libraries whose crowds all arrive everywhere"
    assert claim in re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(prose(README).split()))
    rows = [row[:3] for row in table_rows(PERFORMANCE, "Behaviour")]
    assert {scene for scene, _, _ in rows} == set(SCENES)
    stayed: dict[str, int] = {}
    for _, who, arrived in rows:
        here, of = map(int, arrived.split(" of "))
        stayed[who] = stayed.get(who, 0) + of - here
    assert len(stayed) == 4
    assert [who for who, missing in stayed.items() if missing == 0] == ["ours"]


def test_a_step_takes_less_than_a_fifth_of_rvo2s() -> None:
    assert "Less than a fifth of the time of RVO2 through pyrvo on one core" in " ".join(prose(README).split())
    text = PERFORMANCE.read_text(encoding="utf-8")
    shares = text.partition("Shares of the others' time")[2].partition("\n\nHarder")[0]
    found = re.findall(r"^\| [\d,]+[^|]*\| ours, service \| ([\d.]+) ", shares, re.MULTILINE)
    assert len(found) >= 4
    assert max(map(float, found)) < 0.2
