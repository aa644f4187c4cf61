"""The lane: long computations that a few tests ask for, one after the other, beside all other tests.

Most tests keep one core busy. What compiles every kernel afresh, in settings of its own, runs on another meanwhile, in
one process after the other, so that no more than that is taken from the others; the tests that ask for the outcome
stand at the end of a run (`tests/conftest.py`) and find it there.

As a program, `python -m tests.support.lane FOLDER JOB...`, it runs these jobs and writes what each came to.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["JOBS", "Job", "Lane", "Outcome"]

ROOT = Path(__file__).resolve().parents[2]
POLL_SECONDS = 0.05

CORE = "tests/orca_core"
KERNELS = (f"{CORE}/kernels", f"{CORE}/test_step.py", f"{CORE}/test_vectors.py")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclass(frozen=True)
class Job:
    """A program of this interpreter: its arguments, what its environment has beside ours, and the file of its tests."""

    arguments: tuple[str, ...]
    file: str
    environment: Mapping[str, str] = field(default_factory=dict)


MODES = f"{CORE}/test_modes.py"
MACHINE_CODE = "tests/architecture/test_machine_code.py"

# by name, in the order in which they are asked for; whole scenes and hashes have a matrix of their own
JOBS: dict[str, Job] = {
    "--this": Job(("-m", "tests.support.machine_code", "--this"), MACHINE_CODE),
    "--others": Job(("-m", "tests.support.machine_code", "--others"), MACHINE_CODE),
    "interpreted": Job((*PYTEST, *KERNELS), MODES, {"NUMBA_DISABLE_JIT": "1", "CI": "1"}),
    "bounds checked": Job(
        (*PYTEST, *KERNELS, f"{CORE}/test_columns.py", f"{CORE}/mendings", f"{CORE}/world"),
        MODES,
        {"NUMBA_BOUNDSCHECK": "1", "CI": "1"},
    ),
}


@dataclass(frozen=True)
class Outcome:
    """How a job ended, and what it said."""

    code: int
    said: str
    complained: str


class Lane:
    """The process that runs the jobs; without jobs there is none."""

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        """Begin with them, in this order."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        names = list(names)
        if names:
            command = [sys.executable, "-m", "tests.support.lane", str(folder), *names]
            # a group of its own, to be ended whole
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True)

    def outcome(self, name: str) -> Outcome:
        """What a job came to, once it has ended."""
        file = self._folder / name
        while not file.exists():
            assert self._process is not None, f"{name} is not among the jobs"
            ended = self._process.poll()
            assert ended is None or file.exists(), f"the lane ended with {ended} before {name}"
            time.sleep(POLL_SECONDS)
        return Outcome(**json.loads(file.read_text()))

    def close(self) -> None:
        """End it, with whatever it still runs."""
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def main(folder: Path, names: list[str]) -> None:
    """Run the jobs, one after the other, as long as whoever asked for them is there."""
    parent = os.getppid()
    for name in names:
        if os.getppid() != parent:
            return
        job = JOBS[name]
        done = subprocess.run(
            [sys.executable, *job.arguments],
            cwd=ROOT, env={**os.environ, **job.environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        written = folder / f".{name}"
        written.write_text(json.dumps({"code": done.returncode, "said": done.stdout, "complained": done.stderr}))
        written.replace(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
