"""Facts of the machine are plain and complete, and the core is given back."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from orca_crowd.bench.machine import STAT, busy_before, facts, one_core, package_version


def test_facts_name_what_a_figure_depends_on() -> None:
    found = json.loads(json.dumps(facts()))
    assert found["processor"]
    assert found["cores"] >= 1
    assert found["packages"]["numpy"] == np.__version__
    assert found["packages"]["numba"]
    assert found["python"].startswith("3.")
    assert found["system"]


def test_a_package_that_is_not_there_has_no_version() -> None:
    assert package_version("no-such-distribution-of-ours") is None


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no call for it")
def test_one_core_for_the_block_alone() -> None:
    before = os.sched_getaffinity(0)
    with one_core() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == before


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no call for it")
def test_the_other_cores_come_back_after_a_failure() -> None:
    before = os.sched_getaffinity(0)

    def fail() -> None:
        with one_core():
            raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        fail()
    assert os.sched_getaffinity(0) == before


def test_a_system_without_the_call_is_told_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with one_core() as core:
        assert core is None


@pytest.mark.skipif(not STAT.exists(), reason="only Linux tells")
def test_the_work_of_others_is_seen() -> None:
    code = "print(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        found = facts()
        other.kill()
    assert found["others"] > 0.2
    (line,) = busy_before(found)
    assert "others used" in line


@pytest.mark.parametrize("others", [None, 0.0, 0.2])
def test_a_quiet_machine_is_not_remarked(others: float | None) -> None:
    assert busy_before({"others": others, "cores": 2}) == []
