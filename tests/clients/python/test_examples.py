"""The examples run as they are, against a real server."""

from __future__ import annotations

import re
import subprocess
import sys
import time

from orca_crowd_client import Client
from tests.support.imports import ROOT
from tests.support.live_server import child_environment

EXAMPLES = ROOT / "clients" / "python" / "examples"


def command(name: str, *arguments: str) -> list[str]:
    """How a user runs an example."""
    return [sys.executable, str(EXAMPLES / name), *arguments]


def test_the_game_loop(server: str, client: Client) -> None:
    done = subprocess.run(
        command("game_loop.py", server),
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"200 steps of 100 agents, \d+\.\d\d ms each\n", done.stdout)
    assert client.worlds() == []


def test_the_watcher(server: str, client: Client) -> None:
    world = client.create_world(id="plaza", time_step=0.5)
    world.add_agents(position=[(0, 0), (-8, 0)], goal=[(0, 0), (8, 0)], radius=0.2)
    process = subprocess.Popen(
        command("watcher.py", server, "plaza"), env=child_environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "step 0: 1 in the middle, [] came, [] went\n"
        for _ in range(30):
            world.step()
            # slowly, so that the frames of those steps are not replaced by newer ones
            time.sleep(0.01)
        world.delete()
        said = process.stdout.read()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    # it walks past the one who stands, and is told when it has arrived
    assert re.search(r"step \d+: 2 in the middle, \[1\] came, \[\] went", said)
    assert re.search(r"step \d+: 1 in the middle, \[\] came, \[1\] went", said)
    assert re.search(r"step \d+: arrived \[1\]", said)
    assert "world gone" in said
