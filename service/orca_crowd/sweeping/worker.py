"""Worker: a process that makes one run after another, as it is told line by line, and says when each is over.

`python -m orca_crowd.sweeping.worker` reads lines of JSON on stdin and answers each by a line on stdout. When stdin
ends, whoever gave the runs is gone, and the worker is too, in the middle of a run if need be: nothing is kept of that,
since a row has its name only when it is whole.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import IO, Any

from orca_core import warmup
from orca_core.cooperative.config import Config
from orca_core.cooperative.variants import Variant
from orca_crowd.clock import SystemClock
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.execution import Execution
from orca_crowd.solving.files_written import write_whole
from orca_crowd.solving.kept import Kept
from orca_crowd.solving.task import read_task

__all__ = ["main", "make"]


def make(order: dict[str, Any]) -> dict[str, Any]:
    """Make one run and keep it; how it ended."""
    map_file, scenario, output = Path(order["map"]), Path(order["scenario"]), Path(order["output"])
    config = Config.from_mapping(order["config"])
    variant = Variant(order["variant"])
    task = read_task(map_file, scenario, order["agents"])
    kept = Kept(variant, output, None, None, (map_file, scenario))
    with kept.opened() as files:
        outcome = Execution(task, config, variant, SystemClock()).run()
        kept.write(files, outcome)
        record = {
            "ended": outcome.ended,
            "steps": outcome.steps,
            "struck": None if outcome.struck is None else str(outcome.struck),
            "time_limit": order["time_limit"],
        }
        # before the row has its name, by which the run counts as over
        write_whole(output.with_suffix(".json"), json.dumps(record) + "\n")
    return {**record, "seconds": outcome.seconds.total}


def main(orders: IO[str], answers: IO[str]) -> None:
    """Make runs until the orders end."""
    waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    busy = threading.Event()

    def listen() -> None:
        for line in orders:
            waiting.put(line)
        # nobody is there who would hear of it
        if busy.is_set():
            os._exit(1)
        waiting.put(None)

    threading.Thread(target=listen, daemon=True).start()
    warmup.compile_all()
    while (line := waiting.get()) is not None:
        busy.set()
        try:
            answer = make(json.loads(line))
        except Unusable as error:
            answer = {"refused": str(error)}
        except Exception as error:  # one run that fails is no reason to lose the others
            answer = {"refused": f"{type(error).__name__}: {error}"}
        busy.clear()
        try:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
        except BrokenPipeError:
            # who wanted it is gone; what is left in the buffer is not tried again at exit
            os._exit(1)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
