"""Tasks: the first agents of a scenario, and every kind of damage by its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.task import Task, read_task
from tests.orca_crowd.solving.rooms import PLACES, ROOMS, row_of, write_map, write_scenario


def task(folder: Path, count: int, rows: list[str] | None = None, ground: tuple[str, ...] = ROOMS) -> Task:
    return read_task(write_map(folder, ground), write_scenario(folder, rows), count)


def test_the_first_agents_are_those_of_the_first_lines(tmp_path: Path) -> None:
    read = task(tmp_path, 3)
    assert read.name == "rooms-even-1"
    assert [read.instance.place(cell) for cell in read.instance.starts.tolist()] == [start for start, _ in PLACES[:3]]
    assert [read.instance.place(cell) for cell in read.instance.goals.tolist()] == [goal for _, goal in PLACES[:3]]
    assert read.other_map is None


def test_another_map_is_noticed(tmp_path: Path) -> None:
    assert task(tmp_path, 1, [row_of(*PLACES[0], name="maps/halls.map")]).other_map == "halls.map"
    assert task(tmp_path, 1, [row_of(*PLACES[0], name="maps\\rooms.map")]).other_map is None


def test_more_agents_than_there_are_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"use -k 1 to 4: rooms-even-1\.scen has 4 agents, not 5"):
        task(tmp_path, 5)
    with pytest.raises(Unusable, match="has no agents"):
        task(tmp_path, 1, [])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row_of((0, 0), (1, 1))], "line 2: start x=0, y=0 is on a blocked cell"),
        ([row_of((1, 1), (4, 1))], "line 2: goal x=4, y=1 is on a blocked cell"),
        ([row_of((1, 1), (9, 1))], "line 2: goal x=9, y=1 is outside the map"),
        ([row_of((1, 1), (2, 1), size=(7, 9))], "line 2: made for a map of width 7 and height 9"),
        ([row_of((1, 1), (2, 1)), "0\trooms.map\t9"], "line 3: 3 fields, must be 9"),
        ([row_of((1, 1), (5, 1)), row_of((1, 2), (5, 1))], "line 3: agent 1: goal (5, 1) is also that of agent 0"),
        ([row_of((1, 1), (5, 1)), row_of((1, 1), (5, 2))], "line 3: agent 1: start (1, 1) is also that of agent 0"),
    ],
)
def test_agents_who_cannot_be_are_named_by_line(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(Unusable) as caught:
        task(tmp_path, len(rows), rows)
    assert str(caught.value).startswith(f"mend rooms-even-1.scen: {said}")


def test_who_cannot_get_there_is_named_by_line(tmp_path: Path) -> None:
    shut = (*ROOMS[:3], "@...@...@", *ROOMS[4:])
    with pytest.raises(Unusable) as caught:
        task(tmp_path, 4, ground=shut)
    assert str(caught.value).splitlines() == [
        "mend rooms-even-1.scen: line 2: agent 0: goal (7, 1) cannot be reached from its start",
        "  line 3: agent 1: goal (1, 5) cannot be reached from its start",
        "  line 4: agent 2: goal (6, 4) cannot be reached from its start",
    ]
    # those who stay on their side can
    assert task(tmp_path, 1, [row_of(*PLACES[3])], shut).instance.count == 1


def test_a_line_beyond_the_first_agents_is_held_to_the_same(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"mend rooms-even-1\.scen: line 3: "):
        task(tmp_path, 1, [row_of(*PLACES[0]), "damaged"])


def test_a_damaged_map_is_named_by_line(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=r"mend rooms\.map: line 7: the row has 8 characters"):
        task(tmp_path, 1, ground=(*ROOMS[:2], ROOMS[2][:-1], *ROOMS[3:]))
    (tmp_path / "bytes.map").write_bytes(b"type octile\nheight 1\nwidth 2\nmap\n.\xff\n")
    with pytest.raises(Unusable, match=r"mend bytes\.map: line 5: unknown character"):
        read_task(tmp_path / "bytes.map", write_scenario(tmp_path), 1)
    with pytest.raises(Unusable, match="choose another --map"):
        read_task(tmp_path / "none.map", write_scenario(tmp_path), 1)
    with pytest.raises(Unusable, match="choose another --scen"):
        read_task(write_map(tmp_path), tmp_path, 1)
