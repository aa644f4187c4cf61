"""Answers: the ways that were found for those who asked, let in among what is known of followers."""

from __future__ import annotations

import numpy as np

from orca_core.guidance.batches import Batch
from orca_core.guidance.followers import NOT, Followers
from orca_core.guidance.planning import OUTCOMES, FoundWays
from orca_core.kernels.follow import NEAREST, STOPPED, WAY

__all__ = ["POSTPONED", "entered"]

POSTPONED, UNFINISHED = OUTCOMES.index("postponed"), OUTCOMES.index("unfinished")


def entered(known: Followers, batch: Batch, found: FoundWays) -> Followers:
    """Give those who asked what was found, unless they want something else meanwhile. What is known of them is written
    to; waypoints are not.
    """
    order = np.argsort(known.id, kind="stable")
    places = np.minimum(np.searchsorted(known.id, batch.ids, sorter=order), max(len(known) - 1, 0))
    which = order[places] if len(known) else np.empty(0, np.int64)
    held = np.flatnonzero((known.id[which] == batch.ids) & (known.due[which] == batch.due))
    which = which[held]
    known.due[which] = NOT
    same = (known.goal[which] == batch.goal[held]).all(axis=1) & (known.radius[which] == batch.radius[held])
    held, which = held[same], which[same]

    # what is not known is asked again: at once where its turn had not come, else a second later
    outcome = found.outcome[held]
    later = (outcome == POSTPONED) | (outcome == UNFINISHED)
    again = which[later]
    known.wants[again] = batch.wants[held[later]]
    known.avoid[again] = batch.avoid[held[later]]
    known.asked[which[outcome == POSTPONED]] = NOT
    # that there is a way need not be found out again; who was told that there is none keeps its reason till then
    known.reason[again] = np.where(known.standing[again] > WAY, known.reason[again], outcome[later])

    held, which, outcome = held[~later], which[~later], outcome[~later]
    counts = found.count[held]
    stops = np.cumsum(found.count)
    parts = [found.waypoints[stops[j] - found.count[j] : stops[j]] for j in held]
    known.reason[which], known.nearest[which] = outcome, found.nearest[held]
    known.has_nearest[which] = found.has_nearest[held]
    known.standing[which] = np.where(outcome == 0, WAY, np.where(counts > 0, NEAREST, STOPPED))
    ascending = np.argsort(which, kind="stable")
    points = np.concatenate([np.empty((0, 2)), *(parts[j] for j in ascending)])
    return known.with_waypoints(which[ascending], counts[ascending], points)
