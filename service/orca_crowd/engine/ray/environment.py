"""What Ray reads from the environment, set before it is imported.

- It reports to nobody: usage statistics are off, and nothing of it needs the internet.
- It keeps a token for its own calls in the home folder, if it is to use one: a user without a home, as under an
  arbitrary uid in a container, gets a home that exists; the token itself is then given as RAY_AUTH_TOKEN.
- A process that has lost the head of the cluster ends itself after a minute: a front end says that it is not ready and
  goes on, since the streams that it relays do not pass the head.

And what Ray does to its workers: they run at niceness 15, for work that nobody waits for.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["NICENESS", "RAY_VARIABLES", "at_usual_priority", "prepare_environment"]

# by which the operator tells Ray how nice its workers are
NICENESS: Final = "RAY_worker_niceness"

# each unless the operator has said otherwise
RAY_VARIABLES: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "1000000",
    # one line instead of a page when a process of a world dies
    "RAY_DEDUP_LOGS": "1",
    # our processes hold no device, and Ray would hide all of them with a warning
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def prepare_environment(environment: MutableMapping[str, str] | None = None) -> None:
    """Set what is not set; nothing happens the second time."""
    found = os.environ if environment is None else environment
    for name, value in RAY_VARIABLES.items():
        found.setdefault(name, value)
    home = found.get("HOME")
    if not home or not os.access(home, os.W_OK | os.X_OK):
        folder = Path(tempfile.gettempdir()) / f"orca-crowd-ray-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found["HOME"] = str(folder)


def at_usual_priority() -> None:
    """Be as nice as any other server, where the operator has not said otherwise and this user may.

    Beside anything else that computes, a process of niceness 15 gets a thirtieth of a core: its steps would be late.
    Without the right to it (root, CAP_SYS_NICE) nothing happens; the operator then tells Ray, see docs/cluster.md.
    """
    if NICENESS in os.environ:
        return
    with suppress(OSError):
        # the call is for one thread, and Ray has started some already
        for task in Path("/proc/self/task").iterdir():
            os.setpriority(os.PRIO_PROCESS, int(task.name), 0)
