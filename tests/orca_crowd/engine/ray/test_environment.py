"""What Ray is told before it is imported: a user without a home, and nothing that speaks to anybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from orca_crowd.engine.ray.environment import RAY_VARIABLES, prepare_environment
from orca_crowd.engine.ray.names import actor_name, home_of_actor, other_place
from tests.support.live_server import child_environment


def test_what_is_missing_is_set(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    prepare_environment(environment)
    assert {name: environment[name] for name in RAY_VARIABLES} == RAY_VARIABLES
    assert Path(environment["HOME"]).is_dir()
    own = {"HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "1", "RAY_AUTH_TOKEN": "t"}
    given = dict(own)
    prepare_environment(given)
    assert given.items() >= own.items()
    unusable = {"HOME": "/nonexistent"}
    prepare_environment(unusable)
    assert unusable["HOME"] == environment["HOME"]


def test_a_process_is_as_nice_as_others_unless_the_operator_says_how_nice() -> None:
    code = """
import os, threading
from orca_crowd.engine.ray.environment import at_usual_priority
os.nice(5)
gate = threading.Event()
threading.Thread(target=gate.wait).start()
at_usual_priority()
print(*{os.getpriority(os.PRIO_PROCESS, int(task)) for task in os.listdir("/proc/self/task")})
gate.set()
"""

    def nice(**more: str) -> str:
        environment = {**child_environment(), **more}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    begun = os.getpriority(os.PRIO_PROCESS, 0)
    assert nice(RAY_worker_niceness="5") == str(begun + 5)
    # who may not is left as it is
    assert nice() == ("0" if os.getuid() == 0 else str(begun + 5))


def test_names_say_which_world_it_is() -> None:
    for place in ("a", "b"):
        assert home_of_actor(actor_name("w.1", place)) == "w.1"
        assert other_place(other_place(place)) == place != other_place(place)
