"""Where a command that computes here keeps compiled kernels, unless somebody said where: in the user's own cache.

Compiling takes a minute, and a command is called again and again. The folder is one for each version of the sources, so
what is in it never goes stale; a server is told by its setting instead.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["use_kernel_cache"]

VARIABLE = "ORCA_CROWD_KERNEL_CACHE"


def use_kernel_cache() -> None:
    """Name the folder in the environment, which the compiler's module reads when it is first imported.

    A variable that is set stays, an empty one too, which means none; so does it where the folder cannot be had.
    """
    if VARIABLE in os.environ:
        return
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(base) if base and Path(base).is_absolute() else Path("~/.cache").expanduser()
        folder = home / "orca-crowd" / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # a user without a home, or one that may not write there
        return
    os.environ[VARIABLE] = str(folder)
