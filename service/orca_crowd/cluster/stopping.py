"""A process of worlds is ended on purpose: its worlds let go of first, so that nothing is computed again when they are
brought back.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from orca_crowd.cluster.asking import Asking
from orca_crowd.engine.ray.cluster import ActorAway, ClusterError, NoSuchActor

__all__ = ["NotStopped", "stop", "without_journal"]

log = logging.getLogger("orca_crowd")

TOLD_SECONDS: Final = 5.0
LET_GO_SECONDS: Final = 60.0


class NotStopped(Exception):
    """The process goes on; the message says why."""


def without_journal(worlds: dict[str, dict[str, Any]]) -> str | None:
    """Which of the worlds that a process has would be lost with it, in words; None where none would."""
    lost = sorted(world for world, life in worlds.items() if not life["kept"])
    if not lost:
        return None
    return f"world {lost[0]!r}" + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")


async def stop(asking: Asking, actor: str, *, forget: bool) -> int:
    """End an actor for good, with so many worlds; NotStopped where one would be lost that is not to be forgotten.

    One that gives no answer is ended all the same: what it has acknowledged is in the journals of its worlds.
    """
    try:
        kept = (await asking.actor(actor, "worlds", seconds=TOLD_SECONDS))["worlds"]
    except NoSuchActor:
        return 0
    except ActorAway:
        kept = {}
    lost = without_journal(kept)
    if lost is not None and not forget:
        raise NotStopped(f"{lost} keeps no journal: end it all the same with --forget")
    try:
        await asking.actor(actor, "release", seconds=LET_GO_SECONDS)
    except ClusterError as error:
        log.warning("%s did not let go: %s", actor, error)
    await asking.ask("end", actor, True)
    return len(kept)
