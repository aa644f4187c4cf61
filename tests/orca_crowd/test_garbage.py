"""The garbage collector goes through what is loaded once at the most."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.live_server import child_environment


@pytest.mark.parametrize("collect", [True, False])
def test_what_is_loaded_is_not_gone_through_again(collect: bool) -> None:
    code = (
        "import gc, orca_crowd.app\n"
        "from orca_crowd.garbage import keep_what_is_loaded\n"
        "runs = [each['collections'] for each in gc.get_stats()]; gc.disable()\n"
        f"before = len(gc.get_objects()); keep_what_is_loaded(collect={collect})\n"
        "print(before > 20_000, len(gc.get_objects()) < 1000)\n"
        "print(sum(each['collections'] for each in gc.get_stats()) - sum(runs))"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "True", str(int(collect))]
