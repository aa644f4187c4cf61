"""Plans of sweeps: which runs come of them, and each fault by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from orca_core.cooperative.variants import Variant
from orca_crowd.running.refusal import Unusable
from orca_crowd.sweeping.plan_file import SweepPlan, paired, read_plan
from tests.orca_crowd.solving.rooms import row_of, write_map, write_scenario

PLAN = """\
config: common.yml
runs:
  - map: rooms
    scenarios: [rooms-even-*.scen, rooms-random-1.scen]
    agents: [2, 4]
    variants: [orca, corca-mapf]
  - map: rooms/rooms.map
    scenarios: rooms-even-2.scen
    agents: 3
    variants: lns-only
    time_limit: 60
"""


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    """A folder of maps with one in it, and three kinds of scenarios."""
    folder = tmp_path / "maps" / "rooms"
    folder.mkdir(parents=True)
    write_map(folder)
    for name in ("rooms-even-1", "rooms-even-2", "rooms-even-10", "rooms-random-1"):
        write_scenario(folder, name=f"{name}.scen")
    return folder.parent


def planned(folder: Path, text: str, maps: Path | None) -> SweepPlan:
    file = folder / "plan.yml"
    file.write_text(text)
    return read_plan(file, maps)


def test_a_plan_is_maps_scenarios_agents_and_variants(tmp_path: Path, maps: Path) -> None:
    plan = planned(tmp_path, PLAN, maps)
    assert plan.config == tmp_path / "common.yml"
    names = [job.name for job in plan.jobs]
    assert len(names) == 4 * 2 * 2 + 1
    assert names[:4] == [
        f"rooms/rooms-even-1-k{count}-{variant}" for count in (2, 4) for variant in ("orca", "corca-mapf")
    ]
    # by number, and not by letters
    assert [name.split("-k")[0] for name in names[::4]][:4] == [
        f"rooms/rooms-{name}" for name in ("even-1", "even-2", "even-10", "random-1")
    ]
    last = plan.jobs[-1]
    assert (last.variant, last.time_limit, last.kind) == (Variant.LNS_ONLY, 60.0, "rooms-even")
    assert {job.time_limit for job in plan.jobs[:-1]} == {None}
    assert last.map_file == maps / "rooms" / "rooms.map"


def test_options_stand_in_place_of_a_plan_s_own(tmp_path: Path, maps: Path) -> None:
    file = tmp_path / "plan.yml"
    file.write_text(PLAN.partition("  - map: rooms/rooms.map")[0])
    plan = read_plan(file, maps, agents=[1], variants=[Variant.CORCA])
    assert [(job.agents, job.variant) for job in plan.jobs] == [(1, Variant.CORCA)] * 4


def test_maps_are_looked_for_beside_the_plan(maps: Path) -> None:
    assert len(planned(maps, PLAN, None).jobs) == 17


def test_a_run_is_planned_once(tmp_path: Path, maps: Path) -> None:
    group = "  - {map: rooms, scenarios: rooms-even-1.scen, agents: [2, 2], variants: [orca, orca]}\n"
    assert len(planned(tmp_path, "runs:\n" + 2 * group, maps).jobs) == 1
    other = group.replace("}", ", time_limit: 5}")
    with pytest.raises(Unusable, match="plan rooms/rooms-even-1-k2-orca once"):
        planned(tmp_path, f"runs:\n{group}{other}", maps)


GROUP = "runs:\n  - map: rooms\n    scenarios: rooms-even-1.scen\n    agents: 2\n    variants: orca\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("config: a.yml\n", "must have runs"),
        ("runs: rooms\n", "line 1: runs must be a list of `- map: …`"),
        ("runs: [rooms]\n", "line 1: runs must be a list"),
        (GROUP + "    colour: red\n", "line 6: colour is no key here; there are map, scenarios, agents, variants"),
        (GROUP + "    agents: 3\n", "line 6: agents is given a second time; line 4 has it"),
        (GROUP + "axes: 1\n", "line 6: axes is no key here"),
        (GROUP.replace("map: rooms\n", "map: halls\n"), "line 2: there is no map halls in"),
        (GROUP.replace("-even-1", "-odd-*"), "line 3: there is no scenario rooms-odd-*.scen in"),
        (GROUP.replace("agents: 2", "agents: [2, 0]"), "line 4: agents must be at least 1, not 0"),
        (GROUP.replace("agents: 2", "agents: few"), "line 4: agents must be a whole number, not few"),
        (
            GROUP.replace("orca\n", "orca*\n"),
            "line 5: variants: must be orca, orca-mapf, corca, corca-mapf or lns-only",
        ),
        (GROUP.replace("    agents: 2\n", ""), "line 2: agents is missing"),
        (GROUP + "    time_limit: 0\n", "line 6: time_limit must be at least 0.001, not 0.0"),
        (GROUP + "  - rooms\n", "line 1: each of runs must have a map"),
    ],
)
def test_a_fault_is_named_with_file_and_line(tmp_path: Path, maps: Path, text: str, said: str) -> None:
    with pytest.raises(Unusable) as caught:
        planned(tmp_path, text, maps)
    assert str(caught.value).startswith(f"mend plan.yml: {said}")


def test_scenarios_find_the_map_that_they_name(tmp_path: Path) -> None:
    maps = [write_map(tmp_path, name=name) for name in ("rooms.map", "halls.map")]
    halls = write_scenario(tmp_path, [row_of((1, 1), (2, 2), "maps/halls.map")], "halls-1.scen")
    rooms = write_scenario(tmp_path)
    plan = paired(maps, [halls, rooms], [1], [Variant.ORCA])
    assert [job.map_file.name for job in plan.jobs] == ["halls.map", "rooms.map"]
    # one map is the one
    assert paired(maps[:1], [halls], [1], [Variant.ORCA]).jobs[0].map_file.name == "rooms.map"
    lost = write_scenario(tmp_path, [row_of((1, 1), (2, 2), "lost.map")], "lost.scen")
    with pytest.raises(Unusable, match=r"give the --map of lost\.scen too: it names lost\.map"):
        paired(maps, [lost], [1], [Variant.ORCA])
