"""How much each key may ask for. Pure; told the time."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Buckets"]

# keys that are remembered; one that was not used for longest has a full bucket again anyway
REMEMBERED = 10_000


class Buckets:
    """A token bucket a key: `burst` tokens at most, `rate` new ones a second, one a request."""

    def __init__(self, *, rate: float, burst: float) -> None:
        """Start with full buckets."""
        self._rate = rate
        self._burst = burst
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, now: float) -> float:
        """Take one token and return 0, or take none and return the seconds until there is one."""
        tokens, since = self._held.get(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        wait = max(0.0, (1.0 - tokens) / self._rate)
        self._held[key] = (tokens - 1.0 if wait == 0.0 else tokens, now)
        self._held.move_to_end(key)
        if len(self._held) > REMEMBERED:
            self._held.popitem(last=False)
        return wait
