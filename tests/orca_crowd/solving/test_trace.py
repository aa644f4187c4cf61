"""Traces: the lines that others read, and what comes back of them, whole, thinned, cut off and damaged."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from orca_core.cooperative.runner import Record
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.trace import Trace
from orca_crowd.solving.trace_file import NOTHING, Traces, read_trace

SAMPLE = """\
# step 812  t=203.0000
id=36 pos=(30.36,32.11) v=(0.62,0.12)|s=0.63 pv=(0.00,0.00)|s=0.00 tgt=(30.20,32.08) state=DRIFT wp=(32.50,31.50) corridor=4 waitFor=41
id=41 pos=(22.47,19.41) v=(0.00,0.00)|s=0.00 pv=(0.00,0.00)|s=0.00 tgt=(22.50,19.50) state=MAPF wp=(22.50,15.50)
id=44 pos=(-1.00,19.41) v=(-0.10,0.00)|s=0.10 pv=(0.00,0.00)|s=0.00 tgt=(22.50,19.50) state=YIELD yieldTo=36
"""  # noqa: E501 - lines as they are


def record(agents: int, **changed: object) -> Record:
    """Agents on a row who stand and want nothing, but for what is changed."""
    zero = np.zeros((agents, 2))
    none = np.full(agents, -1)
    columns = {
        "step": 0, "time": 0.0, "position": np.stack([np.arange(agents) + 0.5, np.full(agents, 1.25)], 1),
        "preferred": zero, "velocity": zero, "target": zero, "waypoint": np.full((agents, 2), np.nan),
        "state": np.zeros(agents, np.uint8), "corridor": none, "wait_for": none, "yield_to": none,
    }  # fmt: skip
    return Record(**{**columns, **changed})  # type: ignore[arg-type]


def read(folder: Path, text: str, most: int = 1_000_000) -> Traces:
    file = folder / "run.log"
    file.write_bytes(text.encode())
    return read_trace(file, most, lambda done: None)


def blocks(count: int, agents: int = 2) -> str:
    output = io.StringIO()
    trace = Trace(output, 0.25)
    for step in range(count):
        trace.add(step, record(agents, velocity=np.full((agents, 2), 0.01 * step)))
    return output.getvalue()


def test_lines_are_as_others_read_them() -> None:
    output = io.StringIO()
    Trace(output, 0.25).add(
        812,
        record(
            3,
            position=np.array([[30.358, 32.109], [22.47, 19.41], [1.0, -0.001]]),
            velocity=np.array([[0.62, 0.12], [0.0, 0.0], [-0.004, 0.3]]),
            preferred=np.array([[0.0, 0.0], [0.0, 0.0], [0.6, 0.8]]),
            target=np.array([[30.2, 32.08], [22.5, 19.5], [9.0, 9.0]]),
            waypoint=np.array([[32.5, 31.5], [22.5, 15.5], [np.nan, np.nan]]),
            state=np.array([1, 2, 3], np.uint8),
            corridor=np.array([4, -1, -1]),
            wait_for=np.array([0, -1, -1]),
            yield_to=np.array([-1, -1, 1]),
        ),
    )
    assert output.getvalue() == (
        "# step 812  t=203.0000\n"
        "id=0 pos=(30.36,32.11) v=(0.62,0.12)|s=0.63 pv=(0.00,0.00)|s=0.00 tgt=(30.20,32.08) state=DRIFT "
        "wp=(32.50,31.50) corridor=4 waitFor=0\n"
        "id=1 pos=(22.47,19.41) v=(0.00,0.00)|s=0.00 pv=(0.00,0.00)|s=0.00 tgt=(22.50,19.50) state=MAPF "
        "wp=(22.50,15.50)\n"
        "id=2 pos=(1.00,0.00) v=(0.00,0.30)|s=0.30 pv=(0.60,0.80)|s=1.00 tgt=(9.00,9.00) state=YIELD yieldTo=1\n"
    )


def test_without_a_plan_there_are_no_waypoints() -> None:
    output = io.StringIO()
    Trace(output, 0.25).add(1, record(2, waypoint=np.ones((2, 2))), guided=False)
    assert output.getvalue().count("state=ORCA\n") == 2


def test_lines_of_others_are_read(tmp_path: Path) -> None:
    found = read(tmp_path, SAMPLE)
    assert (found.ids, found.steps, found.times, found.total, found.cut) == ([36, 41, 44], [812], [203.0], 1, False)
    values = {name: column[0].tolist() for name, column in found.columns.items()}
    none = NOTHING
    assert values == {
        "x": [3036, 2247, -100], "y": [3211, 1941, 1941], "vx": [62, 0, -10], "vy": [12, 0, 0], "px": [0, 0, 0],
        "py": [0, 0, 0], "tx": [3020, 2250, 2250], "ty": [3208, 1950, 1950], "state": [1, 2, 3],
        "wx": [3250, 2250, none], "wy": [3150, 1550, none], "corridor": [4, none, none],
        # others by their rows
        "waits": [1, none, none], "yields": [none, none, 0],
    }  # fmt: skip


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    found = read(tmp_path, blocks(5, 3))
    assert (found.ids, found.steps, found.times) == ([0, 1, 2], [0, 1, 2, 3, 4], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert found.columns["vx"].tolist() == [[k, k, k] for k in range(5)]
    assert found.columns["x"].tolist() == [[50, 150, 250]] * 5


def test_somebody_who_is_not_there_is_nobody(tmp_path: Path) -> None:
    found = read(tmp_path, SAMPLE.replace("waitFor=41", "waitFor=9"))
    assert found.columns["waits"].tolist() == [[NOTHING] * 3]


def test_too_much_is_thinned_from_end_to_end(tmp_path: Path) -> None:
    found = read(tmp_path, blocks(101), most=22)
    assert (found.steps, found.total) == ([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], 101)
    assert found.columns["vx"][:, 1].tolist() == found.steps
    assert read(tmp_path, blocks(101), most=1).steps == [0, 100]


@pytest.mark.parametrize("lost", [1, 40, 130, 182, 190, 199])
def test_the_end_of_a_run_that_was_killed_is_left_out(tmp_path: Path, lost: int) -> None:
    text = blocks(4)[:-lost]
    # of the last block something is left
    assert lost < len(blocks(4)) - len(blocks(3))
    found = read(tmp_path, text)
    assert (found.steps, found.total, found.cut) == ([0, 1, 2], 3, True)


def test_a_trace_of_half_a_block_is_damaged(tmp_path: Path) -> None:
    assert (read(tmp_path, blocks(3)).steps, read(tmp_path, blocks(3)).cut) == ([0, 1, 2], False)
    with pytest.raises(Unusable, match=r"mend run\.log: line 3: must be 'id="):
        read(tmp_path, blocks(1)[:-40])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the file is empty"),
        ("hello\n", 1, "must be '# step N  t=…', with which a trace begins"),
        ("# step x\n" + SAMPLE, 1, "must be '# step N  t=…'"),
        ("# step 1  t=0.2500\n", 1, "has no agents"),
        (SAMPLE.replace("state=MAPF", "state=LOST"), 3, "state must be one of ORCA, DRIFT, MAPF, YIELD"),
        (SAMPLE.replace("(22.47,19.41)", "(22.47,nan)"), 3, "must be 'id="),
        (SAMPLE.replace("yieldTo=36", "yieldTo=36 more=1"), 4, "must be 'id="),
        (SAMPLE + SAMPLE, 5, "step 812 comes after step 812"),
        (SAMPLE + SAMPLE.replace("812", "813").replace("id=41", "id=42"), 7, "must be those of the first block"),
        ("".join((SAMPLE, *SAMPLE.replace("812", "813").splitlines(True)[:3], SAMPLE.replace("812", "814"))), 8,
         "step 813 has 2 agents, the first block 3"),
    ],
)  # fmt: skip
def test_damage_is_named_with_file_and_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(Unusable) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"mend run.log: line {line}: ")
    assert words in str(caught.value)


def test_a_trace_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="choose a trace that can be read"):
        read_trace(tmp_path, 10, lambda done: None)
