"""The check that a test leaves nothing behind finds each kind of leak, and nothing where there is none."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.shared_memory import SharedMemory

import pytest

from tests.support.imports import ROOT
from tests.support.leaks import Resources, leaked, leaked_in_loop


@contextmanager
def left_thread() -> Iterator[None]:
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="left over")
    thread.start()
    yield
    end.set()
    thread.join()


@contextmanager
def left_descriptor() -> Iterator[None]:
    reading, writing = os.pipe()
    yield
    os.close(reading)
    os.close(writing)


@contextmanager
def left_child() -> Iterator[None]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield
    child.communicate(b"\n")


@contextmanager
def left_segment() -> Iterator[None]:
    segment = SharedMemory(create=True, size=16)
    yield
    segment.close()
    segment.unlink()


@contextmanager
def left_variable() -> Iterator[None]:
    os.environ["LEFT_OVER"] = "1"
    yield
    del os.environ["LEFT_OVER"]


@contextmanager
def left_folder() -> Iterator[None]:
    before = os.getcwd()
    os.chdir("/")
    yield
    os.chdir(before)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="children and descriptors are read from /proc")
@pytest.mark.parametrize(
    ("leak", "named"),
    [
        (left_thread, "thread 'left over'"),
        (left_descriptor, "descriptor"),
        (left_child, "child process"),
        (left_segment, "shared memory psm_"),
        (left_variable, "another value of LEFT_OVER"),
        (left_folder, "another value of working folder"),
    ],
    ids=["thread", "descriptor", "child", "shared memory", "variable", "folder"],
)
def test_a_leak_is_found_while_it_lasts_and_not_after(leak: Callable[[], Iterator[None]], named: str) -> None:
    before = Resources.now()
    with leak():
        assert any(line.startswith(named) for line in leaked(before, grace=0.0))
    assert leaked(before) == []


async def test_a_task_that_nobody_awaits_is_found() -> None:
    before, tasks = Resources.now(), frozenset(asyncio.all_tasks())
    left = asyncio.create_task(asyncio.Event().wait(), name="left over")
    assert any("left over" in line for line in await leaked_in_loop(before, tasks, grace=0.0))
    left.cancel()
    assert await leaked_in_loop(before, tasks) == []


async def test_what_closes_in_the_next_round_of_the_loop_is_no_leak() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await reader.read() == b""
    writer.close()
    server.close()


# a process that starts another and ends, as a killed server does; the other runs on for so many seconds
PARENT = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep({})'])"


@pytest.mark.skipif(sys.platform != "linux", reason="nobody else takes in the children of others")
@pytest.mark.parametrize(("seconds", "code"), [(60, 1), (0.1, 0)], ids=["left running", "just ending"])
def test_who_outlives_a_parent_is_found_when_everything_has_ended(seconds: float, code: int) -> None:
    command = [sys.executable, "-m", "tests.support.family", sys.executable, "-c", PARENT.format(seconds)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == code
    left = ended.stderr.splitlines()
    assert len(left) == code
    for line in left:
        assert "time.sleep(60)" in line
        assert "test_who_outlives_a_parent" in line
        pid = int(line.removeprefix("left running: ").split()[0])
        assert not os.path.exists(f"/proc/{pid}")


def test_a_command_that_fails_fails() -> None:
    command = [sys.executable, "-m", "tests.support.family", sys.executable, "-c", "raise SystemExit(3)"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 3
