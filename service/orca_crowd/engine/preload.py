"""Imported once by the server of forks, so that every worker begins with all kernels compiled.

An ImportError in a preloaded module is swallowed by CPython; a worker therefore says for itself whether it is warm.
"""

from orca_core.warmup import compile_all

compile_all()
