"""What happens to the server: its workers die, it dies itself, the disk takes no more."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.chaos.caller import Meeting
from tests.support.mortal_server import MortalServer

__all__ = ["Havoc", "Held", "small_disk", "survivors"]

# who was left without a parent has so long to notice
ORPHAN_SECONDS = 5.0
DISK_MEGABYTES = 96
# how long a disk stays full
FULL_SECONDS = 2.0


@dataclass(frozen=True)
class Held:
    """What a server and its workers hold: bytes of memory, threads, descriptors."""

    memory: int
    threads: int
    descriptors: int

    @classmethod
    def by(cls, process: int) -> Held:
        """Of a server that runs."""
        server = psutil.Process(process)
        everybody = [server, *server.children(recursive=True)]
        return cls(
            # what is shared counts for each who has it, in the first server as in the last
            memory=sum(each.memory_info().rss for each in everybody),
            threads=server.num_threads(),
            descriptors=server.num_fds(),
        )


def family(process: int) -> list[psutil.Process]:
    """Everybody whom a server has started, and whom they have."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process).children(recursive=True)
    return []


def survivors(people: list[psutil.Process]) -> list[psutil.Process]:
    """Who of them still lives after the time to notice; one that nobody has waited for is dead."""
    deadline = time.monotonic() + ORPHAN_SECONDS
    while True:
        alive = [each for each in people if _alive(each)]
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.05)


def _alive(process: psutil.Process) -> bool:
    # is_running compares the time of birth too, so that a number that was given anew is not mistaken
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """The folder as a small file system of its own; False where that cannot be had, which takes root."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Havoc:
    """Does it to one server, at moments that come from a seed."""

    def __init__(
        self, server: MortalServer, meeting: Meeting, seed: int, *, small: bool, settings: dict[str, str]
    ) -> None:
        """`small`: the disk can be filled."""
        self._server, self._meeting, self._small = server, meeting, small
        self._settings = settings
        self._random = random.Random(seed)

    def during(self, seconds: float, *, server_every: float, worker_every: float, fills: int) -> None:
        """Go on for so long; the disk fills up at equal distances."""
        begin = time.monotonic()
        # the first while the server is as young as its files
        filling = [seconds * (number + 0.2) / fills for number in range(fills)] if self._small else []
        next_server, next_worker = self._after(server_every), self._after(worker_every)
        while not self._meeting.over.wait(0.02) and (now := time.monotonic() - begin) < seconds:
            if filling and now >= filling[0]:
                filling.pop(0)
                self.fill_the_disk(killing=len(filling) % 2 == 0)
            elif now >= next_worker:
                self.kill_a_worker()
                next_worker = time.monotonic() - begin + self._after(worker_every)
            elif now >= next_server:
                self.kill_the_server()
                next_server = time.monotonic() - begin + self._after(server_every)
        # on a busy machine a server takes so long to start that the time for it went by
        while filling and not self._meeting.over.is_set():
            filling.pop(0)
            self.fill_the_disk(killing=len(filling) % 2 == 0)

    def _after(self, mean: float) -> float:
        return self._random.uniform(0.4, 1.6) * mean

    def kill_a_worker(self) -> None:
        """SIGKILL to one of those who compute: children of the server of forks, not of the server."""
        own = self._server.process.pid
        workers = []
        for each in family(own):
            with suppress(psutil.NoSuchProcess):
                if each.ppid() != own:
                    workers.append(each)
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(workers).pid, signal.SIGKILL)
                self._meeting.count("workers killed")

    def kill_the_server(self) -> None:
        """SIGKILL, a look at who is left, and another server on the same folder."""
        people = family(self._server.process.pid)
        self._server.kill()
        self._meeting.count("servers killed")
        self._read_log()
        for each in survivors(people):
            self._meeting.fault(f"process {each} outlived the server")
        self._server.start(**self._settings)

    def fill_the_disk(self, *, killing: bool) -> None:
        """To the last page, for a moment; `killing`: the server has to come back while the disk is full."""
        ballast = self._server.data / "ballast"
        with ballast.open("wb", buffering=0) as file:
            for piece in (bytes(65_536), bytes(4096)):
                with suppress(OSError):
                    while file.write(piece) == len(piece):
                        pass
        self._meeting.count("disks filled")
        self._meeting.over.wait(FULL_SECONDS)
        if killing:
            self.kill_the_server()
            self._meeting.over.wait(FULL_SECONDS)
        ballast.unlink()

    def _read_log(self) -> None:
        """An error that nobody caught is a fault, whatever came of it."""
        if "Traceback" in self._server.log:
            self._meeting.fault(f"the server has said: {self._server.log[-3000:]}")
