"""What the garbage collector leaves alone in a process that is this server's own; no application inside another may."""

from __future__ import annotations

import gc

__all__ = ["keep_what_is_loaded"]


def keep_what_is_loaded(*, collect: bool = True) -> None:
    """Have the garbage collector leave alone what is there for good: modules, models, compiled kernels.

    They are hundreds of thousands of objects. Going through all of them takes a tenth of a second and more, in which no
    thread of this process does anything, and a server with two hundred worlds did so every few seconds. `collect` goes
    through them a last time, so that no garbage is kept; somebody may be waiting who has no time for that.
    """
    if collect:
        gc.collect()
    gc.freeze()
