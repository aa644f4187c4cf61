"""Where a command that computes here keeps compiled kernels, unless somebody said where: in the user's own cache.

Compiling takes a minute, and a command is called again and again. The folder is one for each version of the sources, so
what is in it never goes stale; a server is told by its setting instead.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

__all__ = ["use_kernel_cache"]

VARIABLE = "ORCA_CROWD_KERNEL_CACHE"


def use_kernel_cache() -> None:
    """Name the folder in the environment, which the compiler's module reads when it is first imported.

    A variable that is set stays, an empty one too, which means none. Who has no home, as under an arbitrary uid in a
    container, has a folder of his own among the temporary ones; where that cannot be had either there is none.
    """
    if VARIABLE in os.environ:
        return
    for found in (_in_the_cache_of_the_user, _among_the_temporary_folders):
        try:
            folder = found()
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):
            continue
        os.environ[VARIABLE] = str(folder)
        return


def _in_the_cache_of_the_user() -> Path:
    """RuntimeError without a home."""
    base = os.environ.get("XDG_CACHE_HOME")
    home = Path(base) if base and Path(base).is_absolute() else Path("~/.cache").expanduser()
    return home / "orca-crowd" / "kernels"


def _among_the_temporary_folders() -> Path:
    """One that nobody else can write to: what is in it is run. OSError where somebody else has made it."""
    own = Path(tempfile.gettempdir()) / f"orca-crowd-{os.getuid()}"
    own.mkdir(mode=0o700, exist_ok=True)
    told = own.lstat()
    if told.st_uid != os.getuid() or not stat.S_ISDIR(told.st_mode) or told.st_mode & 0o077:
        raise PermissionError(f"{own} is not this user's alone")
    return own / "kernels"
