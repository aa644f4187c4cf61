"""Ctrl+C while a command is still loading ends it like any other."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from orca_crowd.commands.interrupts import INTERRUPTED, ended_quietly

# the interrupt comes in the middle of what the command loads first
LOADING = """
import builtins, os, signal
load = builtins.__import__
def interrupted(name, *rest, **named):
    if name == "typer":
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *rest, **named)
builtins.__import__ = interrupted
from orca_crowd.__main__ import main
main()
"""
# while kernels are compiled the server of forks ends as well, and at once
COMPILING = """
import os, signal
import orca_core.warmup
orca_core.warmup.compile_all = lambda: os.kill(os.getpid(), signal.SIGINT)
import orca_crowd.engine.preload
print("goes on")
"""


def test_while_the_command_loads() -> None:
    ran = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (INTERRUPTED, "", "")


def test_while_the_server_of_forks_compiles() -> None:
    ran = subprocess.run([sys.executable, "-c", COMPILING], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")


def test_anything_else_goes_through() -> None:
    with pytest.raises(ZeroDivisionError), ended_quietly():
        raise ZeroDivisionError
    with pytest.raises(SystemExit) as left, ended_quietly():
        raise KeyboardInterrupt
    assert left.value.code == 130
