"""Imported once by the server of forks, so that every worker begins with all kernels compiled.

An ImportError in a preloaded module is swallowed by CPython; a worker therefore says for itself whether it is warm.
"""

import io
from contextlib import redirect_stderr

# what is to be said of the kernel cache the server says itself, once
with redirect_stderr(io.StringIO()):
    from orca_core.warmup import compile_all

    compile_all()
