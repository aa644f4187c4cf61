"""How often and after which delay a broken connection is tried again: bounded, growing, and scattered."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["RECONNECTING", "REQUESTING", "Attempts", "Backoff"]


@dataclass(frozen=True)
class Backoff:
    """`attempts` more tries; delays in seconds grow from `first` by `factor` up to `longest`.

    Each delay is scattered over its upper half, so that a thousand clients of a server that restarts do not come back
    in one instant. `first=0` tries at once.
    """

    attempts: int
    first: float = 0.1
    factor: float = 2.0
    longest: float = 5.0

    def delays(self) -> Iterator[float]:
        """Give the delay before each further try, `attempts` of them."""
        delay = self.first
        for _ in range(self.attempts):
            yield min(delay, self.longest) * random.uniform(0.5, 1.0)
            delay = min(delay * self.factor, self.longest)


class Attempts:
    """The tries that are left, until `renew` says that things went well."""

    def __init__(self, backoff: Backoff) -> None:
        """Begin with all of them."""
        self._backoff = backoff
        self._delays = backoff.delays()

    def next_delay(self) -> float | None:
        """Use up one try: seconds to wait before it, None where none is left."""
        return next(self._delays, None)

    def renew(self) -> None:
        """Begin anew."""
        self._delays = self._backoff.delays()


# a request: a second and a half at most, then the caller is told
REQUESTING = Backoff(attempts=4)
# a stream: as long as a restart of the server takes, about half a minute
RECONNECTING = Backoff(attempts=12)
