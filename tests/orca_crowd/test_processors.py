"""Workers are as many as the quota allows, whichever version of control groups says it, and never none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orca_crowd import processors
from orca_crowd.processors import available_processors
from tests.support.imports import ROOT

HOST = 16


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host of sixteen processors, all of which the affinity allows."""
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(processors.os, "sched_getaffinity", lambda _: set(range(HOST)))
    else:
        monkeypatch.setattr(processors.os, "cpu_count", lambda: HOST)


def tree(root: Path, files: dict[str, str]) -> Path:
    """Lay out files as /proc and /sys have them."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")
    return root


@pytest.mark.parametrize(
    ("files", "count"),
    [
        # nothing says anything
        ({}, HOST),
        ({"sys/fs/cgroup/cpu.max": "max 100000"}, HOST),
        ({"sys/fs/cgroup/cpu.max": "nonsense"}, HOST),
        # a container with a namespace of its own
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "200000 100000"}, 2),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "250000 100000"}, 2),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
        # more than the host has
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "6400000 100000"}, HOST),
        # a service of the host: the tightest of the groups above counts
        (
            {
                "proc/self/cgroup": "0::/games.slice/crowd.service",
                "sys/fs/cgroup/games.slice/cpu.max": "300000 100000",
                "sys/fs/cgroup/games.slice/crowd.service/cpu.max": "500000 100000",
            },
            3,
        ),
        # the group is outside of what the namespace shows
        ({"proc/self/cgroup": "0::/../../pod1", "sys/fs/cgroup/cpu.max": "400000 100000"}, 4),
        # the first version
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/docker/1a\n1:name=systemd:/docker/1a",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "50000",
            },
            3,
        ),
        (
            {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
            HOST,
        ),
    ],
)
def test_the_quota_counts(files: dict[str, str], count: int, tmp_path: Path) -> None:
    assert available_processors(tree(tmp_path, files)) == count


@pytest.mark.skipif(os.name != "posix" or not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_real_control_group() -> None:
    top = Path("/sys/fs/cgroup")
    second = (top / "cgroup.controllers").exists()
    group = (top if second else top / "cpu") / f"orca-crowd-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("no control group can be made here")
    try:
        try:
            if second:
                (group / "cpu.max").write_text("100000 100000")
            else:
                (group / "cpu.cfs_period_us").write_text("100000")
                (group / "cpu.cfs_quota_us").write_text("100000")
        except OSError:
            pytest.skip("groups have no quota here")
        # as the command does it: the group first, then the server
        text = "import os; open(os.sys.argv[1], 'w').write(str(os.getpid())); "
        text += "from orca_crowd.settings import Settings; print(Settings().workers)"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "service")])}
        environment.pop("ORCA_CROWD_WORKERS", None)
        command = [sys.executable, "-c", text, str(group / "cgroup.procs")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"
    finally:
        group.rmdir()
