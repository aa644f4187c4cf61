"""SUMO: persons on sidewalks behind its socket, TraCI; a whole tick of a networked simulation, as a game server has it.

Another model on other ground, so a ratio says what a tick over the wire costs and not what a step is worth. Positions
come by subscription, its quicker way, and a speed is set for each person, since there is no call for many. Each call of
TraCI waits for its answer, which is quickest when both ends are kept on one core, so that is measured too.
"""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orca_crowd.bench.machine import one_core

__all__ = ["SumoPeer", "SumoTicks"]

SEED = 1
TIME_STEP = 0.1
# a grid of streets with sidewalks, m; a walk leads through so many of them that nobody arrives while it is measured
STREETS, LENGTH, SIDEWALK = 8, 60.0, 4.0
WALK_EDGES = 40
# metres a second
SPEED = 1.3
# steps until everybody has been put on the ground
SETTLE = 20
QUIET = ["--xml-validation", "never", "--no-warnings", "true"]


class SumoPeer:
    """The simulator, if it is there."""

    name = "sumo"

    def missing(self) -> str | None:
        """Why it cannot be measured here, None where it can."""
        try:
            for module in ("sumo", "traci", "sumolib"):
                importlib.import_module(module)
        except ImportError:
            return (
                "SUMO is not installed and left out. `make bench` installs it; by hand: pip install --no-deps "
                "eclipse-sumo==1.28.0 traci==1.28.0 sumolib==1.28.0."
            )
        return None

    @contextmanager
    def persons(self, count: int) -> Iterator[SumoTicks]:
        """A simulation in which so many persons walk; ended with the block. Raises RuntimeError with SUMO's words."""
        traci = importlib.import_module("traci")
        programs = Path(importlib.import_module("sumo").SUMO_HOME) / "bin"
        with tempfile.TemporaryDirectory(prefix="orca-crowd-sumo-") as folder:
            network, walks = Path(folder, "net.xml"), Path(folder, "walks.xml")
            self._network(programs / "netgenerate", network)
            walks.write_text(self._walks(network, count), encoding="utf-8")
            files = ["-n", str(network), "-r", str(walks)]
            command = [str(programs / "sumo"), *files, "--step-length", str(TIME_STEP), "--seed", str(SEED), *QUIET]
            # TraCI prints while it waits
            with redirect_stdout(StringIO()):
                traci.start([*command, "--no-step-log", "true"], label=folder, stdout=subprocess.DEVNULL)
            connection = traci.getConnection(folder)
            try:
                yield SumoTicks(connection, count)
            finally:
                connection.close()

    @staticmethod
    def _network(program: Path, file: Path) -> None:
        shape = ["--grid", "--grid.number", str(STREETS), "--grid.length", str(LENGTH)]
        sidewalks = ["--sidewalks.guess", "--sidewalks.guess.min-speed", "0", "--crossings.guess"]
        command = [str(program), *shape, *sidewalks, "--default.sidewalk-width", str(SIDEWALK), "-o", str(file), *QUIET]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            raise RuntimeError(f"netgenerate failed: {made.stderr.strip()}")

    @staticmethod
    def _walks(network: Path, count: int) -> str:
        """A long walk for each person, from street to street as chance has it."""
        net = importlib.import_module("sumolib").net.readNet(str(network))
        chance = random.Random(SEED)
        edges = [edge for edge in net.getEdges() if not edge.getFunction()]
        lines = []
        for number in range(count):
            walk = [chance.choice(edges)]
            while len(walk) < WALK_EDGES:
                walk.append(chance.choice([edge for edge in walk[-1].getOutgoing() if edge in edges]))
            begin = chance.uniform(0.0, LENGTH / 2.0)
            names = " ".join(edge.getID() for edge in walk)
            lines.append(f'<person id="{number}" depart="0" departPos="{begin:.2f}"><walk edges="{names}"/></person>')
        return "<routes>\n" + "\n".join(lines) + "\n</routes>\n"


class SumoTicks:
    """Ticks of one simulation, each in seconds on the wall."""

    def __init__(self, connection: Any, count: int) -> None:
        """Let everybody come onto the ground, and ask for all positions with every step from now on."""
        self._connection = connection
        self._person = connection.person
        self._position = importlib.import_module("traci").constants.VAR_POSITION
        for _ in range(SETTLE):
            connection.simulationStep()
        self._ids = list(self._person.getIDList())
        if len(self._ids) != count:
            raise RuntimeError(f"SUMO has {len(self._ids)} persons and not {count}")
        for identifier in self._ids:
            self._person.subscribe(identifier, [self._position])

    def watch(self) -> float:
        """A step, and all positions by subscription."""
        return self._timed(self._step)

    def steer(self) -> float:
        """A speed for each person, a step, and all positions by subscription."""

        def tick() -> None:
            for identifier in self._ids:
                self._person.setSpeed(identifier, SPEED)
            self._step()

        return self._timed(tick)

    def positions(self) -> NDArray[np.float64]:
        """Where the persons are (n, 2), as of the last step."""
        found = self._person.getAllSubscriptionResults()
        return np.array([found[identifier][self._position] for identifier in self._ids], dtype=np.float64)

    @contextmanager
    def on_one_core(self) -> Iterator[None]:
        """Keep both ends of the socket on one core for the block, where the system can."""
        with one_core() as core:
            process = self._connection._process.pid
            if core is None:
                yield
                return
            before = os.sched_getaffinity(process)
            os.sched_setaffinity(process, {core})
            try:
                yield
            finally:
                os.sched_setaffinity(process, before)

    def _step(self) -> None:
        self._connection.simulationStep()
        found = self._person.getAllSubscriptionResults()
        if len(found) != len(self._ids):
            raise RuntimeError(f"SUMO told the positions of {len(found)} persons and not of {len(self._ids)}")

    @staticmethod
    def _timed(tick: Callable[[], None]) -> float:
        begin = time.perf_counter()
        tick()
        return time.perf_counter() - begin
