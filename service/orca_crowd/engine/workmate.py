"""A worker process as its parent sees it: given orders, watched, and ended."""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import send_handle
from typing import Any

from orca_core.statics import Statics
from orca_crowd.engine.memory import Block

__all__ = ["Hung", "Layout", "Lost", "Workmate"]

END_SECONDS = 2.0
LARGEST_READ = 1 << 16
HEADER = struct.Struct("!i")


class Lost(Exception):
    """A worker died or hung while it computed."""


class Hung(Lost):
    """A worker lives and did not answer in time."""


@dataclass(frozen=True)
class Layout:
    """Where a worker believes the arrays of a world to stand: the generations of its tables, and their blocks."""

    generation: tuple[int, int]
    blocks: frozenset[int]


class Workmate:
    """One process, its pipe, and what it has been told of blocks and worlds."""

    def __init__(self, process: BaseProcess, pipe: Connection, deadline: float) -> None:
        """A process that has just been started; no write to its pipe waits longer than `deadline` seconds."""
        self.process = process
        self.pid: int = process.pid or 0
        self.pipe = pipe
        # whether there is an order whose answer has not come
        self.awaited = False
        self.blocks: set[int] = set()
        self.layouts: dict[int, Layout] = {}
        self.statics: dict[int, Statics] = {}
        # how far it has heard of what is no more
        self.heard: object = None
        self._descriptor = _process_descriptor(self.pid)
        self._watch = select.poll() if hasattr(select, "poll") else None
        if self._watch is not None:
            for descriptor in (pipe.fileno(), self._sentinel):
                self._watch.register(descriptor, select.POLLIN)
        _bound(pipe, deadline)

    def tell(self, *order: Any) -> None:
        """Give an order; raises Lost where nobody is there to take it, or does not take it in time."""
        try:
            # plain pickle: orders hold nothing that needs multiprocessing's own, which is written in Python
            self.pipe.send_bytes(pickle.dumps(order, pickle.HIGHEST_PROTOCOL))
        except (OSError, ValueError) as error:
            raise Lost(f"worker {self.pid} took no order: {error}") from error

    def ask(self, *order: Any) -> None:
        """Give an order that will be answered."""
        self.awaited = True
        self.tell(*order)

    def show(self, block: Block) -> None:
        """Hand over the descriptor of a block of memory."""
        self.tell("block", block.number, block.size)
        try:
            send_handle(self.pipe, block.descriptor, self.pid)
        except OSError as error:
            raise Lost(f"worker {self.pid} took no memory: {error}") from error
        self.blocks.add(block.number)

    def answer(self, deadline: float) -> tuple[str, Any]:
        """Its answer; raises Lost where it dies first or takes longer than `deadline` seconds."""
        spoken, ready = self._listen(deadline)
        if spoken:
            try:
                answer: tuple[str, Any] = self._receive()
            except (EOFError, OSError) as error:
                raise Lost(f"worker {self.pid} died") from error
            self.awaited = False
            return answer
        if ready:
            raise Lost(f"worker {self.pid} died")
        raise Hung(f"worker {self.pid} did not answer for {deadline:g} s")

    def _receive(self) -> Any:
        """Read an answer, in one call of the system where it came whole; there is never more than one.

        The length of what follows stands before it, four bytes and big-endian, as `Connection` writes it.
        """
        if self._watch is None:
            return self.pipe.recv()
        descriptor = self.pipe.fileno()
        read = os.read(descriptor, LARGEST_READ)
        while len(read) < HEADER.size or len(read) < HEADER.size + HEADER.unpack_from(read)[0]:
            more = os.read(descriptor, LARGEST_READ)
            if not more or not read:
                raise EOFError("the pipe ends in the middle of an answer")
            read += more
        return pickle.loads(memoryview(read)[HEADER.size :])

    def _listen(self, seconds: float) -> tuple[bool, bool]:
        """Wait so long; whether its pipe has something to read, and whether that or its end came at all.

        `multiprocessing.connection.wait` makes a selector each time, which costs more than the rest of an answer.
        """
        if self._watch is None:
            ready = wait([self.pipe, self._sentinel], seconds)
            return self.pipe in ready, bool(ready)
        told = self._watch.poll(seconds * 1e3)
        return any(descriptor == self.pipe.fileno() for descriptor, _ in told), bool(told)

    @property
    def _sentinel(self) -> int:
        """What can be read when the process is dead.

        multiprocessing's own sentinel speaks also when it was the server of forks that died.
        """
        return self.process.sentinel if self._descriptor is None else self._descriptor

    def kill(self) -> None:
        """End it by force; whoever waits for its answer learns so."""
        with suppress(ProcessLookupError, ValueError, OSError):
            if self._descriptor is None:
                self.process.kill()
            else:
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)

    def end(self, kill: bool) -> None:
        """Let it end, or make it; afterwards nothing of it is left, and nothing writes to shared memory any more."""
        if not kill:
            try:
                self.pipe.send(("end",))
                kill = not wait([self._sentinel], END_SECONDS)
            except (OSError, ValueError):
                kill = True
        if kill:
            self.kill()
        wait([self._sentinel])
        # its status comes from the server of forks, which may be dead or stopped; the process is dead in any case
        self.process.join(END_SECONDS)
        with suppress(ValueError):
            self.process.close()
        self.pipe.close()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _process_descriptor(pid: int) -> int | None:
    """A descriptor of a process, which no other process can be taken for; None where the system has none."""
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:
        return None


def _bound(pipe: Connection, seconds: float) -> None:
    """Let no single write or read of a pipe take longer: a worker that hangs takes no orders either.

    The pipe is a pair of sockets, except on Windows, where writes are not bounded.
    """
    if sys.platform == "win32":  # pragma: no cover
        return
    whole = int(seconds)
    length = struct.pack("ll", whole, max(int((seconds - whole) * 1e6), 0 if whole else 1))
    with socket.socket(fileno=os.dup(pipe.fileno())) as end:
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            end.setsockopt(socket.SOL_SOCKET, option, length)
