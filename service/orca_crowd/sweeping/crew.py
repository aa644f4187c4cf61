"""Crew: workers, each a process with a thread here that hands it one run after another.

A worker that dies takes its run with it, which counts as failed, and another takes its place. Workers are in sessions
of their own, so that Ctrl+C reaches the sweep alone; when that is gone, they end by themselves.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from types import TracebackType
from typing import Any

from orca_core._jit import CACHE_VARIABLE
from orca_core.cooperative.config import Config
from orca_crowd.sweeping.folder import Folder
from orca_crowd.sweeping.job import Job

__all__ = ["Crew", "Made"]

COMMAND = (sys.executable, "-m", "orca_crowd.sweeping.worker")


@dataclass(frozen=True)
class Made:
    """What happened to a run: `answer` is None when it begins, and then what its worker said."""

    seat: int
    job: Job
    answer: dict[str, Any] | None


class _Dead(Exception):
    """The worker is gone."""


class _Worker:
    """One process."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Have a run made; _Dead where the worker did not live to say so."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            answer: dict[str, Any] = json.loads(line) if line else {}
        except (OSError, ValueError):
            answer = {}
        if not answer:
            raise _Dead(f"the worker ended with {self._process.wait()} in the middle of it")
        return answer

    def kill(self) -> None:
        """Take it away in the middle of whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """Let it go: without orders it ends by itself."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        self._process.wait()


class Crew:
    """Runs made side by side; `made` tells of each as it comes."""

    def __init__(self, folder: Folder, config: Config, jobs: Sequence[Job], size: int) -> None:
        """Begin; every worker compiles once, and where no folder for that is named, into the folder of the sweep."""
        self._folder, self._config = folder, config
        self._environment = {CACHE_VARIABLE: str(folder.path / "kernel-cache"), **os.environ}
        self._left: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for job in jobs:
            self._left.put(job)
        self._news: queue.SimpleQueue[Made] = queue.SimpleQueue()
        self._count = len(jobs)
        self._workers: dict[int, _Worker] = {}
        self._lock = threading.Lock()
        self._over = False
        seats = range(min(size, len(jobs)))
        self._threads = [threading.Thread(target=self._serve, args=(seat,), daemon=True) for seat in seats]
        for thread in self._threads:
            thread.start()

    def made(self) -> Iterator[Made]:
        """Each run as it begins and as it is over, until all are."""
        over = 0
        while over < self._count:
            news = self._news.get()
            over += news.answer is not None
            yield news

    def __enter__(self) -> Crew:
        """Already at work."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let everybody go; whoever is in the middle of a run is killed."""
        with self._lock:
            self._over = True
            for worker in self._workers.values():
                worker.kill()
        for thread in self._threads:
            thread.join()

    def _serve(self, seat: int) -> None:
        """One seat of the crew: a worker after the other if need be."""
        while (worker := self._seat(seat)) is not None:
            try:
                while (job := self._next()) is not None:
                    self._make(seat, worker, job)
                    if self._over:
                        return
                return
            except _Dead:
                # its run is told of already; the next worker goes on with the next run
                continue
            finally:
                with self._lock:
                    self._workers.pop(seat, None)
                    if self._over:
                        worker.kill()
                worker.end()

    def _seat(self, seat: int) -> _Worker | None:
        """A new worker, unless all is over."""
        with self._lock:
            if self._over:
                return None
            self._workers[seat] = _Worker(self._environment)
            return self._workers[seat]

    def _next(self) -> Job | None:
        with suppress(queue.Empty):
            return self._left.get_nowait()
        return None

    def _make(self, seat: int, worker: _Worker, job: Job) -> None:
        self._news.put(Made(seat, job, None))
        config = self._config if job.time_limit is None else replace(self._config, time_limit=job.time_limit)
        order = {
            "map": str(job.map_file),
            "scenario": str(job.scenario_file),
            "agents": job.agents,
            "variant": str(job.variant),
            "time_limit": job.time_limit,
            "config": asdict(config),
            "output": str(self._folder.row_file(job)),
        }
        try:
            self._folder.begin(job)
            answer = worker.ask(order)
        except _Dead as dead:
            if not self._over:
                self._tell(seat, job, {"refused": str(dead)})
            raise
        except OSError as error:
            answer = {"refused": str(error)}
        self._tell(seat, job, answer)

    def _tell(self, seat: int, job: Job, answer: dict[str, Any]) -> None:
        with suppress(OSError):
            if "refused" in answer:
                self._folder.fail(job, answer["refused"])
            else:
                self._folder.forget_failure(job)
        self._news.put(Made(seat, job, answer))
