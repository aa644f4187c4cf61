"""What the server arranges for its own process, and no application inside another may: descriptors."""

from __future__ import annotations

import logging
import sys

__all__ = ["raise_descriptor_limit"]

log = logging.getLogger("orca_crowd")

# what the process needs beside worlds and sockets: files, pipes and processes of the engine, the loop itself
OWN_DESCRIPTORS = 128


def raise_descriptor_limit(needed: int) -> int | None:
    """Raise the soft limit of open files to the hard one, and say so where even that is less than may be needed.

    Sockets are the most of it. The usual soft limit of 1024 is there for programs that call `select`, which none of
    ours does. The limit that holds now, or None where the system has none.
    """
    if sys.platform == "win32":  # pragma: no cover - no such limit
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (OSError, ValueError) as error:
            # some systems have a hard limit that they do not grant
            log.warning("the limit of %d open files could not be raised: %s", soft, error)
    if soft != resource.RLIM_INFINITY and soft < needed + OWN_DESCRIPTORS:
        log.warning(
            "at most %d files can be open, and all sockets and worlds that are allowed may need %d", soft, needed
        )
    return soft
